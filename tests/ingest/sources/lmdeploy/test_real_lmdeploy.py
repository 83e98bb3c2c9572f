"""The captured LMDeploy pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.lmdeploy import SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

FLOORS = {"v0.6.4": 600, "v0.8.0": 720, "v0.10.2": 870, "v0.12.3": 930, "v0.16.0": 920}


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    assert {label for label, floor in FLOORS.items() if counts.get(label, 0) < floor} == set()


def test_every_word_of_the_pages_is_known() -> None:
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == []


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"lmdeploy": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 2
