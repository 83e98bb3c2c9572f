"""The captured MindIE LLM pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.mindie_llm import SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

FLOORS = {"3.0.0.beta.1": 1_750, "3.0.0": 1_800, "main-8b4871ad31": 1_750}


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    short = {label: counts[label] for label in FLOORS if counts.get(label, 0) < FLOORS[label]}
    assert short == {}


def test_only_a_scheme_without_a_catalogue_node_waits_for_review() -> None:
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == [("feature", "Attention 量化")]


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"mindie-llm": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 5
