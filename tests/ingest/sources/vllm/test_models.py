"""Supported-model tables: tasks, flags, inputs, examples, plug-ins and notes."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.vllm.model_cells import Example, Modality, checkpoints_in, modalities_in
from ingest.sources.vllm.models import read_supported_models
from tests.ingest.sources.vllm.pages import AMD, NO_WORDS, facts, page_of, vocabulary_of, words_of

WORDS = vocabulary_of(
    model={
        "AlphaForCausalLM": "alphaforcausallm",
        "BetaModel": "betamodel",
        "GammaForConditionalGeneration": "gammaforconditionalgeneration",
        "MistralForCausalLM": "mistralforcausallm",
        "MixtralForCausalLM": "mixtralforcausallm",
        "org/Alpha-7B": "org--alpha-7b",
        "openbmb/MiniCPM-V-2": "openbmb--minicpm-v-2",
    }
)

RST = """\
Supported Models
================

Text-only Language Models
^^^^^^^^^^^^^^^^^^^^^^^^^

Text Generation
---------------

.. list-table::
  :widths: 25 25 50 5 5
  :header-rows: 1

  * - Architecture
    - Models
    - Example HF Models
    - :ref:`LoRA <lora>`
    - :ref:`PP <distributed_serving>`
  * - :code:`AlphaForCausalLM`
    - Alpha
    - :code:`org/Alpha-7B`, etc.
    -
    - ✅︎

.. note::
    Currently, the ROCm version of vLLM supports Mistral and Mixtral only for \
context lengths up to 4096.

Text Embedding
--------------

.. list-table::
  :header-rows: 1

  * - Architecture
    - Models
    - Example HF Models
    - :ref:`LoRA <lora>`
    - :ref:`PP <distributed_serving>`
  * - :code:`AlphaForCausalLM`
    - Alpha-based
    - :code:`org/Unknown-1`
    - 🚧
    - ✅︎

.. note::
  For :code:`openbmb/MiniCPM-V-2`, the official repo doesn't work yet, \
so use a fork (:code:`me/MiniCPM-V-2`) for now.
"""

MKDOCS = """\
# Supported Models

### Plugins

| Architecture | Models | Plugin Repository |
| --- | --- | --- |
| `BetaModel` | Beta | [beta-plugin](https://example.org/beta-plugin) |

## List of Text-only Language Models

#### Text Generation

| Architecture | Models | Example HF Models | [LoRA](l.md) | [PP](p.md) | [V1](v) |
| --- | --- | --- | --- | --- | --- |
| `AlphaForCausalLM`, `BetaModel` | Alpha | `org/Alpha-7B` (see note) | ✅︎\\* | | ⚠️ |

Some models are supported only via the [Transformers modeling backend](#t). More words.

| Architecture | Models | Example HF Models | [LoRA](l.md) | [PP](p.md) |
| --- | --- | --- | --- | --- |
| `BetaModel` | OLMo2 | `org/Llama-4-*` | ✅︎ | ︎ |

#### Embedding

| Architecture | Models | Example HF Models | [LoRA](l.md) | [PP](p.md) |
| --- | --- | --- | --- | --- |
| `*Model`<sup>C</sup>, `*ForCausalLM`<sup>C</sup>, etc. | Generative models | N/A | \\* | \\* |

\\* Feature support is the same as that of the original model.

## List of Multimodal Language Models

#### Text Generation

| Architecture | Models | Inputs | Example HF Models | [LoRA](l.md) | [PP](p.md) |
| --- | --- | --- | --- | --- | --- |
| `GammaForConditionalGeneration` | Gamma | T + I<sup>E+</sup> + (V<sup>+</sup>) | TBA | | ✅ |
"""

PATH = "docs/models/supported_models.md"
ALPHA, BETA = "model=alphaforcausallm", "model=betamodel"
GAMMA = "model=gammaforconditionalgeneration"


def test_an_rst_page_lists_models_per_task_and_its_notes_restrict_them() -> None:
    page = page_of(RST, path="docs/source/models/supported_models.rst")
    reading = read_supported_models(page, WORDS)
    row = "AlphaForCausalLM"
    mistral = "hardware=amd model=mistralforcausallm,mixtralforcausallm"
    assert facts(reading) == [
        (row, "Architecture", "supported", ALPHA),
        (row, "Models", "supported", ALPHA),
        (row, "Example HF Models", "supported", "model=org--alpha-7b"),
        (row, "LoRA", "not-stated", f"{ALPHA} +lora"),
        (row, "PP", "supported", f"{ALPHA} +pipeline-parallel"),
        (row, "Architecture", "supported", f"{ALPHA} +embeddings"),
        (row, "Models", "supported", f"{ALPHA} +embeddings"),
        (row, "Example HF Models", "supported", "-"),
        (row, "LoRA", "planned", f"{ALPHA} +embeddings +lora"),
        (row, "PP", "supported", f"{ALPHA} +embeddings +pipeline-parallel"),
        ("line 26", "", "partial", f"{AMD} model=mistralforcausallm,mixtralforcausallm"),
        ("line 26", "", "unsupported", f"{mistral} context_tokens:4097.0..None"),
        ("line 46", "", "unsupported", "model=openbmb--minicpm-v-2"),
    ]
    assert words_of(reading) == [("model", "org/Unknown-1")]
    assert reading.complete_lists == ("models",)
    assert reading.findings[10].note == "on ROCm for context lengths up to 4096 tokens only"


def test_an_mkdocs_page_keeps_plugins_backends_wildcards_and_inputs_apart() -> None:
    reading = read_supported_models(page_of(MKDOCS, path=PATH), WORDS)
    both, wild = "AlphaForCausalLM, BetaModel", "*Model, *ForCausalLM, etc."
    assert facts(reading) == [
        ("BetaModel", "Architecture", "via-plugin", BETA),
        ("BetaModel", "Models", "via-plugin", BETA),
        ("BetaModel", "Plugin Repository", "value", "-"),
        (both, "Architecture", "supported", ALPHA),
        (both, "Architecture", "supported", BETA),
        (both, "Models", "supported", ALPHA),
        (both, "Models", "supported", BETA),
        (both, "Example HF Models", "partial", "model=org--alpha-7b"),
        (both, "LoRA", "partial", f"{ALPHA} +lora"),
        (both, "LoRA", "partial", f"{BETA} +lora"),
        (both, "PP", "not-stated", f"{ALPHA} +pipeline-parallel"),
        (both, "PP", "not-stated", f"{BETA} +pipeline-parallel"),
        (both, "V1", "partial", f"{ALPHA} +engine-v1"),
        (both, "V1", "partial", f"{BETA} +engine-v1"),
        ("BetaModel", "Architecture", "via-transformers", BETA),
        ("BetaModel", "Models", "via-transformers", BETA),
        ("BetaModel", "Example HF Models", "value", "-"),
        ("BetaModel", "LoRA", "supported", f"{BETA} +lora"),
        ("BetaModel", "PP", "not-stated", f"{BETA} +pipeline-parallel"),
        (wild, "Architecture", "inherits", "-"),
        (wild, "Models", "inherits", "-"),
        (wild, "Example HF Models", "value", "-"),
        (wild, "LoRA", "inherits", "-"),
        (wild, "PP", "inherits", "-"),
        ("GammaForConditionalGeneration", "Architecture", "supported", GAMMA),
        ("GammaForConditionalGeneration", "Models", "supported", GAMMA),
        ("GammaForConditionalGeneration", "Inputs", "supported", f"{GAMMA} +multimodal-image"),
        ("GammaForConditionalGeneration", "Inputs", "partial", f"{GAMMA} +multimodal-video"),
        ("GammaForConditionalGeneration", "Example HF Models", "value", "-"),
        ("GammaForConditionalGeneration", "LoRA", "not-stated", f"{GAMMA} +lora"),
        ("GammaForConditionalGeneration", "PP", "supported", f"{GAMMA} +pipeline-parallel"),
    ]
    assert [c.name for c in reading.findings[0].conditions] == ["beta-plugin"]
    assert words_of(reading) == []
    assert all(f.note for f in reading.findings if f.status == "partial")


def test_an_unknown_architecture_waits_for_review_and_is_never_guessed() -> None:
    reading = read_supported_models(page_of(MKDOCS, path=PATH), NO_WORDS)
    assert {f.scope for f in reading.findings} == {None}
    assert ("model", "GammaForConditionalGeneration") in words_of(reading)


def test_a_page_without_architecture_tables_is_unexpected() -> None:
    with pytest.raises(UnexpectedPage):
        read_supported_models(page_of("# Models\n\n| Name | OK |\n|-|-|\n", path=PATH), WORDS)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("T + I\\ :sup:`E+`", (Modality("I", "multimodal-image", "E+"),)),
        ("T + A<sup>*</sup>", (Modality("A", "multimodal-audio", "*", some_variants=True),)),
        ("Image", (Modality("Image", "multimodal-image"),)),
        ("T", ()),
    ],
)
def test_modalities_keep_their_marks(raw: str, expected: tuple[Modality, ...]) -> None:
    assert modalities_in(raw) == expected


def test_checkpoints_leave_out_wildcards_and_fillers() -> None:
    text = "a/B-1 (see note), c/D-*, N/A, TBA, e/F.2, etc."
    assert checkpoints_in(text) == (Example("a/B-1", noted=True), Example("e/F.2"))
