"""Names of directives, admonitions and container tags that Markdown and reST pages use."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.reading.lines import Line, indent_of

ADMONITIONS = frozenset(
    [
        "note",
        "warning",
        "tip",
        "important",
        "caution",
        "attention",
        "danger",
        "error",
        "hint",
        "seealso",
        "admonition",
        "info",
        "example",
        "deprecated",
        "versionadded",
        "versionchanged",
        "todo",
        "announcement",
        "check",
        "success",
        "question",
        "failure",
        "bug",
        "abstract",
        "quote",
    ]
)
TAB_DIRECTIVES = frozenset(
    ["tab-item", "tab", "group-tab", "dropdown", "details", "grid-item-card", "card", "collapse"]
)
CODE_DIRECTIVES = frozenset(
    [
        "code-block",
        "code",
        "sourcecode",
        "prompt",
        "mermaid",
        "parsed-literal",
        "code-cell",
        "math",
        "program-output",
        "doctest",
        "testcode",
        "argparse",
        "graphviz",
    ]
)
SKIPPED_DIRECTIVES = frozenset(
    [
        "toctree",
        "image",
        "figure",
        "contents",
        "meta",
        "raw",
        "highlight",
        "index",
        "sectionauthor",
        "post",
        "tabularcolumns",
        "autosummary",
        "automodule",
        "autoclass",
        "autofunction",
        "autodoc",
        "youtube",
        "video",
        "button-ref",
        "bibliography",
        "currentmodule",
        "module",
    ]
)
INCLUDE_DIRECTIVES = frozenset({"include", "literalinclude", "mdinclude"})
ADMONITION_TAGS = frozenset(
    ["tip", "warning", "note", "info", "caution", "danger", "check", "important"]
)
TAB_TAGS = frozenset(
    ["tab", "tabitem", "accordion", "details", "expandable", "hfoption", "step", "card"]
)
CONTAINER_TAGS = ADMONITION_TAGS | TAB_TAGS
CONTAINER_TAG = re.compile(
    r"<(/?)(" + "|".join(sorted(CONTAINER_TAGS, key=len, reverse=True)) + r")(?=[\s/>])",
    re.IGNORECASE,
)
_COLON_OPTION = re.compile(r":([A-Za-z][\w-]{0,40}):\s{0,20}(.*)")


def take_options(lines: Sequence[Line]) -> tuple[dict[str, str], list[Line]]:
    """Return a directive's options and the lines of its content.

    **Shapes** options are `:key: value` lines at the start, or `key: value` between two `---`.
    """
    options: dict[str, str] = {}
    at = 0
    while at < len(lines) and not lines[at][1].strip():
        at += 1
    if at < len(lines) and lines[at][1].strip() == "---":
        for end in range(at + 1, min(len(lines), at + 40)):
            text = lines[end][1].strip()
            if text == "---":
                return options, list(lines[end + 1 :])
            key, colon, value = text.partition(":")
            if colon:
                options[key.strip()] = value.strip()
        return {}, list(lines)
    level = -1
    for index in range(at, len(lines)):
        text = lines[index][1]
        match = _COLON_OPTION.fullmatch(text.strip())
        if match:
            level = indent_of(text)
            options[match.group(1)] = match.group(2).strip()
        elif options and text.strip() and indent_of(text) > level:
            continue
        else:
            return options, list(lines[index:])
    return options, []
