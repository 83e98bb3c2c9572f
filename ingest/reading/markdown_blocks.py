"""The blocks a Markdown page is made of, each reader tried by the first character of a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ingest.reading import markdown_containers as containers
from ingest.reading import markdown_tags as tags
from ingest.reading.builder import PendingItem
from ingest.reading.lines import Line, dedent, indent_of, take_indented
from ingest.reading.markdown_scan import BlockScan

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*))?$", re.DOTALL)
_HEADING_END = re.compile(r"[ \t]#{1,20}$")
_HEADING_ATTRIBUTES = re.compile(r"\s\{\s?[#.:][^{}\n]{0,200}\}$")
_RULE = re.compile(r"(?:(?:\*[ \t]{0,4}){3,}|(?:-[ \t]{0,4}){3,}|(?:_[ \t]{0,4}){3,})$")
_MARKER = re.compile(r"([-*+]|\d{1,9}[.)])([ \t]+|$)(.*)", re.DOTALL)
_CHECKBOX = re.compile(r"\[([ xX])\]\s")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)", re.DOTALL)
_DIRECTIVE_INFO = re.compile(r"\{([\w:.+-]{1,60})\}\s?(.*)", re.DOTALL)
_ALERT = re.compile(r"\[!(\w{1,20})\]\s*(.*)")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,64})\]:\s?(.*)", re.DOTALL)
_DEFINITION = re.compile(r"\[[^\]^\[\n][^\]\[\n]{0,200}\]:\s{0,10}\S")
_SNIPPET = re.compile(r";?-{1,3}8<-{1,3}\s?(.*)", re.DOTALL)
_LABEL = re.compile(r"\([^()\n]{1,200}\)=\s*$")
_INTERRUPTS = re.compile(
    r"#{1,6}\s|`{3}|~{3}|>|(?:[-*+]|1[.)])\s+\S|!!!\s|\?\?\?\+?\s|===[+!]?\s\"|:{3,}\s?\{|</?\w|\|"
)


def read_heading(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read an ATX heading."""
    match = _HEADING.match(content)
    if match is None or indent > 3:
        return None
    if match.group(2) and _SNIPPET.match(match.group(2)):
        # A marker in a comment of another language: the page includes this file in parts.
        return read_snippet(scan, at, indent, match.group(2))
    scan.flush()
    text = _HEADING_END.sub("", (match.group(2) or "").rstrip())
    text = _HEADING_ATTRIBUTES.sub("", text)
    scan.item = None
    scan.builder.add_heading(
        scan.page.read(text.strip(" #\t") if text.strip("# \t") else ""),
        level=len(match.group(1)),
        line=scan.lines[at][0],
    )
    return at + 1


def read_underline(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read the underline that makes the collected paragraph a heading, or a rule."""
    bare = content.rstrip()
    if scan.text and indent < 4 and scan.item is None and set(bare) in ({"="}, {"-"}):
        lines, scan.text = scan.text, []
        raw = "\n".join(text.strip() for _, text in lines)
        level = 1 if bare[0] == "=" else 2
        scan.builder.add_heading(scan.page.read(raw), level=level, line=lines[0][0])
        return at + 1
    if len(bare) >= 3 and indent < 4 and _RULE.match(bare):
        scan.flush()
        scan.builder.lead = ""
        return at + 1
    return None


def read_list_item(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read one list item with everything indented below it."""
    match = _MARKER.match(content)
    if match is None or (indent >= 4 and not scan.text and not scan.place.in_list):
        return None
    marker, gap, rest = match.groups()
    ordered = marker[0].isdigit()
    if scan.text and (not rest.strip() or (ordered and marker[:-1] != "1")):
        return None
    scan.flush()
    spaces = len(gap.expandtabs(4)) if rest.strip() else 1
    width = indent + len(marker) + (spaces if spaces <= 4 else 1)
    end = _find_item_end(scan.lines, at, width)
    checkbox = _CHECKBOX.match(rest)
    if checkbox:
        rest = rest[checkbox.end() :]
    number = scan.lines[at][0]
    inner = [(number, " " * (max(0, spaces - 4) and spaces - 1) + rest)]
    inner += dedent(scan.lines[at + 1 : end], width)
    checked = checkbox.group(1) in "xX" if checkbox else None
    place = replace(scan.place, in_list=True)
    scan.item = None
    scan.page.scan_inside(inner, place, PendingItem(number, ordered, checked))
    scan.builder.lead = ""
    return end


def _find_item_end(lines: list[Line], at: int, width: int) -> int:
    """Return the index after the last line of the item that starts at `at`."""
    end = at + 1
    fence = ""
    open_text = bool(lines[at][1].strip())
    for index in range(at + 1, len(lines)):
        text = lines[index][1]
        content = text.lstrip(" ")
        if not content.strip():
            open_text = False
            continue
        goes_on = open_text and not fence and not _INTERRUPTS.match(content)
        if len(text) - len(content) < width and not (goes_on and not _MARKER.match(content)):
            break
        if fence:
            fence = "" if content.startswith(fence) and not content.strip(fence[0] + " ") else fence
        elif match := _FENCE.match(content):
            fence = match.group(1)
        open_text = not fence and not content.startswith(("|", "`", "#"))
        end = index + 1
    return end


def read_fence(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read a fenced code block or a directive written as one."""
    match = _FENCE.match(content)
    if match is None or (content[0] == "`" and "`" in match.group(2)):
        return None
    scan.flush()
    fence = match.group(1)
    info = match.group(2).strip()
    end = at + 1
    while end < len(scan.lines):
        text = scan.lines[end][1].strip()
        if text.startswith(fence) and not text.strip(fence[0]):
            break
        end += 1
    inner = dedent(scan.lines[at + 1 : end], indent)
    directive = _DIRECTIVE_INFO.match(info)
    number = scan.lines[at][0]
    if directive and not directive.group(1).startswith("."):
        name, argument = directive.groups()
        containers.read_directive(scan, name, argument.strip(), inner, line=number)
    else:
        scan.item = None
        language = re.split(r"[\s{,:]", info, maxsplit=1)[0]
        scan.builder.add_code(
            "\n".join(text for _, text in inner), line=number, language=language, place=scan.place
        )
    return end + 1


def read_indented_code(scan: BlockScan, at: int) -> int:
    """Read code that is set off by four spaces."""
    end = take_indented(scan.lines, at, 4)
    text = "\n".join(line for _, line in dedent(scan.lines[at:end], 4))
    scan.builder.add_code(text, line=scan.lines[at][0], language="", place=scan.place)
    return max(end, at + 1)


def read_quote(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read a block quote or a GitHub alert."""
    if indent > 3 and not scan.place.in_list:
        return None
    scan.flush()
    end = at
    inner: list[Line] = []
    while end < len(scan.lines):
        number, text = scan.lines[end]
        content = text.lstrip(" ")
        if content.startswith(">"):
            inner.append((number, content[2:] if content.startswith("> ") else content[1:]))
        elif not content.strip() or _INTERRUPTS.match(content) or not inner[-1][1].strip():
            break
        else:
            inner.append((number, text))
        end += 1
    place = replace(scan.place, kind="blockquote", label=None, title=None)
    alert = _ALERT.match(inner[0][1].strip())
    if alert:
        place = replace(place, kind="admonition", label=alert.group(1).lower())
        inner[0] = (inner[0][0], alert.group(2))
    scan.item = None
    scan.page.scan_inside(inner, place)
    return end


def read_bracket(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read a footnote definition, or drop a link definition."""
    match = _FOOTNOTE.match(content)
    if match is None:
        return at + 1 if not scan.text and _DEFINITION.match(content) else None
    scan.flush()
    number = scan.lines[at][0]
    parts = [match.group(2)]
    end = at + 1
    while end < len(scan.lines):
        text = scan.lines[end][1]
        content = text.lstrip(" ")
        blank_before = not scan.lines[end - 1][1].strip()
        outside = bool(content.strip()) and indent_of(text) < 2
        if outside and (blank_before or content[0] in "[|#<`:>" or _INTERRUPTS.match(content)):
            break
        parts.append(content)
        end += 1
    raw = "\n".join(parts).strip()
    scan.builder.add_footnote(match.group(1), scan.page.read(raw).text, line=number)
    return end


def read_snippet(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read a snippet marker, which includes text kept elsewhere or names a section."""
    match = _SNIPPET.match(content)
    if match is None:
        return None
    scan.flush()
    target = match.group(1).strip().strip("\"'")
    if target:
        scan.builder.add_include(target, line=scan.lines[at][0], place=scan.place)
    return at + 1


def read_mark_line(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Drop a line that only names a place or comments (MyST)."""
    if content[0] == "(" and _LABEL.match(content):
        scan.flush()
        return at + 1
    if content[0] == "%" and scan.page.dialect == "myst" and indent == 0 and not scan.text:
        return at + 1
    return None


Reader = Callable[[BlockScan, int, int, str], int | None]

READERS: tuple[tuple[str, Reader], ...] = (
    ("#", read_heading),
    ("`~", read_fence),
    (":", containers.read_colon_fence),
    ("!?", containers.read_marked_admonition),
    ("=", containers.read_marked_tab),
    ("=-*_", read_underline),
    ("-;", read_snippet),
    ("-*+0123456789", read_list_item),
    (">", read_quote),
    ("<", tags.read_tag_line),
    ("[", read_bracket),
    ("(%", read_mark_line),
    ("ie", tags.read_module_line),
)
