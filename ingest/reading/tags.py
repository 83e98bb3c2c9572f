"""Tags of HTML and MDX as they stand in source text: one safe pattern and attribute access."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

# Every alternative starts with another character, so a failed match costs one pass at most;
# quoted values and MDX objects are bounded so that an unclosed one cannot be scanned for ever.
_ATTRIBUTES = (
    r"(?:\"[^\"]{0,4000}\"|'[^']{0,4000}'|\{\{[^{}]{0,4000}\}\}|\{[^{}]{0,4000}\}"
    r"|[^'\"<>{}]){0,4000}?"
)
TAG = re.compile(rf"<(/?)([A-Za-z][A-Za-z0-9.-]{{0,40}})(?=[\s/>])({_ATTRIBUTES})(/?)>")
_ATTRIBUTE = re.compile(
    r"([A-Za-z_:@][\w:.@-]{0,60})\s{0,20}(?:=\s{0,20}"
    r"(\"[^\"]*\"|'[^']*'|\{\{[^{}]*\}\}|\{[^{}]*\}|[^\s\"'<>={}]+))?"
)
_COLOUR = re.compile(r"(?<![-\w])color\s{0,5}:\s{0,5}[\"']?(#[0-9A-Fa-f]{3,8}|[A-Za-z]{3,30})")
VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag with its place in the text."""

    name: str
    start: int
    end: int
    closing: bool
    attributes_text: str
    self_closing: bool

    @property
    def empty(self) -> bool:
        """Return whether no closing tag can follow."""
        return self.self_closing or self.name in VOID

    def attributes(self) -> dict[str, str]:
        """Return the attributes by lower-case name, values without quotes and entities."""
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.attributes_text):
            value = match.group(2) or ""
            if value[:1] in ('"', "'"):
                value = html.unescape(value[1:-1])
            elif value[:1] == "{":
                value = value.strip("{}").strip().strip("\"'`")
            found.setdefault(match.group(1).lower(), value)
        return found

    def colour(self) -> str | None:
        """Return the CSS text colour this tag sets, lower case, or None."""
        text = self.attributes_text
        if "color" not in text:
            return None
        match = _COLOUR.search(text)
        if match:
            return match.group(1).lower()
        if self.name == "font":
            return self.attributes().get("color", "").strip().lower() or None
        return None


def match_tag(text: str, start: int) -> Tag | None:
    """Return the tag that starts at `start` of `text`, or None."""
    match = TAG.match(text, start)
    if match is None:
        return None
    return Tag(
        name=match.group(2).lower(),
        start=match.start(),
        end=match.end(),
        closing=bool(match.group(1)),
        attributes_text=match.group(3),
        self_closing=bool(match.group(4)),
    )
