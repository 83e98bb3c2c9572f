"""Method pages: floors in prose, notes, KV cache, decoding limits."""

from collections.abc import Callable

import pytest

from ingest.contract import FindingKind, Page, Reading, UnexpectedPage, Vocabulary
from ingest.sources.vllm.decoding import (
    read_batch_invariance,
    read_experiments,
    read_speculation_limits,
)
from ingest.sources.vllm.kv_cache import read_kv_cache
from ingest.sources.vllm.method_notes import read_method_notes
from ingest.sources.vllm.method_tables import read_method_tables
from ingest.sources.vllm.methods import read_compute_floors
from ingest.sources.vllm.reasoning import read_reasoning_models
from matrix.domain.levels import Execution
from tests.ingest.sources.vllm.pages import NO_WORDS, facts, page_of, vocabulary_of, words_of

FOLDER = "docs/features/quantization/"
WORDS = vocabulary_of(
    hardware={"MI325": "amd-mi325x", "MI300": "amd-mi300", "MI250": "amd-mi250"},
    feature={"batch invariance": "batch-invariance"},
    model={"Deep R1": "deep-r1", "org/Q-32B": "org--q-32b"},
)


def test_fp8_computes_natively_on_some_families_and_weight_only_on_others() -> None:
    text = (
        "FP8 uses acceleration on GPUs such as Nvidia H100 and AMD MI300x.\n"
        "Currently, only Hopper and Ada Lovelace GPUs are officially supported for W8A8.\n"
        "Ampere GPUs are supported for W8A16 (weight-only FP8) utilizing Marlin kernels.\n\n"
        "FP8 computation is supported on NVIDIA GPUs with compute capability > 8.9"
        " (Ada Lovelace, Hopper).\n"
        "FP8 models will run on compute capability > 8.0 (Ampere) as weight-only W8A16.\n"
    )
    reading = read_compute_floors(page_of(text, path=FOLDER + "fp8.md"), NO_WORDS)
    old = ("nvidia-kepler", "nvidia-maxwell", "nvidia-pascal", "nvidia-volta", "nvidia-turing")
    fp8 = "quantization=fp8-w8a8"
    assert facts(reading) == [
        ("line 5", "", "supported", f"hardware=nvidia-ada {fp8}"),
        ("line 5", "", "supported", f"hardware=nvidia-hopper {fp8}"),
        *[
            ("line 5", "", "unsupported", f"hardware={family} {fp8}")
            for family in (*old, "nvidia-ampere")
        ],
        ("line 6", "", "supported", "hardware=nvidia-ampere quantization=fp8-w8a16"),
        *[("line 6", "", "unsupported", f"hardware={family} quantization=fp8") for family in old],
        ("line 2", "", "supported", f"hardware=nvidia-hopper {fp8}"),
        ("line 2", "", "supported", f"hardware=nvidia-ada {fp8}"),
        ("line 3", "", "supported", "hardware=nvidia-ampere quantization=fp8-w8a16"),
        ("line 1", "", "supported", f"hardware=nvidia-hopper {fp8}"),
        ("line 1", "", "supported", f"hardware=amd-gfx942 {fp8}"),
    ]
    assert reading.findings[0].execution is Execution.NATIVE
    assert reading.findings[8].execution is Execution.WEIGHT_ONLY


def test_the_list_in_brackets_rules_over_the_operator() -> None:
    text = (
        "INT8 computation is supported on NVIDIA GPUs with compute capability > 7.5"
        " (Turing, Ampere, Quark).\n"
        "**Blackwell GPU Limitation**: INT8 is not supported on compute capability >= 100"
        " (e.g., RTX 6000 Blackwell).\n"
    )
    reading = read_compute_floors(page_of(text, path=FOLDER + "int8.md"), NO_WORDS)
    shown = [(status, scope) for _, _, status, scope in facts(reading)]
    assert shown[:2] == [
        ("supported", "hardware=nvidia-turing quantization=int8-w8a8"),
        ("supported", "hardware=nvidia-ampere quantization=int8-w8a8"),
    ]
    assert shown[-1] == ("unsupported", "hardware=nvidia-blackwell quantization=int8-w8a8")
    assert not any("nvidia-turing" in scope for status, scope in shown if status == "unsupported")
    assert words_of(reading) == [("hardware", "Quark")]


def test_a_method_that_moved_to_a_plugin_is_refused_without_it() -> None:
    text = (
        "!!! warning\n    GGUF support in vLLM is highly experimental and under-optimized.\n\n"
        "!!! note\n    GGUF support has migrated to OOT [vllm-gguf-plugin](https://e.org).\n"
    )
    reading = read_method_notes(page_of(text, path=FOLDER + "gguf.md"), NO_WORDS)
    assert facts(reading) == [
        ("line 2", "", "experimental", "-"),
        ("line 5", "", "via-plugin", "-"),
        ("line 5", "", "unsupported", "quantization=gguf"),
    ]
    # Nothing here names hardware, so nothing here may say yes for any.
    assert [f.kind for f in reading.findings[:2]] == [FindingKind.POLICY] * 2
    assert reading.findings[2].conditions[0].op == "unset"


def test_emulation_names_its_devices_and_a_deprecated_library_is_maintenance() -> None:
    text = (
        "On devices that do not support MXFP4 operations natively (e.g. AMD Instinct MI325,"
        " MI300 and MI250), it is simulated.\n\nThe `AutoAWQ` library is deprecated.\n"
    )
    reading = read_method_notes(page_of(text, path=FOLDER + "quark.md"), WORDS)
    assert facts(reading) == [
        ("line 3", "", "deprecated", "-"),
        ("line 1", "", "supported", "hardware=amd-mi325x quantization=mxfp4"),
        ("line 1", "", "supported", "hardware=amd-mi300 quantization=mxfp4"),
        ("line 1", "", "supported", "hardware=amd-mi250 quantization=mxfp4"),
    ]
    assert reading.findings[1].execution is Execution.EMULATED


def test_a_kv_cache_format_is_no_yes_for_cards_that_the_vendor_s_name_merely_covers() -> None:
    text = (
        '- `"fp8"` or `"fp8_e4m3"`: Supported on CUDA 11.8+ and ROCm (AMD GPU)\n'
        '- `"fp8_e5m2"`: Supported on CUDA 11.8+\n'
    )
    reading = read_kv_cache(page_of(text, path=FOLDER + "quantized_kvcache.md"), NO_WORDS)
    older = "nvidia-kepler,nvidia-maxwell,nvidia-pascal,nvidia-turing,nvidia-volta"
    ampere, fp8 = f"hardware=nvidia-!{older}", "hardware=amd-cdna3,amd-cdna4,amd-rdna4"
    assert facts(reading) == [
        ("line 1", "", "supported", f"{ampere} kv_dtype=kv-fp8"),
        ("line 1", "", "supported", f"{ampere} kv_dtype=kv-fp8-e4m3"),
        ("line 1", "", "supported", f"{fp8} kv_dtype=kv-fp8-e4m3"),
        ("line 2", "", "supported", f"{ampere} kv_dtype=kv-fp8-e5m2"),
    ]
    assert {f.note for f in reading.findings} == {"with CUDA 11.8 or newer", ""}


def test_a_format_list_without_hardware_is_a_pairing() -> None:
    text = (
        "## Supported ModelOpt checkpoint formats\n\n- `FP8`: per-tensor weight scale.\n"
        "- `NVFP4`: ModelOpt checkpoints.\n"
    )
    reading = read_method_tables(page_of(text, path=FOLDER + "modelopt.md"), NO_WORDS)
    assert [(f.kind, f.names["quantization"]) for f in reading.findings] == [
        (FindingKind.PAIRING, "FP8"),
        (FindingKind.PAIRING, "NVFP4"),
    ]


def test_an_exclusion_that_the_page_dates_speaks_of_that_release() -> None:
    text = (
        "1. Pipeline parallelism is not composable with speculative decoding as of"
        " `vllm<=0.15.0`\n"
        "2. Speculative decoding with draft models is not supported in `vllm<=0.10.0`\n"
    )
    path = "docs/features/speculative_decoding/README.md"
    reading = read_speculation_limits(page_of(text, path=path), NO_WORDS)
    assert facts(reading) == [
        ("line 1", "", "unsupported", "+pipeline-parallel +speculative-decoding"),
        ("line 2", "", "unsupported", "+draft-model"),
    ]
    assert [f.release for f in reading.findings] == ["0.15.0", "0.10.0"]


def test_experiments_invariance_and_reasoning_are_read() -> None:
    text = "This feature is experimental and subject to change.\n"
    reading = read_experiments(page_of(text, path="docs/features/disagg_prefill.md"), NO_WORDS)
    assert facts(reading) == [("line 1", "", "experimental", "+disaggregated-prefill")]
    text = "Batch invariance requires NVIDIA GPUs with compute capability 9.0 or higher.\n"
    reading = read_batch_invariance(page_of(text, path="docs/features/x.md"), WORDS)
    assert facts(reading)[0] == (
        "line 1",
        "",
        "supported",
        "hardware=nvidia-blackwell,nvidia-hopper +batch-invariance",
    )
    text = (
        "| Model Series | Parser Name | Structured Output Support | Tool Calling |\n"
        "|--|--|--|--|\n"
        "| [Deep R1 series](https://huggingface.co/collections/x) | `r1` | `json` | ❌ |\n"
        "| [Q](https://huggingface.co/org/Q-32B) | `r1` | ❌ |  |\n"
    )
    reading = read_reasoning_models(page_of(text, path="docs/features/r.md"), WORDS)
    deep, other = "model=deep-r1 +reasoning-parser", "model=org--q-32b +reasoning-parser"
    assert facts(reading) == [
        ("Deep R1 series", "Parser Name", "value", "-"),
        ("Deep R1 series", "Structured Output Support", "supported", f"{deep} +structured-output"),
        ("Deep R1 series", "Tool Calling", "unsupported", f"{deep} +tool-calling"),
        ("Q", "Parser Name", "value", "-"),
        ("Q", "Structured Output Support", "unsupported", f"{other} +structured-output"),
        ("Q", "Tool Calling", "not-stated", f"{other} +tool-calling"),
    ]


@pytest.mark.parametrize(
    "read",
    [
        read_compute_floors,
        read_kv_cache,
        read_speculation_limits,
        read_batch_invariance,
        read_reasoning_models,
    ],
)
def test_a_page_that_lost_its_statement_is_unexpected(
    read: Callable[[Page, Vocabulary], Reading],
) -> None:
    with pytest.raises(UnexpectedPage):
        read(page_of("# Moved\n\nSee elsewhere.\n", path=FOLDER + "fp8.md"), NO_WORDS)
