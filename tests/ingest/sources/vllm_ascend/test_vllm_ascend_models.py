"""Model tables of vLLM Ascend in every shape they have had."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.vllm_ascend import SOURCE
from matrix.domain.levels import Limit, Tier
from tests.ingest.sources.said import page_of, places, rule_named, said, unknown, vocabulary_of

PATH = "docs/source/user_guide/support_matrix/supported_models.md"
WORDS = vocabulary_of(
    model={
        "Alpha": "alpha",
        "Alpha 3/3.1": "alpha-3, alpha-3.1",
        "Beta-30B": "acme--beta-30b",
        "Gamma": "gamma",
        "Gamma-Embedding": "gamma-embedding",
        "Delta": "delta",
        "Gemma3": "gemma-3-text, gemma-3-multimodal",
    },
    hardware={"Atlas 300I DUO": "ascend-atlas-300i-duo"},
    feature={
        "Chunked Prefill": "chunked-prefill",
        "LoRA": "lora",
        "Tensor Parallel": "tensor-parallel",
    },
)
LEGEND = """\
- ✅ = Supported model/feature
- 🔵 = Experimental supported model/feature
- ❌ = Not supported model/feature
- 🟡 = Not tested or verified
"""
LEGEND_SAID = [
    "legend legend/models/✅ (legend) = Supported model/feature",
    "legend legend/models/🔵 (legend) = Experimental supported model/feature",
    "legend legend/models/❌ (legend) = Not supported model/feature",
    "legend legend/models/🟡 (legend) = Not tested or verified",
]


def read(text: str, *, version: str = "v0.23.0") -> Reading:
    return rule_named(SOURCE, "models").parse(page_of(text, path=PATH, version=version), WORDS)


FIRST = """\
# Model Support

## Text-only Language Models

### Generative Models

| Model | Supported | Note |
|---|---|---|
| Alpha | ✅ | |
| Beta-30B | | Need test |
| Gamma | ❌ | [#1](https://example.org/1) |
| Delta | | |
"""


def test_a_table_without_products_says_yes_for_a2_and_no_for_every_npu() -> None:
    reading = read(FIRST, version="v0.9.1")
    assert said(reading) == [
        "supported text-model-hardware/alpha/ascend-a2 [model=alpha hardware=ascend-a2]",
        "not-stated note/text/alpha (value)",
        "untested text-model-hardware/acme--beta-30b/ascend"
        " [model=acme--beta-30b hardware=ascend,ascend-a2,ascend-a3]",
        "value note/text/beta-30b (value) = Need test",
        "unsupported text-model-hardware/gamma/ascend"
        " [model=gamma hardware=ascend,ascend-a2,ascend-a3]",
        "value note/text/gamma (value) = #1",
        "not-stated text-model-hardware/delta/ascend"
        " [model=delta hardware=ascend,ascend-a2,ascend-a3]",
        "not-stated note/text/delta (value)",
    ]
    refused = reading.findings[4]
    assert refused.limit is Limit.FRAMEWORK
    assert refused.links == ("https://example.org/1",)
    assert reading.complete_lists == ("models",)


WIDE = f"""\
# Supported Models

{LEGEND}
## Text-Only Language Models

### Generative Models

| Model | Support | Note | BF16 | Supported Hardware | W8A8 | LoRA | max-model-len | Doc |
|---|---|---|---|---|---|---|---|---|
| Alpha 3/3.1 | ✅ | | ✅ | A2/A3 | ✅ || 240k | [Alpha](a.md) |
| Gamma | 🔵 | | | A2/A3/Ascend950 (Ascend950 experimental) | ✅ | ❌ || [G](g.md) |
"""


def test_a_wide_row_states_schemes_and_features_of_each_model_on_its_products() -> None:
    both = "hardware=ascend-a2,ascend-a3"
    assert said(read(WIDE))[:11] == [
        f"supported text-model-hardware/alpha-3/ascend-a2+ascend-a3 [model=alpha-3 {both}]",
        "supported text-model-quantization-hardware/alpha-3/ascend-a2+ascend-a3/bf16"
        f" [model=alpha-3 {both} quantization=bf16]",
        "supported text-model-quantization-hardware/alpha-3/ascend-a2+ascend-a3/int8-w8a8"
        f" [model=alpha-3 {both} quantization=int8-w8a8]",
        "not-stated text-model-feature-hardware/alpha-3/ascend-a2+ascend-a3/lora"
        f" [model=alpha-3 {both} features=lora]",
        f"supported text-model-hardware/alpha-3.1/ascend-a2+ascend-a3 [model=alpha-3.1 {both}]",
        "supported text-model-quantization-hardware/alpha-3.1/ascend-a2+ascend-a3/bf16"
        f" [model=alpha-3.1 {both} quantization=bf16]",
        "supported text-model-quantization-hardware/alpha-3.1/ascend-a2+ascend-a3/int8-w8a8"
        f" [model=alpha-3.1 {both} quantization=int8-w8a8]",
        "not-stated text-model-feature-hardware/alpha-3.1/ascend-a2+ascend-a3/lora"
        f" [model=alpha-3.1 {both} features=lora]",
        "not-stated note/text/alpha 3/3.1 (value)",
        "value supported-hardware/text/alpha 3/3.1 (value) = A2/A3",
        "value max-model-len/text/alpha 3/3.1 (value) = 240k",
    ]


def test_a_remark_in_the_hardware_cell_sets_a_product_apart() -> None:
    reading = read(WIDE)
    gamma = [line for line in said(reading) if "/gamma/" in line]
    assert gamma == [
        "experimental text-model-hardware/gamma/ascend-a2+ascend-a3"
        " [model=gamma hardware=ascend-a2,ascend-a3]",
        "not-stated text-model-quantization-hardware/gamma/ascend-a2+ascend-a3/bf16"
        " [model=gamma hardware=ascend-a2,ascend-a3 quantization=bf16]",
        "supported text-model-quantization-hardware/gamma/ascend-a2+ascend-a3/int8-w8a8"
        " [model=gamma hardware=ascend-a2,ascend-a3 quantization=int8-w8a8]",
        "unsupported text-model-feature-hardware/gamma/ascend-a2+ascend-a3/lora"
        " [model=gamma hardware=ascend-a2,ascend-a3 features=lora]",
        "experimental text-model-hardware/gamma/ascend-a5 [model=gamma hardware=ascend-a5]",
        "not-stated text-model-quantization-hardware/gamma/ascend-a5/bf16"
        " [model=gamma hardware=ascend-a5 quantization=bf16]",
        "supported text-model-quantization-hardware/gamma/ascend-a5/w8a8 [?]",
        "unsupported text-model-feature-hardware/gamma/ascend-a5/lora"
        " [model=gamma hardware=ascend-a5 features=lora]",
    ]
    scheme = next(f for f in reading.findings if f.statement.endswith("ascend-a3/int8-w8a8")
                  and "gamma" in f.statement)  # fmt: skip
    assert scheme.tier is Tier.EXPERIMENTAL
    assert unknown(reading) == ["quantization: W8A8 on Ascend 950"]
    assert said(reading)[-4:] == LEGEND_SAID


TABS = f"""\
# Supported Models

{LEGEND}
## Text-Only Language Models

### Generative Models

:::::{{tab-set}}

::::{{tab-item}} A2/A3

| Model | Support | Note | BF16 | Supported Hardware | Chunked Prefill | Doc |
|---|---|---|---|---|---|---|
| Beta-30B | ✅ | | ✅ | A2/A3 | ✅ | [B](b.md) |

::::

::::{{tab-item}} Atlas 300I DUO

| Model | Support | Note | BF16 | Supported Hardware | Chunked Prefill | Doc |
|---|---|---|---|---|---|---|
| Beta-30B | ✅ | | ❌ | Atlas 300I DUO | 🟡 | [B](b.md) |

::::
:::::

### Pooling Models

=== "A2/A3"

    | Model | Support | Note | Supported Hardware | W8A8 | Doc |
    |---|---|---|---|---|
    | Gamma-Embedding | 🔵 | | A2/A3 | 🟡 | [E](e.md) |
    | Delta | ✅ | FP16 | A2 | [D](d.md) |

## Multimodal Language Models

### Generative Models

| Model | Support | Note | Supported Hardware |
|---|---|---|---|
| Gemma3 | 🔵 | | A2/A3 |
| Epsilon-based | ✅ | | A3 |
| Gamma | ❌ | | |
"""


def test_each_tab_speaks_about_its_own_products() -> None:
    duo = "hardware=ascend-atlas-300i-duo"
    assert [line for line in said(read(TABS)) if "300i-duo" in line] == [
        f"supported text-model-hardware/acme--beta-30b/ascend-atlas-300i-duo"
        f" [model=acme--beta-30b {duo}]",
        "unsupported text-model-quantization-hardware/acme--beta-30b/ascend-atlas-300i-duo/bf16"
        f" [model=acme--beta-30b {duo} quantization=bf16]",
        "untested text-model-feature-hardware/acme--beta-30b/ascend-atlas-300i-duo/chunked-prefill"
        f" [model=acme--beta-30b {duo} features=chunked-prefill]",
    ]


def test_a_general_model_in_the_pooling_table_is_stated_for_pooling_only() -> None:
    reading = read(TABS)
    pooled = [line for line in said(reading) if "pooling-model" in line]
    assert pooled == [
        "experimental pooling-model-hardware/gamma-embedding/ascend-a2+ascend-a3"
        " [model=gamma-embedding hardware=ascend-a2,ascend-a3]",
        "untested pooling-model-quantization-hardware/gamma-embedding/ascend-a2+ascend-a3/int8-w8a8"
        " [model=gamma-embedding hardware=ascend-a2,ascend-a3 quantization=int8-w8a8]",
        "supported pooling-model-hardware/delta/ascend-a2/pooling"
        " [model=delta hardware=ascend-a2 features=pooling]",
        "not-stated pooling-model-quantization-hardware/delta/ascend-a2/pooling/int8-w8a8"
        " [model=delta hardware=ascend-a2 quantization=int8-w8a8 features=pooling]",
    ]
    delta = next(f for f in reading.findings if f.names.get("model") == "Delta")
    assert delta.note == "in FP16"


def test_the_multimodal_table_means_the_multimodal_models_of_a_name() -> None:
    multimodal = [line for line in said(read(TABS)) if "multimodal-model" in line]
    assert multimodal == [
        "experimental multimodal-model-hardware/gemma-3-multimodal/ascend-a2+ascend-a3"
        " [model=gemma-3-multimodal hardware=ascend-a2,ascend-a3]",
        "supported multimodal-model-hardware/epsilon-based/ascend-a3 [?]",
        "unsupported multimodal-model-hardware/gamma/ascend"
        " [model=gamma hardware=ascend,ascend-a2,ascend-a3]",
    ]


def test_every_cell_stands_at_its_row_column_and_line() -> None:
    reading = read(WIDE)
    assert ("Alpha 3/3.1", "W8A8", 14) in places(reading)
    assert ("Gamma", "LoRA", 15) in places(reading)


def test_a_sign_without_meaning_and_an_unknown_product_wait_for_review() -> None:
    page = WIDE.replace("| ✅ || 240k", "| 🟣 || 240k").replace("| A2/A3 |", "| A2/B7 |")
    reading = read(page)
    assert unknown(reading) == ["hardware: B7", "status: 🟣", "quantization: W8A8 on Ascend 950"]
    alpha = [line for line in said(reading) if "model-hardware/alpha-3/" in line]
    assert alpha == ["supported text-model-hardware/alpha-3/a2/b7 [?]"]


@pytest.mark.parametrize(
    "page",
    [
        "# Supported Models\n\nNothing is listed here.\n",
        WIDE.replace("| Model | Support |", "| Model | Rating |"),
        WIDE.replace("🟡 = Not tested or verified", "🟡 = Works well"),
    ],
)
def test_another_shape_or_another_legend_is_refused(page: str) -> None:
    with pytest.raises(UnexpectedPage) as refused:
        read(page)
    assert PATH in str(refused.value)
