"""Visible text of Markdown inline source in all its dialects, and of inline HTML."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ingest.reading.document import fold_label
from ingest.reading.inline import (
    BREAK,
    STAR,
    Inline,
    InlineParts,
    add_role,
    shield_private,
    split_marks,
)
from ingest.reading.tags import Tag, match_tag

_MARKDOWN = re.compile(r"[\\`<\[\]*_&†‡\n{]|!\[|~~|https?://|\^$")
_HTML = re.compile(r"[<*&†‡]")
_PLAIN = re.compile(r"[\\`<\[\]*_&†‡\n{!~^:¹²³⁴⁵⁶⁷⁸⁹⁰\ue000-\ue002]")
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_TICKS = re.compile("`+")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,64})\]")
_DESTINATION = re.compile(
    r"\(\s{0,20}(?:<([^<>\n]{0,4000})>|([^\s()<]{0,8000}(?:\([^\s()]{0,4000}\)[^\s()]{0,4000}){0,9}))"
    r"(?:\s{1,20}(?:\"([^\"]{0,1000})\"|'([^']{0,1000})'))?\s{0,20}\)"
)
_REFERENCE = re.compile(r"\[([^\[\]\n]{0,200})\]")
_ATTRIBUTE_LIST = re.compile(r"\{[:\s]?[^{}\n]{0,300}\}")
_ROLE = re.compile(r"\{([A-Za-z][\w:+-]{0,40})\}(?=`)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,4000})>")
_BARE_URL = re.compile(r"https?://[^\s<>|)\]\"'`*]{1,2000}")
_MDX_COMMENT = re.compile(r"\{/\*[^{}]{0,2000}\*/\}|\{\s?[\"'] ?[\"']\s?\}")
# Anchors of the page builder itself: a reference to a footnote, the way back, a heading's handle.
_SPECIAL_ANCHOR = re.compile(r"footnote-(?:back)?ref|fn-backref|headerlink|header-anchor")
_ANY_TAG = re.compile(r"<[^<>]{0,600}>")
_BLOCK_TAGS = frozenset(
    [
        "p",
        "div",
        "li",
        "ul",
        "ol",
        "tr",
        "td",
        "th",
        "table",
        "dd",
        "dt",
        "dl",
        "pre",
        "center",
        "section",
        "h1",
        "h2",
        "h3",
    ]
)
_HIDDEN_TAGS = frozenset({"svg", "style", "script", "template"})
_MOST_BRACKETS = 32
_MOST_SCANNED = 200_000


def read_inline(
    source: str, *, refs: Mapping[str, str] | None = None, autorefs: bool = False
) -> Inline:
    """Return what Markdown source shows; `refs` are link definitions by folded label.

    **Shapes** with `autorefs` a reference without a definition is a link to its own label.
    """
    if not _PLAIN.search(source):
        return InlineParts(pieces=[source]).finish()
    return _Scanner(shield_private(source), refs or {}, autorefs, markup=True).read()


def read_inline_html(source: str) -> Inline:
    """Return what a run of HTML shows, without any Markdown meaning."""
    return _Scanner(shield_private(source), {}, False, markup=False).read()


@dataclass(slots=True)
class _Run:
    """One run of emphasis characters, waiting for its partner."""

    index: int
    char: str
    left: int
    opens: bool
    closes: bool


@dataclass(slots=True)
class _Scanner:
    """One pass over inline source; every step moves forward, so time is linear."""

    source: str
    refs: Mapping[str, str]
    autorefs: bool
    markup: bool
    parts: InlineParts = field(default_factory=InlineParts)
    brackets: list[tuple[int, bool]] = field(default_factory=list)
    anchors: list[tuple[int, str]] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)
    ticks: dict[int, list[int]] | None = None
    absent: set[str] = field(default_factory=set)
    role: str = ""
    role_at: int = -1

    def read(self) -> Inline:
        """Return the visible text of the whole source."""
        source, parts = self.source, self.parts
        # No paragraph is this long; what is beyond is text, so that hostile input stays cheap.
        beyond = source[_MOST_SCANNED:]
        source = self.source = source[:_MOST_SCANNED]
        special = _MARKDOWN if self.markup else _HTML
        position = 0
        while position < len(source):
            match = special.search(source, position)
            if match is None:
                parts.add(source[position:])
                break
            parts.add(source[position : match.start()])
            what = match.group()
            position = _STEPS.get(what, _Scanner._bare_url)(self, match.start(), what)
        self._pair_emphasis()
        parts.add(beyond)
        return parts.finish()

    def _mark(self, at: int, what: str) -> int:
        self.parts.add_mark(what)
        return at + 1

    def _newline(self, at: int, what: str) -> int:
        hard = self.source[max(0, at - 2) : at] == "  " or self.source[at - 1 : at] == "\\"
        self.parts.add(BREAK if hard else " ")
        return at + 1

    def _strike(self, at: int, what: str) -> int:
        return at + len(what)

    def _escape(self, at: int, what: str) -> int:
        following = self.source[at + 1 : at + 2]
        if following == "\n":
            return at + 1
        if following in _ESCAPABLE and following:
            self.parts.add(STAR if following == "*" else following)
            return at + 2
        self.parts.add("\\")
        return at + 1

    def _code(self, at: int, what: str) -> int:
        if self.ticks is None:
            self.ticks = {}
            for match in _TICKS.finditer(self.source):
                self.ticks.setdefault(len(match.group()), []).append(match.start())
        opening = _TICKS.match(self.source, at)
        width = len(opening.group()) if opening else 1
        starts = self.ticks.get(width, [])
        index = bisect_right(starts, at)
        if index >= len(starts):
            self.parts.add("`" * width)
            return at + width
        content = self.source[at + width : starts[index]].replace("\n", " ")
        if self.role and self.role_at == at:
            add_role(self.parts, self.role, content)
        else:
            stripped = content[1:-1] if content[:1] == content[-1:] == " " else content
            self.parts.add(stripped if stripped.strip() else content)
        return starts[index] + width

    def _angle(self, at: int, what: str) -> int:
        source = self.source
        if source.startswith("<!--", at):
            return self._skip_past(at, "-->", 4)
        link = _AUTOLINK.match(source, at)
        if link:
            self.parts.add(link.group(1))
            self.parts.add_link(len(self.parts.pieces) - 1, link.group(1))
            return link.end()
        tag = match_tag(source, at)
        if tag is None:
            self.parts.add("<")
            return at + 1
        return self._tag(tag)

    def _tag(self, tag: Tag) -> int:
        name = tag.name
        if name == "br":
            self.parts.add(BREAK)
        elif name in _HIDDEN_TAGS and not tag.closing and not tag.self_closing:
            return self._skip_past(tag.end, f"</{name}>", 0)
        elif name == "sup" and not tag.closing:
            return self._superscript(tag)
        elif name in _BLOCK_TAGS:
            self.parts.add(BREAK)
        elif name == "a":
            return self._anchor(tag)
        elif not tag.closing:
            self._note_attributes(tag)
        return tag.end

    def _note_attributes(self, tag: Tag) -> None:
        if tag.attributes_text.strip():
            attributes = tag.attributes()
            if attributes.get("title") and tag.name != "img":
                self.parts.titles.append(attributes["title"])
            if tag.name == "img" and attributes.get("alt"):
                self.parts.add(attributes["alt"])
            self.parts.colour = self.parts.colour or tag.colour()

    def _anchor(self, tag: Tag) -> int:
        if tag.closing:
            if self.anchors:
                start, target = self.anchors.pop()
                self.parts.add_link(start, target)
            return tag.end
        if _SPECIAL_ANCHOR.search(tag.attributes_text):
            end = self.source.find("</a>", tag.end, tag.end + 600)
            if end >= 0:
                shown = _ANY_TAG.sub("", self.source[tag.end : end]).strip("[] \n")
                if "footnote-ref" in tag.attributes_text and shown:
                    self.parts.add_mark(html.unescape(shown))
                return end + len("</a>")
        target = tag.attributes().get("href", "")
        if target and len(self.anchors) < _MOST_BRACKETS:
            self.anchors.append((len(self.parts.pieces), target))
        return tag.end

    def _superscript(self, tag: Tag) -> int:
        end = self.source.find("</sup>", tag.end, tag.end + 400)
        if end < 0:
            return tag.end
        content = self.source[tag.end : end]
        if content.lower().startswith("<a ") or content.startswith("[^"):
            return tag.end
        before = "".join(self.parts.pieces[-2:]).rstrip()
        marks = split_marks(html.unescape(content))
        if marks and not (before.endswith("10") and marks[0].isdigit()):
            for mark in marks:
                self.parts.add_mark(mark)
            return end + len("</sup>")
        self.parts.add("^" if content.isdigit() else " ")
        return tag.end

    def _open_bracket(self, at: int, what: str) -> int:
        note = _FOOTNOTE.match(self.source, at) if what == "[" else None
        if note:
            self.parts.add_mark(note.group(1))
            return note.end()
        if len(self.brackets) < _MOST_BRACKETS:
            self.brackets.append((len(self.parts.pieces), what == "!["))
        self.parts.pieces.append(what)
        return at + len(what)

    def _close_bracket(self, at: int, what: str) -> int:
        if not self.brackets:
            self.parts.add("]")
            return at + 1
        start, is_image = self.brackets.pop()
        target, end = self._find_target(at + 1, start)
        if target is None:
            self.parts.add("]")
            return at + 1
        self.parts.pieces[start] = ""
        if not is_image and (target or len(self.parts.pieces) > start + 1):
            self.parts.add_link(start + 1, target)
        attributes = _ATTRIBUTE_LIST.match(self.source, end)
        return attributes.end() if attributes else end

    def _find_target(self, at: int, start: int) -> tuple[str | None, int]:
        """Return the link target written at `at` and where it ends; None when it is no link."""
        direct = _DESTINATION.match(self.source, at)
        if direct:
            return direct.group(1) or direct.group(2) or "", direct.end()
        label = _REFERENCE.match(self.source, at)
        text = "".join(self.parts.pieces[start + 1 :])[:200]
        if label:
            name = label.group(1).strip() or text
            known = self.refs.get(fold_label(name))
            if known is not None or self.autorefs:
                return (known if known is not None else name), label.end()
        elif fold_label(text) in self.refs:
            return self.refs[fold_label(text)], at
        return None, at

    def _emphasis(self, at: int, char: str) -> int:
        end = at
        while end < len(self.source) and self.source[end] == char:
            end += 1
        before = self.source[at - 1] if at else " "
        after = self.source[end] if end < len(self.source) else " "
        opens = not after.isspace() and (after.isalnum() or not before.isalnum())
        closes = not before.isspace() and (before.isalnum() or not after.isalnum())
        if not self.markup:
            opens = closes = False
        elif char == "_":
            opens = opens and not before.isalnum()
            closes = closes and not after.isalnum()
        self.runs.append(_Run(len(self.parts.pieces), char, end - at, opens, closes))
        self.parts.pieces.append("")
        return end

    def _pair_emphasis(self) -> None:
        waiting: dict[str, list[_Run]] = {"*": [], "_": []}
        for run in self.runs:
            stack = waiting[run.char]
            while run.closes and run.left and stack:
                used = min(run.left, stack[-1].left)
                run.left -= used
                stack[-1].left -= used
                if not stack[-1].left:
                    stack.pop()
            if run.opens and run.left:
                stack.append(run)
        for run in self.runs:
            self.parts.pieces[run.index] = (STAR if run.char == "*" else "_") * run.left

    def _entity(self, at: int, what: str) -> int:
        match = _ENTITY.match(self.source, at)
        if match is None:
            self.parts.add("&")
            return at + 1
        self.parts.add(html.unescape(match.group()))
        return match.end()

    def _brace(self, at: int, what: str) -> int:
        match = _MDX_COMMENT.match(self.source, at)
        if match:
            self.parts.add(" ")
            return match.end()
        role = _ROLE.match(self.source, at)
        if role:
            self.role, self.role_at = role.group(1), role.end()
            return role.end()
        self.parts.add("{")
        return at + 1

    def _bare_url(self, at: int, what: str) -> int:
        match = _BARE_URL.match(self.source, at)
        url = match.group().rstrip(".,;:!?") if match else self.source[at]
        self.parts.add(url)
        if match and not self.brackets:
            self.parts.add_link(len(self.parts.pieces) - 1, url)
        return at + len(url)

    def _skip_past(self, at: int, closing: str, offset: int) -> int:
        """Return the position after `closing`; what has none is skipped alone."""
        if closing not in self.absent:
            end = self.source.find(closing, at + offset)
            if end >= 0:
                return end + len(closing)
            self.absent.add(closing)
        return at + max(offset, 0)


_STEPS: dict[str, Callable[[_Scanner, int, str], int]] = {
    "\\": _Scanner._escape,
    "`": _Scanner._code,
    "<": _Scanner._angle,
    "[": _Scanner._open_bracket,
    "![": _Scanner._open_bracket,
    "]": _Scanner._close_bracket,
    "*": _Scanner._emphasis,
    "_": _Scanner._emphasis,
    "&": _Scanner._entity,
    "†": _Scanner._mark,
    "‡": _Scanner._mark,
    "^": _Scanner._mark,
    "\n": _Scanner._newline,
    "{": _Scanner._brace,
    "~~": _Scanner._strike,
}
