"""What the Gaudi plug-in's words mean: cards, number types, and what no page of it promises."""

import re

from ingest.reading.document import fold_label
from ingest.sources.collecting import Facet, facet_of, one_line
from matrix.domain.levels import Axis

CARDS = {"gaudi 2": "intel-gaudi2", "gaudi 3": "intel-gaudi3"}
# Every page speaks about these two cards; a no holds for all of the vendor's.
BOTH = ("intel-gaudi2", "intel-gaudi3")
EVERY_CARD = ("intel-gaudi",)
DATATYPES = {"bf16": "bf16", "fp8": "fp8"}

_MARKS = re.compile("[®™]")


def plain(text: str) -> str:
    """The text in one line without trade marks: "Intel® Gaudi® 2" becomes "Intel Gaudi 2"."""
    return one_line(_MARKS.sub("", text))


def split_list(text: str) -> list[str]:
    """The parts of "BF16, FP8" or "2, 4, 8"."""
    return [part for part in (one_line(word) for word in text.split(",")) if part]


def cards_facet(word: str, *slugs: str) -> Facet:
    """The cards that a statement holds for, shown by the page's own word."""
    return facet_of(Axis.HARDWARE, word, *slugs)


def card_of(word: str) -> str:
    """The slug of "Gaudi 3", or an empty string."""
    return CARDS.get(fold_label(plain(word)).removeprefix("intel "), "")
