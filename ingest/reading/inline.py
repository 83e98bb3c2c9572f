"""The visible text of one run of inline source, with its links, footnote marks and titles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ingest.reading.document import Link

# Private-use characters stand for things that are decided once the whole text is known.
STAR = "\ue000"  # an asterisk that is neither emphasis nor code
MARK = "\ue001"  # a footnote mark, its name waiting in a queue
BREAK = "\ue002"  # a forced line break
_PRIVATE = re.compile("[\ue000-\ue002]")
_INVISIBLE = re.compile("[\ufe0e\ufe0f\u200b\u200c\u200d\u2060\ufeff]")
_PENDING = re.compile(f" *{MARK}|{STAR}{{1,8}}")
_SUPERSCRIPTS = dict(zip("¹²³⁴⁵⁶⁷⁸⁹⁰", "1234567890", strict=True))
_SUPERSCRIPT_END = re.compile(r"(?<=[^\w\s])([¹²³⁴⁵⁶⁷⁸⁹⁰]{1,2})$")
_MARK_PART = re.compile(r"\d{1,3}|[A-Za-z]{1,2}[+*^]{0,2}|[*†‡§¶^#+]{1,4}|[A-Za-z]{1,4}\d{1,3}")
_NOT_MARKS = frozenset({"th", "st", "nd", "rd", "tm", "r", "c)"})
_ROLE_TARGET = re.compile(r"(.{0,2000}?)\s{0,20}<([^<>]{1,2000})>", re.DOTALL)
_ROLE_TITLE = re.compile(r"(.{0,500}?)\s{0,20}\(([^()]{1,500})\)")
_AFTER_MARK = frozenset(" \n,;:.)]/|" + BREAK + MARK)
_BEFORE_WILDCARD = frozenset("-/_.([{ \n*" + BREAK)


@dataclass(frozen=True, slots=True)
class Inline:
    """What a reader sees of inline source."""

    text: str
    links: tuple[Link, ...] = ()
    marks: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    colour: str | None = None


@dataclass(slots=True)
class InlineParts:
    """Pieces of visible text under construction."""

    pieces: list[str] = field(default_factory=list)
    queue: list[str] = field(default_factory=list)
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    colour: str | None = None

    def add(self, text: str) -> None:
        """Append visible text."""
        if text:
            self.pieces.append(text)

    def add_mark(self, mark: str) -> None:
        """Append a footnote mark."""
        self.pieces.append(MARK)
        self.queue.append(mark)

    def add_link(self, start: int, target: str) -> None:
        """Make the pieces from index `start` on the text of a link."""
        self.spans.append((start, len(self.pieces), target.strip()))

    def finish(self) -> Inline:
        """Return the finished text; loose asterisks become marks where they read as marks."""
        text, marks = _settle("".join(self.pieces), self.queue)
        links = tuple(
            Link(text=clean_text("".join(self.pieces[start:end])), target=target)
            for start, end, target in self.spans
        )
        return Inline(text, links, marks, tuple(self.titles), self.colour)


def shield_private(text: str) -> str:
    """Return `text` without the private-use characters this package gives a meaning."""
    return _PRIVATE.sub("\ufffd", text)


def clean_text(text: str) -> str:
    """Return text with pending marks resolved and whitespace normalised, breaks as newlines."""
    return _settle(text, [])[0]


def normalise_space(text: str) -> str:
    """Return text with single spaces, forced breaks as newlines, no invisible characters."""
    text = _INVISIBLE.sub("", text)
    if BREAK not in text:
        return " ".join(text.split())
    lines = (" ".join(line.split()) for line in text.split(BREAK))
    return "\n".join(line for line in lines if line)


def split_marks(content: str) -> tuple[str, ...]:
    """Return the footnote marks a superscript holds, or none when it is ordinary text."""
    bare = content.replace("\\", "").strip()
    if not bare or len(bare) > 24 or bare.lower() in _NOT_MARKS:
        return ()
    parts = [part.strip("[]()") for part in re.split(r"[,\s]+|\]\[|\)\(", bare)]
    parts = [part for part in parts if part]
    if parts and all(_MARK_PART.fullmatch(part) for part in parts):
        return tuple(parts)
    return ()


def _settle(text: str, queue: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return visible text and the marks in the order they stand in it."""
    found: list[str] = []
    if MARK in text or STAR in text:
        text = _INVISIBLE.sub("", text)
        waiting = iter(queue)

        def decide(match: re.Match[str]) -> str:
            run = match.group()
            if run.endswith(MARK):
                found.append(next(waiting, ""))
                return ""
            before = text[: match.start()].strip(" \n" + BREAK) if match.start() < 40 else "x"
            previous = text[match.start() - 1] if match.start() else ""
            following = text[match.end()] if match.end() < len(text) else ""
            if reads_as_mark(previous, following, alone=not before):
                found.append("*" * len(run))
                return ""
            return "*" * len(run)

        text = _PENDING.sub(decide, text)
    text = normalise_space(text)
    match = _SUPERSCRIPT_END.search(text)
    if match:
        found.append("".join(_SUPERSCRIPTS[char] for char in match.group(1)))
        text = text[: match.start()].rstrip()
    return text, tuple(dict.fromkeys(mark for mark in found if mark))


def reads_as_mark(previous: str, following: str, *, alone: bool) -> bool:
    """Return whether a loose asterisk between two characters is a footnote mark.

    **Shapes** "" stands for the edge of the text; a wildcard (`llama-*`) is not a mark.
    """
    if alone:
        return following in ("", " ", BREAK)
    if following and following not in _AFTER_MARK:
        return False
    if previous == " ":
        return not following
    return previous not in _BEFORE_WILDCARD


def add_role(parts: InlineParts, name: str, content: str) -> None:
    """Append the text of a Sphinx role (`ref`, `abbr`, `sup`, …) to `parts`."""
    short = name.rsplit(":", 1)[-1]
    if short == "abbr":
        match = _ROLE_TITLE.fullmatch(content.strip())
        parts.add(match.group(1) if match else content)
        if match:
            parts.titles.append(match.group(2))
        return
    if short in ("sup", "superscript") and split_marks(content):
        for mark in split_marks(content):
            parts.add_mark(mark)
        return
    match = _ROLE_TARGET.fullmatch(content.strip())
    start = len(parts.pieces)
    if match:
        parts.pieces.append(match.group(1) or match.group(2))
        parts.add_link(start, match.group(2))
    else:
        parts.pieces.append(content)
        if short in ("ref", "doc", "numref", "term", "any", "download", "github-project"):
            parts.add_link(start, content.strip())
