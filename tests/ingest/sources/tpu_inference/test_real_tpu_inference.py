"""The captured result files and pages of the TPU plug-in: all read, none wrongly."""

import pytest

from ingest.sources.tpu_inference import SOURCE
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
    "v0.12.0": 200,
    "v0.19.0": 3100,
    "v0.24.0": 2900,
    "v0.27.0": 3000,
    "main-b8692ff01f": 3000,
}


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    assert {label for label, floor in FLOORS.items() if counts.get(label, 0) < floor} == set()


def test_every_word_of_the_pages_is_known() -> None:
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == []


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"tpu-inference": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 4
