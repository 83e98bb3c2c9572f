"""The Triton backend repository: where its code went and which versions go together."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.sources.collecting import Collector, one_line

_MOVED = "Triton backend source code and test have been moved"
_PAIR = re.compile(r"Triton (\d\d\.\d\d) with TensorRT-LLM v(\d+(?:\.\d+)+)")


def read_triton_backend(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of the README of tensorrtllm_backend: the notice and the version pair."""
    collector = Collector(page, vocabulary)
    for text in page.document.paragraphs:
        flat = one_line(text.text)
        if _MOVED in flat:
            collector.value(
                FindingKind.MAINTENANCE,
                "maintenance/tensorrtllm-backend",
                StatementStatus.MOVED,
                replace(
                    collector.at_line(text.line, "source code and test have been moved"),
                    names={"framework": "tensorrtllm-backend", "to": "tensorrt-llm"},
                    note="the code lives in the main repository, folder triton_backend",
                ),
                value="NVIDIA/TensorRT-LLM",
            )
    for number, line in enumerate(page.document.source_lines, start=1):
        if match := _PAIR.search(line):
            collector.value(
                FindingKind.PAIRING,
                "pairing/tritonserver",
                StatementStatus.PINNED,
                replace(
                    collector.at_line(number, match.group(0)),
                    names={"tritonserver": match.group(1), "tensorrt-llm": match.group(2)},
                ),
                value=f"tritonserver {match.group(1)} = tensorrt-llm {match.group(2)}",
            )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="the notice that the code moved, or a Triton/TensorRT-LLM version pair",
            nearest="; ".join(heading.text for heading in page.document.headings[:4]),
        )
    return collector.reading()
