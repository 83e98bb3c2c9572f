"""Pages of the TPU plug-in: generations it runs on, the legend, and the tables shown."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector, one_line
from ingest.sources.images import numbered_lines, read_images
from ingest.sources.statuses import plain_symbol
from ingest.sources.tpu_inference.words import RESULTS
from matrix.domain.levels import Axis, Tier

_LINE = re.compile(r"^- (Recommended|Experimental): (.+)$")
_GROUP = re.compile(r"^(?:#+ |\*\*)(Recommended|Experimental)(?:\*\*)?\s*$")
_CHIP = re.compile(r"^- (?:\[|__)(TPU v\d[a-z]*)(?:\]|__| \()")
_LEGEND = re.compile(r"^>? ?- (✅|❌|🧪|📝|⛔️?|❓) \*\*(\w+):\*\* (.+)$")
_NOTE = re.compile(r"^>?\s*- \*(This table .+?)\*$")
_IMAGE = "vllm/vllm-tpu"


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The TPU generations of the README, the legend and the tables that repeat the results."""
    collector = Collector(page, vocabulary)
    for number, line in numbered_lines(page.document):
        if match := _LINE.match(line):
            for word in re.split(r",\s*", match.group(2).strip()):
                _state_chip(collector, number, f"TPU {word}", match.group(1))
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a line such as "- Recommended: v6e, v5e"',
            nearest="; ".join(heading.text for heading in page.document.headings[:4]),
        )
    _read_legend(collector)
    _read_tables(collector)
    return collector.reading()


def read_setup(page: Page, vocabulary: Vocabulary) -> Reading:
    """The TPU generations of the setup page, in two groups."""
    collector = Collector(page, vocabulary)
    group = ""
    for number, line in numbered_lines(page.document):
        if match := _GROUP.match(line):
            group = match.group(1)
        elif line.startswith("## "):
            group = ""
        elif group and (match := _CHIP.match(line)):
            _state_chip(collector, number, match.group(1), group)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='generations listed below "Recommended" and "Experimental"',
            nearest="; ".join(heading.text for heading in page.document.headings[:4]),
        )
    return collector.reading()


def read_shown_results(page: Page, vocabulary: Vocabulary) -> Reading:
    """Tables made from the result files, and what is said of them; the files make the claims."""
    collector = Collector(page, vocabulary)
    _read_legend(collector)
    _read_tables(collector)
    return collector.reading()


def read_image_tags(page: Page, vocabulary: Vocabulary) -> Reading:
    """The container images that the installation pages name."""
    collector = Collector(page, vocabulary)
    read_images(collector, _IMAGE)
    return collector.reading()


def _state_chip(collector: Collector, number: int, word: str, group: str) -> None:
    finding = collector.at_line(number, word)
    facet = collector.facet(Axis.HARDWARE, word, finding.locator)
    status = StatementStatus.SUPPORTED
    if group == "Experimental":
        status = StatementStatus.EXPERIMENTAL
        finding = replace(finding, tier=Tier.EXPERIMENTAL)
    collector.state("platform", [facet], status, finding)


def _read_legend(collector: Collector) -> None:
    """Add what the signs mean, and what the notes below a table say it tests."""
    for number, line in numbered_lines(collector.document):
        if match := _LEGEND.match(line):
            sign = plain_symbol(match.group(1))
            collector.value(
                FindingKind.LEGEND,
                f"legend/results/{sign}",
                StatementStatus.LEGEND,
                collector.at_line(number, f"{sign} {match.group(2)}"),
                value=match.group(2),
            )
        elif match := _NOTE.match(line):
            collector.value(
                FindingKind.LEGEND,
                f"legend/scope/{number}",
                StatementStatus.LEGEND,
                replace(
                    collector.at_line(number, match.group(1)),
                    names={"scope": collector.page.path.rsplit("/", 1)[-1].removesuffix(".md")},
                ),
                value="what the table tests",
            )


def _read_tables(collector: Collector) -> None:
    for table in collector.document.tables:
        for cells in table.rows:
            row = one_line(cells[0].text)
            for column, cell in list(zip(table.columns, cells, strict=False))[1:]:
                status = RESULTS.read(cell)
                if status in {None, StatementStatus.NOT_STATED}:
                    continue
                place = "/".join(fold_label(part) for part in (*table.heading[-1:], row, column))
                collector.value(
                    FindingKind.VALUE,
                    f"shown/{table.index}/{place}",
                    status or StatementStatus.VALUE,
                    replace(
                        collector.at_cell(table, cell, row=row, column=column),
                        names={"row": row, "test": one_line(column)},
                    ),
                    value=one_line(cell.text),
                )
