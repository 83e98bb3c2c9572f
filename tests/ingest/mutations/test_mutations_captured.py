"""Captured pages, the newest of every rule, changed in every way."""

from tests.ingest.mutations.applying import judge_all, table_of
from tests.ingest.mutations.corpus import captured_cases
from tests.ingest.sources.captured import needs_captures

FEWEST_PAGES = 80


@needs_captures
def test_every_change_of_captured_pages_is_read_right_or_held_back() -> None:
    cases = list(captured_cases(versions=1))
    assert len(cases) >= FEWEST_PAGES
    counts, wrong = judge_all(cases, tables=1, every=6)
    print(f"\n{len(cases)} captured pages\n{table_of(counts)}")  # noqa: T201
    assert wrong == []
