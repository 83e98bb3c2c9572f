"""Dated announcements: what goes into maintenance, ends, or has ended, and from which release."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import Paragraph
from ingest.sources.collecting import Collector, one_line

_POST = re.compile(r"^\.\. post:: (\w+ \d{1,2}, \d{4})\s*$")
# By the words of the title; the first that fits.
_KINDS = (
    (re.compile(r"\bno longer supports?\b", re.I), StatementStatus.REMOVED),
    (re.compile(r"\bend of (?:support|life)\b", re.I), StatementStatus.DEPRECATED),
    (re.compile(r"\bmaintenance\b", re.I), StatementStatus.MAINTENANCE),
    (re.compile(r"\bdeprecat", re.I), StatementStatus.DEPRECATED),
    (re.compile(r"\bchanges? to\b", re.I), StatementStatus.POLICY),
)
_SUBJECTS = (
    (re.compile(r"\bvLLM V0\b"), "vllm-v0"),
    (re.compile(r"\bNxDI?\b(?! Core)|\bNxD Inference\b"), "nxd-inference"),
)
_NOTES = {
    StatementStatus.REMOVED: "no longer supported from the named release on",
    StatementStatus.DEPRECATED: "support ends with the named release",
    StatementStatus.MAINTENANCE: "critical fixes only from the named release on",
    StatementStatus.POLICY: "changes are announced for later releases",
}
_RELEASE = re.compile(r"Neuron (?:SDK |Release )?(\d+\.\d+(?:\.\d+)?)")
_VERSION = re.compile(r"\b(NxD (?:Inference|Core)) (\d+\.\d+\.\d+)")


def read_announcement(page: Page, vocabulary: Vocabulary) -> Reading:
    """The finding of one announcement: its status, subject, day and release.

    **Dates**: the day stands in the ``post`` directive and is kept as ISO 8601.
    """
    collector = Collector(page, vocabulary)
    document = page.document
    posted = next((m for line in document.source_lines if (m := _POST.match(line))), None)
    heading = document.headings[0] if document.headings else None
    if posted is None or heading is None:
        raise UnexpectedPage(
            path=page.path,
            expected='an announcement with ".. post:: May 20, 2026" and a title',
            nearest=next((line for line in document.source_lines if line.strip()), "")[:80],
        )
    title = one_line(heading.text)
    status = next((status for pattern, status in _KINDS if pattern.search(title)), None)
    if status is None:
        collector.miss("status", title, collector.at_line(heading.line, title).locator)
        return collector.reading()
    day = datetime.strptime(posted.group(1), "%B %d, %Y").replace(tzinfo=UTC).date().isoformat()
    subject = next((name for pattern, name in _SUBJECTS if pattern.search(title)), "")
    first = document.paragraphs[0] if document.paragraphs else None
    _add(collector, (title, subject, day), status, heading.line, first)
    return collector.reading()


def _add(
    collector: Collector,
    said: tuple[str, str, str],
    status: StatementStatus,
    line: int,
    first: Paragraph | None,
) -> None:
    title, subject, day = said
    text = one_line(first.text) if first else ""
    release = _RELEASE.search(title) or _RELEASE.search(text)
    versions = dict(_VERSION.findall(text))
    end = line
    if first is not None:
        end = first.line + max(len(first.raw.splitlines()) - 1, 0)
    names = {
        "framework": "aws-neuron-sdk",
        "component": subject,
        "announced": day,
        "neuron_sdk": release.group(1) if release else "",
        **versions,
    }
    value = f"{day} {release.group(1)}" if release else day
    collector.value(
        FindingKind.MAINTENANCE,
        f"maintenance/aws-neuron/{subject or collector.page.path.rsplit('/', 1)[-1]}/{status}",
        status,
        replace(
            collector.at_line(line, title, line_end=end),
            names={key: word for key, word in names.items() if word},
            note=_NOTES[status],
            since=release.group(1) if release else "",
        ),
        value=value,
    )
