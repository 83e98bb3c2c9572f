"""Unknown words grouped for triage, and the page on which one of them gets its meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise

from ingest.domain.review import ItemState
from ingest.models import ReviewItem
from ingest.pages.review_item import Fragment, fragment_of
from ingest.pages.review_words import SET_ASIDE_WORDS
from ingest.pages.word_effect import Effect, find_effect
from ingest.queries_review import items_of_word, word_groups, word_rows
from ingest.queries_snapshots import kept_addresses
from matrix.catalog_aliases import area_of_axis
from matrix.domain import codec
from matrix.domain.aliases import NameTable
from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import InvalidValue
from matrix.index import Knowledge
from matrix.pages.links import with_query
from matrix.pages.words import axis_word

GROUPS_SHOWN = 20
NEAREST = 5
PLACES_SHOWN = 6
# Comparing a word with all names takes tens of milliseconds, so the answers of a revision are kept.
MOST_REMEMBERED = 2_000
_NEAREST: dict[tuple[int, str, str], Sequence[tuple[str, str]]] = {}


@dataclass(frozen=True, slots=True)
class NearName:
    """A node whose name is near to a word, and the page that shows what mapping to it changes."""

    slug: str
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class WordRow:
    """One word with its nearest names. **Shapes**: ``named`` tells an axis with a catalogue."""

    item: int
    axis: str
    axis_name: str
    word: str
    sources: Sequence[str]
    places: int
    opened_at: datetime
    nearest: Sequence[NearName]
    named: bool
    url: str


@dataclass(frozen=True, slots=True)
class Triage:
    """The page of all unknown words. **Shapes**: ``axes`` are axis, name and count."""

    rows: Sequence[WordRow]
    axes: Sequence[tuple[str, str, int]]
    axis: str
    next_url: str
    previous_url: str
    waiting_nodes: Sequence[ReviewItem]


def build_triage(knowledge: Knowledge, axis: str, page: int) -> Triage:
    """The page. **Queries**: 4."""
    rows = word_rows()
    counts: dict[str, int] = {}
    pairs = rows.order_by().values_list("code", "statement").distinct()
    for code, _word in pairs:
        counts[code] = counts.get(code, 0) + 1
    wanted = rows.filter(code=axis) if axis else rows
    start = (page - 1) * GROUPS_SHOWN
    groups, more = word_groups(wanted, start=start, size=GROUPS_SHOWN)
    address = reverse("review-words")

    def page_url(number: int) -> str:
        return with_query(address, [("axis", axis), ("page", str(number))])

    return Triage(
        rows=[
            WordRow(
                item=group.item,
                axis=group.axis,
                axis_name=axis_word(group.axis),
                word=group.word,
                sources=group.sources,
                places=group.places,
                opened_at=group.opened_at,
                nearest=nearest_names(knowledge, group.axis, group.word, item=group.item),
                named=has_names(group.axis),
                url=reverse("review-word", args=[group.item]),
            )
            for group in groups
        ],
        axes=[(code, axis_word(code), n) for code, n in sorted(counts.items())],
        axis=axis,
        next_url=page_url(page + 1) if more else "",
        previous_url=page_url(page - 1) if page > 1 else "",
        waiting_nodes=list(
            word_rows([ItemState.REJECTED]).filter(new__set_aside="node-needed")[:50]
        ),
    )


def has_names(axis: str) -> bool:
    """Whether words of an axis can be names of nodes; signs cannot."""
    try:
        area_of_axis(axis)
    except InvalidValue:
        return False
    return True


def nearest_names(knowledge: Knowledge, axis: str, word: str, *, item: int) -> list[NearName]:
    """The nodes with the nearest names, closest first; none for signs."""
    if not has_names(axis):
        return []
    address = reverse("review-word", args=[item])
    area = area_of_axis(axis)
    key = (knowledge.revision, area, word)
    if key not in _NEAREST:
        if len(_NEAREST) >= MOST_REMEMBERED:
            _NEAREST.clear()
        _NEAREST[key] = _find_nearest(knowledge.catalogue, area, word)
    return [
        NearName(slug=slug, name=name, url=f"{with_query(address, [('to', slug)])}#effect")
        for slug, name in _NEAREST[key]
    ]


def _find_nearest(catalogue: Catalogue, area: str, word: str) -> Sequence[tuple[str, str]]:
    """Slug and name of the nearest nodes, by comparing the word with all names."""
    table = catalogue.vocabulary.table(area)
    slugs = {name: slug for slug, name in _display(table, catalogue, area).items()}
    return [(slugs.get(name, name), name) for name in table.nearest(word, limit=NEAREST)]


def _display(table: NameTable, catalogue: Catalogue, area: str) -> Mapping[str, str]:
    return {slug: table.display.get(slug, slug) for slug in catalogue.area(area)}


@dataclass(frozen=True, slots=True)
class WordPlace:
    """One place at which a word stands; the first ones with their lines."""

    version: str
    path: str
    place: str
    fragment: Fragment | None


@dataclass(frozen=True, slots=True)
class WordPage:
    """The page of one unknown word, with the effect of a mapping where one is chosen."""

    item: ReviewItem
    axis_name: str
    named: bool
    area: str
    items: Sequence[ReviewItem]
    places: Sequence[WordPlace]
    nearest: Sequence[NearName]
    slug: str
    name: str
    effect: Effect | None
    set_aside: Mapping[str, str | Promise]


def build_word_page(item: ReviewItem, slug: str, knowledge: Knowledge) -> WordPage:
    """The page of a word. **Queries**: 4, and those of the effect.

    **Raises**: ``UnknownName``, ``AmbiguousName`` for a chosen name that is none.
    """
    catalogue = knowledge.catalogue
    named = has_names(item.code)
    area = area_of_axis(item.code) if named else ""
    chosen = ""
    if slug and named:
        nodes = catalogue.area(area)
        chosen = slug if slug in nodes else catalogue.vocabulary.table(area).resolve(slug)
    name = catalogue.area(area)[chosen].name if chosen else ""
    return WordPage(
        item=item,
        axis_name=axis_word(item.code),
        named=named,
        area=area,
        items=items_of_word(item.code, item.statement),
        places=_places(item),
        nearest=nearest_names(knowledge, item.code, item.statement, item=item.pk),
        slug=chosen,
        name=name,
        effect=find_effect(item.code, item.statement, chosen, catalogue=catalogue)
        if chosen else None,
        set_aside=SET_ASIDE_WORDS,
    )  # fmt: skip


def _places(item: ReviewItem) -> list[WordPlace]:
    """The places on record; the item's own bytes are shown at the first one."""
    kept = kept_addresses([item.snapshot_sha256])
    address = kept.get(item.snapshot_sha256, "")
    found = []
    for number, place in enumerate(item.new.get("places", ())[:PLACES_SHOWN]):
        locator = place.get("locator", {})
        fragment = None
        if number == 0 and address:
            fragment = fragment_of(item.snapshot_sha256, locator, path=item.path, address=address)
        found.append(
            WordPlace(
                version=str(place.get("version", "")),
                path=str(place.get("path", "")),
                place=codec.locator_text(codec.locator_from_plain(locator)),
                fragment=fragment,
            )
        )
    return found
