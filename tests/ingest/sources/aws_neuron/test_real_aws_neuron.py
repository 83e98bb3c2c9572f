"""The captured pages of AWS Neuron and its vLLM plug-in: all read, none wrongly."""

import pytest

from ingest.contract import Source
from ingest.sources.aws_neuron import PLUGIN_SOURCE, README_SOURCE, SOURCE
from tests.ingest.sources.captured import (
    CAPTURES,
    check_truth,
    counts_by_label,
    needs_captures,
    read_all,
    unmapped_words,
)

pytestmark = [pytest.mark.captures, needs_captures]

FLOORS = [
    (SOURCE, {"v2.28.0": 80, "v2.32.0": 90}),
    (PLUGIN_SOURCE, {"v2.32.0": 100}),
    (README_SOURCE, {"0.1.0": 18, "0.2.0": 23, "main-a5ef7c88c3": 23}),
]


@pytest.mark.parametrize(("source", "floors"), FLOORS)
def test_every_page_reads_and_holds_enough(source: Source, floors: dict[str, int]) -> None:
    counts = counts_by_label(read_all(source, CAPTURES))
    assert {label for label, floor in floors.items() if counts.get(label, 0) < floor} == set()


@pytest.mark.parametrize("source", [SOURCE, PLUGIN_SOURCE, README_SOURCE])
def test_every_word_of_the_pages_is_known(source: Source) -> None:
    assert unmapped_words(read_all(source, CAPTURES)) == []


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"aws-neuron": SOURCE}) + check_truth({"aws-neuron": PLUGIN_SOURCE})
    right = {line.split(":")[0] for line in outcomes if line.startswith("right")}
    assert right == {f"right aws-neuron-{number}" for number in ("003", "004", "005", "007")}
    assert not [line for line in outcomes if line.startswith("opposite")]
