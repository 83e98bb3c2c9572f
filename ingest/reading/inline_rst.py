"""Visible text of reStructuredText inline source."""

from __future__ import annotations

import re

from ingest.reading.inline import BREAK, STAR, Inline, InlineParts, add_role, shield_private

# Content of inline markup is bounded: an unclosed delimiter must not be searched for ever.
_TOKEN = re.compile(
    r"(?P<literal>``(?P<code>[^\n`](?:[^`]|`(?!`)){0,2000})``)"
    r"|:(?P<role>[A-Za-z][\w:+.-]{0,40}):`(?P<content>[^`]{1,2000})`"
    r"|`(?P<phrase>[^`]{1,2000})`(?P<ends>__?)?"
    r"|\[(?P<note>\d{1,3}|\#[\w.-]{0,40}|\*)\]_"
    r"|(?P<stars>\*{1,2})"
    r"|\\(?P<escaped>.|\n)"
    r"|(?P<url>https?://[^\s<>|)\]\"'`*]{1,2000})"
    r"|\|(?P<substitution>[A-Za-z][\w .-]{0,60})\|_{0,2}"
    r"|(?P<html><br\s{0,3}/?>)"
    r"|(?P<mark>[†‡])",
    re.DOTALL,
)
_TARGET = re.compile(r"(.{0,2000}?)\s{0,20}<([^<>]{1,2000})>", re.DOTALL)
_PLAIN = re.compile(r"[`*\\\[|†‡<\n¹²³⁴⁵⁶⁷⁸⁹⁰\ue000-\ue002]|://|\w_\b")
_REFERENCE = re.compile(r"(?<=\w)__?(?=$|[\s.,;:!?)\]])")


def read_inline_rst(source: str) -> Inline:
    """Return what reST source shows."""
    if not _PLAIN.search(source):
        return InlineParts(pieces=[source]).finish()
    source = shield_private(source)
    parts = InlineParts()
    stars: list[tuple[int, int]] = []
    position = 0
    for match in _TOKEN.finditer(source):
        parts.add(_REFERENCE.sub("", source[position : match.start()]))
        position = match.end()
        if match.group("stars"):
            _add_stars(parts, stars, source, match)
        else:
            _add_token(parts, match)
    parts.add(_REFERENCE.sub("", source[position:]))
    for index, width in stars:
        parts.pieces[index] = STAR * width
    return parts.finish()


def _add_stars(
    parts: InlineParts, waiting: list[tuple[int, int]], source: str, match: re.Match[str]
) -> None:
    """Pair an emphasis delimiter with the one before it, or leave it waiting as loose stars."""
    width = len(match.group())
    before = source[match.start() - 1] if match.start() else " "
    after = source[match.end()] if match.end() < len(source) else " "
    if waiting and waiting[-1][1] == width and not before.isspace():
        waiting.pop()
    elif not after.isspace() and not before.isalnum():
        waiting.append((len(parts.pieces), width))
        parts.pieces.append("")
    else:
        parts.pieces.append(STAR * width)


def _add_token(parts: InlineParts, match: re.Match[str]) -> None:
    """Append what one piece of inline markup shows."""
    if match.group("literal"):
        parts.add(match.group("code"))
    elif match.group("role"):
        add_role(parts, match.group("role"), match.group("content").replace("\n", " "))
    elif match.group("phrase"):
        _add_phrase(parts, match.group("phrase"), is_link=bool(match.group("ends")))
    elif match.group("note"):
        parts.add_mark(match.group("note").lstrip("#") or "#")
    elif match.group("escaped"):
        char = match.group("escaped")
        parts.add(STAR if char == "*" else "" if char.isspace() else char)
    elif match.group("url"):
        url = match.group("url").rstrip(".,;:!?")
        parts.pieces.append(match.group("url"))
        parts.add_link(len(parts.pieces) - 1, url)
    elif match.group("substitution"):
        parts.add(f"|{match.group('substitution')}|")
    elif match.group("html"):
        parts.add(BREAK)
    else:
        parts.add_mark(match.group("mark"))


def _add_phrase(parts: InlineParts, phrase: str, *, is_link: bool) -> None:
    """Append the text of a phrase in single backticks, which may carry its own target."""
    match = _TARGET.fullmatch(phrase) if is_link else None
    start = len(parts.pieces)
    parts.pieces.append((match.group(1) or match.group(2)) if match else phrase)
    if is_link:
        parts.add_link(start, match.group(2) if match else phrase)
