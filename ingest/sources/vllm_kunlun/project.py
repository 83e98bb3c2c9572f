"""Devices, requirements, images and releases of vLLM Kunlun."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.collecting import Collector, Facet, one_line
from ingest.sources.images import numbered_lines, read_images, read_patterns
from ingest.sources.plugin_pages import matches_in, require_findings
from ingest.sources.vllm_kunlun.models import read_support_tables
from ingest.sources.vllm_kunlun.words import HARDWARE
from matrix.domain.levels import Axis, Limit

_S = StatementStatus
IMAGE = "wjie520/vllm_kunlun"
_PINS = (
    ("python", _S.REQUIRES, re.compile(r"Python ?(>= ?[\d.]+)")),
    ("torch", _S.REQUIRES, re.compile(r"PyTorch ((?:≥|>=) ?[\d.]+)")),
    ("transformers", _S.REQUIRES, re.compile(r"transformers (>= ?[\d.]+)")),
    ("os", _S.REQUIRES, re.compile(r"^- \*\*OS\*\*: (Ubuntu [\d.]+)")),
)
_CARD = re.compile(r"^- \*\*Hardware\*\*: (Kunlun3 P800)")
_ONLY = re.compile(r"\*\*ONLY\*\* (Kunlun3 series ?\(P800\)) series are supported")
_OTHERS = (
    (re.compile(r"^- (Kunlun4 series ?\(M100 and M300\))"), ("kunlun-4",)),
    (re.compile(r"^- (Kunlun2 series ?\(R200\))"), ("kunlun-2",)),
    (re.compile(r"^- (Kunlun1 series)"), ("kunlun-1",)),
)
_SOON = re.compile(r"will support the (kunlun4 M100) platform in (early \d{4})")
_SAME = re.compile(
    r"if you use vllm ([\d.]+\d), you should use vllm-kunlun ([\d.]+\d) as well", re.IGNORECASE
)
_RULE = re.compile(r"vLLM \((same version as vllm-kunlun)\)")
_ADDED = re.compile(r"\*\*v([\w.]+) released\*\* — Added ([\w., -]+?) support")
_LATEST = re.compile(r"^\| v?([\d.]+\w*) \|\s*(Latest (?:stable|development) version)")


def read_devices(page: Page, vocabulary: Vocabulary) -> Reading:
    """The FAQ: which cards run, which do not, which vLLM belongs to which plug-in."""
    collector = Collector(page, vocabulary)
    for line, match in matches_in(page.document, _ONLY):
        finding = collector.at_line(line, match.group(1))
        collector.state("platform", [HARDWARE], _S.SUPPORTED, finding)
    for pattern, slugs in _OTHERS:
        for line, match in matches_in(page.document, pattern):
            collector.state(
                "platform",
                [Facet(Axis.HARDWARE, match.group(1), frozenset(slugs))],
                _S.UNSUPPORTED,
                replace(
                    collector.at_line(line, match.group(1)),
                    limit=Limit.FRAMEWORK,
                    note="the FAQ lists it among the series that are not supported yet",
                ),
            )
    for line, match in matches_in(page.document, _SOON):
        collector.value(
            FindingKind.VALUE,
            "platform-plan/kunlun-m100",
            _S.PLANNED,
            replace(collector.at_line(line, match.group(0)), names={"hardware": match.group(1)}),
            value=match.group(2),
        )
    require_findings(collector, expected='the sentence "Currently, ONLY … are supported"')
    _read_pairing(collector)
    read_images(collector, IMAGE)
    return collector.reading()


def read_installation(page: Page, vocabulary: Vocabulary) -> Reading:
    """Requirements and images of the installation page."""
    collector = Collector(page, vocabulary)
    read_patterns(collector, _PINS, numbered_lines(page.document))
    require_findings(collector, expected='lines such as "- **OS**: Ubuntu 22.04"')
    _read_pairing(collector)
    read_images(collector, IMAGE)
    return collector.reading()


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The README: card, requirements, model tables, models that a release added."""
    collector = Collector(page, vocabulary)
    for line, match in matches_in(page.document, _CARD):
        collector.state(
            "platform", [HARDWARE], _S.SUPPORTED, collector.at_line(line, match.group(1))
        )
    require_findings(collector, expected='the line "- **Hardware**: Kunlun3 P800"')
    read_patterns(collector, _PINS, numbered_lines(page.document))
    _read_pairing(collector)
    read_support_tables(collector, area="readme-models")
    for line, match in matches_in(page.document, _ADDED):
        _read_added(collector, line, match.group(1), match.group(2))
    for line, match in matches_in(page.document, _LATEST):
        collector.value(
            FindingKind.RELEASE,
            f"release/{match.group(1)}",
            _S.RELEASED if "stable" in match.group(2) else _S.CANDIDATE,
            replace(collector.at_line(line, match.group(0)), names={"version": match.group(1)}),
            value=match.group(2),
        )
    return collector.reading()


def _read_added(collector: Collector, line: int, version: str, names: str) -> None:
    """Add the models that the news say a release added."""
    for name in names.split(","):
        finding = replace(collector.at_line(line, name.strip()), release=version)
        model = collector.facet(Axis.MODEL, name.strip(), finding.locator)
        collector.state("news-model", [model, HARDWARE], _S.SUPPORTED, finding)


def _read_pairing(collector: Collector) -> None:
    """Add which vLLM the plug-in goes with."""
    for line, match in matches_in(collector.document, _SAME):
        collector.value(
            FindingKind.PAIRING,
            f"pairing/{match.group(2)}",
            _S.SUPPORTED,
            replace(
                collector.at_line(line, match.group(0)),
                names={"vllm": match.group(1), "vllm_kunlun": match.group(2)},
            ),
            value=match.group(1),
        )
    for line, match in matches_in(collector.document, _RULE):
        collector.value(
            FindingKind.PAIRING,
            "pairing/same-version",
            _S.REQUIRES,
            replace(
                collector.at_line(line, one_line(match.group(0))),
                names={"vllm": "same version as vllm-kunlun"},
                note="vLLM of the same version as the plug-in",
            ),
            value="same version",
        )
