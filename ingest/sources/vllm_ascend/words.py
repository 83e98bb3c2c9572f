"""What vLLM Ascend's words mean: products, status signs, columns of the model tables."""

import re
from dataclasses import dataclass, field

from ingest.contract import StatementStatus
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector, Facet, facet_of, one_line
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

SIGNS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "🔵": StatementStatus.EXPERIMENTAL,
        "❌": StatementStatus.UNSUPPORTED,
        "🟡": StatementStatus.UNTESTED,
    }
)
PAIR_SIGNS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "🟠": StatementStatus.PARTIAL,
        "❌": StatementStatus.UNSUPPORTED,
        "❔": StatementStatus.UNKNOWN,
    }
)
FEATURE_STATES = StatusTable(
    {
        "🟢 functional": StatementStatus.SUPPORTED,
        "🔵 experimental": StatementStatus.EXPERIMENTAL,
        "🚧 wip": StatementStatus.WORK_IN_PROGRESS,
        "🟡 planned": StatementStatus.PLANNED,
        "🔴 no plan/deprecated": StatementStatus.UNSUPPORTED,
        "🔴 no plan / deprecated": StatementStatus.UNSUPPORTED,
        "🔴 no plan": StatementStatus.UNSUPPORTED,
        "🔴 deprecated": StatementStatus.UNSUPPORTED,
    }
)

# The products that a word of a table, tab or list names. A series that a page only sells for
# training or inference is the products that the project's own device list counts under it.
PRODUCTS: dict[str, tuple[str, ...]] = {
    "a2": ("ascend-a2",),
    "a3": ("ascend-a3",),
    "950dt": ("ascend-950dt",),
    "ascend950": ("ascend-a5",),
    "ascend 950 products": ("ascend-a5",),
    "ascend 950dt": ("ascend-950dt",),
    "atlas 950dt": ("ascend-950dt",),
    "atlas a2": ("ascend-a2",),
    "atlas a3": ("ascend-a3",),
    "atlas a2 series": ("ascend-a2",),
    "atlas a3 series": ("ascend-a3",),
    "atlas a2 inference products": ("ascend-atlas-800i-a2",),
    "atlas a3 inference products": ("ascend-atlas-800i-a3",),
    "atlas 800i a2 inference series": ("ascend-atlas-800i-a2",),
    "atlas 800i a3 inference series": ("ascend-atlas-800i-a3",),
    "atlas a2 training series": (
        "ascend-atlas-200t-a2-box16",
        "ascend-atlas-300t-a2",
        "ascend-atlas-800t-a2",
        "ascend-atlas-900-a2-pod",
    ),
    "atlas a3 training series": ("ascend-atlas-800t-a3", "ascend-atlas-900-a3-superpod"),
    "atlas 300i": ("ascend-310p",),
    "atlas inference products": ("ascend-310p",),
    "atlas 300i inference series": ("ascend-atlas-300i-duo",),
    "ascend 910": ("ascend-910",),
    "ascend 910 pro b": ("ascend-910",),
}
# A yes of a page that names no product is taken for the series that every release was made for,
# never for all that the vendor builds; a no without a product is a no for all of them.
UNNAMED_YES = ("ascend-a2",)
NAMED_TWICE = ("ascend-a2", "ascend-a3")
EVERY_NPU = ("ascend",)
# A page that lists a model twice, once with a cross and no product, contradicts itself: the series
# of the yes stand beside the vendor, so that the one does not pass for the finer word.
UNNAMED_NO = ("ascend", "ascend-a2", "ascend-a3")

_REMARK = re.compile(r"\(([^()]+?)\s+experimental\)", re.IGNORECASE)
_NOT_A_LIST = frozenset({"atlas 300i duo"})


@dataclass(frozen=True, slots=True)
class Place:
    """The products that a statement speaks about; ``experimental`` where a remark says so."""

    facet: Facet
    experimental: bool = False


@dataclass(frozen=True, slots=True)
class Products:
    """What a hardware cell names: products as the row has them, and those marked experimental."""

    stated: tuple[str, ...] = ()
    experimental: tuple[str, ...] = ()
    unknown: tuple[str, ...] = field(default=())


def read_products(collector: Collector, text: str) -> Products:
    """The products of a cell: "A2/A3", "A2/A3/Ascend950 (Ascend950 experimental)"."""
    remarks = _REMARK.findall(text)
    plain = one_line(_REMARK.sub("", text))
    found: list[str] = []
    unknown: list[str] = []
    for word in _split(plain):
        slugs = find_product(collector, word)
        found += slugs
        if not slugs:
            unknown.append(word)
    marked = {
        slug for remark in remarks for word in _split(remark)
        for slug in find_product(collector, word)
    }  # fmt: skip
    return Products(
        stated=tuple(slug for slug in found if slug not in marked),
        experimental=tuple(slug for slug in found if slug in marked),
        unknown=tuple(unknown),
    )


def find_product(collector: Collector, word: str) -> tuple[str, ...]:
    """The slugs of one product word, by this project's own table first."""
    own = PRODUCTS.get(fold_label(word))
    return own or collector.vocabulary.find(str(Axis.HARDWARE), word)


def places_of(collector: Collector, text: str, at: Locator) -> list[Place]:
    """One place for the stated products, one more for those that a remark sets apart."""
    products = read_products(collector, text)
    for word in products.unknown:
        collector.miss(Axis.HARDWARE, word, at)
    word = one_line(text)
    if products.unknown:
        return [Place(Facet(Axis.HARDWARE, word))]
    places = [Place(facet_of(Axis.HARDWARE, word, *products.stated))] if products.stated else []
    if products.experimental:
        marked = facet_of(Axis.HARDWARE, word, *products.experimental)
        places.append(Place(marked, experimental=True))
    return places


def _split(text: str) -> list[str]:
    """The words of a list of products; "950DT inference products" ends a list of three."""
    if fold_label(text) in PRODUCTS or fold_label(text) in _NOT_A_LIST:
        return [text]
    parts = [one_line(part) for part in text.split("/")]
    if len(parts) > 1 and parts[0].startswith("Atlas "):
        bare = [part.removeprefix("Atlas ").removesuffix(" inference products") for part in parts]
        short = [part for part in bare if fold_label(part) in PRODUCTS]
        return parts if len(short) < len(parts) else bare
    return [part for part in parts if part]
