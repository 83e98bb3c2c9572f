"""Container images that pages name: current, or left behind at an older release."""

import re
from collections.abc import Iterable
from dataclasses import replace

from ingest.contract import FindingKind, StatementStatus
from ingest.reading.document import Document
from ingest.sources.collecting import Collector

_VERSION = re.compile(r"v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc)\d+)?)")


def plain_version(text: str) -> str:
    """The version number in a label or tag ("v3.3.7", "3.3.5-rocm"), or an empty string."""
    match = _VERSION.match(text)
    return match.group(1) if match else ""


def read_images(collector: Collector, image: str) -> None:
    """Add every tag of an image that the page names, with the line.

    A numbered tag that differs from the page's own release is stale; a moving tag ("latest") is
    a value.
    """
    pattern = re.compile(re.escape(image) + r":([\w][\w.-]*)")
    release = plain_version(collector.page.release or collector.page.version)
    for number, line in enumerate(collector.document.source_lines, start=1):
        for match in pattern.finditer(line):
            tag = match.group(1).rstrip(".")
            version = plain_version(tag)
            finding = collector.at_line(number, match.group(0).rstrip("."))
            if not version or not release:
                status = StatementStatus.VALUE
            else:
                status = StatementStatus.PUBLISHED if version == release else StatementStatus.STALE
            suffix = re.sub(r"^[-.]+", "", tag.removeprefix("v").removeprefix(version))
            collector.value(
                FindingKind.ARTEFACT,
                f"image/{image}/{suffix or 'default'}",
                status,
                replace(
                    finding,
                    names={"image": image, "tag": tag},
                    note="the page of this release names another release's image"
                    if status is StatementStatus.STALE
                    else "",
                ),
                value=tag,
            )


def read_patterns(
    collector: Collector,
    patterns: Iterable[tuple[str, StatementStatus, re.Pattern[str]]],
    lines: Iterable[tuple[int, str]],
) -> None:
    """Add requirements that single lines state: a name, how it is stated, the value's pattern."""
    rules = tuple(patterns)
    for number, line in lines:
        for name, status, pattern in rules:
            for match in pattern.finditer(line):
                value = next(group for group in match.groups() if group)
                finding = collector.at_line(number, match.group(0))
                collector.value(
                    FindingKind.REQUIREMENT,
                    f"requirement/{name}",
                    status,
                    replace(finding, names={name: value}),
                    value=f">={value}" if status is StatementStatus.RANGE else value,
                )


def numbered_lines(document: Document) -> list[tuple[int, str]]:
    """The page's lines with their numbers, from 1."""
    return list(enumerate(document.source_lines, start=1))
