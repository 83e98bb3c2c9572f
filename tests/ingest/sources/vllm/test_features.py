"""Feature × feature and feature × hardware."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.vllm.features import read_feature_hardware, read_feature_pairs
from tests.ingest.sources.vllm.pages import NO_WORDS, facts, page_of, words_of

RST = """\
Matrix
======

Feature x Feature
-----------------

.. list-table::
   :header-rows: 1

   * - Feature
     - :ref:`CP <chunked-prefill>`
     - :ref:`APC <apc>`
     - :ref:`LoRA <lora>`
   * - :ref:`CP <chunked-prefill>`
     -
     -
     -
   * - :ref:`LoRA <lora>`
     - `✗ <https://example.org/9057>`__
     - ✅
     -

Feature x Hardware
^^^^^^^^^^^^^^^^^^

.. list-table::
   :header-rows: 1

   * - Feature
     - Volta
     - Turing
     - Ampere
     - CPU
   * - :abbr:`async output (Async Output Processing)`
     - `✗ <https://example.org/1>`__
     - ?
     - ✅
     - ✗
"""

MKDOCS = """\
# Features

### Feature x Feature

<style>
td { padding: 1rem }
</style>

| Feature | [CP](c.md) | [APC](a.md) | [LoRA](lora.md) |
| - | - | - | - |
| [pooling](p.md) | 🟠\\* | ❔ | ✅ |
| [mm](m.md) | ✅ | [❌](https://example.org/2) | [🟠](https://example.org/4)<sup>^</sup> |

\\* Only applicable to last-token pooling.
<sup>^</sup> Only applicable to the language backbone of such models.

### Feature x Hardware

| Feature | Volta | Turing | Ampere | CPU | Intel GPU |
| - | - | - | - | - | - |
| CUDA graph | ✅ | ✅ | ✅ | ❌ | [❌](https://example.org/3) |
| [mm](m.md) | ✅ | ✅ | ✅ | ✅ |  |
"""

PATH = "docs/features/README.md"


def test_links_hold_the_status_and_blank_cells_state_nothing() -> None:
    page = page_of(RST, path="docs/source/serving/compatibility_matrix.rst")
    reading = read_feature_pairs(page, NO_WORDS)
    assert facts(reading) == [
        ("CP", "CP", "not-stated", "+chunked-prefill"),
        ("CP", "APC", "not-stated", "+chunked-prefill +prefix-caching"),
        ("CP", "LoRA", "not-stated", "+chunked-prefill +lora"),
        ("LoRA", "CP", "unsupported", "+chunked-prefill +lora"),
        ("LoRA", "APC", "supported", "+lora +prefix-caching"),
        ("LoRA", "LoRA", "not-stated", "+lora"),
    ]
    assert reading.findings[3].links == ("https://example.org/9057",)
    assert reading.findings[3].statement == "feature-feature/chunked-prefill+lora"
    # The blank twin of the upper triangle must not contradict the filled one.
    assert reading.findings[2].statement != reading.findings[3].statement


def test_the_hardware_table_below_the_other_heading_is_found() -> None:
    page = page_of(RST, path="docs/source/serving/compatibility_matrix.rst")
    assert facts(read_feature_hardware(page, NO_WORDS)) == [
        ("async output", "Volta", "unsupported", "hardware=nvidia-volta +async-output"),
        ("async output", "Turing", "unknown", "hardware=nvidia-turing +async-output"),
        ("async output", "Ampere", "supported", "hardware=nvidia-ampere +async-output"),
        ("async output", "CPU", "unsupported", "hardware=cpu +async-output"),
    ]


def test_a_partial_pair_says_which_part() -> None:
    reading = read_feature_pairs(page_of(MKDOCS, path=PATH), NO_WORDS)
    assert facts(reading) == [
        ("pooling", "CP", "partial", "+chunked-prefill +pooling"),
        ("pooling", "APC", "unknown", "+pooling +prefix-caching"),
        ("pooling", "LoRA", "supported", "+lora +pooling"),
        ("mm", "CP", "supported", "+chunked-prefill +multimodal"),
        ("mm", "APC", "unsupported", "+multimodal +prefix-caching"),
        ("mm", "LoRA", "partial", "+lora +multimodal"),
    ]
    notes = [f.note for f in reading.findings if f.note]
    assert notes == [
        "only pooling models that pool the last token (or all, causally)",
        "adapters apply to the language backbone only",
    ]


def test_a_yes_for_cpu_is_read_as_x86_and_a_no_as_every_cpu() -> None:
    reading = read_feature_hardware(page_of(MKDOCS, path=PATH), NO_WORDS)
    assert facts(reading) == [
        ("CUDA graph", "Volta", "supported", "hardware=nvidia-volta +cuda-graphs"),
        ("CUDA graph", "Turing", "supported", "hardware=nvidia-turing +cuda-graphs"),
        ("CUDA graph", "Ampere", "supported", "hardware=nvidia-ampere +cuda-graphs"),
        ("CUDA graph", "CPU", "unsupported", "hardware=cpu +cuda-graphs"),
        ("CUDA graph", "Intel GPU", "unsupported", "hardware=intel +cuda-graphs"),
        ("mm", "Volta", "supported", "hardware=nvidia-volta +multimodal"),
        ("mm", "Turing", "supported", "hardware=nvidia-turing +multimodal"),
        ("mm", "Ampere", "supported", "hardware=nvidia-ampere +multimodal"),
        ("mm", "CPU", "supported", "hardware=cpu-x86 +multimodal"),
        ("mm", "Intel GPU", "not-stated", "hardware=intel +multimodal"),
    ]


def test_an_unknown_sign_is_listed_and_the_rest_is_read() -> None:
    text = MKDOCS.replace("| CUDA graph | ✅ |", "| CUDA graph | 💤 |")
    reading = read_feature_hardware(page_of(text, path=PATH), NO_WORDS)
    assert words_of(reading) == [("status", "💤")]
    assert facts(reading)[0] == ("CUDA graph", "Volta", "unknown", "-")
    assert len(reading.findings) == 10


@pytest.mark.parametrize("read", [read_feature_pairs, read_feature_hardware])
def test_a_page_without_the_matrix_is_unexpected(read: object) -> None:
    text = "# Features\n\n### Feature x Feature\n\n| A | B |\n|---|---|\n| ✅ | ❌ |\n"
    with pytest.raises(UnexpectedPage):
        read(page_of(text, path=PATH), NO_WORDS)  # type: ignore[operator]
