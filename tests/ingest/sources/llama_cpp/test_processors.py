"""The pages of processor backends and of the smaller devices."""

from collections.abc import Callable

import pytest

from ingest.contract import Finding, Page, UnexpectedPage, Vocabulary
from ingest.sources.llama_cpp.devices import (
    read_build,
    read_et,
    read_snapdragon,
    read_virtgpu,
)
from ingest.sources.llama_cpp.ibm import read_ibm_z, read_zdnn
from ingest.sources.llama_cpp.processors import read_spacemit, read_zendnn

Brief = Callable[[Finding], tuple[str, str, str]]
Make = Callable[..., Page]

ZENDNN = """# ZenDNN

| CPU Family | Status | Notes |
|:----------:|:------:|:-----:|
| AMD EPYC™ 9004 Series (Genoa) | Support | fourth |

| DataType | Status | Notes |
|:--------:|:------:|:-----:|
| FP32 | Support | full |
| Q8_0 | Support | dynamic |

- Other quantization formats fall back to the standard CPU backend.
"""


def test_types_outside_of_the_zendnn_table_fall_back_to_plain_cpu_code(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_zendnn(page(ZENDNN), vocabulary)
    stated = [f for f in reading.findings if f.kind.value == "compatibility"]
    assert [brief(f) for f in stated] == [
        ("AMD EPYC™ 9004 Series (Genoa) | Status", "supported", "zendnn cpu-x86-zen4"),
        ("FP32 | Status", "supported", "zendnn cpu-x86-amd fp32"),
        ("Q8_0 | Status", "supported", "zendnn cpu-x86-amd gguf-q8-0"),
        ("line 12", "partial", "zendnn cpu-x86-amd gguf-gguf-q8-0"),
    ]
    assert stated[-1].execution.value == "cpu-fallback"


ZDNN = """# zDNN

| Hardware Level | Status | Verified |
| -------------- | ------ | -------- |
| IBM z17 / LinuxONE 5 | Supported | here |
| IBM z16 / LinuxONE 4 | Not Supported | |

| Data Type | Status |
| --------- | ------ |
| F16 | Supported |
"""


def test_an_ibm_machine_without_the_accelerator_is_refused_for_its_hardware(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_zdnn(page(ZDNN), vocabulary)
    stated = [f for f in reading.findings if f.kind.value == "compatibility"]
    assert [brief(f) for f in stated] == [
        ("IBM z17 / LinuxONE 5 | Status", "supported", "zdnn cpu-z17"),
        ("IBM z16 / LinuxONE 4 | Status", "unsupported", "zdnn cpu-z16"),
        ("F16 | Status", "supported", "zdnn cpu-z17 fp16"),
    ]
    assert stated[1].limit is not None
    assert stated[1].limit.value == "hardware"


IBM_Z = """# IBM Z

## IBM Accelerators

### 1. SIMD Acceleration

Only available in IBM z15 or later system. None with older systems, such as IBM z14/arch12.

### 2. zDNN Accelerator (WIP)

Only available in IBM z17/LinuxONE 5 or later system.

### 3. Spyre Accelerator

_Only available with IBM z17 / LinuxONE 5 or later system. No support currently available._

## Appendix A

| | Support | Minimum Compiler Version |
| --- | --- | --- |
| IBM z15 | ✅ | |
| IBM zDNN | ✅ | GCC 15 |

## Appendix B

| | VX/VXE/VXE2 | NNPA | zDNN | Spyre |
|---|---|---|---|---|
| Q2_K | 🚫 | ✅ | ❓ | ❓ |
| FP32->FP16 | 🚫 | ✅ | ❓ | ✅ |
"""


def test_the_same_sign_means_refused_in_one_appendix_and_slow_in_the_other(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_ibm_z(page(IBM_Z), vocabulary)
    stated = [f for f in reading.findings if f.kind.value == "compatibility"]
    assert [brief(f) for f in stated] == [
        ("IBM z15 | Support", "supported", "cpu cpu-z15"),
        ("IBM zDNN | Support", "supported", "cpu cpu-s390x"),
        ("Q2_K | VX/VXE/VXE2", "no-acceleration", "cpu cpu-s390x gguf-q2-k"),
        ("Q2_K | NNPA", "supported", "cpu cpu-s390x gguf-q2-k"),
        ("Q2_K | zDNN", "unknown", "zdnn cpu-s390x gguf-q2-k"),
        ("Q2_K | Spyre", "unknown", "ibm-spyre gguf-q2-k"),
        ("line 7", "no-acceleration", "cpu cpu-z14"),
        ("line 11", "work-in-progress", "zdnn cpu-z17"),
        ("line 15", "unsupported", "ibm-spyre"),
    ]
    nnpa = stated[3]
    assert [c.name for c in nnpa.conditions] == ["GGML_NNPA"]
    conversions = [f for f in reading.findings if "->" in f.locator.row]
    assert {f.kind.value for f in conversions} == {"value"}


def test_an_ibm_page_without_the_second_matrix_is_unexpected(
    page: Make, vocabulary: Vocabulary
) -> None:
    text = IBM_Z.split("## Appendix B", maxsplit=1)[0]
    with pytest.raises(UnexpectedPage, match="SIMD support matrix"):
        read_ibm_z(page(text), vocabulary)


SPACEMIT = """# SpacemiT cores

| Quantization Type | X60 | A100 | Z9 |
| ---: | ---: | ---: | ---: |
| Q2_K |  | :heavy_check_mark: | |
"""


def test_the_a100_core_is_spacemits_and_a_blank_is_no_refusal(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_spacemit(page(SPACEMIT), vocabulary)
    stated = [f for f in reading.findings if f.kind.value == "compatibility"]
    assert [brief(f) for f in stated] == [
        ("Q2_K | X60", "not-stated", "cpu spacemit-x60 gguf-q2-k"),
        ("Q2_K | A100", "supported", "cpu spacemit-a100 gguf-q2-k"),
    ]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [("hardware", "Z9")]


VIRTGPU = """# VirtGPU

| OS | Status | Backend | CI testing | Notes
| -- | ------ | ------- | ---------- | -----
| MacOS 14 | Supported | ggml-metal | X | works
| MacOS 26 | Not tested | | |
| Linux | Under development | ggml-vulkan | not working | stuck
"""


def test_host_systems_of_the_virtual_gpu_are_deployment_facts(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_virtgpu(page(VIRTGPU), vocabulary)
    hosts = [f for f in reading.findings if f.kind.value == "deployment"]
    assert [brief(f)[:2] for f in hosts] == [
        ("MacOS 14 | Status", "supported"),
        ("MacOS 14 | CI testing", "validated"),
        ("MacOS 26 | Status", "untested"),
        ("MacOS 26 | CI testing", "not-stated"),
        ("Linux | Status", "work-in-progress"),
        ("Linux | CI testing", "known-issues"),
    ]
    assert not [f for f in reading.findings if f.kind.value == "compatibility"]


ET = """# ET

## Limitations

- Only `q8_0` (and partially `q4_K`) quantization is supported.
- One instance at a time.

Fully supported models:
- Qwen3 models (without MoE), e.g. something
- Llama 3.1 model family.
"""


def test_the_rest_of_the_types_falls_back_on_et(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_et(page(ET), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("line 5", "supported", "et ainekko-et gguf-q8-0"),
        ("line 5", "partial", "et ainekko-et gguf-q4-k"),
        ("line 5", "partial", "et ainekko-et gguf-gguf-q4-k-gguf-q8-0"),
        ("line 9", "supported", "et ainekko-et qwen3"),
        ("line 10", "supported", "et ainekko-et llama-3.1"),
    ]


def test_an_et_page_without_the_sentence_is_unexpected(page: Make, vocabulary: Vocabulary) -> None:
    with pytest.raises(UnexpectedPage, match="supported types"):
        read_et(page("# ET\n\n## Limitations\n\n- None.\n"), vocabulary)


BUILD = """# Build it locally

This configuration enables only compute capability `2.1` (MTT S80) here.

- For Linux (assuming a gfx1030-compatible AMD GPU):

| Option | Description |
|--------|-------------|
| FORCE | Use kernels for quantized models instead of others (affects V100, CDNA and RDNA9). |
"""


def test_the_build_guide_names_devices_and_an_unknown_target_is_listed(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_build(page(BUILD), vocabulary)
    types = "gguf-k+gguf-q4-0+gguf-q4-1+gguf-q5-0+gguf-q5-1+gguf-q8-0"
    assert [brief(f) for f in reading.findings] == [
        ("line 3", "supported", "musa moore-threads-mtt-s80"),
        ("line 5", "supported", "rocm amd-gfx1030"),
        ("line 9", "supported", f"cuda nvidia-volta {types}"),
        ("line 9", "supported", f"rocm amd-cdna {types}"),
    ]
    assert reading.findings[0].value == "2.1"
    assert [u.word for u in reading.unknown_words] == ["RDNA9"]


def test_snapdragon_has_three_backends(page: Make, vocabulary: Vocabulary, brief: Brief) -> None:
    sentence = "It supports three backends on Snapdragon-based devices: A, B, C"
    text = f"# Snapdragon things\n\n{sentence}\n"
    reading = read_snapdragon(page(text), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("line 3", "supported", "cpu cpu-snapdragon"),
        ("line 3", "supported", "opencl qualcomm-adreno"),
        ("line 3", "supported", "hexagon qualcomm-hexagon"),
    ]


@pytest.mark.parametrize("read", [read_build, read_snapdragon, read_spacemit])
def test_a_page_about_something_else_is_unexpected(
    page: Make, vocabulary: Vocabulary, read: Callable[[Page, Vocabulary], object]
) -> None:
    with pytest.raises(UnexpectedPage):
        read(page("# Gardening\n\nRoses.\n"), vocabulary)


@pytest.mark.parametrize("read", [read_zendnn, read_zdnn, read_virtgpu])
def test_a_backend_page_without_its_table_is_unexpected(
    page: Make, vocabulary: Vocabulary, read: Callable[[Page, Vocabulary], object]
) -> None:
    with pytest.raises(UnexpectedPage, match="the table of"):
        read(page("# Backend\n\n| A | B |\n|---|---|\n| 1 | 2 |\n"), vocabulary)
