"""The captured Gaudi plug-in pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.vllm_gaudi import SOURCE
from matrix.catalog_files import read_catalogue
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

FLOORS = {"v0.15.1": 250, "v0.19.0": 320, "v0.24.0": 350, "v0.26.0": 370}


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    short = {label: counts[label] for label in FLOORS if counts.get(label, 0) < FLOORS[label]}
    assert short == {}


def test_every_word_of_the_pages_is_known() -> None:
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == []


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"vllm-gaudi": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 5


def test_the_release_notes_and_the_catalogue_name_the_same_upstream_releases() -> None:
    upstreams = read_catalogue().upstreams["vllm-gaudi"]
    stated = {
        finding.release: finding.names["vllm"]
        for _, _, rule, reading in read_all(SOURCE, CAPTURES)
        if rule == "releases"
        for finding in reading.findings
        if finding.statement.startswith("pairing/release/") and "vllm" in finding.names
    }
    assert len(stated) >= 10
    assert {release: upstreams.get(release) for release in stated} == stated
