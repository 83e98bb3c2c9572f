"""Applies every change to a page and judges what became of it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from ingest.contract import ReadingError, UnexpectedPage
from tests.ingest.mutations.changes import Change
from tests.ingest.mutations.data_changes import change_data
from tests.ingest.mutations.judging import GOOD, Case, Outcome, Verdict, judge, meaning_of
from tests.ingest.mutations.page_changes import change_page
from tests.ingest.mutations.table_changes import change_table
from tests.ingest.mutations.tables import Grid, grids_of, write, write_back

Counts = dict[str, dict[Outcome, int]]


def changes_of(case: Case, *, tables: int) -> Iterator[Change]:
    """Yields every change of a page and of the tables from which most is read."""
    yield from change_page(case.subject)
    if case.subject.page.path.endswith(".json"):
        yield from change_data(case.subject)
    for grid in grids_of(case.subject, most=tables):
        if _survives_writing(case, grid):
            yield from change_table(case.subject, grid)


def _survives_writing(case: Case, grid: Grid) -> bool:
    """Returns whether the table written back unchanged is read as before."""
    page = replace(case.subject.page, text=write_back(case.subject, grid, write(grid)))
    try:
        again = case.rule.parse(page, case.words)
    except (UnexpectedPage, ReadingError):
        return False
    before = {meaning_of(finding) for finding in case.subject.reading.findings}
    return {meaning_of(finding) for finding in again.findings} == before


def judge_all(cases: Iterable[Case], *, tables: int, every: int = 1) -> tuple[Counts, list[str]]:
    """Returns the outcomes by kind of change, and a line for each that nobody is told of.

    **Shapes**: ``every`` third change and so on, another third for each page.
    """
    counts: Counts = {}
    wrong = []
    for number, case in enumerate(cases):
        for change in islice(changes_of(case, tables=tables), number % every, None, every):
            verdict = judge(case, change)
            _count(counts, verdict)
            if verdict.outcome not in GOOD:
                wrong.append(f"{verdict.outcome} · {change.kind} · {case.name}: {verdict.details}")
    return counts, wrong


def _count(counts: Counts, verdict: Verdict) -> None:
    row = counts.setdefault(verdict.change, dict.fromkeys(Outcome, 0))
    row[verdict.outcome] += 1


def table_of(counts: Counts) -> str:
    """Returns the outcomes as a table of changes × outcomes."""
    head = f"{'change':32}" + "".join(f"{outcome:>10}" for outcome in Outcome)
    rows = [
        f"{kind:32}" + "".join(f"{row[outcome]:>10}" for outcome in Outcome)
        for kind, row in sorted(counts.items())
    ]
    total = [sum(row[outcome] for row in counts.values()) for outcome in Outcome]
    return "\n".join([head, *rows, f"{'all':32}" + "".join(f"{count:>10}" for count in total)])
