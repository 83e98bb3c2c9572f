"""Software pins in prose: base images, dependent versions, README badges, requirements."""

import re
from dataclasses import replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector

_IMAGE = re.compile(
    r"base Docker image for TensorRT-LLM( Backend)?(?: is updated)? to (\S+:[\w.-]+)", re.IGNORECASE
)
_DEPENDENT = re.compile(
    r"Dependent (?:public )?(.+?) (?:package )?version (?:is|was) "
    r"(?:updated to|upgraded to|maintained at) v?(\d[\w.]*\d|\d+)",
    re.IGNORECASE,
)
_UPDATED = re.compile(r"^Updated to (\w+) v?(\d+(?:\.\d+)+)")
_ELSEWHERE = re.compile(r"while v?(\d+(?:\.\d+)+) is still used on Windows")
_REQUIRES = re.compile(
    r"TensorRT-LLM (?:requires|supports) TensorRT (\d+(?:\.\d+)+) and (?:NVIDIA NGC )?"
    r"(\d\d\.\d\d) containers"
)
_LINKED = re.compile(r"wheel on PyPI is linked against PyTorch (\d+(?:\.\d+)+)")
_BADGE = re.compile(r"!\[(python|cuda|trt)\]\(https://img\.shields\.io/badge/[\w.]+-([\d.]+)-")
_NAMES = {"nvidia modelopt": "modelopt", "pytorch": "torch", "trt": "tensorrt"}


def read_pins(collector: Collector, text: str, finding: Finding) -> bool:
    """Add the pins that a sentence states; false when it states none."""
    pins: list[tuple[str, str]] = []
    if match := _IMAGE.search(text):
        pins.append(
            ("triton-base-image" if match.group(1) else "base-image", match.group(2).rstrip("."))
        )
    if match := _DEPENDENT.search(text) or _UPDATED.search(text):
        pins.append((_package(match.group(1)), match.group(2).rstrip(".")))
        if other := _ELSEWHERE.search(text):
            pins.append((f"{_package(match.group(1))}-windows", other.group(1)))
    if match := _REQUIRES.search(text):
        pins += [("tensorrt", match.group(1)), ("container", match.group(2))]
    if match := _LINKED.search(text):
        pins.append(("torch-wheel", match.group(1)))
    for name, value in pins:
        add_pin(collector, name, value, finding)
    return bool(pins)


def read_badges(page: Page, vocabulary: Vocabulary) -> Reading:
    """The versions that the README's badges state, and its sentence about containers."""
    collector = Collector(page, vocabulary)
    for number, line in enumerate(page.document.source_lines, start=1):
        for name, value in _BADGE.findall(line):
            add_pin(collector, _package(name), value, collector.at_line(number, f"{name}-{value}"))
    for item in page.document.items:
        read_pins(collector, item.text, collector.at_line(item.line, item.raw))
    return collector.reading()


def add_pin(collector: Collector, name: str, value: str, finding: Finding) -> None:
    """Add one pinned version."""
    collector.value(
        FindingKind.REQUIREMENT,
        f"requirement/{name}",
        StatementStatus.PINNED,
        replace(finding, names={name: value}),
        value=value,
    )


def _package(word: str) -> str:
    name = fold_label(word.strip("` "))
    return _NAMES.get(name, name.replace(" ", "-"))
