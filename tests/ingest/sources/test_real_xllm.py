"""The captured xLLM pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.xllm import SOURCE
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
    "v0.7.0": 50,
    "v0.8.0": 62,
    "v0.10.0": 320,
}

# Image, audio and unpublished models that the catalogue has no node for.
UNKNOWN = [
    ("model", "FluxControl"),
    ("model", "FluxFill"),
    ("model", "JoyAI-LLM-Flash"),
    ("model", "LongCat-AudioDiT"),
    ("model", "LongCat-Image"),
    ("model", "LongCat-Image-Edit"),
    ("model", "OxygenVLM"),
    ("model", "QwenImageEditPlus"),
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
    outcomes = check_truth({"xllm": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 1
