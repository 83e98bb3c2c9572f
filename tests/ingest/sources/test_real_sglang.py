"""The captured SGLang pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.sglang import COOKBOOK_SOURCE, SOURCE
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
    "v0.3.6": 60,
    "v0.4.6": 120,
    "v0.5.2": 200,
    "v0.5.6": 340,
    "v0.5.9": 900,
    "v0.5.12": 2100,
    "v0.5.15": 2500,
    "v0.5.18": 1400,
}


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    short = {
        label: counts.get(label, 0) for label in FLOORS if counts.get(label, 0) < FLOORS[label]
    }
    assert short == {}


def test_no_symbol_of_the_pages_is_unknown() -> None:
    words = unmapped_words(read_all(SOURCE, CAPTURES))
    assert [word for axis, word in words if axis in ("status", "column", "hardware")] == []


def test_two_pages_of_one_release_never_state_one_thing_differently() -> None:
    said: dict[tuple[str, str, str], set[str]] = {}
    for label, _, rule, reading in read_all(SOURCE, CAPTURES):
        for found in reading.findings:
            if found.kind == "compatibility":
                said.setdefault((label, rule, found.statement), set()).add(found.status.value)
    assert {key: found for key, found in said.items() if len(found) > 1} == {}


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"sglang": SOURCE, "sgl-cookbook": COOKBOOK_SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 8
