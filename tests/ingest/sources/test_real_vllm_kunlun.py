"""The captured vLLM Kunlun pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.vllm_kunlun import SOURCE
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
    "v0.10.1.1": 280,
    "v0.11.0": 410,
    "main-09869ee779": 130,
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
    outcomes = check_truth({"vllm-kunlun": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 1
