"""Model guides and the KV cache page: recommended cards by weight type, cache formats."""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector, Facet, facet_of, one_line
from ingest.sources.grids import require_table
from ingest.sources.sglang.words import BELOW
from matrix.domain.coordinates import NumberRange
from matrix.domain.levels import Axis, NumberAxis, Tier

_WEIGHTS = (
    ("w4a8", "w4afp8"),
    ("mxfp4", "mxfp4"),
    ("nvfp4", "nvfp4"),
    ("awq", "awq"),
    ("int8", "int8-w8a8"),
    # "BF16 (upcast from original FP8)" names FP8 as well, so BF16 is looked for first.
    ("bf16", "bf16"),
    ("fp8", "fp8"),
)
_MODELS = ("DeepSeek-V3", "DeepSeek-V3.1", "DeepSeek-R1")
_COUNTED = re.compile(r"^([\d, x]+?)\s*x\s+(\D.*)$")
_FORMATS = (("E5M2", "kv-fp8-e5m2"), ("E4M3", "kv-fp8-e4m3"))
_FP4_TRIAL = "FP4 quantization is currently experimental"


def read_deepseek(page: Page, vocabulary: Vocabulary) -> Reading:
    """The recommended cards for DeepSeek V3 and R1, by weight type; a blank type carries down."""
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Weight Type", "Configuration"))
    weights = ""
    for cells in table.rows:
        weights = one_line(cells[0].text) or weights
        finding = collector.at_cell(table, cells[1], row=weights, column=table.columns[1])
        slug = next((slug for word, slug in _WEIGHTS if word in fold_label(weights)), "")
        scheme = facet_of(Axis.QUANTIZATION, weights, *([slug] if slug else []))
        if not slug:
            collector.miss(Axis.QUANTIZATION, weights, finding.locator)
        for count, name in cards_of(one_line(cells[1].text)):
            hardware = collector.facet(Axis.HARDWARE, name, finding.locator)
            numbers = {NumberAxis.HARDWARE_COUNT: NumberRange(minimum=count)} if count else {}
            for model in _models(collector):
                collector.state(
                    "recommended",
                    [model, scheme, hardware],
                    StatementStatus.SUPPORTED,
                    replace(finding, value=f"count={count}" if count else ""),
                    numbers=numbers,
                )
    return collector.reading()


def cards_of(text: str) -> Iterator[tuple[int | None, str]]:
    """Cards with their count: "2 x 8 x H100/800" is 16 H100 or 16 H800, "8, 4 x B200" at least 4.

    A server ("4 x Atlas 800I A3") holds several cards, so its count says nothing about cards.
    """
    for part in re.split(r",\s*(?=\d+ x )", text) if not re.match(r"^\d+, ", text) else [text]:
        match = _COUNTED.match(part.strip())
        if not match:
            yield None, re.sub(r" CPU$", "", part.strip())
            continue
        counts, names = match.groups()
        factors = [int(number) for number in re.findall(r"\d+", counts)]
        count = min(factors) if "," in counts else _product(factors)
        first, *more = [name.strip() for name in names.split("/")]
        yield (None if first.startswith("Atlas") else count), first
        for name in more:
            letter = re.match(r"[A-Z]+", first)
            full = name if re.match(r"[A-Z]", name) or not letter else letter.group() + name
            yield count, full


def _product(numbers: list[int]) -> int:
    total = 1
    for number in numbers:
        total *= number
    return total


def _models(collector: Collector) -> list[Facet]:
    """The models that the guide is about, as its heading names them."""
    found = []
    for name in _MODELS:
        for slug in collector.vocabulary.find(Axis.MODEL, name):
            found.append(facet_of(Axis.MODEL, name, slug))
    return found


def read_kv_cache(page: Page, vocabulary: Vocabulary) -> Reading:
    """The cache formats of quantized_kv_cache.md; FP4 is experimental by its own warning."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        for word, slug in _FORMATS:
            if item.text.startswith(word):
                collector.state(
                    "kv-format",
                    [facet_of(Axis.KV_DTYPE, word, slug), _recent_cards()],
                    StatementStatus.SUPPORTED,
                    collector.at_line(item.line, item.text),
                )
    for text in page.document.paragraphs:
        if _FP4_TRIAL in one_line(text.text):
            collector.state(
                "kv-format",
                [facet_of(Axis.KV_DTYPE, "FP4", "kv-fp4"), _cards_with_fp4()],
                StatementStatus.EXPERIMENTAL,
                replace(collector.at_line(text.line, _FP4_TRIAL), tier=Tier.EXPERIMENTAL),
            )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="the formats E5M2 and E4M3",
            nearest="; ".join(heading.text for heading in page.document.headings[:5]),
        )
    return collector.reading()


def _recent_cards() -> Facet:
    """NVIDIA cards from Ampere on: the page names none, and older ones are left open."""
    return Facet(Axis.HARDWARE, "NVIDIA", frozenset({"nvidia"}), BELOW[80], key="nvidia")


def _cards_with_fp4() -> Facet:
    """NVIDIA cards from Blackwell on, which have FP4 units; the page names no card."""
    return Facet(Axis.HARDWARE, "NVIDIA", frozenset({"nvidia"}), BELOW[100], key="nvidia")
