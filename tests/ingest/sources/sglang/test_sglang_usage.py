"""Model guides and the KV cache page of SGLang."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.sglang import SOURCE
from ingest.sources.sglang.usage import cards_of
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"DeepSeek-R1": "deepseek-r1"},
    hardware={"H100": "nvidia-h100", "H20": "nvidia-h20", "Xeon 6980P": "cpu-x86-xeon-6"},
)

GUIDE = """\
# Usage

| Weight Type | Configuration |
|---|---|
| **Full precision [FP8](https://example.org)** | 2 x 8 x H100/20 |
| | Xeon 6980P CPU |
| **Quantized weights (Odd)** | 8 x H100 |
"""


def test_a_blank_weight_type_carries_down_and_counts_multiply() -> None:
    page = page_of(GUIDE, path="docs/basic_usage/deepseek_v3.md", version="v0.5.6")
    reading = rule_named(SOURCE, "deepseek").parse(page, WORDS)
    r1 = "recommended/deepseek-r1"
    where = "[model=deepseek-r1 quantization=fp8 hardware"
    assert said(reading) == [
        f"supported {r1}/fp8/nvidia-h100 {where}=nvidia-h100 hardware_count>=16]",
        f"supported {r1}/fp8/nvidia-h20 {where}=nvidia-h20 hardware_count>=16]",
        f"supported {r1}/fp8/cpu-x86-xeon-6 {where}=cpu-x86-xeon-6]",
        f"supported {r1}/quantized weights (odd)/nvidia-h100 [?]",
    ]
    assert unknown(reading) == ["quantization: Quantized weights (Odd)"]


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("8 x H200", [(8, "H200")]),
        ("4 x 8 x H100/800/20", [(32, "H100"), (32, "H800"), (32, "H20")]),
        ("8 x H20/100, 4 x H200", [(8, "H20"), (8, "H100"), (4, "H200")]),
        ("8, 4 x MI355X/350X", [(4, "MI355X"), (4, "MI350X")]),
        ("4 x 8 x A100/A800", [(32, "A100"), (32, "A800")]),
        ("4 x Atlas 800I A3", [(None, "Atlas 800I A3")]),
        ("Xeon 6980P CPU", [(None, "Xeon 6980P")]),
    ],
)
def test_cards_are_read_with_the_count_that_is_needed(
    text: str, cards: list[tuple[int | None, str]]
) -> None:
    assert list(cards_of(text)) == cards


KV = """\
# Quantized KV Cache

- **E5M2** (5 exponent bits): wide
- **E4M3** (4 exponent bits): precise

<Warning>
FP4 quantization is currently experimental.
</Warning>
"""


def test_cache_formats_are_read_and_fp4_is_experimental() -> None:
    path = "docs/docs/advanced_features/quantized_kv_cache.mdx"
    reading = rule_named(SOURCE, "kv-cache").parse(page_of(KV, path=path), WORDS)
    cards = (
        "hardware=nvidia,-nvidia-kepler,-nvidia-maxwell,-nvidia-pascal,-nvidia-turing,-nvidia-volta"
    )
    with_fp4 = cards.replace(",", ",-nvidia-ada,-nvidia-ampere,-nvidia-hopper,", 1)
    assert said(reading) == [
        f"supported kv-format/kv-fp8-e5m2/nvidia [kv_dtype=kv-fp8-e5m2 {cards}]",
        f"supported kv-format/kv-fp8-e4m3/nvidia [kv_dtype=kv-fp8-e4m3 {cards}]",
        f"experimental kv-format/kv-fp4/nvidia [kv_dtype=kv-fp4 {with_fp4}]",
    ]


@pytest.mark.parametrize("rule", ["deepseek", "kv-cache"])
def test_a_page_of_another_shape_is_refused(rule: str) -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(SOURCE, rule).parse(page_of("# Nothing\n", path="p.md"), WORDS)
