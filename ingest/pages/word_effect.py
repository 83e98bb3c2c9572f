"""What a mapping of an unknown word would change: kept pages read anew, nothing written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.contract import Finding, Page, Source
from ingest.domain.run_rules import RuleRun, run_rules
from ingest.models import PageRecord
from ingest.services.outcomes import matching_rules
from ingest.services.records import pages_from
from ingest.services.reviewing import places_of_word
from ingest.services.taking import RuleName, narrow_sources, sources_of
from matrix.catalog_aliases import area_of_axis
from matrix.domain.aliases import NameTable, Vocabulary, normalise_name
from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue
from matrix.pages.evidence import scope_lines

MOST_PAGES = 12
MOST_FINDINGS = 40


@dataclass(frozen=True, slots=True)
class ReadAs:
    """One finding that the mapping makes readable."""

    version: str
    path: str
    statement: str
    status: str
    raw: str
    scope: Sequence[str]
    line: int | None


@dataclass(frozen=True, slots=True)
class Effect:
    """The findings that a mapping makes readable.

    **Shapes**: of ``pages`` that hold the word ``looked_at`` were read, the newest releases first;
    ``found`` counts the findings on those, of which ``findings`` are the first.
    """

    findings: Sequence[ReadAs]
    found: int
    pages: int
    looked_at: int


def find_effect(axis: str, word: str, slug: str, *, catalogue: Catalogue) -> Effect:
    """What reading the word as a node would give. **Queries**: 1, and 2 for each version."""
    places = places_of_word("", axis, word)
    total, chosen = _choose_pages(places, catalogue)
    mapped = with_name(catalogue.vocabulary, axis, word, slug)
    found: list[ReadAs] = []
    for framework, rules, records in chosen:
        sources = narrow_sources(sources_of(framework), frozenset(rules))
        pages = pages_from(records)
        before = _findings(sources, pages, catalogue.vocabulary)
        after = _findings(sources, pages, mapped)
        for key, (page, finding) in after.items():
            if key not in before:
                found.append(_read_as(page, finding, catalogue))
    return Effect(
        findings=found[:MOST_FINDINGS],
        found=len(found),
        pages=total,
        looked_at=sum(len(records) for _, _, records in chosen),
    )


def with_name(vocabulary: Vocabulary, axis: str, word: str, slug: str) -> Vocabulary:
    """The vocabulary in which the word is a name of the node, on every axis of its area."""
    area = area_of_axis(axis)
    axes = {axis, area, *(str(a) for a, known in AREA_OF_AXIS.items() if known == area)}
    name = normalise_name(word)

    def added(table: NameTable) -> NameTable:
        return replace(table, names={**table.names, name: (slug,)})

    tables: Mapping[str, NameTable] = {
        key: added(table) if key in axes and slug in set(_slugs(table)) else table
        for key, table in vocabulary.tables.items()
    }
    return replace(vocabulary, tables=tables)


def _slugs(table: NameTable) -> Iterable[str]:
    return (slug for slugs in table.names.values() for slug in slugs)


def _choose_pages(
    places: Mapping[tuple[str, str], set[RuleName]], catalogue: Catalogue
) -> tuple[int, list[tuple[str, set[RuleName], list[PageRecord]]]]:
    """How many pages hold the word, and those that are looked at."""

    def rank(place: tuple[str, str]) -> tuple[int, str]:
        history = catalogue.histories.get(place[0])
        found = history.find_rank(place[1]) if history else None
        return (-1 if found is None else found, place[1])

    total = looked_at = 0
    chosen = []
    for place in sorted(places, key=rank, reverse=True):
        framework, version = place
        sources = narrow_sources(sources_of(framework), frozenset(places[place]))
        rows = PageRecord.objects.filter(
            framework=framework, version=version, snapshot__isnull=False
        )
        records = [row for row in rows if matching_rules(sources, row.path)]
        total += len(records)
        if looked_at < MOST_PAGES and records:
            records = records[: MOST_PAGES - looked_at]
            looked_at += len(records)
            chosen.append((framework, places[place], records))
    return total, chosen


_Key = tuple[str, str, str, str, object]


def _findings(
    sources: Sequence[Source], pages: Sequence[Page], vocabulary: Vocabulary
) -> dict[_Key, tuple[Page, Finding]]:
    """The findings whose names are all known, by their place and what they say."""
    run = RuleRun()
    for _, latest in run_rules(sources, pages, vocabulary):
        run = latest
    return {
        (reading.page.version, reading.page.path, finding.statement, finding.status.value,
         finding.locator): (reading.page, finding)
        for reading in run.readings
        for finding in reading.reading.findings
        if finding.scope is not None
    }  # fmt: skip


def _read_as(page: Page, finding: Finding, catalogue: Catalogue) -> ReadAs:
    assert finding.scope is not None
    return ReadAs(
        version=page.version,
        path=page.path,
        statement=finding.statement,
        status=finding.status.value,
        raw=finding.raw[:80],
        scope=scope_lines(catalogue, finding.scope),
        line=finding.locator.line,
    )
