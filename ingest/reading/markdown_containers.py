"""Containers within Markdown that are not tags: directives, admonitions and tabs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.reading import directives as names
from ingest.reading import rst
from ingest.reading.builder import Place
from ingest.reading.htmlpage import HtmlWalker
from ingest.reading.lines import Fragment, Line, dedent, take_indented
from ingest.reading.listtable import read_list_table
from ingest.reading.markdown_scan import BlockScan

_COLON = re.compile(r"(:{3,})\s?(?:\{([\w:.+-]{1,60})\}|(\w[\w-]{0,40}))?(.*)", re.DOTALL)
_MARKED = re.compile(r"(?:!!!|\?\?\?\+?)\s+([\w-]+(?:\s[\w-]+){0,4})?\s*(?:\"(.*)\")?\s*$")
_TAB = re.compile(r"===[!+]?\s+[\"'](.*)[\"']\s*$")


def read_directive(
    scan: BlockScan, name: str, argument: str, inner: Sequence[Line], *, line: int
) -> None:
    """Add what a MyST directive holds."""
    page, place = scan.page, scan.place
    scan.item = None
    if name == "eval-rst":
        rst.scan_rst(scan.builder, inner, place)
        return
    options, content = names.take_options(inner)
    if name in names.INCLUDE_DIRECTIVES:
        scan.builder.add_include(argument, line=line, place=place)
    elif name == "list-table":
        table = read_list_table(
            content,
            options=options,
            line=line,
            syntax="myst-list-table",
            caption=page.read(argument).text or None,
            reader=page.read,
        )
        scan.builder.add_table(table, place=place)
    elif name == "csv-table":
        rst.add_csv_table(
            scan.builder,
            content,
            options,
            line=line,
            caption=argument,
            place=place,
            reader=page.read,
        )
    elif name in names.CODE_DIRECTIVES:
        text = "\n".join(text for _, text in content)
        scan.builder.add_code(text, line=line, language=argument, place=place)
    elif name in names.SKIPPED_DIRECTIVES:
        _read_raw(scan, argument, content)
    else:
        label = page.read(argument).text
        page.scan_inside(content, place_inside(place, name, label))
    scan.builder.lead = "" if name != "raw" else scan.builder.lead


def _read_raw(scan: BlockScan, argument: str, content: Sequence[Line]) -> None:
    """Add the tables of a raw HTML directive; other skipped directives hold no facts."""
    fragment = Fragment.join(content)
    if argument == "html" and "<table" in fragment.text:
        HtmlWalker(scan.builder, fragment, scan.place).walk()


def place_inside(place: Place, name: str, label: str) -> Place:
    """Return the place of the blocks inside a directive, admonition or container tag."""
    short = name.lower()
    if short in names.TAB_DIRECTIVES or short in names.TAB_TAGS:
        return replace(place, tabs=(*place.tabs, label)) if label else place
    if short in names.ADMONITIONS or short in names.ADMONITION_TAGS:
        return replace(place, kind="admonition", label=short, title=label or None)
    return place


def read_colon_fence(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read a `:::{directive}` block, or `:::note` where a closing fence exists."""
    match = _COLON.match(content)
    if match is None:
        return None
    colons, directive, word, argument = match.groups()
    if directive is None and (word is None or word.lower() not in names.ADMONITIONS):
        scan.flush()
        return at + 1
    scan.flush()
    end = at + 1
    while end < len(scan.lines):
        text = scan.lines[end][1].strip()
        if text.startswith(colons) and not text.strip(":"):
            break
        end += 1
    inner = dedent(scan.lines[at + 1 : end], indent)
    name = directive or word.lower()
    read_directive(scan, name, argument.strip(), inner, line=scan.lines[at][0])
    return end + 1


def read_marked_admonition(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read an mkdocs admonition (`!!!`) or a foldable one (`???`)."""
    if not content.startswith(("!!!", "???")):
        return None
    match = _MARKED.match(content)
    if match is None:
        return None
    scan.flush()
    end = take_indented(scan.lines, at + 1, indent + 4)
    inner = dedent(scan.lines[at + 1 : end], indent + 4)
    title = scan.page.read(match.group(2) or "").text
    label = (match.group(1) or "note").split()[0].lower()
    place = replace(scan.place, kind="admonition", label=label, title=title or None)
    if content[0] == "?" and title:
        place = replace(place, tabs=(*place.tabs, title))
    scan.item = None
    scan.page.scan_inside(inner, place)
    scan.builder.lead = ""
    return max(end, at + 1)


def read_marked_tab(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Read an mkdocs tab (`=== "Label"`)."""
    match = _TAB.match(content)
    if match is None:
        return None
    scan.flush()
    end = take_indented(scan.lines, at + 1, indent + 4)
    inner = dedent(scan.lines[at + 1 : end], indent + 4)
    label = scan.page.read(match.group(1)).text
    scan.item = None
    scan.page.scan_inside(inner, replace(scan.place, tabs=(*scan.place.tabs, label)))
    scan.builder.lead = ""
    return max(end, at + 1)
