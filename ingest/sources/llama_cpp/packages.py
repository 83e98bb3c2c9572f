"""Images, packages and the release policy: how a release reaches its users."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector
from ingest.sources.grids import require_table
from ingest.sources.llama_cpp.tables import read_value_columns
from ingest.sources.statuses import StatusTable

_IMAGE = re.compile(
    r"`(?P<image>ghcr\.io/(?P<org>[\w.-]+)/llama\.cpp:(?P<tag>[\w.-]+))`:.*"
    r"\(platforms: (?P<platforms>[^)]*)\)"
)
_PLATFORM = re.compile(r"`([\w/]+)`")
_TICK = StatusTable({"✅": StatementStatus.SUPPORTED})
_ON_SYSTEMS = re.compile(
    r"^On (?P<systems>(?:Mac|Linux|Windows)(?: and (?:Mac|Linux|Windows))*), (?:the )?(?P<via>\w+)"
)
_VERSIONING = re.compile(r"llama\.cpp uses \[?semantic versioning")
_PATTERN = re.compile(r"`(MAJOR\.MINOR\.PATCH)`")


def read_images(page: Page, vocabulary: Vocabulary) -> Reading:
    """One artefact an image tag, with the platforms it is built for."""
    collector = Collector(page, vocabulary)
    for number, line in enumerate(page.document.source_lines, 1):
        if not (match := _IMAGE.search(line)):
            continue
        platforms = _PLATFORM.findall(match["platforms"])
        draft = replace(
            collector.at_line(number, match["image"]),
            names={
                "image": match["image"],
                "tag": match["tag"],
                "platforms": ", ".join(platforms),
            },
        )
        collector.value(
            FindingKind.ARTEFACT,
            f"image/{match['tag']}",
            StatementStatus.SUPPORTED,
            draft,
            value=", ".join(platforms),
        )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="the list of images with their platforms",
            nearest=", ".join(h.text for h in page.document.headings[:6]),
        )
    return collector.reading()


def read_install(page: Page, vocabulary: Vocabulary) -> Reading:
    """Package managers × systems: a table, in older releases sentences."""
    collector = Collector(page, vocabulary)
    sentences = False
    for part in page.document.paragraphs:
        if match := _ON_SYSTEMS.match(part.text):
            sentences = True
            for system in match["systems"].split(" and "):
                _state_package(collector, match["via"], system, part.line, match[0])
    if sentences:
        return collector.reading()
    table = require_table(page, columns=("Install via", "Windows", "Linux"))
    for cells in table.rows:
        for label, cell in zip(table.columns[1:], cells[1:], strict=False):
            draft = collector.at_cell(table, cell, row=cells[0].text, column=label)
            status = _TICK.read(cell)
            if status is None:
                collector.miss("status", cell.text, draft.locator)
                status = StatementStatus.NOT_STATED
            collector.value(
                FindingKind.DEPLOYMENT,
                f"package/{fold_label(cells[0].text)}/{fold_label(label)}",
                status,
                replace(draft, names={"via": cells[0].text, "os": label}),
            )
    return collector.reading()


def _state_package(collector: Collector, via: str, system: str, line: int, raw: str) -> None:
    draft = replace(collector.at_line(line, raw), names={"via": via, "os": system})
    collector.value(
        FindingKind.DEPLOYMENT,
        f"package/{via.lower()}/{system.lower()}",
        StatementStatus.SUPPORTED,
        draft,
    )


def read_release_policy(page: Page, vocabulary: Vocabulary) -> Reading:
    """How versions are numbered, and which change raises which part."""
    collector = Collector(page, vocabulary)
    for number, line in enumerate(page.document.source_lines, 1):
        if not (match := _VERSIONING.search(line)):
            continue
        pattern = _PATTERN.search(line)
        collector.value(
            FindingKind.POLICY,
            "versioning",
            StatementStatus.VALUE,
            collector.at_line(number, match[0]),
            value=pattern[1] if pattern else "semantic versioning",
        )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="the sentence about semantic versioning",
            nearest=page.document.title,
        )
    for table in page.document.tables:
        if fold_label(table.columns[0]) == "change type":
            read_value_columns(collector, table, "version-bump", list(table.columns[1:]))
    return collector.reading()
