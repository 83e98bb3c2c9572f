"""The captured Moore Threads pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.contract import Source
from ingest.sources.moore_threads import PLUGIN_SOURCE, PORT_SOURCE, TORCH_SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

SOURCES = (PLUGIN_SOURCE, PORT_SOURCE, TORCH_SOURCE)
FLOORS = {
    PLUGIN_SOURCE.name: {"010d6096a1": 16},
    PORT_SOURCE.name: {"main-1a9e569094": 7},
    TORCH_SOURCE.name: {"v2.0.0": 5, "v2.1.0": 5, "v2.7.1": 10},
}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_page_reads_and_holds_enough(source: Source) -> None:
    counts = counts_by_label(read_all(source, CAPTURES))
    floors = FLOORS[source.name]
    assert {
        name: counts.get(name, 0) for name in floors if counts.get(name, 0) < floors[name]
    } == {}


def test_only_the_bare_name_of_a_model_line_waits_for_review() -> None:
    words = [word for source in SOURCES for word in unmapped_words(read_all(source, CAPTURES))]
    assert words == [("model", "Qwen")]


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({source.folder or source.framework: source for source in SOURCES})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 3
