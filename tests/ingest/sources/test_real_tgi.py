"""The captured TGI pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.tgi import SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

FLOORS = {
    "v1.0.3": 33,
    "v1.4.0": 55,
    "v2.0.4": 70,
    "v2.4.1": 90,
    "v3.0.2": 95,
    "v3.3.7": 150,
    "55f7f7cb8b": 25,
    "52c6dddf97": 25,
    "34988476cb": 27,
    "main-db931fcf42": 75,
}


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    short = {
        label: counts.get(label, 0) for label in FLOORS if counts.get(label, 0) < FLOORS[label]
    }
    assert short == {}


def test_every_word_of_the_pages_is_known() -> None:
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == []


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"tgi": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 9
