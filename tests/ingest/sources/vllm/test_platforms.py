"""Installation pages: floors, listed targets, data types, accelerators, plug-ins."""

from collections.abc import Callable

import pytest

from ingest.contract import Page, Reading, UnexpectedPage, Vocabulary
from ingest.sources.vllm.accelerators import (
    read_gaudi,
    read_neuron_cores,
    read_openvino,
    read_tpu_versions,
)
from ingest.sources.vllm.images import read_images
from ingest.sources.vllm.installation import read_cuda_floor, read_rocm_targets, read_xpu_hardware
from ingest.sources.vllm.plugins import (
    read_hardware_plugins,
    read_metal_plugin,
    read_operating_systems,
)
from ingest.sources.vllm.processors import read_cpu_quantization, read_processor
from ingest.sources.vllm.readme import read_readme
from tests.ingest.sources.vllm.pages import (
    AMD,
    INTEL,
    NO_WORDS,
    NVIDIA,
    facts,
    page_of,
    vocabulary_of,
    words_of,
)

WORDS = vocabulary_of(
    hardware={
        "gfx90a": "amd-gfx90a",
        "gfx942": "amd-gfx942",
        "gfx1100": "amd-gfx1100",
        "gfx1101": "amd-gfx1101",
        "MI350": "amd-mi350",
        "Intel Data Center GPU": "intel-data-center-max",
        "Intel Arc GPU": "intel-arc-a-series intel-arc-meteor-lake",
        "TPU v5e": "google-tpu-v5e",
        "trn1": "aws-trainium1",
        "inf2": "aws-inferentia2",
        "Ascend NPU": "ascend",
    },
    model={"org/Tiny": "org--tiny", "Tiny": "tiny"},
)
INSTALL = "docs/getting_started/installation/"


def test_a_capability_floor_names_families_and_refuses_those_below() -> None:
    text = "- GPU: compute capability 7.5 or higher (e.g., T4, L4, H100, B200, Z9, etc.)\n"
    reading = read_cuda_floor(page_of(text, path=INSTALL + "gpu.cuda.inc.md"), NO_WORDS)
    assert facts(reading) == [
        ("line 1", "", "supported", "-"),
        ("line 1", "", "supported", "hardware=nvidia-turing"),
        ("line 1", "", "supported", "hardware=nvidia-ada"),
        ("line 1", "", "supported", "hardware=nvidia-hopper"),
        ("line 1", "", "supported", "hardware=nvidia-sm-100"),
        ("line 1", "", "unsupported", "hardware=nvidia-kepler"),
        ("line 1", "", "unsupported", "hardware=nvidia-maxwell"),
        ("line 1", "", "unsupported", "hardware=nvidia-pascal"),
        ("line 1", "", "unsupported", "hardware=nvidia-volta"),
    ]
    assert reading.findings[0].value == "7.5"
    assert reading.findings[-1].note == "below the stated floor of compute capability 7.5"
    assert words_of(reading) == [("hardware", "Z9")]


def test_the_amd_list_is_closed_and_a_nested_item_narrows_its_device() -> None:
    text = (
        "# Requirements\n\n"
        "- GPU: MI200s (gfx90a), Radeon RX 7900 series (gfx1100/1101)\n"
        "- ROCm 6.3 or above\n"
        "    - MI350 requires ROCm 7.0 or above\n"
    )
    reading = read_rocm_targets(page_of(text, path=INSTALL + "gpu/rocm.inc.md"), WORDS)
    assert facts(reading) == [
        ("line 3", "", "supported", "hardware=amd-gfx90a"),
        ("line 3", "", "supported", "hardware=amd-gfx1100"),
        ("line 3", "", "supported", "hardware=amd-gfx1101"),
        ("line 3", "", "unsupported", "hardware=amd-!amd-gfx1100,amd-gfx1101,amd-gfx90a"),
        ("line 4", "", "supported", "-"),
        ("line 5", "", "supported", "hardware=amd-mi350"),
    ]
    condition = reading.findings[-1].conditions[0]
    assert (condition.name, condition.op, condition.value) == ("ROCm", ">=", "7.0")
    assert reading.complete_lists == ("amd-hardware",)


def test_intel_gpus_are_listed_with_what_bf16_and_parallelism_do_on_them() -> None:
    text = (
        "- Supported Hardware: Intel Data Center GPU, Intel ARC GPU\n"
        "- OneAPI requirements: oneAPI 2024.2\n\n"
        "FP16 is the default. The BF16 data\n"
        "type is supported on Intel Data Center GPU, not supported on Intel Arc GPU yet.\n\n"
        "It supports **tensor parallel** serving and also supports **pipeline parallel** as a beta"
        " feature.\n"
    )
    reading = read_xpu_hardware(page_of(text, path=INSTALL + "gpu/xpu.inc.md"), WORDS)
    arc = "hardware=intel-arc-a-series,intel-arc-meteor-lake"
    assert facts(reading) == [
        ("line 1", "", "supported", "hardware=intel-data-center-max"),
        ("line 1", "", "supported", "hardware=intel-arc-a-series"),
        ("line 2", "", "supported", "-"),
        ("line 5", "", "supported", "hardware=intel-data-center-max quantization=bf16"),
        ("line 5", "", "unsupported", f"{arc} quantization=bf16"),
        ("line 7", "", "supported", f"{INTEL} +tensor-parallel"),
        ("line 7", "", "experimental", f"{INTEL} +pipeline-parallel"),
    ]


def test_cpu_pages_state_platform_data_types_and_instruction_sets() -> None:
    x86 = (
        "vLLM supports basic model inferencing and serving on x86 CPU platform, with data types"
        " FP32, FP16 and BF16.\n\n"
        "- CPU flags: `avx512f` (Recommended), `avx2` (Limited features)\n"
    )
    reading = read_processor(page_of(x86, path=INSTALL + "cpu.x86.inc.md"), NO_WORDS)
    assert facts(reading) == [
        ("line 1", "", "supported", "hardware=cpu-x86"),
        ("line 1", "", "supported", "hardware=cpu-x86 quantization=fp32"),
        ("line 1", "", "supported", "hardware=cpu-x86 quantization=fp16"),
        ("line 1", "", "supported", "hardware=cpu-x86 quantization=bf16"),
        ("line 3", "", "supported", "-"),
        ("line 3", "", "partial", "hardware=cpu-x86-avx2"),
    ]


def test_only_one_data_type_on_ibm_z_refuses_the_others_and_older_machines() -> None:
    text = (
        "vLLM has experimental support for s390x architecture on IBM Z platform.\n\n"
        "Currently the CPU implementation for s390x supports FP32 datatype only.\n\n"
        "- Instruction Set Architecture (ISA): VXE is required. Works with Z15 and above.\n"
    )
    reading = read_processor(page_of(text, path=INSTALL + "cpu/s390x.inc.md"), NO_WORDS)
    assert facts(reading) == [
        ("line 1", "", "experimental", "hardware=cpu-s390x"),
        ("line 3", "", "supported", "hardware=cpu-s390x quantization=fp32"),
        ("line 3", "", "unsupported", "hardware=cpu-s390x quantization=fp16"),
        ("line 3", "", "unsupported", "hardware=cpu-s390x quantization=bf16"),
        ("line 5", "", "supported", "-"),
        ("line 5", "", "unsupported", "hardware=cpu-z14"),
        ("line 5", "", "supported", "hardware=cpu-z15"),
        ("line 5", "", "supported", "hardware=cpu-z16"),
        ("line 5", "", "supported", "hardware=cpu-z17"),
    ]


def test_the_cpu_quantization_list_refuses_other_cpus_only_where_it_says_only() -> None:
    text = (
        "- vLLM CPU supports quantizations:\n"
        "    - AWQ (x86 only)\n"
        "    - compressed-tensor INT8 W8A8 (x86, s390x)\n"
    )
    reading = read_cpu_quantization(page_of(text, path=INSTALL + "cpu.md"), NO_WORDS)
    assert facts(reading) == [
        ("line 2", "", "supported", "hardware=cpu-x86 quantization=awq"),
        ("line 2", "", "unsupported", "hardware=cpu-!cpu-x86 quantization=awq"),
        ("line 3", "", "supported", "hardware=cpu-x86 quantization=int8-w8a8"),
        ("line 3", "", "supported", "hardware=cpu-s390x quantization=int8-w8a8"),
    ]


def test_tpu_and_neuron_generations_are_named_one_by_one() -> None:
    tpu = read_tpu_versions(
        page_of("- TPU versions: v5e, v9\n", path=INSTALL + "google_tpu.md"), WORDS
    )
    assert facts(tpu) == [
        ("line 1", "", "supported", "hardware=google-tpu-v5e"),
        ("line 1", "", "supported", "-"),
    ]
    text = (
        "vLLM 0.3.3 onwards supports serving on AWS Trainium/Inferentia.\n\n"
        "- Accelerator: NeuronCore_v2 (in trn1/inf2 instances)\n"
        "- AWS Neuron SDK 2.23\n"
    )
    neuron = read_neuron_cores(page_of(text, path=INSTALL + "aws_neuron.md"), WORDS)
    assert facts(neuron) == [
        ("line 3", "", "supported", "hardware=aws-inferentia2,aws-trainium1"),
        ("line 1", "", "supported", "hardware=aws-inferentia2,aws-trainium1"),
        ("line 4", "", "supported", "-"),
    ]
    assert neuron.findings[1].since == "0.3.3"


def test_gaudi_lists_what_it_lacks_and_the_configurations_that_were_validated() -> None:
    text = (
        "- Intel Gaudi accelerator\n- Intel Gaudi software version 1.18.0\n\n"
        "## Unsupported features\n\n- LoRA adapters\n- Quantization\n\n"
        "## Supported configurations\n\n"
        "- [org/Tiny](https://example.org/t) with tensor parallelism on 8x HPU, BF16\n"
    )
    reading = read_gaudi(page_of(text, path=INSTALL + "intel_gaudi.md"), WORDS)
    assert facts(reading) == [
        ("line 1", "", "supported", "hardware=intel-gaudi"),
        ("line 2", "", "supported", "-"),
        ("line 6", "", "unsupported", "hardware=intel-gaudi +lora"),
        ("line 7", "", "unsupported", "hardware=intel-gaudi quantization=*-!none"),
        (
            "line 11",
            "",
            "supported",
            "hardware=intel-gaudi2 model=org--tiny quantization=bf16 tensor_parallel:8.0..8.0",
        ),
    ]


def test_openvino_is_a_back_end_of_its_own() -> None:
    text = (
        "It serves on all x86-64 CPUs with, at least, AVX2 support.\n\n"
        "- LoRA serving is not supported.\n"
    )
    reading = read_openvino(page_of(text, path=INSTALL + "ai_accelerator/openvino.inc.md"), WORDS)
    assert facts(reading) == [
        ("line 1", "", "supported", "backend=openvino hardware=cpu-x86"),
        ("line 3", "", "unsupported", "backend=openvino +lora"),
    ]


def test_hardware_plugins_need_their_package_or_their_repository() -> None:
    text = (
        "# Installation\n\n## Hardware Plugins\n\n"
        "| Accelerator | PyPI / package | Repository |\n|---|---|---|\n"
        "| Ascend NPU | `vllm-ascend` | <https://example.org/vllm-ascend> |\n"
        "| Mystery NPU | N/A, install from source | <https://example.org/vllm-mystery> |\n"
    )
    reading = read_hardware_plugins(page_of(text, path=INSTALL + "README.md"), WORDS)
    assert facts(reading) == [
        ("Ascend NPU", "PyPI / package", "via-plugin", "hardware=ascend"),
        ("Ascend NPU", "Repository", "value", "-"),
        ("Mystery NPU", "PyPI / package", "via-plugin", "-"),
        ("Mystery NPU", "Repository", "value", "-"),
    ]
    named = [c.name for f in reading.findings for c in f.conditions]
    assert named == ["vllm-ascend", "vllm-mystery"]


def test_a_pointer_instead_of_the_plugin_table_states_nothing() -> None:
    text = (
        "# Installation\n\n## Hardware Plugins\n\n"
        "A list of all supported hardware can be found on the vLLM website.\n"
    )
    page = page_of(text, path=INSTALL + "README.md")
    assert read_hardware_plugins(page, WORDS).findings == ()


def test_metal_windows_and_images_are_read_from_their_sentences() -> None:
    metal = (
        "For GPU-accelerated inference on Apple Silicon, use [vLLM-Metal](https://e.org/m), ok.\n"
    )
    reading = read_metal_plugin(page_of(metal, path=INSTALL + "gpu.apple.inc.md"), NO_WORDS)
    assert facts(reading) == [("line 1", "", "via-plugin", "hardware=apple")]
    windows = "!!! note\n    vLLM does not support Windows natively. Use WSL.\n"
    reading = read_operating_systems(page_of(windows, path=INSTALL + "gpu.md"), NO_WORDS)
    assert facts(reading) == [("line 2", "", "unsupported", "+windows")]
    images = "```bash\ndocker run vllm/vllm-openai:v0.1 x\n```\n\nSee `vllm/vllm-openai:v0.1`.\n"
    reading = read_images(page_of(images, path="docs/deployment/docker.md"), NO_WORDS)
    assert facts(reading) == [("line 2", "", "published", "-")]


def test_a_readme_names_vendors_with_a_condition_and_its_schemes_claim_nothing() -> None:
    text = (
        "# vLLM\n\n- Quantization: [GPTQ](https://e.org), FP8 KV Cache\n"
        "- Support NVIDIA GPUs and AMD GPUs\n- (Experimental) Multi-lora support\n\n"
        "vLLM seamlessly supports many models, including the following architectures:\n\n"
        "- Tiny (`org/Tiny`, `org/Other`, etc.)\n"
    )
    reading = read_readme(page_of(text, path="README.md", version="0.4.2"), WORDS)
    assert facts(reading) == [
        ("line 4", "", "supported", NVIDIA),
        ("line 4", "", "supported", AMD),
        ("line 3", "", "supported", "-"),
        ("line 3", "", "supported", "-"),
        ("line 5", "", "experimental", "+lora"),
        ("line 9", "", "supported", "model=tiny"),
        ("line 9", "", "supported", "model=org--tiny"),
        ("line 9", "", "supported", "-"),
    ]
    assert [len(f.conditions) for f in reading.findings[:2]] == [1, 1]


@pytest.mark.parametrize(
    "read",
    [
        read_cuda_floor,
        read_rocm_targets,
        read_xpu_hardware,
        read_processor,
        read_tpu_versions,
        read_neuron_cores,
        read_gaudi,
        read_openvino,
        read_metal_plugin,
        read_readme,
    ],
)
def test_a_page_that_lost_its_statement_is_unexpected(
    read: Callable[[Page, Vocabulary], Reading],
) -> None:
    with pytest.raises(UnexpectedPage):
        read(page_of("# Moved\n\nSee elsewhere.\n", path=INSTALL + "cpu.x86.inc.md"), NO_WORDS)


def test_a_plugin_section_without_table_or_pointer_is_unexpected() -> None:
    text = "# Installation\n\n## Hardware Plugins\n\nSoon.\n"
    with pytest.raises(UnexpectedPage):
        read_hardware_plugins(page_of(text, path=INSTALL + "README.md"), NO_WORDS)
