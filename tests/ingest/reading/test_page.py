"""Choosing a reader, decoding bytes, and staying quick on hostile pages."""

from __future__ import annotations

import time

import pytest

from ingest.reading.errors import OversizedPage, UndecodablePage
from ingest.reading.lines import decode_page
from ingest.reading.page import find_syntax, read_page


@pytest.mark.parametrize(
    ("path", "text", "syntax"),
    [
        ("a/b.rst", "x", "rst"),
        ("a/b.mdx", "x", "mdx"),
        ("a/b.html", "x", "html"),
        ("README", "\n<!DOCTYPE html><html></html>", "html"),
        ("b.md", "# T\n\n- x\n", "gfm"),
        ("b.md", "# T\n\n:::{note}\nx\n:::\n", "myst"),
        ("b.md", "(label)=\n# T\n", "myst"),
        ("b.md", "```{eval-rst}\n```\n", "myst"),
        ("b.md", '=== "Tab"\n\n    x\n', "mkdocs"),
        ("b.md", "--8<-- [start:a]\n", "mkdocs"),
        ("b.md", "[](){ #id }\n", "mkdocs"),
        ("b.md", "!!! note\n    x\n", "mkdocs"),
        ("b.md", "<Tip>x</Tip>\n", "mdx"),
        ("notes.txt", "Title\n\n.. note:: x\n", "rst"),
    ],
)
def test_a_page_is_read_by_its_name_and_its_own_marks(path: str, text: str, syntax: str) -> None:
    assert find_syntax(text, path=path) == syntax
    assert read_page(text, path=path).syntax == syntax


def test_bytes_lose_their_byte_order_mark_and_carriage_returns() -> None:
    assert decode_page("\ufeffa\r\nb\rc".encode()) == "a\nb\nc"
    assert decode_page("✅".encode("utf-16")) == "✅"


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    with pytest.raises(UndecodablePage) as caught:
        decode_page(b"ab\xff\xfec")

    assert caught.value.code == "undecodable-page"
    assert caught.value.facts["offset"] == 2


def test_line_numbers_count_windows_lines_once() -> None:
    page = read_page("# T\r\n\r\n|A|B|\r\n|-|-|\r\n|1|2|\r\n", path="x.md")

    assert (page.tables[0].line, page.tables[0].rows[0][0].line) == (3, 5)
    assert page.source_lines[2] == "|A|B|"


def test_a_long_page_is_read_quickly() -> None:
    row = "| [Name](https://example.org/{0}) | ✅︎\\* | `fp{0}` | <br>x | [❌](gh-issue:{0}) |\n"
    text = "| A | B | C | D | E |\n|---|---|---|---|---|\n"
    text += "".join(row.format(number) for number in range(1000))

    start = time.perf_counter()
    page = read_page(text, path="x.md")
    spent = time.perf_counter() - start

    assert len(page.tables[0].rows) == 1000
    # Ten times the aim, so that a busy machine does not fail the test.
    assert spent < 1.0


@pytest.mark.parametrize(
    "unit",
    [
        "|",
        "[",
        ">",
        "<",
        "`",
        "*",
        "{",
        "&",
        "\\",
        "![",
        "](",
        "<a ",
        "<!--",
        "<div>",
        "- ",
        "[a](",
    ],
)
def test_a_page_of_one_repeated_character_ends_in_seconds(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))

    start = time.perf_counter()
    for path in ("x.md", "x.rst"):
        read_page(text, path=path)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    "unit",
    [
        "<details>\n",
        "<table>\n",
        "<Tip>\n",
        "```{note}\n",
        ":::{note}\n",
        "<ul>\n",
        "> a\n",
        "*a\n",
    ],
)
def test_many_unclosed_containers_end_in_seconds(unit: str) -> None:
    start = time.perf_counter()
    read_page(unit * 20_000, path="x.md")
    assert time.perf_counter() - start < 10


def test_deep_nesting_is_read_as_text_below_the_limit() -> None:
    text = "\n".join(" " * (2 * depth) + f"- level {depth}" for depth in range(300))

    page = read_page(text, path="x.md")
    assert page.items[5].parents == tuple(f"level {depth}" for depth in range(5))
    assert len(page.items) < 40
    assert "level 299" not in {item.text for item in page.items}


def test_a_page_of_too_many_lines_is_refused() -> None:
    with pytest.raises(OversizedPage) as caught:
        read_page("\n" * 100_001, path="x.md")
    assert caught.value.facts == {"what": "lines", "found": 100_002, "most": 100_000}

    with pytest.raises(OversizedPage, match="200001 tags"):
        read_page("<p>" * 200_001, path="x.html")
