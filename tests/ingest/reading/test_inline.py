"""Inline text: what stays visible, what becomes a mark, a link or a title."""

from __future__ import annotations

import pytest

from ingest.reading.document import Link
from ingest.reading.inline_markdown import read_inline, read_inline_html
from ingest.reading.inline_rst import read_inline_rst


@pytest.mark.parametrize(
    ("source", "text", "marks"),
    [
        ("✅\ufe0e", "✅", ()),
        ("✅\ufe0e*", "✅", ("*",)),
        ("✅\ufe0e\\*", "✅", ("*",)),
        ("⚠\ufe0f", "⚠", ()),
        ("\ufe0e", "", ()),
        ("\\*", "", ("*",)),
        ("Yes\\* <sup>\\[2\\]</sup>", "Yes", ("*", "2")),
        ("No [^vg1]", "No", ("vg1",)),
        ("Yes [^1] [^7]", "Yes", ("1", "7")),
        ("T + I<sup>E+</sup> + (V<sup>E+</sup>)", "T + I + (V)", ("E+",)),
        ("FP8 static\\*, NVFP4\\*", "FP8 static, NVFP4", ("*",)),
        ("Native†", "Native", ("†",)),
        ("FA9*", "FA9", ("*",)),
        ("acme/model-*", "acme/model-*", ()),
        ("`*ForThing`<sup>C</sup>, etc.", "*ForThing, etc.", ("C",)),
        ("*all of it* and **this**", "all of it and this", ()),
        ("5 * 4 = max_model_len", "5 * 4 = max_model_len", ()),
        ("3 × 10<sup>6</sup>", "3 × 10^6", ()),
        ("4<sup>th</sup>", "4 th", ()),
        (":heavy_check_mark:", ":heavy_check_mark:", ()),
        ("one<br>two<br/>three</br>four", "one\ntwo\nthree\nfour", ()),
        ("<nobr>🟢 (x86) 🟡 (ARM) </nobr>", "🟢 (x86) 🟡 (ARM)", ()),
        ("a&nbsp;&amp;&nbsp;b", "a & b", ()),
        ("{ref}`Title <label>` and {abbr}`CP (Chunked)`", "Title and CP", ()),
        ("<your_model> stays", "<your_model> stays", ()),
        ("~~old~~ new", "old new", ()),
        ("`a | b` c", "a | b c", ()),
    ],
)
def test_markdown_shows_its_words_and_keeps_marks_apart(
    source: str, text: str, marks: tuple[str, ...]
) -> None:
    shown = read_inline(source)

    assert (shown.text, shown.marks) == (text, marks)


@pytest.mark.parametrize(
    ("source", "links"),
    [
        ("[❌](gh-issue:12)", [("❌", "gh-issue:12")]),
        ("[X [In Progress]](docs/x.md#a)", [("X [In Progress]", "docs/x.md#a")]),
        ("[CP][chunked-prefill]", [("CP", "chunked-prefill")]),
        ("[name][]", [("name", "name")]),
        ("<https://example.org/a_b>", [("https://example.org/a_b", "https://example.org/a_b")]),
        ("see https://example.org/x.", [("https://example.org/x", "https://example.org/x")]),
        ("[![badge](b.svg)](https://example.org)", [("badge", "https://example.org")]),
        ('[t](u "title"){ .button }', [("t", "u")]),
        ("[a(b)](https://example.org/a_(b))", [("a(b)", "https://example.org/a_(b)")]),
        ("[](){ #anchor }", []),
        ("not [a link] at all", []),
    ],
)
def test_links_keep_their_text_and_target(source: str, links: list[tuple[str, str]]) -> None:
    shown = read_inline(source, autorefs=True)

    assert shown.links == tuple(Link(*link) for link in links)


def test_a_reference_without_a_definition_is_text_outside_of_mkdocs() -> None:
    assert read_inline("x[i][j]").text == "x[i][j]"
    assert read_inline("[a][b]", refs={"b": "u"}).links == (Link("a", "u"),)


def test_titles_and_colours_of_tags_are_kept() -> None:
    shown = read_inline(
        '<abbr title="Prompt Logprobs">pl</abbr> <span style="color: Green;">√</span>'
    )

    assert (shown.text, shown.titles, shown.colour) == ("pl √", ("Prompt Logprobs",), "green")
    assert read_inline("<span style={{color: '#FFA500'}}>●</span>").colour == "#ffa500"
    assert read_inline('<span style="background-color: red">x</span>').colour is None


def test_html_drops_icons_and_reads_reference_anchors_as_marks() -> None:
    shown = read_inline_html(
        '<a href="u"><span class="twemoji"><svg a="1"><path d="x"/></svg></span> ❌</a> 2 * 3'
        '<a class="footnote-reference brackets" href="#id5">[<span>1</span>]</a>'
        '<a class="headerlink" href="#x">¶</a>'
    )

    assert (shown.text, shown.links, shown.marks) == ("❌ 2 * 3", (Link("❌", "u"),), ("1",))


@pytest.mark.parametrize(
    ("source", "text", "marks", "links", "titles"),
    [
        ("`✗ <https://e.org/1>`__", "✗", (), [("✗", "https://e.org/1")], ()),
        (":ref:`CP <chunked>`", "CP", (), [("CP", "chunked")], ()),
        (":abbr:`MM (Multimodal)`", "MM", (), [], ("Multimodal",)),
        ("``a_b*`` **x** *y* [1]_", "a_b* x y", ("1",), [], ()),
        ("✅\\ [#a]_", "✅", ("a",), [], ()),
        ("PyTorch*, ONNX", "PyTorch, ONNX", ("*",), [], ()),
        ("T + I\\ :sup:`E+`", "T + I", ("E+",), [], ()),
    ],
)
def test_rst_roles_and_references_are_read(
    source: str,
    text: str,
    marks: tuple[str, ...],
    links: list[tuple[str, str]],
    titles: tuple[str, ...],
) -> None:
    shown = read_inline_rst(source)

    assert (shown.text, shown.marks, shown.titles) == (text, marks, titles)
    assert shown.links == tuple(Link(*link) for link in links)
