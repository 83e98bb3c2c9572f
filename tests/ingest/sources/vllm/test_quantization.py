"""The quantization × hardware table in every generation of its markup."""

import pytest

from ingest.contract import StatementStatus, UnexpectedPage
from ingest.sources.vllm.quantization import read_quantization_hardware
from matrix.domain.levels import Execution, Limit
from tests.ingest.sources.vllm.pages import NO_WORDS, facts, page_of, words_of

RST = """\
Kernels
=======

.. list-table::
   :header-rows: 1
   :widths: 20 8 8 8 8

   * - Implementation
     - Volta
     - Turing
     - Ampere
     - Google TPU
   * - AWQ
     - ✗
     - ✅︎
     - ✅︎
     -
"""

MYST = """\
# Hardware

:::{list-table}
:header-rows: 1

- * Implementation
  * Volta
  * Turing
  * Ampere
  * AMD GPU
- * FP8 (W8A8)
  * ❌
  * ❔
  * ❌
  * ✅︎
:::
"""

MKDOCS = """\
# Quantization

## Supported Hardware

| Implementation            | Volta | Turing | Ampere | x86 CPU |
| ------------------------- | ----- | ------ | ------ | ------- |
| Marlin (GPTQ/AWQ/FP8/FP4) | ❌    | ✅︎*    | ✅︎     | ❌      |
| BitBLAS (GPTQ)            | -     | .      | ✅     | ?       |

- ✅︎ says that it runs.
- *Turing does not support Marlin MXFP4.
"""

PATH = "docs/features/quantization/README.md"


def test_an_rst_table_is_read_cell_by_cell_and_a_blank_is_no_no() -> None:
    page = page_of(RST, path="docs/source/quantization/supported_hardware.rst")
    reading = read_quantization_hardware(page, NO_WORDS)
    awq = "quantization=awq-!awq-marlin"
    assert facts(reading) == [
        ("AWQ", "Volta", "unsupported", "hardware=nvidia-volta quantization=awq"),
        ("AWQ", "Turing", "supported", f"hardware=nvidia-turing {awq}"),
        ("AWQ", "Ampere", "supported", f"hardware=nvidia-ampere {awq}"),
        ("AWQ", "Google TPU", "not-stated", "hardware=google-tpu quantization=awq"),
    ]
    assert [f.limit for f in reading.findings] == [Limit.HARDWARE, None, None, None]
    assert [f.statement for f in reading.findings][1] == "quantization-hardware/awq/nvidia-turing"


def test_a_yes_for_fp8_on_amd_means_the_generations_with_fp8_units() -> None:
    page = page_of(MYST, path="docs/source/features/quantization/supported_hardware.md")
    reading = read_quantization_hardware(page, NO_WORDS)
    amd = "hardware=amd-cdna3,amd-cdna4,amd-rdna4"
    assert facts(reading) == [
        ("FP8 (W8A8)", "Volta", "unsupported", "hardware=nvidia-volta quantization=fp8-w8a8"),
        ("FP8 (W8A8)", "Turing", "unknown", "hardware=nvidia-turing quantization=fp8-w8a8"),
        ("FP8 (W8A8)", "Ampere", "unsupported", "hardware=nvidia-ampere quantization=fp8-w8a8"),
        ("FP8 (W8A8)", "AMD GPU", "supported", f"{amd} quantization=fp8-w8a8"),
    ]


def test_a_footnote_glued_to_a_sign_makes_it_partial_and_refuses_what_it_names() -> None:
    reading = read_quantization_hardware(page_of(MKDOCS, path=PATH), NO_WORDS)
    marlin = "quantization=awq,fp8-w8a16,gptq,mxfp4-w4a16,nvfp4-w4a16 +kernel-marlin"
    loaders = "quantization=awq-marlin,gptq-marlin"
    bitblas = "quantization=gptq-bitblas +kernel-bitblas"
    row = "Marlin (GPTQ/AWQ/FP8/FP4)"
    assert facts(reading) == [
        (row, "Volta", "unsupported", f"hardware=nvidia-volta {marlin}"),
        (row, "Volta", "unsupported", f"hardware=nvidia-volta {loaders}"),
        (
            "line 11",
            "",
            "unsupported",
            "hardware=nvidia-turing quantization=mxfp4-w4a16 +kernel-marlin",
        ),
        (row, "Turing", "partial", f"hardware=nvidia-turing {marlin}"),
        (row, "Turing", "supported", f"hardware=nvidia-turing {loaders}"),
        (row, "Ampere", "supported", f"hardware=nvidia-ampere {marlin}"),
        (row, "Ampere", "supported", f"hardware=nvidia-ampere {loaders}"),
        (row, "x86 CPU", "unsupported", f"hardware=cpu-x86 {marlin}"),
        (row, "x86 CPU", "unsupported", f"hardware=cpu-x86 {loaders}"),
        ("BitBLAS (GPTQ)", "Volta", "unknown", "-"),
        ("BitBLAS (GPTQ)", "Turing", "unknown", "-"),
        ("BitBLAS (GPTQ)", "Ampere", "supported", f"hardware=nvidia-ampere {bitblas}"),
        ("BitBLAS (GPTQ)", "x86 CPU", "unknown", f"hardware=cpu-x86 {bitblas}"),
    ]
    partial = reading.findings[3]
    assert partial.note == "every scheme of the row but MXFP4"
    assert partial.execution is Execution.WEIGHT_ONLY
    assert words_of(reading) == [("status", "-"), ("status", ".")]


def test_an_unknown_row_or_column_is_listed_and_has_no_scope() -> None:
    text = MYST.replace("FP8 (W8A8)", "XYZ (W1A1)").replace("AMD GPU", "Quantum GPU")
    page = page_of(text, path="docs/source/features/quantization/supported_hardware.md")
    reading = read_quantization_hardware(page, NO_WORDS)
    assert {f.scope for f in reading.findings} == {None}
    assert len(reading.findings) == 4
    assert words_of(reading) == [("quantization", "XYZ (W1A1)"), ("hardware", "Quantum GPU")]


def test_a_contents_page_that_points_to_the_table_states_nothing() -> None:
    text = "# Quantization\n\n- [Supported Hardware](supported_hardware.md)\n- [FP8](fp8.md)\n"
    assert read_quantization_hardware(page_of(text, path=PATH), NO_WORDS).findings == ()


def test_a_page_without_the_table_is_unexpected_and_names_the_nearest() -> None:
    text = "# Quantization\n\n| Method | GPU |\n|---|---|\n| AWQ | yes |\n"
    with pytest.raises(UnexpectedPage) as caught:
        read_quantization_hardware(page_of(text, path=PATH), NO_WORDS)
    assert "Implementation" in caught.value.expected
    assert "Method" in caught.value.nearest


def test_quantization_that_moved_to_a_plugin_is_said_of_the_hardware() -> None:
    text = MKDOCS + (
        "- All Intel Gaudi quantization support has been migrated to [vLLM-Gaudi](https://x).\n"
    )
    moved = [
        f
        for f in read_quantization_hardware(page_of(text, path=PATH), NO_WORDS).findings
        if f.status is StatementStatus.VIA_PLUGIN
    ]
    assert [c.name for f in moved for c in f.conditions] == ["vllm-gaudi"]
