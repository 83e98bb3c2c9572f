"""Markdown blocks: containers, tabs, notes, lists, headings and their lines."""

from __future__ import annotations

import pytest

from ingest.reading.document import Document, Table
from ingest.reading.markdown import read_markdown


def read(text: str, *, dialect: str = "gfm") -> Document:
    return read_markdown(text, dialect=dialect)


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_front_matter_gives_the_title_and_the_root_of_the_path() -> None:
    page = read('---\ntitle: "Quantization"\nmeta:\n  summary: x\n---\n\n## Part\n', dialect="mdx")

    assert page.front_matter == {"title": "Quantization", "meta": "", "meta.summary": "x"}
    assert [(h.path, h.line) for h in page.headings] == [(("Quantization", "Part"), 7)]
    assert page.title == "Quantization"


def test_headings_of_all_spellings() -> None:
    page = read("Title\n=====\n\nSub\n---\n\n### Deep { #id }\n\n## Next ##\n<h3>Tag</h3>\n")

    assert [(h.text, h.level, h.line, h.path) for h in page.headings] == [
        ("Title", 1, 1, ("Title",)),
        ("Sub", 2, 4, ("Title", "Sub")),
        ("Deep", 3, 7, ("Title", "Sub", "Deep")),
        ("Next", 2, 9, ("Title", "Next")),
        ("Tag", 3, 10, ("Title", "Next", "Tag")),
    ]


def test_myst_tabs_nest_and_label_their_tables() -> None:
    page = read(
        "# M\n\n:::::{tab-set}\n\n::::{tab-item} A2/A3\n\n:::{note}\nHm.\n:::\n\n"
        "|X|Y|\n|-|-|\n|1|2|\n\n::::\n\n::::{tab-item} 300I\n|X|Y|\n|-|-|\n|3|4|\n::::\n:::::\n"
        "\n|X|Y|\n|-|-|\n|5|6|\n",
        dialect="myst",
    )

    assert [(t.tabs, t.line, texts(t)) for t in page.tables] == [
        (("A2/A3",), 11, [["1", "2"]]),
        (("300I",), 18, [["3", "4"]]),
        ((), 24, [["5", "6"]]),
    ]
    assert [(p.text, p.label, p.tabs) for p in page.paragraphs] == [("Hm.", "note", ("A2/A3",))]


def test_mkdocs_tabs_notes_and_foldable_blocks() -> None:
    page = read(
        '=== "CUDA"\n\n    !!! note "Mind"\n        Needs 12.8.\n\n'
        "    |X|Y|\n    |-|-|\n    |1|2|\n"
        '\n=== "ROCm"\n    - MI300\n        - needs 6.3\n\n??? code "How"\n    Like so.\n',
        dialect="mkdocs",
    )

    assert [(p.text, p.label, p.title, p.tabs, p.line) for p in page.paragraphs] == [
        ("Needs 12.8.", "note", "Mind", ("CUDA",), 4),
        ("Like so.", "code", "How", ("How",), 15),
    ]
    assert [(t.tabs, t.line) for t in page.tables] == [(("CUDA",), 6)]
    assert [(i.text, i.parents, i.tabs, i.line) for i in page.items] == [
        ("MI300", (), ("ROCm",), 11),
        ("needs 6.3", ("MI300",), ("ROCm",), 12),
    ]


def test_snippet_markers_are_includes_and_name_sections() -> None:
    page = read(
        "# --8<-- [start:requirements]\n\n- GPU 7.5\n\n# --8<-- [end:requirements]\n"
        '--8<-- "docs/x.md:part"\n<!-- --8<-- [start:other] -->\n\nText\n',
        dialect="mkdocs",
    )

    assert [(include.target, include.line) for include in page.includes] == [
        ("[start:requirements]", 1),
        ("[end:requirements]", 5),
        ("docs/x.md:part", 6),
        ("[start:other]", 7),
    ]
    assert page.headings == ()
    assert [page.snippet_at(line) for line in (3, 6, 9)] == ["requirements", None, "other"]


def test_github_alerts_and_quotes() -> None:
    page = read("> [!CAUTION]\n> In maintenance\n> mode.\n\n> Just said\nlazily.\n")

    assert [(p.text, p.kind, p.label, p.line) for p in page.paragraphs] == [
        ("In maintenance mode.", "admonition", "caution", 2),
        ("Just said lazily.", "blockquote", None, 5),
    ]


def test_mdx_containers_and_module_lines() -> None:
    page = read(
        'import { X } from "x";\n\nexport const Y = () => {\n  return 1;\n}\n\n'
        "<Warning>\n  Careful.\n</Warning>\n\n<Tip>Short one.</Tip>\n\n"
        '<Tabs>\n  <Tab title="AMD">\n    | A | B |\n'
        "    |---|---|\n    | 1 | 2 |\n  </Tab>\n</Tabs>\n",
        dialect="mdx",
    )

    assert [(p.text, p.label, p.line) for p in page.paragraphs] == [
        ("Careful.", "warning", 8),
        ("Short one.", "tip", 11),
    ]
    assert [(t.tabs, t.line, texts(t)) for t in page.tables] == [(("AMD",), 15, [["1", "2"]])]


def test_items_carry_parents_checks_and_order() -> None:
    page = read("## Models\n- [x] Llama\n- [ ] Other\n  1. one\n     more\n  2. two\n\n* [A](u)\n")

    assert [(i.text, i.line, i.depth, i.parents, i.checked, i.ordered) for i in page.items] == [
        ("Llama", 2, 0, (), True, False),
        ("Other", 3, 0, (), False, False),
        ("one more", 4, 1, ("Other",), None, True),
        ("two", 6, 1, ("Other",), None, True),
        ("A", 8, 0, (), None, False),
    ]
    assert page.items[-1].links[0].target == "u"
    assert {item.heading for item in page.items} == {("Models",)}


def test_code_and_style_and_comments_hold_no_text() -> None:
    page = read(
        "# T\n\n<style>\ntd { color: red }\n</style>\n\n<!-- | a | -->\n\n|A|B|\n|-|-|\n|1|2|\n"
    )

    assert page.paragraphs == ()
    assert [(t.line, t.lead) for t in page.tables] == [(9, "")]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("[^a]: First\n  goes on\n[^2]: Second", [("a", "First goes on", 1), ("2", "Second", 3)]),
        ("- *Turing lacks it.", [("*", "Turing lacks it.", 1)]),
        (
            "\\* One  \n<sup>^</sup> Two</br>\n<sup>C</sup> Three `x`.",
            [("*", "One", 1), ("^", "Two", 2), ("C", "Three x.", 3)],
        ),
        ("* [1] Not here.", [("1", "Not here.", 1)]),
        ("† Later.", [("†", "Later.", 1)]),
        ("*Emphasis* is no note.", []),
        ("[1](u) is a link.", []),
    ],
)
def test_footnotes_are_found_however_they_are_written(
    text: str, notes: list[tuple[str, str, int]]
) -> None:
    page = read(text)

    assert [(n.mark, n.text, n.line) for n in page.footnotes] == notes


def test_link_definitions_are_used_and_not_shown() -> None:
    page = read(
        "[vLLM] is [fast][f].\n\n[vllm]: https://example.org/v\n[f]: https://example.org/f\n"
    )

    assert [(link.text, link.target) for link in page.paragraphs[0].links] == [
        ("vLLM", "https://example.org/v"),
        ("fast", "https://example.org/f"),
    ]
    assert len(page.paragraphs) == 1


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ValueError, match="“wiki” is unknown"):
        read_markdown("x", dialect="wiki")
