"""Whole HTML pages and HTML fragments within other pages, walked tag by tag without a tree."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ingest.reading.builder import PageBuilder, Place
from ingest.reading.document import Document
from ingest.reading.htmltables import iter_tags, pair_tables, read_tag_table
from ingest.reading.inline import Inline
from ingest.reading.inline_markdown import read_inline_html
from ingest.reading.lines import MOST_TAGS, Fragment, check_size, normalise_newlines
from ingest.reading.tags import Tag

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    [
        "html",
        "body",
        "main",
        "article",
        "section",
        "div",
        "p",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "blockquote",
        "pre",
        "details",
        "summary",
        "aside",
        "figure",
        "figcaption",
        "hr",
        "header",
        "footer",
        "nav",
        "form",
        "fieldset",
        "label",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "td",
        "th",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "title",
        "head",
        "iframe",
    ]
)
_VOID_BLOCKS = frozenset({"hr", "iframe"})
_SKIPPED = frozenset(["head", "nav", "footer", "button"])
_TAB_LABELS = ("sd-tab-label", "tab-label")
_TAB_BODIES = frozenset({"sd-tab-content", "tab-content"})
_STRAY = "¶#\uf0c1 \n"
_ANY_TAG = re.compile(r"<[^<>]{0,4000}>")
_DEEPEST = 400
_REACH = 60


@dataclass(slots=True, eq=False)
class _Frame:
    """One open element, with what to restore when it closes."""

    name: str
    place: Place
    role: str = ""
    labels: list[str] = field(default_factory=list)
    start: int = 0
    line: int = 0


@dataclass(slots=True)
class HtmlWalker:
    """Feeds a builder from one fragment."""

    builder: PageBuilder
    fragment: Fragment
    place: Place
    reader: Callable[[str], Inline] = read_inline_html
    syntax: str = "html"
    frames: list[_Frame] = field(default_factory=list)
    start: int = 0
    tab: str = ""
    note: str = ""
    skipped: int = 0

    def walk(self) -> None:
        """Add everything in the fragment to the builder."""
        text = self.fragment.text
        check_size("tags", text.count("<"), most=MOST_TAGS)
        tags = list(iter_tags(text))
        partners, outer = pair_tables(tags)
        index = 0
        while index < len(tags):
            tag = tags[index]
            if tag.name == "table" and not tag.closing and index not in outer:
                end = partners.get(index, len(tags))
                self._flush(tag.start)
                stop = tags[end].start if end < len(tags) else len(text)
                table = read_tag_table(
                    self.fragment,
                    tags[index:end],
                    end=stop,
                    closed=end < len(tags),
                    syntax=self.syntax,
                    reader=self.reader,
                )
                if table is not None and not self.skipped:
                    self.builder.add_table(table, place=self.place)
                index = end + 1
                self.start = tags[end].end if end < len(tags) else len(text)
                continue
            if tag.name in _BLOCKS:
                self._flush(tag.start)
                self.start = tag.end
                if tag.closing:
                    self._close(tag)
                elif tag.name not in _VOID_BLOCKS and not tag.self_closing:
                    self._open(tag)
            index += 1
        self._flush(len(text))

    def _open(self, tag: Tag) -> None:
        if len(self.frames) >= _DEEPEST:
            return
        if tag.name in ("p", "li") and self.frames and self.frames[-1].name == tag.name:
            self._close(tag)
        attributes = tag.attributes()
        classes = set(attributes.get("class", "").split())
        frame = _Frame(tag.name, self.place, start=tag.end, line=self.fragment.line_at(tag.start))
        frame.role = self._find_role(tag, classes)
        if tag.name in ("ul", "ol"):
            self.place = replace(self.place, list_depth=self.place.list_depth + 1)
        elif frame.role == "admonition":
            label = next(iter(sorted(classes - {"admonition", "docutils"})), "note")
            self.place = replace(self.place, kind="admonition", label=label)
        elif tag.name == "blockquote":
            self.place = replace(self.place, kind="blockquote")
        elif frame.role == "tab-body":
            owner = next((f for f in reversed(self.frames[-_REACH:]) if f.labels), None)
            label = owner.labels.pop(0) if owner and not self.tab else self.tab
            self.place = replace(self.place, tabs=(*self.place.tabs, *([label] if label else [])))
            self.tab = ""
        self.skipped += frame.role == "skip"
        self.frames.append(frame)

    def _find_role(self, tag: Tag, classes: set[str]) -> str:
        """Return what an element means for the page."""
        if tag.name in _SKIPPED or "toctree-wrapper" in classes or "toc" in classes:
            return "skip"
        if tag.name == "label":
            inside = any(frame.role == "tab-labels" for frame in self.frames[-2:])
            return "tab-label" if inside or classes.intersection(_TAB_LABELS) else ""
        if "tabbed-labels" in classes:
            return "tab-labels"
        if classes & _TAB_BODIES or "tabbed-block" in classes:
            return "tab-body"
        if "admonition" in classes:
            return "admonition"
        if "admonition-title" in classes:
            return "title"
        if tag.name == "aside" and "footnote" in classes:
            return "note"
        if tag.name == "li" and tag.attributes().get("id", "").startswith(
            ("fn:", "fn-", "user-content-fn-")
        ):
            self.note = re.split(r"fn[:-]", tag.attributes()["id"])[-1]
            return "note"
        return "item" if tag.name == "li" else ""

    def _close(self, tag: Tag) -> None:
        lowest = max(0, len(self.frames) - _REACH)
        at = len(self.frames) - 1
        while at >= lowest and self.frames[at].name != tag.name:
            at -= 1
        if at < lowest:
            return
        frame = self.frames[at]
        self.skipped -= sum(1 for closed in self.frames[at:] if closed.role == "skip")
        del self.frames[at:]
        text = self.fragment.text
        self.place = frame.place
        shown = text[frame.start : tag.start] if frame.start <= tag.start else ""
        if frame.role == "tab-label":
            label = self.reader(shown).text
            owner = next((f for f in reversed(self.frames[-2:]) if f.role == "tab-labels"), None)
            holder = self.frames[-2] if owner and len(self.frames) > 1 else None
            if holder is not None:
                holder.labels.append(label)
            else:
                self.tab = label
        elif frame.role == "title":
            self.place = replace(self.place, title=self.reader(shown).text)
        elif frame.name == "summary":
            self.place = replace(self.place, tabs=(*self.place.tabs, self.reader(shown).text))
        elif frame.name in _HEADINGS and not self.skipped:
            heading = self.reader(shown)
            self.builder.add_heading(
                replace(heading, text=heading.text.rstrip(_STRAY)),
                level=_HEADINGS[frame.name],
                line=frame.line,
            )
        elif frame.name == "pre" and not self.skipped:
            code = html.unescape(_ANY_TAG.sub("", shown)).strip("\n")
            self.builder.add_code(code, line=frame.line, language="", place=self.place)

    def _flush(self, end: int) -> None:
        """Add the inline run since the last block boundary, if it belongs to anything."""
        raw = self.fragment.text[self.start : end]
        if not raw.strip() or self.skipped:
            return
        frame = self.frames[-1] if self.frames else None
        inner = {frame.role for frame in self.frames[-3:]}
        if frame and (
            frame.name in _HEADINGS or frame.name in ("pre", "summary", "title", "label")
        ):
            return
        if inner & {"tab-label", "title"}:
            return
        line = self.fragment.line_at(self.start + len(raw) - len(raw.lstrip()))
        shown = self.reader(raw)
        note = next((f for f in reversed(self.frames[-4:]) if f.role == "note"), None)
        item = next(
            (f for f in reversed(self.frames[-_REACH:]) if f.name in ("li", "ul", "ol")), None
        )
        if note is not None:
            self._add_note(shown, note, line=line)
        elif item is not None and item.role == "item":
            item.role = "item-done"
            owner = self.frames[self.frames.index(item) - 1] if len(self.frames) > 1 else None
            self.builder.add_item(
                shown,
                raw=raw.strip(),
                line=line,
                place=replace(self.place, list_depth=max(0, self.place.list_depth - 1)),
                checked=None,
                ordered=owner is not None and owner.name == "ol",
            )
            parents = (*self.place.parents, shown.text)
            self.place = replace(self.place, parents=parents)
            # What is open inside the item must not restore the place without its text.
            for inner_frame in self.frames[self.frames.index(item) + 1 :]:
                inner_frame.place = replace(inner_frame.place, parents=parents)
        else:
            self.builder.add_paragraph(shown, raw=raw.strip(), line=line, place=self.place)
        if note is None:
            self.builder.note_definitions(raw.strip(), line=line, reader=self.reader)

    def _add_note(self, shown: Inline, frame: _Frame, *, line: int) -> None:
        """Add the text of a footnote element; its first run is the label in Sphinx's form."""
        if not self.note and (label := shown.text.strip("[] ")) and len(label) <= 24:
            self.note = label
        elif self.note and shown.text:
            self.builder.add_footnote(self.note, shown.text, line=line)
            self.note = "" if frame.name == "aside" else self.note


def read_html(text: str) -> Document:
    """Return the model of an HTML page or fragment."""
    text = normalise_newlines(text)
    lines = text.split("\n")
    builder = PageBuilder(syntax="html")
    fragment = Fragment.join(list(enumerate(lines, start=1)))
    HtmlWalker(builder, fragment, Place()).walk()
    return builder.finish(lines)
