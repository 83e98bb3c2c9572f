"""Release notes, installation pages, performance tables and notices of TensorRT-LLM."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.tensorrt_llm import SOURCE, TRITON_BACKEND_SOURCE
from matrix.domain.levels import EvidenceKind
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"Alpha": "alpha-1", "Beta-VL": "beta-vl", "Llama 3": "llama-3", "Llama 4": "llama-4"},
    hardware={
        "V100": "nvidia-v100",
        "B200": "nvidia-b200",
        "B300": "nvidia-b300",
        "GB300": "nvidia-gb300",
        "GB200": "nvidia-gb200",
        "GH200": "nvidia-gh200",
        "DGX Spark": "nvidia-gb10",
        "GeForce RTX 50": "nvidia-geforce-rtx-50",
        "RTX Pro 6000": "nvidia-rtx-pro-6000-blackwell",
        "H200": "nvidia-h200",
    },
)

NOTES = """\
# Release Notes

## TensorRT-LLM Release 1.2

### Highlights

- **Model Support**
  - Added support for Alpha and Delta.
  - Improved Alpha support and validation.
- **Features**
  - **Hardware:**
    - DGX Spark Support (Beta)
    - **B300/GB300:** Added support for B300/GB300.

### Infrastructure Changes

- The base Docker image for TensorRT-LLM is updated to `nvcr.io/nvidia/pytorch:25.12-py3`.
- The dependent NVIDIA ModelOpt version is updated to 0.37.

### Known Issues

- Support for GB300 in multi-node configurations is currently in beta and not validated.
- For the Llama 3.x and Llama 4 models, there is an issue with pipeline parallelism when using FP8 \
and NVFP4 weights. Set the environment variable `export EAGER_OFF=1`.
- multi-GPU model support on RTX Pro 6000
- A rare crash at start.

## TensorRT-LLM Release 0.17.0

### Key Features and Enhancements
  - **Blackwell support**
    - **NOTE: pip installation is not supported for TRT-LLM 0.17 on Blackwell platforms only.**
    - Added support for B200.
    - Added support for GeForce RTX 50 series using Windows Subsystem for Linux (WSL) for some.
    - GB200 NVL is not fully supported.
  - **PyTorch workflow**
    - The PyTorch workflow is an **experimental** feature in `tensorrt_llm._torch`.
    - Added support for H200/B200.

## TensorRT-LLM Release 0.16.0

- Added W4A8 quantization support to BF16 models on Ada (SM89).
- [BREAKING CHANGE] Removed NVIDIA V100 GPU support.
- [BREAKING CHANGE] NVIDIA Volta GPU support is removed in this and future releases.
- [BREAKING CHANGE] Windows platform support is deprecated as of v0.18.0.
- Updated to TensorRT v10.7.
- Updated to ModelOpt v0.21 for Linux platform, while v0.17 is still used on Windows platform.

### Model Updates

- Supported Beta-VL, see `examples/beta/README.md`.
- Alpha model
- Mystery thing
"""


def test_release_notes_speak_for_the_release_of_their_section() -> None:
    rule = rule_named(SOURCE, "releases")
    reading = rule.parse(page_of(NOTES, path="docs/source/release-notes.md"), WORDS)
    assert said(reading) == [
        "supported release-model/alpha-1 [model=alpha-1]",
        "supported release-model/delta [?]",
        "experimental release-platform/nvidia-gb10 [hardware=nvidia-gb10]",
        "supported release-platform/nvidia-b300 [hardware=nvidia-b300]",
        "supported release-platform/nvidia-gb300 [hardware=nvidia-gb300]",
        "pinned requirement/base-image (requirement) = nvcr.io/nvidia/pytorch:25.12-py3",
        "pinned requirement/modelopt (requirement) = 0.37",
        "experimental release-platform/nvidia-gb300/multi-node"
        " [hardware=nvidia-gb300 features=multi-node]",
        "known-issues known-issue/llama-3/fp8+nvfp4/pipeline-parallel"
        " [model=llama-3 quantization=fp8,nvfp4 features=pipeline-parallel]",
        "known-issues known-issue/llama-4/fp8+nvfp4/pipeline-parallel"
        " [model=llama-4 quantization=fp8,nvfp4 features=pipeline-parallel]",
        "known-issues known-issue/tensor-parallel/nvidia-rtx-pro-6000-blackwell"
        " [hardware=nvidia-rtx-pro-6000-blackwell features=tensor-parallel]",
        "known-issues known-issue/a rare crash at start. (value)",
        "unsupported release-wheel/nvidia-blackwell (value) = no wheel",
        "supported release-platform/nvidia-b200 [hardware=nvidia-b200]",
        "partial release-platform/nvidia-geforce-rtx-50 [hardware=nvidia-geforce-rtx-50]",
        "partial release-platform/nvidia-gb200 [hardware=nvidia-gb200]",
        "experimental release-engine/engine-pytorch [features=engine-pytorch]",
        "supported release-platform/nvidia-h200/engine-pytorch"
        " [hardware=nvidia-h200 features=engine-pytorch]",
        "supported release-platform/nvidia-b200/engine-pytorch"
        " [hardware=nvidia-b200 features=engine-pytorch]",
        "supported release-quantization-hardware/nvidia-ada/awq-w4a8"
        " [hardware=nvidia-ada quantization=awq-w4a8]",
        "removed release-platform/nvidia-v100 [hardware=nvidia-v100]",
        "removed release-platform/nvidia-volta [hardware=nvidia-volta]",
        "deprecated release-system/windows [features=windows]",
        "pinned requirement/tensorrt (requirement) = 10.7",
        "pinned requirement/modelopt (requirement) = 0.21",
        "pinned requirement/modelopt-windows (requirement) = 0.17",
        "supported release-model/beta-vl [model=beta-vl]",
        "supported release-model/alpha-1 [model=alpha-1]",
    ]
    assert {found.evidence for found in reading.findings} == {EvidenceKind.RELEASE_NOTE}
    assert unknown(reading) == ["model: Delta"]


def test_an_addition_holds_since_its_release_and_a_removal_from_its_release_on() -> None:
    rule = rule_named(SOURCE, "releases")
    reading = rule.parse(page_of(NOTES, path="docs/source/release-notes.md"), WORDS)
    added = reading.findings[0]
    removed = next(f for f in reading.findings if f.status == "removed")
    assert (added.since, added.release, added.open_ended) == ("1.2.0", "", False)
    assert (removed.since, removed.release, removed.open_ended) == ("", "0.16.0", True)
    issue = next(f for f in reading.findings if "llama-3" in f.statement)
    assert [(c.name, c.value, c.workaround) for c in issue.conditions] == [
        ("EAGER_OFF", "1", "EAGER_OFF=1")
    ]


def test_notes_without_release_headings_are_refused() -> None:
    with pytest.raises(UnexpectedPage) as refused:
        rule_named(SOURCE, "releases").parse(page_of("# News\n\n- x\n", path="r.md"), WORDS)
    assert refused.value.nearest == "News"


HARDWARE = """\
# Supported Hardware

It supports these NVIDIA GPU architectures:
- **NVIDIA Blackwell**: B200, DGX Spark
- **NVIDIA Ampere**: V100/Z9
"""


def test_the_hardware_page_claims_the_devices_it_lists_and_no_more_of_their_architecture() -> None:
    reading = rule_named(SOURCE, "hardware").parse(page_of(HARDWARE, path="h.md"), WORDS)
    assert said(reading) == [
        "supported platform/nvidia-blackwell (value)",
        "supported platform/nvidia-b200 [hardware=nvidia-b200]",
        "supported platform/nvidia-gb10 [hardware=nvidia-gb10]",
        "supported platform/nvidia-ampere (value)",
        "supported platform/nvidia-v100 [hardware=nvidia-v100]",
        "supported platform/z9 [?]",
    ]


WINDOWS = """\
# Installing on Windows

```{note}
The Windows release of TensorRT-LLM is currently in beta.
```

1. Install [CUDA 12.5.1 Toolkit](https://example.org/cuda).
2. Install [Python 3.10](https://example.org/python).

Multi-device inference is supported on Linux, but not on Windows.
"""


def test_windows_is_a_feature_of_the_question_and_never_a_claim_about_cards() -> None:
    reading = rule_named(SOURCE, "installation").parse(page_of(WINDOWS, path="windows.md"), WORDS)
    assert said(reading) == [
        "experimental system/windows [features=windows]",
        "pinned requirement/cuda (requirement) = 12.5.1",
        "pinned requirement/python (requirement) = 3.10",
        "unsupported system-multi-device/windows [features=windows hardware_count>=2]",
    ]
    assert [found.locator.line for found in reading.findings] == [4, 7, 8, 10]


LINUX = """\
# Installing on Linux

TensorRT LLM 1.1 supports both CUDA 12.9 and 13.0. \
The wheel package release only supports CUDA 12.9, \
while CUDA 13.0 needs the container.

PyTorch CUDA 12.8 package is required for supporting NVIDIA Blackwell GPUs.
"""


def test_wheel_and_container_may_need_different_toolkits() -> None:
    page = page_of(LINUX, path="docs/source/installation/linux.md")
    assert said(rule_named(SOURCE, "installation").parse(page, WORDS)) == [
        "pinned requirement/cuda-wheel (requirement) = 12.9",
        "pinned requirement/cuda-container (requirement) = 13.0",
    ]
    assert said(rule_named(SOURCE, "blackwell-torch").parse(page, WORDS)) == [
        "requires requirement/torch-cuda-blackwell (requirement) = torch for CUDA 12.8",
    ]


REMOVAL = """\
# Migration Guide

```{note}
The TensorRT engine backend has been removed. PyTorch is now the sole execution backend.
```

| Removed | Replacement / new behavior |
| --- | --- |
| `old-build` | No build step |
"""


def test_the_removed_engine_is_refused_from_now_on() -> None:
    reading = rule_named(SOURCE, "backend-removal").parse(page_of(REMOVAL, path="r.md"), WORDS)
    assert said(reading) == [
        "removed engine/engine-tensorrt [features=engine-tensorrt]",
        "supported engine/engine-pytorch [features=engine-pytorch]",
        "removed removed/old-build (value) = No build step",
    ]
    assert reading.findings[0].open_ended


POLICY = """\
# Tool

![cuda](https://img.shields.io/badge/cuda-12.9.1-green)

## Deprecation Policy

1. Migration Period
  - The tool provides a 3-month migration period after deprecation.
"""


def test_the_readme_states_its_deprecation_policy_and_its_pins() -> None:
    page = page_of(POLICY, path="README.md")
    assert said(rule_named(SOURCE, "readme-policy").parse(page, WORDS)) == [
        "policy policy/deprecation (policy) = 3 months",
    ]
    assert said(rule_named(SOURCE, "readme-pins").parse(page, WORDS)) == [
        "pinned requirement/cuda (requirement) = 12.9.1",
    ]


def test_a_policy_section_without_months_is_refused() -> None:
    text = "# Tool\n\n## Deprecation Policy\n\n- Ask us.\n"
    with pytest.raises(UnexpectedPage):
        rule_named(SOURCE, "readme-policy").parse(page_of(text, path="README.md"), WORDS)


BY_MODEL = """\
# Alpha 70B

| Sequence Length (ISL/OSL) | B200<br/>TP1 (FP4) | H200<br/>DEP8 (FP8) |
|---|---|---|
| 1024/1024 | 6,463 | |
"""
PIVOT = """\
# Overview

Generated using version 0.11.0 of the tool.

| | | | | |
| --- | --- | --- | --- | --- |
| | | **GPU** | H200 | L40S |
| | | **Precision** | FP8 | FP16 |
| **Model** | **Lengths** | **TP** | | |
| Alpha | 128/128 | 1 | 251.5 | |
| | 128/2048 | 2 | | 19.5 |
"""
FLAT = """\
# Performance

## H100 GPUs (FP8)

| Model | Batch Size | TP (1) | Input Length | Output Length | Throughput (out tok/s) |
| --- | --- | --- | --- | --- | --- |
| Alpha | 64 | 1 | 128 | 2048 | 10,907 |
"""


def test_rates_are_values_in_every_layout_and_a_blank_cell_was_not_measured() -> None:
    rule = rule_named(SOURCE, "performance")
    assert said(rule.parse(page_of(BY_MODEL, path="p.md"), WORDS)) == [
        "value benchmark/Alpha 70B/B200/FP4/TP1/1024/1024// (benchmark) = 6463",
        "not-stated benchmark/Alpha 70B/H200/FP8/DEP8/1024/1024// (benchmark)",
    ]
    pivot = rule.parse(page_of(PIVOT, path="p.md"), WORDS)
    assert said(pivot) == [
        "value benchmark/Alpha/H200/FP8/TP1/128/128// (benchmark) = 251.5",
        "not-stated benchmark/Alpha/L40S/FP16/TP1/128/128// (benchmark)",
        "not-stated benchmark/Alpha/H200/FP8/TP2/128/2048// (benchmark)",
        "value benchmark/Alpha/L40S/FP16/TP2/128/2048// (benchmark) = 19.5",
    ]
    assert {found.release for found in pivot.findings} == {"0.11.0"}
    assert said(rule.parse(page_of(FLAT, path="p.md"), WORDS)) == [
        "value benchmark/Alpha/H100/FP8/TP1/128/2048/64/Throughput (out tok/s) (benchmark) = 10907",
    ]


def test_a_performance_page_without_tables_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(SOURCE, "performance").parse(page_of("# Overview\n", path="p.md"), WORDS)


BACKEND = """\
# Backend

> [!NOTE]
>
> Please note that the Triton backend source code and test have been moved
> to the main repository.

In this example, we will use Triton 24.07 with TensorRT-LLM v0.11.0.
"""


def test_the_triton_backend_says_where_it_went_and_which_versions_go_together() -> None:
    reading = rule_named(TRITON_BACKEND_SOURCE, "readme").parse(
        page_of(BACKEND, path="R.md"), WORDS
    )
    assert said(reading) == [
        "moved maintenance/tensorrtllm-backend (maintenance) = NVIDIA/TensorRT-LLM",
        "pinned pairing/tritonserver (pairing) = tritonserver 24.07 = tensorrt-llm 0.11.0",
    ]


def test_a_backend_readme_without_either_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(TRITON_BACKEND_SOURCE, "readme").parse(page_of("# X\n", path="R.md"), WORDS)
