"""The state of the matrix explorer: all of it is in the address, nothing is kept elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from matrix.asking import CELL_PARAMETERS, Question, cell_words
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.grids import DEFAULT_KINDS, GRID_AXES, default_kind, kinds_of
from matrix.index import Knowledge
from matrix.mentions import mentions_of
from matrix.pages.asked import DATE_PARAMETERS, Words, reader_for

ROWS_PER_PAGE = 50
COLUMNS_PER_PAGE = 40
OWN_PARAMETERS = (
    "rows",
    "columns",
    "rows_level",
    "columns_level",
    "all",
    "filter",
    "fold",
    "page",
    "columns_page",
)
# The level word that asks for nodes of every level of the tree.
ANY_LEVEL = "any"


@dataclass(frozen=True, slots=True)
class ExplorerState:
    """What the explorer shows: two axes with their levels, the pinned rest, and the view of it.

    **Dates**: ``pinned_as_of`` tells whether the address named the day or it is just today.
    """

    question: Question
    rows: str
    columns: str
    rows_level: str
    columns_level: str
    everything: bool = False
    filter: str = ""
    folded: frozenset[str] = frozenset()
    page: int = 1
    columns_page: int = 1
    pinned_as_of: bool = False

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The parameters that show this state again."""
        yield "rows", self.rows
        yield "columns", self.columns
        if self.rows_level != default_level(self.rows):
            yield "rows_level", self.rows_level
        if self.columns_level != default_level(self.columns):
            yield "columns_level", self.columns_level
        yield from cell_words(self.question.cell)
        if self.pinned_as_of:
            yield "as_of", self.question.as_of.isoformat()
        if self.question.known_at:
            yield "known_at", self.question.known_at.isoformat()
        if self.everything:
            yield "all", "1"
        if self.filter:
            yield "filter", self.filter
        for group in sorted(self.folded):
            yield "fold", group
        if self.page > 1:
            yield "page", str(self.page)
        if self.columns_page > 1:
            yield "columns_page", str(self.columns_page)


def default_level(axis: str) -> str:
    """The level of the tree that an axis shows unless another one is asked for."""
    return DEFAULT_KINDS.get(axis, ANY_LEVEL)


def read_state(words: Words, knowledge: Knowledge) -> ExplorerState:
    """The state that an address asks for.

    **Raises**: the errors of ``QuestionReader.read``; ``InvalidValue`` for an own parameter.
    """
    own = {name: words.get(name, []) for name in OWN_PARAMETERS}
    rows = _axis("rows", _last(own["rows"]) or "quantization")
    columns = _axis("columns", _last(own["columns"]) or "hardware")
    # Two features make a question of their own: whether they work together.
    if rows == columns != "feature":
        raise InvalidValue(name="columns", value=columns, accepted=Phrase("another axis than rows"))
    question = _question(words, knowledge, axes=(rows, columns))
    return ExplorerState(
        question=question,
        rows=rows,
        columns=columns,
        rows_level=_level(knowledge, rows, _last(own["rows_level"])),
        columns_level=_level(knowledge, columns, _last(own["columns_level"])),
        everything=_last(own["all"]) in {"1", "on", "true"},
        filter=_last(own["filter"])[:100],
        folded=frozenset(value for value in own["fold"] if value),
        page=_number("page", _last(own["page"])),
        columns_page=_number("columns_page", _last(own["columns_page"])),
        pinned_as_of=any(words.get("as_of", [])),
    )


def _question(words: Words, knowledge: Knowledge, *, axes: Sequence[str]) -> Question:
    """The pinned part: what stands on an axis is not pinned."""
    pins = {
        name: values
        for name, values in words.items()
        if name not in OWN_PARAMETERS and name not in axes
    }
    if "framework" in axes:
        # Every framework has versions of its own, so none can be pinned.
        pins.pop("version", None)
        pins["over"] = ["framework"]
    elif not any(pins.get("framework", [])):
        pins["framework"] = [default_framework(knowledge)]
    accepted = (*CELL_PARAMETERS, *DATE_PARAMETERS, "over")
    question = reader_for(knowledge).read(pins, accepted=accepted)
    return replace(question, over=None)


def default_framework(knowledge: Knowledge) -> str:
    """The framework that most claims speak about; the first of the catalogue without claims."""
    counts = {slug: found.claims for slug, found in mentions_of(knowledge).items()}
    if not counts:
        return min(knowledge.catalogue.area("framework"), default="")
    return max(sorted(counts), key=lambda slug: counts[slug])


def _last(values: Sequence[str]) -> str:
    return values[-1].strip() if values else ""


def _axis(name: str, value: str) -> str:
    if value not in GRID_AXES:
        raise InvalidValue(
            name=name, value=value, accepted=Phrase("one of {names}", names=", ".join(GRID_AXES))
        )
    return value


def _level(knowledge: Knowledge, axis: str, value: str) -> str:
    kinds = kinds_of(knowledge.catalogue, axis)
    if value == ANY_LEVEL or value in kinds:
        return value
    # Nothing was asked, or another axis was chosen and the level of the old one came along.
    return default_kind(knowledge.catalogue, axis) or ANY_LEVEL


def _number(name: str, value: str) -> int:
    if not value:
        return 1
    if not value.isascii() or not value.isdigit() or not 1 <= int(value[:9]) <= 100_000:
        raise InvalidValue(name=name, value=value[:40], accepted=Phrase("a whole number from 1"))
    return int(value)
