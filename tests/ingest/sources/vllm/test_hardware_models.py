"""Models validated on TPU, CPU and XPU."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.vllm.hardware_models import read_hardware_models
from tests.ingest.sources.vllm.pages import ANY_TPU, facts, page_of, vocabulary_of, words_of

FOLDER = "docs/models/hardware_supported_models/"
WORDS = vocabulary_of(
    model={
        "org/A-8B": "org--a-8b",
        "org/B-GPTQ-Int4": "org--b-gptq-int4",
        "AForCausalLM": "aforcausallm",
    },
    hardware={"Xeon 6": "cpu-x86-xeon-6", "Arc Pro B": "intel-arc-pro-b-series"},
)

TPU = """\
# TPU

| Model     | Architecture | Supported |
|-----------|--------------|-----------|
| org/A-8B  | AForCausalLM | 🟨 |
| org/A-*   | AForCausalLM | ❌ |
| org/New   | Odd          | ✅ |

✅ Runs and optimized.
"""

XPU = """\
# XPU

## Validated Hardware

| Hardware |
| -------- |
| [Arc Pro B](https://example.org) |

| Model           | Architecture       | FP16 | Dynamic FP8 |
| --------------- | ------------------ | ---- | ----------- |
| org/A-8B        | AForCausalLM (odd) | ✅   |             |

| Model           | Architecture | Dtype           |
| --------------- | ------------ | --------------- |
| org/B-GPTQ-Int4 | AForCausalLM | Int4            |
| org/A-8B        | AForCausalLM | BF16/Online FP8 |
"""


def test_tpu_signs_follow_the_legend_below_the_table_and_a_wildcard_is_its_architecture() -> None:
    reading = read_hardware_models(page_of(TPU, path=FOLDER + "tpu.md"), WORDS)
    assert facts(reading) == [
        ("org/A-8B", "Architecture", "value", "-"),
        ("org/A-8B", "Supported", "partial", f"{ANY_TPU} model=org--a-8b"),
        ("org/A-*", "Architecture", "value", "-"),
        ("org/A-*", "Supported", "unsupported", "hardware=google-tpu model=aforcausallm"),
        ("org/New", "Architecture", "informal-name", "-"),
        ("org/New", "Supported", "supported", "-"),
    ]
    assert reading.findings[1].note == "runs and is correct, not yet optimised"
    assert words_of(reading) == [("model", "org/New")]


def test_xpu_columns_and_dtype_values_are_schemes_on_the_validated_hardware() -> None:
    reading = read_hardware_models(page_of(XPU, path=FOLDER + "xpu.md"), WORDS)
    arc, gptq = "hardware=intel-arc-pro-b-series", "org/B-GPTQ-Int4"
    assert facts(reading) == [
        ("Arc Pro B", "Hardware", "supported", arc),
        ("org/A-8B", "Architecture", "informal-name", "-"),
        ("org/A-8B", "FP16", "supported", f"{arc} model=org--a-8b quantization=fp16"),
        ("org/A-8B", "Dynamic FP8", "not-stated", f"{arc} model=org--a-8b quantization=fp8"),
        (gptq, "Architecture", "value", "-"),
        (gptq, "Dtype", "supported", f"{arc} model=org--b-gptq-int4 quantization=gptq"),
        ("org/A-8B", "Architecture", "value", "-"),
        ("org/A-8B", "Dtype", "supported", f"{arc} model=org--a-8b quantization=bf16"),
        ("org/A-8B", "Dtype", "supported", f"{arc} model=org--a-8b quantization=fp8"),
    ]


def test_a_dash_in_the_recipe_column_means_none() -> None:
    text = (
        "# CPU\n\n| Model | Architecture | Supported | Recipe |\n| - | - | - | - |\n"
        "| org/A-8B | AForCausalLM | ✅ | — |\n"
    )
    reading = read_hardware_models(page_of(text, path=FOLDER + "cpu.md"), WORDS)
    assert facts(reading)[1:] == [
        ("org/A-8B", "Supported", "supported", "hardware=cpu-x86 model=org--a-8b"),
        ("org/A-8B", "Recipe", "none", "-"),
    ]


def test_an_unknown_platform_or_shape_is_unexpected() -> None:
    with pytest.raises(UnexpectedPage):
        read_hardware_models(page_of(TPU, path=FOLDER + "abacus.md"), WORDS)
    with pytest.raises(UnexpectedPage):
        read_hardware_models(page_of("# TPU\n\nGone.\n", path=FOLDER + "tpu.md"), WORDS)
