"""Installation pages, the removal of the TensorRT backend, the deprecation policy."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.sources.collecting import FEATURE, Collector, facet_of, one_line
from ingest.sources.grids import require_table
from ingest.sources.tensorrt_llm.pins import add_pin
from matrix.domain.coordinates import NumberRange
from matrix.domain.levels import Limit, NumberAxis, Tier

# Requirements that installation pages state in prose or commands, by name.
_REQUIREMENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("cuda", re.compile(r"Install (?:\[)?CUDA (?:Toolkit )?(\d+(?:\.\d+)+)")),
    ("cuda-image", re.compile(r"nvidia/cuda:(\d+(?:\.\d+)+-devel-[\w.]+)")),
    ("python", re.compile(r"(?:requires|Install \[)\s*Python (\d+\.\d+)")),
    ("torch", re.compile(r"pip3 install torch==(\d+(?:\.\d+)+)")),
    ("os", re.compile(r"[Tt]ested on (Ubuntu \d\d\.\d\d)")),
    ("tensorrt", re.compile(r"TensorRT (\d+(?:\.\d+){2,3})\]")),
    ("tensorrt-llm", re.compile(r"pip install tensorrt_llm==(\d+(?:\.\d+)+)")),
)
_BOTH_CUDA = re.compile(
    r"TensorRT LLM ([\d.]+) supports both CUDA ([\d.]+) and ([\d.]+?)\."
    r"\s+The wheel package release only supports CUDA ([\d.]+?),"
)
_WINDOWS_BETA = "Windows release of TensorRT-LLM is currently in beta"
_NO_MULTI_DEVICE = "Multi-device inference is supported on Linux, but not on Windows"
_POLICY = re.compile(r"provides a (\d+)-month migration period after deprecation")
_ENGINE_REMOVED = "TensorRT engine backend has been removed"


def read_installation(page: Page, vocabulary: Vocabulary) -> Reading:
    """The requirements of an installation page and what it says about Windows."""
    collector = Collector(page, vocabulary)
    for number, line in enumerate(page.document.source_lines, start=1):
        for name, pattern in _REQUIREMENTS:
            if match := pattern.search(line):
                finding = collector.at_line(number, match.group(0))
                add_pin(collector, name, match.group(1), finding)
        _read_windows(collector, number, line)
        if match := _BOTH_CUDA.search(line):
            _state_cuda_choice(collector, number, match)
    return collector.reading()


def _read_windows(collector: Collector, number: int, line: str) -> None:
    """Add the beta state of the Windows release and its limit to one device."""
    windows = facet_of(FEATURE, "Windows", "windows")
    if _WINDOWS_BETA in line:
        collector.state(
            "system",
            [windows],
            StatementStatus.EXPERIMENTAL,
            replace(
                collector.at_line(number, "Windows release … currently in beta"),
                tier=Tier.EXPERIMENTAL,
                note="the Windows release is a beta",
            ),
        )
    if _NO_MULTI_DEVICE in line:
        collector.state(
            "system-multi-device",
            [windows],
            StatementStatus.UNSUPPORTED,
            replace(
                collector.at_line(number, "Multi-device … on Linux, but not on Windows"),
                limit=Limit.FRAMEWORK,
                note="inference on several devices needs Linux",
            ),
            numbers={NumberAxis.HARDWARE_COUNT: NumberRange(minimum=2)},
        )


def _state_cuda_choice(collector: Collector, number: int, match: re.Match[str]) -> None:
    """Add the CUDA versions of the wheel and of the container."""
    release, older, newer, wheel = match.groups()
    finding = replace(collector.at_line(number, match.group(0)), release=f"{release}.0")
    for name, value in (
        ("cuda-wheel", wheel),
        ("cuda-container", newer if wheel == older else older),
    ):
        add_pin(collector, name, value, finding)


def read_removal(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of tensorrt-backend-removal.md: what went and what takes its place."""
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Removed", "Replacement / new behavior"))
    engine = facet_of(FEATURE, "TensorRT backend", "engine-tensorrt")
    for text in page.document.paragraphs:
        if _ENGINE_REMOVED in one_line(text.text):
            collector.state(
                "engine",
                [engine],
                StatementStatus.REMOVED,
                replace(
                    collector.at_line(text.line, "TensorRT engine backend has been removed"),
                    limit=Limit.FRAMEWORK,
                    open_ended=True,
                    note="PyTorch is the only engine that is left",
                ),
            )
            collector.state(
                "engine",
                [facet_of(FEATURE, "PyTorch", "engine-pytorch")],
                StatementStatus.SUPPORTED,
                collector.at_line(text.line, "PyTorch is now the sole execution backend"),
            )
    for cells in table.rows:
        removed = cells[0]
        finding = collector.at_cell(table, removed, row=removed.text, column=table.columns[0])
        replacement = one_line(cells[1].text)
        collector.value(
            FindingKind.VALUE,
            f"removed/{one_line(removed.text)}",
            StatementStatus.REMOVED,
            finding,
            value=replacement,
        )
    return collector.reading()


def read_policy(page: Page, vocabulary: Vocabulary) -> Reading:
    """The README's deprecation policy: how many months a deprecated interface keeps working."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        if match := _POLICY.search(item.text):
            collector.value(
                FindingKind.POLICY,
                "policy/deprecation",
                StatementStatus.POLICY,
                replace(
                    collector.at_line(item.line, match.group(0)),
                    names={"migration_months": match.group(1)},
                ),
                value=f"{match.group(1)} months",
            )
    has_heading = any(h.text == "Deprecation Policy" for h in page.document.headings)
    if has_heading and not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="a migration period in months under Deprecation Policy",
            nearest="the heading without it",
        )
    return collector.reading()


def read_blackwell_torch(page: Page, vocabulary: Vocabulary) -> Reading:
    """That Blackwell and SBSA need the PyTorch build for CUDA 12.8."""
    collector = Collector(page, vocabulary)
    for text in page.document.paragraphs:
        flat = one_line(text.text)
        match = re.search(r"PyTorch CUDA (\d+\.\d+) package is required .* Blackwell GPUs", flat)
        if match:
            collector.value(
                FindingKind.REQUIREMENT,
                "requirement/torch-cuda-blackwell",
                StatementStatus.REQUIRES,
                replace(
                    collector.at_line(text.line, match.group(0)),
                    names={"torch": match.group(1), "hardware": "NVIDIA Blackwell GPUs"},
                ),
                value=f"torch for CUDA {match.group(1)}",
            )
    return collector.reading()
