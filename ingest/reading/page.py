"""Chooses the reader of a page by its file name and its own marks."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from ingest.reading.document import Document
from ingest.reading.htmlpage import read_html
from ingest.reading.lines import normalise_newlines
from ingest.reading.markdown import read_markdown
from ingest.reading.rst import read_rst

_MYST = re.compile(
    r"^ {0,12}(?::{3,}|`{3,})\{[a-z]|^\([\w-]{1,80}\)=\s*$|\{(?:ref|doc|project|gh-\w+)\}`",
    re.MULTILINE,
)
_MKDOCS = re.compile(
    r"^ {0,12}(?:--8<--|===[!+]? \"|!!! \w|\?\?\?\+? \w)|^\[\]\(\)\{ ?#|^::: \w", re.MULTILINE
)
_MDX = re.compile(r"style=\{\{|^ {0,8}<(?:Tip|Warning|Note|Tabs|Card|Accordion)[\s>]", re.MULTILINE)
_RST = re.compile(r"^ {0,8}\.\. [\w-]{1,40}::|^[=]{4,}\n\S.*\n[=]{4,}$", re.MULTILINE)
_HTML = re.compile(r"\s{0,200}(?:<!--[^>]{0,400}-->\s{0,20})?<(?:!doctype\s+html|html)\b", re.I)
_BY_SUFFIX = {".rst": "rst", ".html": "html", ".htm": "html", ".mdx": "mdx"}


def find_syntax(text: str, *, path: str) -> str:
    """Return "html", "rst", or the Markdown dialect a page is written in."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if _HTML.match(text):
        return "html"
    if suffix in (".txt", "") and _RST.search(text):
        return "rst"
    if _MKDOCS.search(text):
        return "mkdocs"
    if _MYST.search(text):
        return "myst"
    return "mdx" if _MDX.search(text) else "gfm"


def read_page(text: str, *, path: str) -> Document:
    """Return the model of a page, whatever it is written in."""
    text = normalise_newlines(text)
    syntax = find_syntax(text, path=path)
    if syntax == "html":
        return read_html(text)
    if syntax == "rst":
        return read_rst(text)
    return read_markdown(text, dialect=syntax)
