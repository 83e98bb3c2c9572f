"""Faults of readers that changed pages brought to light, each with the page that shows it."""

import pytest

from ingest.contract import Finding, StatementStatus, UnexpectedPage
from ingest.reading import decode_page
from ingest.sources import sglang, tensorrt_llm
from ingest.sources.vllm.reasoning import read_reasoning_models
from tests.ingest.sources.said import page_of, rule_named, unknown, vocabulary_of

WORDS = vocabulary_of(model={"Deep R1": "deep-r1"}, hardware={"H100": "nvidia-h100"})


def found_in_reasoning_cell(cell: str) -> tuple[Finding, list[str]]:
    text = (
        "# Reasoning\n\n| Model Series | Parser Name | Tool Calling |\n| --- | --- | --- |\n"
        f"| Deep R1 series | `deep` | {cell} |\n"
    )
    page = page_of(text, path="docs/features/reasoning_outputs.md", framework="vllm")
    reading = read_reasoning_models(page, WORDS)
    return reading.findings[-1], unknown(reading)


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        ("✅", StatementStatus.SUPPORTED),
        ("❌", StatementStatus.UNSUPPORTED),
        ("`json`, `regex`", StatementStatus.SUPPORTED),
        ("", StatementStatus.NOT_STATED),
    ],
)
def test_a_known_sign_of_the_reasoning_table_is_read(cell: str, status: StatementStatus) -> None:
    finding, words = found_in_reasoning_cell(cell)
    assert finding.status is status
    assert words == []


@pytest.mark.parametrize("cell", ["🦑", "🚧", "no", "?", "not yet"])
def test_an_unknown_sign_of_the_reasoning_table_is_listed_and_never_a_yes(cell: str) -> None:
    finding, words = found_in_reasoning_cell(cell)
    assert finding.status is StatementStatus.UNKNOWN
    assert finding.scope is None
    assert words == [f"status: {cell}"]


def test_a_no_break_space_is_a_space_in_every_page() -> None:
    assert decode_page("needs\u00a0CUDA\u00a012".encode()) == "needs CUDA 12"


def test_a_platform_table_without_notes_is_read_without_them() -> None:
    text = (
        "# Quantization\n\n## Platform Compatibility\n\n| Method | NVIDIA GPUs |\n| --- | --- |\n"
        "| `fp8` | Yes |\n"
    )
    page = page_of(text, path="docs/advanced_features/quantization.md", framework="sglang")
    reading = rule_named(sglang.SOURCE, "quantization").parse(page, WORDS)
    assert [finding.status for finding in reading.findings] == [StatementStatus.SUPPORTED]


def test_a_page_whose_table_stands_above_every_heading_is_refused_in_words() -> None:
    text = "| Model | Notes |\n| --- | --- |\n| Alpha | two nodes |\n"
    page = page_of(text, path="docs/platforms/xpu.md", framework="sglang")
    with pytest.raises(UnexpectedPage):
        rule_named(sglang.SOURCE, "xpu").parse(page, WORDS)


def test_a_performance_table_without_heading_names_no_board() -> None:
    text = (
        "| Model | Batch Size | TP (1) | Input Length | Output Length | Throughput (out tok/s) |\n"
        "| --- | --- | --- | --- | --- | --- |\n| Alpha | 64 | 1 | 128 | 128 | 10,907 |\n"
    )
    page = page_of(text, path="docs/source/performance.md", framework="tensorrt-llm")
    reading = rule_named(tensorrt_llm.SOURCE, "performance").parse(page, WORDS)
    assert [finding.names.get("hardware", "") for finding in reading.findings] == [""]
