"""The captured DeepSparkInference pages: every page reads, and no fact is read wrongly."""

import pytest

from ingest.sources.iluvatar import SOURCE
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
    "24.12": 420,
    "25.06": 800,
    "25.12": 810,
    "26.06": 980,
}

# Checkpoints of another framework's format, which the catalogue does not hold.
UNKNOWN = [
    ("model", "ERNIE-4.5-21B-A3B"),
    ("model", "ERNIE-4.5-VL-28B-A3B-Thinking"),
]


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    short = {
        label: counts.get(label, 0) for label in FLOORS if counts.get(label, 0) < FLOORS[label]
    }
    assert short == {}


def test_words_without_a_node_are_listed_and_nothing_else() -> None:
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == UNKNOWN


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"iluvatar": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 2
