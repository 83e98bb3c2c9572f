"""The pages of the Ascend, SYCL, OpenCL and OpenVINO backends."""

from collections.abc import Callable

import pytest

from ingest.contract import Finding, Page, UnexpectedPage, Vocabulary
from ingest.sources.llama_cpp.cann import read_cann
from ingest.sources.llama_cpp.opencl import read_opencl
from ingest.sources.llama_cpp.openvino import read_openvino
from ingest.sources.llama_cpp.sycl import read_sycl

Brief = Callable[[Finding], tuple[str, str, str]]
Make = Callable[..., Page]

OLD_CANN = """# CANN

## OS

| OS | Status | Verified |
|:--:|:------:|:--------:|
| Linux | Support | Some Linux 22 |

## Hardware

**Verified devices**
| Ascend NPU | Status |
|:----------:|:------:|
| Atlas 300T A2 | Support |

## Model Supports

| Model Name | FP16 | Q8_0 | Q4_0 |
|:-----------|:----:|:----:|:----:|
| Falcon | √ | x | - |

## DataType Supports

| DataType | Status |
|:--------:|:------:|
| Q4_0 | Support |

   - CANN backend only supports FP16/Q4_0/Q8_0 models currently.
"""

NEW_CANN = """# CANN

## Hardware

| Device Id | Product Series | Product Models | Chip Model | Verified Status |
|:---------:|----------------|----------------|:----------:|:---------------:|
| d803 | Series Train | | 910C | |
| d500 | Series Infer | Atlas 300I Duo | 310P | Support |

## Model Supports

<details>
<summary>Text-only</summary>

| Model Name | FP16 | Q4_0 | Q8_0 |
|:-----------|:----:|:----:|:----:|
| BERT | x | √ | ? |

</details>

## DataType Supports

| DataType | 910B | 310P |
|:--------:|:----:|:----:|
| Q8_0 | Support | Partial |
| BF16 | Support | |
"""


# A yes that names no chip is one for the chips of the page's device list.
TRIED = "cann ascend-ascend-310b-ascend-310p-ascend-910-ascend-a5"


def test_the_old_ascend_page_is_read_whole(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_cann(page(OLD_CANN), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("Linux | Status", "supported", "cann"),
        ("Linux | Verified", "value", "?"),
        ("Atlas 300T A2 | Status", "supported", "cann ascend-atlas-300t-a2"),
        ("Falcon | FP16", "supported", f"{TRIED} falcon fp16"),
        ("Falcon | Q8_0", "unsupported", "cann ascend falcon gguf-q8-0"),
        ("Falcon | Q4_0", "unknown", "cann ascend falcon gguf-q4-0"),
        ("Q4_0 | Status", "supported", f"{TRIED} gguf-q4-0"),
        ("line 28", "supported", f"{TRIED} fp16+gguf-q4-0+gguf-q8-0"),
        ("line 28", "unsupported", "cann ascend gguf-gguf-q4-0-gguf-q8-0"),
    ]


def test_the_new_ascend_page_follows_the_changed_column_order(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_cann(page(NEW_CANN), vocabulary)
    stated = [brief(f) for f in reading.findings if f.status.value != "value"]
    assert stated == [
        ("d803 | Verified Status", "not-stated", "cann ascend-a3"),
        ("d500 | Verified Status", "supported", "cann ascend-atlas-300i-duo"),
        ("d803 | Product Models", "not-stated", "?"),
        ("BERT | FP16", "unsupported", "cann ascend bert fp16"),
        ("BERT | Q4_0", "supported", f"{TRIED} bert gguf-q4-0"),
        ("BERT | Q8_0", "not-stated", "?"),
        ("Q8_0 | 910B", "supported", "cann ascend-a2 gguf-q8-0"),
        ("Q8_0 | 310P", "partial", "cann ascend-310p gguf-q8-0"),
        ("BF16 | 910B", "supported", "cann ascend-a2 bf16"),
        ("BF16 | 310P", "not-stated", "cann ascend-310p bf16"),
    ]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [("status", "?")]
    partial = next(f for f in reading.findings if f.status.value == "partial")
    assert partial.note


def test_an_ascend_page_with_other_model_columns_is_unexpected(
    page: Make, vocabulary: Vocabulary
) -> None:
    text = OLD_CANN.replace("| Model Name | FP16 | Q8_0 | Q4_0 |", "| Model Name | A | B | C |")
    with pytest.raises(UnexpectedPage) as caught:
        read_cann(page(text), vocabulary)
    assert caught.value.expected == "the table of models and types"
    assert "Model Name" in caught.value.nearest


SYCL = """# SYCL

## Recommended Release

|Commit ID|Tag|
|-|-|
|abc|b1234 |

## News

- 2026.02
  - Remove support for Nvidia & AMD GPU, because nobody can build it.
- 2024.4
  - Support data types: GGML_TYPE_IQ4_NL, GGML_TYPE_Q4_0.

## Hardware

### Intel GPU

| Intel GPU | Status | Verified Model |
|-----------|--------|----------------|
| Intel Arc B-Series | Support | B580 |

### Other Vendor GPU

| Nvidia GPU | Status | Verified Model |
|------------|--------|----------------|
| Ampere Series *(Mobile)* | Supported | RTX 40 Series |

| AMD GPU | Status | Verified Model |
|---------|--------|----------------|
| Radeon Pro | Experimental | W6800 |
"""


def test_the_sycl_page_keeps_what_it_says_of_other_vendors_and_their_removal(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_sycl(page(SYCL), vocabulary)
    assert [brief(f) for f in reading.findings if f.kind.value == "compatibility"] == [
        ("Intel Arc B-Series | Status", "supported", "sycl intel-arc-b-series"),
        ("Ampere Series (Mobile) | Status", "supported", "sycl nvidia-ampere"),
        (
            "Radeon Pro | Status",
            "experimental",
            "sycl amd-amd-cdna-amd-gcn4-amd-gcn5",
        ),
        ("line 12", "removed", "sycl nvidia"),
        ("line 12", "removed", "sycl amd"),
        ("line 14", "supported", "sycl intel-intel-gen9 gguf-iq4-nl"),
        ("line 14", "supported", "sycl intel-intel-gen9 gguf-q4-0"),
    ]
    removed = [f for f in reading.findings if f.status.value == "removed"]
    assert all(f.open_ended for f in removed)
    tags = [f.value for f in reading.findings if f.locator.column == "Tag"]
    assert tags == ["b1234"]


def test_the_word_na_for_other_vendors_is_a_none_and_no_refusal(
    page: Make, vocabulary: Vocabulary
) -> None:
    text = SYCL.split("| Nvidia GPU", maxsplit=1)[0] + "\nNA\n"
    statuses = [f.status.value for f in read_sycl(page(text), vocabulary).findings]
    assert statuses.count("none") == 1
    assert "unsupported" not in statuses


def test_a_sycl_page_without_devices_is_unexpected(page: Make, vocabulary: Vocabulary) -> None:
    with pytest.raises(UnexpectedPage, match="verified Intel GPUs"):
        read_sycl(page("# SYCL\n\nNothing here.\n"), vocabulary)


OPENCL = """# OpenCL

The backend can also run on certain Intel GPUs, not well.

| Adreno GPU | Status |
|:----------:|:------:|
| Adreno 750 (Snapdragon 8 Gen 3) | Support |

> A6x GPUs with a recent driver and compiler are supported; others are not.

| DataType | Status |
|:--------:|:------:|
| Q4_0 | Support |
| Q6_K | Support, but not optimized |
| MXFP4 | Support |
"""


def test_a_type_that_is_not_optimised_is_partial_with_a_note(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_opencl(page(OPENCL), vocabulary)
    adreno = "opencl qualcomm-adreno"
    assert [brief(f) for f in reading.findings] == [
        ("Adreno 750 (Snapdragon 8 Gen 3) | Status", "supported", f"{adreno}-750"),
        ("Q4_0 | Status", "supported", f"{adreno} gguf-q4-0"),
        ("Q6_K | Status", "partial", f"{adreno} gguf-q6-k"),
        ("MXFP4 | Status", "supported", f"{adreno} gguf-mxfp4"),
        ("line 3", "partial", "opencl intel"),
        ("line 9", "partial", f"{adreno}-6xx"),
    ]
    assert all(f.note for f in reading.findings if f.status.value == "partial")


OPENVINO = """# OpenVINO

## Supported Devices

- Intel CPUs
- Intel NPUs

## Supported Model Precisions

- `BF16` (on Intel Xeon)
- `Q6_K` (converted to `Q8_0_C` at runtime)

## Validated Models

| Model | CPU (SL / SF) | GPU (SL / SF) | NPU (SL) |
| :--- | :---: | :---: | :---: |
| [bartowski/Qwen_Qwen3-Q4_K_M](https://example.test/a) | ✓ / ✗ | ✓ / ✓ | ✗ |
|  |  |  |  |
| [other/BERT-Q4_K_M.gguf](https://example.test/b) | ✓ | maybe | |
"""


def test_two_modes_in_one_cell_become_a_mixed_cell_and_two_conditions(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_openvino(page(OPENVINO), vocabulary)
    qwen, bert = "bartowski/Qwen_Qwen3-Q4_K_M", "other/BERT-Q4_K_M.gguf"
    on_cpu = "openvino cpu-x86-intel qwen3 gguf-q4-k-m"
    assert [brief(f) for f in reading.findings] == [
        ("line 5", "supported", "openvino cpu-x86-intel"),
        ("line 6", "supported", "openvino intel-npu"),
        ("line 10", "supported", "openvino cpu-x86-intel-xeon bf16"),
        ("line 11", "supported", "openvino gguf-q6-k"),
        (f"{qwen} | CPU (SL / SF)", "mixed", on_cpu),
        (f"{qwen} | CPU (SL / SF)", "supported", on_cpu),
        (f"{qwen} | CPU (SL / SF)", "unsupported", on_cpu),
        (f"{qwen} | GPU (SL / SF)", "supported", "openvino intel qwen3 gguf-q4-k-m"),
        (f"{qwen} | NPU (SL)", "unsupported", "openvino intel-npu qwen3 gguf-q4-k-m"),
        (f"{bert} | CPU (SL / SF)", "supported", "openvino cpu-x86-intel bert gguf-q4-k-m"),
        (f"{bert} | GPU (SL / SF)", "not-stated", "?"),
        (f"{bert} | NPU (SL)", "not-stated", "openvino intel-npu bert gguf-q4-k-m"),
    ]
    mixed, stateless, stateful = reading.findings[4:7]
    assert [(mode, s.value) for mode, s in mixed.parts] == [
        ("stateless", "supported"),
        ("stateful", "unsupported"),
    ]
    assert [c.value for f in (stateless, stateful) for c in f.conditions] == ["0", "1"]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [("status", "maybe")]


def test_an_older_page_lists_validated_models_without_a_table(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    text = "# O\n\n## Validated Models\n\n- [Falcon](https://example.test/a)\n"
    reading = read_openvino(page(text), vocabulary)
    assert [brief(f) for f in reading.findings] == [("line 5", "validated", "openvino falcon")]


def test_an_openvino_page_without_models_is_unexpected(page: Make, vocabulary: Vocabulary) -> None:
    with pytest.raises(UnexpectedPage, match="validated models"):
        read_openvino(page("# O\n\n## Validated Models\n"), vocabulary)
