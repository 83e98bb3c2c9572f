"""The captured TensorRT-LLM pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.tensorrt_llm import SOURCE, TRITON_BACKEND_SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

# At least so many findings for each captured state that holds a table or notes.
FLOORS = {
    "00b6d5a25c": 600,
    "01edceae17": 361,
    "09d4c79ba9": 250,
    "f53fb4c803": 250,
    "03e27c7d5f": 170,
    "1690890e3d": 380,
    "001eaecea6": 45,
    "b47198a271": 35,
    "66ef1df492": 480,
    "78f5c2936b": 800,
    "9dbc5b38ba": 800,
    "75b6210ff4": 180,
    "728cc0044b": 310,
}


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    short = {
        label: counts.get(label, 0) for label in FLOORS if counts.get(label, 0) < FLOORS[label]
    }
    assert short == {}


def test_the_triton_backend_reads() -> None:
    assert counts_by_label(read_all(TRITON_BACKEND_SOURCE, CAPTURES)) == {"v1.0.0": 2}


def test_only_model_names_are_unknown() -> None:
    assert {axis for axis, _ in unmapped_words(read_all(SOURCE, CAPTURES))} <= {"model"}


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"tensorrt-llm": SOURCE, "tensorrtllm_backend": TRITON_BACKEND_SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 17
