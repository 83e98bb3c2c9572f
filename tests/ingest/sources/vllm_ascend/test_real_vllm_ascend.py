"""The captured vLLM Ascend pages: every page reads, enough is found, no fact is read wrongly."""

import pytest

from ingest.sources.vllm_ascend import SOURCE
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

FLOORS = {
    "v0.7.3": 25,
    "v0.9.1": 210,
    "v0.11.0": 360,
    "v0.13.0": 1_600,
    "v0.18.0": 900,
    "v0.23.0": 2_000,
    "v0.25.1rc1": 1_900,
    "main-182b75ea84": 2_000,
}
# Collective words that only their authors can resolve, and a scheme that means two things.
WAITING = [
    ("model", "GLM-4.x"),
    ("model", "InternLM"),
    ("model", "Internlm"),
    ("model", "MiniMax-Text"),
    ("model", "Mistral"),
    ("model", "Qwen2-based"),
    ("model", "Qwen2.5-based"),
    ("model", "Qwen3-based"),
    ("model", "XLM-RoBERTa-based"),
    ("quantization", "W8A8 on Ascend 950"),
]


def test_every_page_reads_and_holds_enough() -> None:
    counts = counts_by_label(read_all(SOURCE, CAPTURES))
    short = {label: counts[label] for label in FLOORS if counts.get(label, 0) < FLOORS[label]}
    assert short == {}


def test_only_words_that_mean_several_things_wait_for_review() -> None:
    assert unmapped_words(read_all(SOURCE, CAPTURES)) == WAITING


def test_hand_set_facts_are_read_right() -> None:
    outcomes = check_truth({"vllm-ascend": SOURCE})
    assert [line for line in outcomes if not line.startswith("right")] == []
    assert len(outcomes) >= 9


def test_the_pairing_table_and_the_catalogue_name_the_same_upstream_releases() -> None:
    upstreams = read_catalogue().upstreams["vllm-ascend"]
    stated = {
        finding.release: finding.value.removeprefix("v")
        for _, path, rule, reading in read_all(SOURCE, CAPTURES)
        if rule == "policy" and path.endswith("versioning_policy.md")
        for finding in reading.findings
        if finding.statement.endswith("/vllm") and finding.release and "/" not in finding.value
    }
    assert len(stated) >= 30
    assert {release: upstreams.get(release) for release in stated} == stated
