"""Tags within Markdown and MDX: tables, lists, and containers whose content is Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.reading import directives as names
from ingest.reading.htmlpage import HtmlWalker
from ingest.reading.lines import Fragment, Line, dedent
from ingest.reading.markdown_containers import place_inside
from ingest.reading.markdown_scan import BlockScan
from ingest.reading.pipes import starts_table
from ingest.reading.tags import Tag, match_tag

_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,30})(?=[\s>/]|$)")
_TABLE_TAG = re.compile(r"<(/?)(table|td|th|tr)(?=[\s>/])", re.IGNORECASE)
_TABLE_PART = re.compile(r"</?(?:table|thead|tbody|tfoot|tr|td|th)(?=[\s>/])[^<>]{0,400}>", re.I)
_SNIPPET_COMMENT = re.compile(r"<!-{2,3}\s{0,4}-{1,3}8<-{1,3}\s{0,4}(\S{1,400})\s{0,4}-->")
_DROPPED = frozenset({"style", "script", "svg"})
_WALKED = frozenset({"ul", "ol", "dl", "pre", "h1", "h2", "h3", "h4", "h5", "h6"})
_TRANSPARENT = frozenset({"tabs", "hfoptions", "accordiongroup", "cardgroup", "codegroup"})
_TITLES = ("title", "label", "value", "id", "summary")
_EXPORT_END = re.compile(r"^[}\])]+;?\s*$")


def read_module_line(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Drop an MDX import, or an export up to its closing bracket."""
    if scan.page.dialect != "mdx" or indent or scan.text:
        return None
    if content.startswith("import "):
        return at + 1
    if not content.startswith("export "):
        return None
    for end in range(at, min(len(scan.lines), at + 400)):
        text = scan.lines[end][1]
        if _EXPORT_END.match(text) or (end == at and text.rstrip().endswith(";")):
            return end + 1
    return at + 1


def read_tag_line(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read what starts with a tag or a comment; None when it is only inline."""
    if content.startswith("<!--"):
        note = _SNIPPET_COMMENT.match(content)
        if note:
            target = note.group(1).strip("\"'")
            scan.builder.add_include(target, line=scan.lines[at][0], place=scan.place)
        return _skip_block(scan, at, content, "-->")
    match = _TAG_NAME.match(content)
    if match is None:
        return None
    closing, name = bool(match.group(1)), match.group(2).lower()
    if name == "table" and not closing:
        scan.flush()
        return _read_table_tag(scan, at)
    if name in _DROPPED and not closing and not content.rstrip().endswith("/>"):
        return _skip_block(scan, at, content, f"</{name}>")
    if name in _WALKED and not closing:
        return _read_walked(scan, at, name)
    if name in names.CONTAINER_TAGS and not closing:
        return _read_container(scan, at, indent, content)
    if closing or name in _TRANSPARENT:
        scan.flush()
        alone = content.rstrip().endswith(">") and "<" not in content[1:]
        return at + 1 if alone else None
    return None


def _skip_block(scan: BlockScan, at: int, content: str, closing: str) -> int | None:
    """Drop the lines up to a closing mark; without one only this line, as ordinary text."""
    if closing in scan.unclosed:
        return None
    start = 4 if closing == "-->" else 0
    for end in range(at, len(scan.lines)):
        text = content if end == at else scan.lines[end][1]
        found = text.lower().find(closing, start if end == at else 0)
        if found >= 0:
            scan.flush()
            rest = text[found + len(closing) :]
            if rest.strip():
                scan.lines[end] = (scan.lines[end][0], rest)
                return end
            return end + 1
    scan.unclosed.add(closing)
    return None


def _read_table_tag(scan: BlockScan, at: int) -> int:
    """Read an HTML table: to its closing tag, or to where the source starts another instead.

    A `<table>` outside of any cell cannot be nested; it is a closing tag that lost its slash.
    """
    depth = 0
    cells: list[bool] = []
    end = len(scan.lines)
    broken = False
    for index in range(at, len(scan.lines)):
        for match in _TABLE_TAG.finditer(scan.lines[index][1]):
            closing, name = bool(match.group(1)), match.group(2).lower()
            if name == "table" and not closing:
                broken = depth > 0 and not cells[-1]
                depth += 0 if broken else 1
                cells.append(False)
            elif name == "table":
                depth -= 1
                cells = cells[:-1] or [False]
            elif cells:
                cells[-1] = name != "tr" and not closing
            if broken:
                break
        if depth <= 0 or broken:
            end = index + 1
            break
    if any(starts_table(scan.lines, index) for index in range(at, end)):
        _scan_layout(scan, scan.lines[at:end])
        return end
    fragment = Fragment.join(scan.lines[at:end])
    if broken:
        fragment.text = re.sub(r"<table>\s*$", "</table>", fragment.text, flags=re.IGNORECASE)
    _walk(scan, fragment)
    return end


def _scan_layout(scan: BlockScan, lines: Sequence[Line]) -> None:
    """Scan a table that holds pipe tables: it only lays them out, its own cells are no facts."""
    bare = [(number, _TABLE_PART.sub("", text).rstrip()) for number, text in lines]
    scan.item = None
    scan.page.scan_inside(bare, scan.place)


def _walk(scan: BlockScan, fragment: Fragment) -> None:
    """Add what a fragment of tags holds; its cells are read as Markdown."""
    scan.item = None
    syntax = "mdx" if scan.page.dialect == "mdx" else "html"
    walker = HtmlWalker(scan.builder, fragment, scan.place, scan.page.read, syntax)
    walker.walk()


def _read_walked(scan: BlockScan, at: int, name: str) -> int | None:
    """Read lines up to the closing tag of `name` tag by tag; None when it never closes."""
    closing = f"</{name}>"
    if closing in scan.unclosed:
        return None
    depth = 0
    for end in range(at, len(scan.lines)):
        text = scan.lines[end][1].lower()
        depth += len(re.findall(rf"<{name}(?=[\s>])", text)) - text.count(closing)
        if depth <= 0 and closing in text:
            scan.flush()
            _walk(scan, Fragment.join(scan.lines[at : end + 1]))
            return end + 1
    scan.unclosed.add(closing)
    return None


def _read_container(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read a `<details>`, `<Tab>`, `<Note>` … container whose content is Markdown."""
    if scan.partners is None:
        scan.partners = _pair_containers(scan.lines)
    partner = scan.partners.get((at, indent))
    tag = match_tag(content, 0)
    if partner is None or tag is None:
        return None
    end, start, stop = partner
    scan.flush()
    number = scan.lines[at][0]
    first = content[tag.end :] if end > at else content[tag.end : start - indent]
    inner: list[Line] = [(number, first)]
    if end > at:
        inner += scan.lines[at + 1 : end]
        inner.append((scan.lines[end][0], scan.lines[end][1][:start]))
    label, inner = _take_label(scan, tag, inner)
    scan.item = None
    scan.page.scan_inside(_dedent_all(inner), place_inside(scan.place, tag.name, label))
    rest = scan.lines[end][1][stop:]
    if rest.strip():
        scan.lines[end] = (scan.lines[end][0], " " * stop + rest)
        return end
    return end + 1


def _dedent_all(lines: list[Line]) -> list[Line]:
    """Return the lines without the indentation that all but the first share."""
    widths = [len(text) - len(text.lstrip(" ")) for _, text in lines[1:] if text.strip()]
    return [lines[0], *dedent(lines[1:], min(widths, default=0))]


def _take_label(scan: BlockScan, tag: Tag, inner: list[Line]) -> tuple[str, list[Line]]:
    """Return a container's label and its lines without the `<summary>` that held it."""
    attributes = tag.attributes()
    label = next((attributes[key] for key in _TITLES if attributes.get(key)), "")
    head = Fragment.join(inner[:20])
    start = head.text.lower().find("<summary")
    if tag.name != "details" or start < 0 or head.text[:start].strip():
        return label, inner
    end = head.text.lower().find("</summary>")
    opening = match_tag(head.text, start)
    if end < 0 or opening is None:
        return label, inner
    label = scan.page.read(head.text[opening.end : end]).text
    after = end + len("</summary>")
    last = head.text.count("\n", 0, after)
    rest = head.text[after:].split("\n", 1)[0]
    return label, [(inner[last][0], rest), *inner[last + 1 :]]


def _pair_containers(lines: Sequence[Line]) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Return (closing line index, start, stop) by (line index, column) of container tags.

    Tags in fenced code or in code spans are not tags.
    """
    pairs: dict[tuple[int, int], tuple[int, int, int]] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    fence = ""
    for index, (_, text) in enumerate(lines):
        content = text.strip()
        if content.startswith(("```", "~~~")):
            mark = content[:3]
            fence = mark if not fence else "" if content.startswith(fence) else fence
        if fence or "<" not in text:
            continue
        for match in names.CONTAINER_TAG.finditer(text):
            name = match.group(2).lower()
            if text[match.start() - 1 : match.start()] == "`":
                continue
            if not match.group(1):
                tag = match_tag(text, match.start())
                if tag is None or not tag.self_closing:
                    waiting.setdefault(name, []).append((index, match.start()))
            elif waiting.get(name):
                stop = text.find(">", match.start()) + 1
                pairs[waiting[name].pop()] = (index, match.start(), max(stop, match.end()))
    return pairs
