"""Hand-set facts against what the product reads: right, opposite or missing.

A fact names a page and what stands there (row and column, a quoted line, a recipe, an absence, or
a key of the code facts). It is right when a finding stands at the same place with the same
meaning; a right word at another place is not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

from ingest.contract import Finding, FindingKind, StatementStatus
from ingest.domain.derive import PageReading
from ingest.domain.fact_words import (
    ACCEPTED,
    NEGATIVE,
    NEGATIVE_WORDS,
    POSITIVE,
    POSITIVE_WORDS,
    name_parts,
    plain_label,
    plain_name,
)
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import Axis

# Facets that name the subject; other facets describe it.
_SUBJECT_FACETS = ("quantization", "hardware", "model", "architecture", "feature", "backend")
# Facets whose numbers or names have to stand in the finding itself.
_VALUE_FACETS = (
    "cc_min", "gfx", "gfx_added", "rocm", "rocm_min", "musa_arch", "min", "software", "cuda",
    "torch", "container", "tensorrt", "transformers", "base_image", "tag", "platforms",
    "tag_in_docs", "migration_months",
)  # fmt: skip
_ABSENT_FACETS = ("architecture", "hardware", "column", "backend", "table")
_RECIPE_FACETS = {"hardware": "hw", "quantization": "quant"}


# A shorter spelling inside a longer one is mostly chance ("fp8" in "mxfp8").
_SHORTEST_PART = 5


class FactNames:
    """What the words of facts mean in the catalogue."""

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        self._catalogue = catalogue
        self._known: dict[str, frozenset[str]] = {}

    def slugs_of(self, word: str) -> frozenset[str]:
        """Slugs that a word names on any axis, with everything below them."""
        if word not in self._known:
            self._known[word] = self._find(word)
        return self._known[word]

    def _find(self, word: str) -> frozenset[str]:
        if self._catalogue is None:
            return frozenset()
        found: set[str] = set()
        trees = self._catalogue.trees
        for axis in (Axis.QUANTIZATION, Axis.HARDWARE, Axis.MODEL, Axis.BACKEND):
            for slug in self._catalogue.vocabulary.find(axis.value, word):
                found |= {slug, *trees.tree(axis).down(slug)}
        for slug in self._catalogue.vocabulary.find("feature", word):
            found |= {slug, *trees.features.down(slug)}
        return frozenset(found)


class Outcome(StrEnum):
    """How a fact compares with what was read."""

    RIGHT = "right"
    OPPOSITE = "opposite"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class FactResult:
    """One compared fact; ``found`` says what stood nearest."""

    identifier: str
    outcome: Outcome
    page: str
    row: str
    column: str
    expected: str
    found: str


def compare_fact(
    fact: Mapping[str, Any],
    readings: Sequence[PageReading],
    names: FactNames | None = None,
) -> FactResult:
    """The outcome of one fact, given everything read from its page.

    **Shapes**: ``names`` knows the catalogue's words; without it only spellings are compared.

    A page that no rule read misses its facts, absences included: nothing read proves nothing.
    """
    findings = [f for item in readings for f in item.reading.findings]
    if "absent" in fact:
        return _compare_absence(fact, findings, was_read=bool(readings))
    if fact.get("source") == "code" or "facts_path" in fact:
        here = _at_path(fact, findings)
        return _result(fact, _by_value(fact, here), here)
    if fact.get("kind") == "deployment":
        here = _recipes(fact, findings)
        return _result(fact, _by_status(fact, here), here)
    if "row" in fact and "column" in fact:
        here = _at_cell(fact, readings)
        return _result(fact, _by_cell(fact, here), here)
    here = _at_line(fact, readings)
    return _result(fact, _by_subjects(fact, here, findings, names or FactNames()), here)


def _result(
    fact: Mapping[str, Any], outcome: Outcome, here: Iterable[Finding], found: str = ""
) -> FactResult:
    found = found or "; ".join(_finding_text(f) for f in list(here)[:4]) or "nothing"
    return FactResult(
        identifier=str(fact.get("id", "?")),
        outcome=outcome,
        page=f"{fact.get('version', '')} {fact.get('page') or fact.get('facts_file', '')}",
        row=str(fact.get("row") or fact.get("line") or fact.get("facts_path") or ""),
        column=str(fact.get("column") or ""),
        expected=str(fact.get("status", "")),
        found=found,
    )


def _finding_text(finding: Finding) -> str:
    where = finding.locator
    place = "/".join(p for p in (where.row, where.column) if p) or f"line {where.line}"
    return f"{finding.status.value} ({place}: {finding.raw[:40]!r})"


def _at_cell(fact: Mapping[str, Any], readings: Iterable[PageReading]) -> list[Finding]:
    """Findings of the named row and column; where the fact says which table, of that table."""
    row, column = plain_label(str(fact["row"])), plain_label(str(fact["column"]))
    here = []
    for item in readings:
        table = _table_index(fact, item)
        for finding in item.reading.findings:
            at = finding.locator
            if plain_label(at.row) != row or plain_label(at.column) != column:
                continue
            if table is None or at.table is None or at.table == table:
                here.append(finding)
    return here


def _table_index(fact: Mapping[str, Any], item: PageReading) -> int | None:
    """The table that begins at the fact's line or stands around it."""
    line = fact.get("table_line")
    if line is None:
        return None
    tables = item.page.document.tables
    begun = [table for table in tables if table.line <= line]
    if begun and (begun[-1].line == line or any(r and r[0].line >= line for r in begun[-1].rows)):
        return begun[-1].index
    below = next((table for table in tables if table.line > line), None)
    return below.index if below else None


def _at_line(fact: Mapping[str, Any], readings: Iterable[PageReading]) -> list[Finding]:
    """Findings that stand at the fact's line, or whose footnote stands there."""
    line = fact.get("line")
    if line is None:
        return []
    here = []
    for item in readings:
        notes = {note.text for note in item.page.document.footnotes if note.line == line}
        for finding in item.reading.findings:
            start = finding.locator.line
            end = finding.locator.line_end or start
            stands = start is not None and end is not None and start <= line <= end
            if stands or not notes.isdisjoint(finding.footnotes):
                here.append(finding)
    return here


def _at_path(fact: Mapping[str, Any], findings: Iterable[Finding]) -> list[Finding]:
    """Findings at the fact's key path, or at a member of the list that lies there."""
    path = tuple(str(part) for part in fact["facts_path"])
    value = str(fact["value"])
    exact = [f for f in findings if f.locator.path == path]
    return exact or [f for f in findings if f.locator.path == (*path, value)]


def _by_value(fact: Mapping[str, Any], here: Sequence[Finding]) -> Outcome:
    """Code facts: the value at the path, or a member of the list there with the right status."""
    wanted = str(fact["value"])
    path = tuple(str(part) for part in fact["facts_path"])
    holding = [f for f in here if wanted == f.value or wanted == f.raw or
               f.locator.path == (*path, wanted)]  # fmt: skip
    if not holding:
        return Outcome.MISSING
    if str(fact.get("status")) == "value":
        return Outcome.RIGHT
    return _by_status(fact, holding)


def _recipes(fact: Mapping[str, Any], findings: Iterable[Finding]) -> list[Finding]:
    """Deployments that make the same choices in every facet that the fact names."""
    wanted: dict[str, Any] = dict(fact.get("facets") or {})
    layout = wanted.pop("tp", None)
    chosen = {
        _RECIPE_FACETS.get(facet, facet): plain_name(str(word)) for facet, word in wanted.items()
    }
    return [
        finding
        for finding in findings
        if finding.kind is FindingKind.DEPLOYMENT
        and all(plain_name(finding.names.get(key, "")) == word for key, word in chosen.items())
        and (layout is None or finding.value == f"tp={layout}")
    ]


def _by_status(fact: Mapping[str, Any], here: Sequence[Finding]) -> Outcome:
    expected = str(fact["status"])
    accepted = ACCEPTED.get(expected, frozenset())
    if any(f.status in accepted and _parts_fit(fact, f) for f in here):
        return Outcome.RIGHT
    if StatementStatus.NOT_STATED in accepted and any(_is_mirrored(f) for f in here):
        return Outcome.RIGHT
    found = {f.status for f in here}
    if expected in POSITIVE_WORDS and found & NEGATIVE:
        return Outcome.OPPOSITE
    if expected in NEGATIVE_WORDS and found & POSITIVE:
        return Outcome.OPPOSITE
    return Outcome.MISSING


def _is_mirrored(finding: Finding) -> bool:
    """A blank cell of the other half of a symmetric table: it states nothing by itself."""
    return finding.status is StatementStatus.INHERITS and not finding.raw.strip()


def _by_cell(fact: Mapping[str, Any], here: Sequence[Finding]) -> Outcome:
    """A cell is read right when no finding of it says the contrary, and its extras are kept.

    Rows of one label are told apart by their line; the best of them counts.
    """
    by_line: dict[int | None, list[Finding]] = {}
    for finding in here:
        by_line.setdefault(finding.locator.line, []).append(finding)
    outcomes = {_by_one_cell(fact, cell) for cell in by_line.values()}
    order = (Outcome.RIGHT, Outcome.OPPOSITE, Outcome.MISSING)
    return next((outcome for outcome in order if outcome in outcomes), Outcome.MISSING)


def _by_one_cell(fact: Mapping[str, Any], cell: Sequence[Finding]) -> Outcome:
    outcome = _by_status(fact, cell)
    if outcome is not Outcome.RIGHT:
        return outcome
    accepted = ACCEPTED[str(fact["status"])]
    contrary = NEGATIVE if accepted & POSITIVE else POSITIVE if accepted & NEGATIVE else frozenset()
    if any(f.status in contrary for f in cell):
        return Outcome.OPPOSITE
    right = [f for f in cell if f.status in accepted]
    return Outcome.RIGHT if _extras_fit(fact, right) else Outcome.MISSING


def _extras_fit(fact: Mapping[str, Any], right: Sequence[Finding]) -> bool:
    """Whether a link, a footnote and values that the fact names were kept with the cell."""
    link = fact.get("link")
    if link and not any(str(link) in f.links or str(link) in f.raw for f in right):
        return False
    if fact.get("footnote") and not any(f.footnotes or f.note for f in right):
        return False
    values = [plain_name(str(value)) for value in fact.get("values") or ()]
    texts = {plain_name(text) for f in right for text in _texts_of(f)}
    return all(any(value in text for text in texts) for value in values)


def _parts_fit(fact: Mapping[str, Any], finding: Finding) -> bool:
    """A compound cell is right when every part of the fact is a part of the finding."""
    parts = fact.get("parts")
    if not isinstance(parts, Mapping):
        return True
    known = {plain_label(name): status for name, status in finding.parts}
    return all(
        plain_label(str(name)) in known
        and known[plain_label(str(name))] in ACCEPTED.get(str(word), frozenset())
        for name, word in parts.items()
    )


def _by_subjects(
    fact: Mapping[str, Any],
    here: Sequence[Finding],
    page: Sequence[Finding],
    names: FactNames,
) -> Outcome:
    """Prose and row facts: every combination of subjects needs a finding of the right status.

    A facet that no finding of the whole page mentions describes in words and selects nothing; a
    fact none of whose subjects is mentioned at its line is missing.
    """
    facets = fact.get("facets") or fact.get("facet") or {}
    if not here or not _values_stand(facets, here, page):
        return Outcome.MISSING
    named = [_words(facets[facet]) for facet in _SUBJECT_FACETS if facet in facets]
    selecting = [
        words
        for words in named
        if any(_mentions(f, word, names) for word in words for f in page)
        or any(_is_within(f, word) for word in words for f in here)
    ]
    if named and not selecting:
        return Outcome.MISSING
    outcomes = [
        _by_status(fact, [f for f in here if all(_is_about(f, w, names) for w in words)])
        for words in product(*selecting)
    ]
    return max(outcomes, key=[Outcome.RIGHT, Outcome.MISSING, Outcome.OPPOSITE].index)


def _is_about(finding: Finding, word: str, names: FactNames) -> bool:
    return _mentions(finding, word, names) or _is_within(finding, word)


def _words(value: object) -> list[str]:
    return [str(word) for word in value] if isinstance(value, list | tuple) else [str(value)]


def _values_stand(
    facets: Mapping[str, Any], here: Sequence[Finding], page: Sequence[Finding]
) -> bool:
    """Whether the numbers and versions of a fact were read: one at its line, all on its page."""
    values = [
        value.lstrip("<>=").casefold()
        for facet in _VALUE_FACETS
        if facet in facets
        for value in _words(facets[facet])
    ]
    texts = [text.casefold() for finding in here for text in _texts_of(finding)]
    if values and not any(value in text for value in values for text in texts):
        return False
    texts += [text.casefold() for finding in page for text in _texts_of(finding)]
    return all(any(value in text for text in texts) for value in values)


def _texts_of(finding: Finding) -> Iterator[str]:
    """Everything that a finding holds in words."""
    yield from finding.names.values()
    yield from (finding.locator.row, finding.locator.column)
    yield from (finding.value, finding.raw, finding.note, finding.since, finding.release)
    for condition in finding.conditions:
        yield from (condition.name, condition.value)
    if finding.scope is not None:
        for nodes in finding.scope.nodes.values():
            yield from nodes.include
        yield from finding.scope.features


def _mentions(finding: Finding, word: str, names: FactNames) -> bool:
    """Whether the finding is about what the word names: by its words or by the catalogue."""
    scope = finding.scope
    slugs = set(scope.features) if scope is not None else set()
    if scope is not None:
        slugs = slugs.union(*(nodes.include for nodes in scope.nodes.values()))
    at = finding.locator
    texts = [*finding.names.values(), at.row, at.column, finding.value, *slugs]
    wanted = plain_name(word)
    if any(wanted in plain_name(text) for text in texts):
        return True
    if name_parts(word) <= name_parts(" ".join((*texts, finding.raw, finding.note))):
        return True
    return not names.slugs_of(word).isdisjoint(slugs)


def _is_within(finding: Finding, word: str) -> bool:
    """Whether a name of the finding stands in the word, which adds a vendor or a form to it."""
    wanted = plain_name(word)
    own = [plain_name(text) for text in finding.names.values()]
    return any(len(text) >= _SHORTEST_PART and text in wanted for text in own)


def _compare_absence(
    fact: Mapping[str, Any], findings: Iterable[Finding], *, was_read: bool
) -> FactResult:
    if not was_read:
        return _result(fact, Outcome.MISSING, (), "no rule read the page")
    facet = fact.get("facet") or fact.get("facets") or {}
    wanted = {plain_label(str(facet[key])) for key in _ABSENT_FACETS if facet.get(key)}
    present = [
        finding
        for finding in findings
        if wanted & {plain_label(finding.locator.row), plain_label(finding.locator.column)}
        and finding.status is not StatementStatus.NOT_STATED
    ]
    outcome = Outcome.OPPOSITE if present else Outcome.RIGHT
    return _result(fact, outcome, present, "" if present else "absent, as expected")
