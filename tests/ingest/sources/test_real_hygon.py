"""The captured Hygon pages, read for both engines: enough is found, no fact is read wrongly."""

import pytest

from ingest.contract import Source
from ingest.sources.hygon import SGLANG_SOURCE, VLLM_SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

LABEL = "main-ad2a8ffae7"


@pytest.mark.parametrize(("source", "floor"), [(VLLM_SOURCE, 300), (SGLANG_SOURCE, 100)])
def test_every_page_reads_and_holds_enough(source: Source, floor: int) -> None:
    assert counts_by_label(read_all(source, CAPTURES))[LABEL] >= floor


@pytest.mark.parametrize("source", [VLLM_SOURCE, SGLANG_SOURCE])
def test_every_word_of_the_pages_is_known(source: Source) -> None:
    assert unmapped_words(read_all(source, CAPTURES)) == []


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"hygon-dcu": VLLM_SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 2
