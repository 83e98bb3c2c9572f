"""Banners, headings and first sentences of a README that announce an end, a pause or a move."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.collecting import Collector, one_line

# A notice stands at the top, in an alert or in a heading; further down a README tells of much.
_TOP_LINES = 60
_FENCE = re.compile(r"^\s*(```|~~~)")
_ALERT = re.compile(r"^\s*>")
_HEADING = re.compile(r"^\s*#{1,6}\s")
_MARKS = re.compile(r"[*_`#>]|\[!\w+\]|<[^>]+>")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)[^)]*\)")
_GENERIC = re.compile(
    r"(?:^|[\s,.;:—–-])(?:this|the|our)\s+(?:\w+[\s-]){0,2}?"
    r"(?:project|repository|repo|package|library|plugin|plug-in|fork|codebase)$",
    re.IGNORECASE,
)
_NOT_YET = re.compile(r"\b(?:will|shall|plans? to|going to|may|might|could|would|if)\b[^.]*$", re.I)
_IS = r"\s*(?:is|has been|has|was|are|have been)\s+(?:now\s+|officially\s+|already\s+|being\s+)*"
_STATES: tuple[tuple[StatementStatus, str, re.Pattern[str]], ...] = (
    (
        StatementStatus.MAINTENANCE,
        "maintenance-mode",
        re.compile(
            _IS + r"(?:in|put into|moved to|switched to) maintenance[ -](?:only )?mode", re.I
        ),
    ),
    (
        StatementStatus.REMOVED,
        "archived",
        re.compile(_IS + r"(?:archived|read-only|in read-only mode)\b", re.I),
    ),
    (
        StatementStatus.DEPRECATED,
        "deprecated",
        re.compile(
            _IS + r"(?:deprecated|discontinued|unmaintained|end[ -]of[ -]life"
            r"|no longer (?:being )?(?:actively )?(?:maintained|developed|supported|updated))\b",
            re.I,
        ),
    ),
    (
        StatementStatus.MOVED,
        "moved",
        re.compile(_IS + r"(?:moved|migrated|relocated|merged)\s+(?:to|into)\b", re.I),
    ),
)
# A heading may leave out the verb ("Migrated to …", "Deprecated").
_BARE_HEADING = re.compile(r"^(?:moved|migrated)\s+(?:to|into)\b|^(?:deprecated|archived)$", re.I)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line outside code: its number, its words without marks, and the links of it."""

    number: int
    words: str
    links: tuple[str, ...]
    heading: bool


def read_notices(page: Page, vocabulary: Vocabulary) -> Reading:
    """The notices about the project itself, each with its line; none is the usual case.

    A sentence counts only with the project as its subject, only as something that has happened,
    and only at the top, in an alert or in a heading.
    """
    collector = Collector(page, vocabulary, plain=True)
    seen: set[str] = set()
    for line in _lines(page.text):
        found = _status_of(line, page, vocabulary)
        if found is None or found[1] in seen:
            continue
        status, word, fragment = found
        seen.add(word)
        moved_to = next(iter(line.links), "") if status is StatementStatus.MOVED else ""
        names = {"framework": page.framework, "moved_to": moved_to}
        collector.value(
            FindingKind.MAINTENANCE,
            f"maintenance/{page.framework}",
            status,
            replace(
                collector.at_line(line.number, fragment),
                names={key: name for key, name in names.items() if name},
                links=line.links,
            ),
            value=word,
        )
    return replace(collector.reading(), seen=len(page.text.splitlines()))


def _lines(text: str) -> Iterator[_Line]:
    """The lines in which a notice may stand. Headings of code and comments are none."""
    fenced = False
    filled = 0
    for number, raw in enumerate(text.splitlines(), start=1):
        if _FENCE.match(raw):
            fenced = not fenced
            continue
        if fenced or not raw.strip():
            continue
        filled += 1
        heading = bool(_HEADING.match(raw))
        if filled > _TOP_LINES and not heading and not _ALERT.match(raw):
            continue
        links = tuple(target for _, target in _LINK.findall(raw))
        words = one_line(_MARKS.sub("", _LINK.sub(r"\1", raw)))
        yield _Line(number=number, words=words, links=links, heading=heading)


def _status_of(
    line: _Line, page: Page, vocabulary: Vocabulary
) -> tuple[StatementStatus, str, str] | None:
    """Status, word and fragment of the first notice of a line."""
    if line.heading and (bare := _BARE_HEADING.match(line.words)):
        text = bare.group(0).casefold()
        if text in ("deprecated", "archived"):
            status = StatementStatus.DEPRECATED if text == "deprecated" else StatementStatus.REMOVED
            return status, text, line.words
        return StatementStatus.MOVED, "moved", line.words
    for status, word, pattern in _STATES:
        match = pattern.search(line.words)
        if match is None:
            continue
        before = re.split(r"[.!?:]\s|[()]|,\s", line.words[: match.start()])[-1].strip()
        if _NOT_YET.search(before):
            continue
        if _is_the_project(before, page, vocabulary):
            return status, word, line.words
    return None


def _is_the_project(subject: str, page: Page, vocabulary: Vocabulary) -> bool:
    """Whether the words before the verb name the project of the page."""
    if _GENERIC.search(subject):
        return True
    words = subject.split()
    for start in range(max(0, len(words) - 4), len(words)):
        name = " ".join(words[start:])
        if vocabulary.find("framework", name) == (page.framework,):
            # "the old vLLM" and "support for vLLM" are not the project.
            return start == 0 or words[start - 1].casefold() in ("the", "that", "note", "project")
    return False
