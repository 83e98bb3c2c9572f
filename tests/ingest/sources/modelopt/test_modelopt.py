"""Model Optimizer's support matrix and model lists."""

import pytest

from ingest.contract import FindingKind, Reading, UnexpectedPage
from ingest.sources.modelopt import SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(quantization={"None": "none"})
PATH = "docs/source/guides/0_support_matrix.rst"


def read(rule: str, text: str, *, path: str = PATH) -> Reading:
    page = page_of(text, path=path, version="0.46.0", framework="modelopt")
    return rule_named(SOURCE, rule).parse(page, WORDS)


MATRIX = """\
Support Matrix
==============

.. tab:: Windows

    .. list-table::
        :header-rows: 1

        * - Quantization Format
          - Details
          - Supported Model Formats
          - Deployment
        * - FP8
          - * Per-Tensor FP8 Weight & Activations
            * GPUs: Ada and Later
          - PyTorch, ONNX*
          - TensorRT-LLM*
        * - X7
          - * GPUs: Tomorrow and Later
          - PyTorch
          - TensorRT

.. note::
  - Features marked with an asterisk (*) are considered experimental.
"""


def test_a_format_has_a_floor_and_its_engines_are_values() -> None:
    reading = read("support-matrix", MATRIX)
    below = "nvidia-ampere,nvidia-kepler,nvidia-maxwell,nvidia-pascal,nvidia-turing,nvidia-volta"
    place = "format/windows"
    assert said(reading) == [
        "supported format-hardware/fp8-w8a8-tensor/nvidia-ada+nvidia-blackwell+nvidia-hopper/"
        "windows [quantization=fp8-w8a8-tensor hardware=nvidia-ada,nvidia-blackwell,nvidia-hopper "
        "features=windows]",
        f"unsupported format-hardware-floor/fp8-w8a8-tensor/{below.replace(',', '+')}/windows "
        f"[quantization=fp8-w8a8-tensor hardware={below} features=windows]",
        f"supported {place}/fp8/supported model formats/pytorch (value) = PyTorch",
        f"experimental {place}/fp8/supported model formats/onnx (value) = ONNX",
        f"experimental {place}/fp8/deployment/tensorrt-llm (value) = TensorRT-LLM",
        "supported format-hardware/x7/gpus: tomorrow and later/windows [?]",
        f"supported {place}/x7/supported model formats/pytorch (value) = PyTorch",
        f"supported {place}/x7/deployment/tensorrt (value) = TensorRT",
        "legend legend/support-matrix/* (legend) = experimental",
    ]
    assert unknown(reading) == ["quantization: X7", "hardware: Tomorrow"]


def test_model_lists_are_values_with_the_pages_notes() -> None:
    text = (
        "| Model | fp8 | nvfp4<sup>5</sup> |\n| :---: | :---: | :---: |\n"
        "| Alpha | ✅<sup>2</sup> | - |\n| Beta | ❌ | new |\n\n"
        "> *<sup>2.</sup>Only export works.* \\\n"
    )
    reading = read("models", text, path="examples/llm_ptq/README.md")
    assert {f.kind for f in reading.findings} == {FindingKind.VALUE}
    assert [f.status.value for f in reading.findings] == [
        "supported",
        "not-stated",
        "unsupported",
        "not-stated",
    ]
    assert "Only export works" in reading.findings[0].footnotes[0]
    assert unknown(reading) == ["status: new"]


@pytest.mark.parametrize("rule", ["support-matrix", "models"])
def test_a_page_without_its_table_is_refused(rule: str) -> None:
    with pytest.raises(UnexpectedPage):
        read(rule, "Title\n=====\n\nText.\n")


@needs_captures
@pytest.mark.captures
def test_the_captured_pages_read_and_no_fact_is_wrong() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    assert counts["0.45.0"] >= 200
    assert counts["0.46.0"] >= 55
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == []
    outcomes = check_truth({"modelopt": SOURCE})
    assert [line.split(":")[0] for line in outcomes] == ["right modelopt-001"]
