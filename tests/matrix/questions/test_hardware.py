"""Hardware and framework words of questions."""

import pytest

from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import NumberAxis
from matrix.questions.frameworks import read_framework
from matrix.questions.hardware import AskedHardware, read_hardware


def _read(
    catalogue: Catalogue,
    device: str,
    arch: str = "",
    backend: str = "",
    count: int | None = None,
) -> AskedHardware:
    return read_hardware(device, arch, backend, count=count, catalogue=catalogue)


@pytest.mark.parametrize(
    ("device", "nodes"),
    [
        ("Tesla T4", ("nvidia-t4",)),
        ("2x RX 7900 XTX", ("amd-rx-7900-xtx",)),
        ("4x RTX 4090 24GB", ("nvidia-rtx-4090",)),
        ("RTX 3090/4090 24GB", ("nvidia-rtx-3090", "nvidia-rtx-4090")),
        ("MI210 / MI250", ("amd-mi210", "amd-mi250")),
        ("Tesla T4 / Turing", ("nvidia-t4",)),
        ("any NVIDIA, 8 GPUs", ("nvidia",)),
        ("any Ampere+", ("nvidia",)),
        ("24GB GPU", ()),
        ("8 GPUs", ()),
        ("any", ()),
    ],
)
def test_devices_are_found_in_free_words(
    catalogue: Catalogue, device: str, nodes: tuple[str, ...]
) -> None:
    asked = _read(catalogue, device)
    assert asked.nodes == nodes
    assert asked.restrictions == ()


@pytest.mark.parametrize(
    ("device", "count", "number"),
    [
        ("8x H100", 1, 8),
        ("16x H100 80GB (2 nodes)", 16, 16),
        ("any NVIDIA, 8 GPUs", None, 8),
        ("T4", 1, 1),
        ("multi GPU NVIDIA", 1, None),
        ("2 nodes, TP2xPP2", 1, None),
    ],
)
def test_a_count_of_one_beside_several_states_nothing(
    catalogue: Catalogue, device: str, count: int | None, number: int | None
) -> None:
    asked = _read(catalogue, device, count=count)
    assert asked.numbers.get(NumberAxis.HARDWARE_COUNT) == number


def test_a_parallel_layout_is_read_as_numbers(catalogue: Catalogue) -> None:
    asked = _read(catalogue, "2 nodes, TP2xPP4")
    assert asked.numbers[NumberAxis.TENSOR_PARALLEL] == 2
    assert asked.numbers[NumberAxis.PIPELINE_PARALLEL] == 4
    assert asked.restrictions == ()


def test_the_architecture_narrows_a_wide_device(catalogue: Catalogue) -> None:
    asked = _read(catalogue, "Hopper / Blackwell", "sm_90, sm_100")
    assert asked.nodes == ("nvidia-sm-90", "nvidia-sm-100")


def test_an_architecture_above_the_device_adds_nothing(catalogue: Catalogue) -> None:
    assert _read(catalogue, "RTX 3090", "sm_86").nodes == ("nvidia-rtx-3090",)


def test_a_toolkit_version_is_a_setting_and_its_backend_stays(catalogue: Catalogue) -> None:
    asked = _read(catalogue, "RTX 5090", "sm_120", "CUDA 12.8")
    assert asked.backends == ("cuda",)
    assert asked.settings == {"cuda": "12.8"}
    assert asked.restrictions == ()


def test_an_unknown_device_is_a_restriction_never_a_guess(catalogue: Catalogue) -> None:
    asked = _read(catalogue, "Frobnicator 9000X")
    assert asked.nodes == ()
    assert "hardware word 'Frobnicator'" in asked.restrictions


def test_an_excluded_feature_of_the_device_is_an_exclusion(catalogue: Catalogue) -> None:
    asked = _read(catalogue, "x86 CPU (no AVX-512)")
    assert asked.nodes == ("cpu-x86",)
    assert asked.exclusions == ("no AVX-512",)
    assert asked.restrictions == ()


@pytest.mark.parametrize(
    ("text", "slug", "backends"),
    [
        ("vLLM", "vllm", ()),
        ("vLLM (ROCm)", "vllm", ("rocm",)),
        ("SGLang (MUSA)", "sglang", ("musa",)),
        ("Ollama / llama.cpp", "ollama", ()),
        ("vLLM + vllm-gguf-plugin", "vllm-gguf-plugin", ()),
    ],
)
def test_frameworks_are_found_in_free_words(
    catalogue: Catalogue, text: str, slug: str, backends: tuple[str, ...]
) -> None:
    asked = read_framework(text, catalogue)
    assert (asked.slug, asked.backends, asked.restrictions) == (slug, backends, ())


def test_a_variant_of_a_framework_is_a_restriction(catalogue: Catalogue) -> None:
    asked = read_framework("llama.cpp (CANN fork test)", catalogue)
    assert asked.backends == ("cann",)
    assert asked.restrictions == ("framework variant 'fork'", "framework variant 'test'")


def test_an_unknown_framework_has_no_slug(catalogue: Catalogue) -> None:
    assert read_framework("Frobnicator", catalogue).slug is None
