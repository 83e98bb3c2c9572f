"""Finding things on a page, and saying what was found instead."""

from __future__ import annotations

import pytest

from ingest.reading.document import Document
from ingest.reading.errors import ColumnMissing, TableMissing
from ingest.reading.markdown import read_markdown

PAGE = """# Features

## Feature x Hardware

| Feature | Volta | Turing |
|---|---|---|
| LoRA | ❌ | ✅ * |

\\* With care.

## Legend

\\* Not this one.

## Models

| Model | LoRA |
|---|---|
| A | ✅<sup>E+</sup> |

<sup>E</sup> Embeddings.
<sup>+</sup> Several.
"""


@pytest.fixture
def page() -> Document:
    return read_markdown(PAGE)


def test_a_table_is_found_by_heading_and_columns(page: Document) -> None:
    assert page.table(heading="x hardware", columns=["feature", "Turing"]).line == 5
    assert page.table(columns=["Model"]).line == 17
    assert [table.line for table in page.tables_under("Features")] == [5, 17]
    assert [(p.text, p.marks) for p in page.paragraphs_under("Legend")] == [
        ("Not this one.", ("*",))
    ]


def test_a_renamed_column_is_told_with_the_nearest_table(page: Document) -> None:
    with pytest.raises(TableMissing) as caught:
        page.table(heading="Feature x Hardware", columns=["Feature", "Volta", "Hopper"])

    assert caught.value.code == "table-missing"
    assert caught.value.nearest == (
        "the table at line 5 under “Features > Feature x Hardware”"
        " with columns “Feature”, “Volta”, “Turing”"
    )
    assert "“Hopper”" in str(caught.value)


def test_a_truncated_page_is_told_with_its_headings() -> None:
    cut = read_markdown(PAGE.split("| Feature")[0])

    with pytest.raises(TableMissing) as caught:
        cut.table(columns=["Feature"])

    assert caught.value.nearest == (
        "no table at all on the page (headings: “Features”, “Feature x Hardware”)"
    )


def test_a_moved_table_is_told_by_its_closest_heading(page: Document) -> None:
    with pytest.raises(TableMissing) as caught:
        page.table(heading="Model list")

    assert "line 17 under “Features > Models”" in caught.value.nearest


def test_a_missing_column_names_the_nearest(page: Document) -> None:
    table = page.tables[0]

    assert table.column("  turing ") == 2
    with pytest.raises(ColumnMissing) as caught:
        table.column("Turin")
    assert (caught.value.nearest, caught.value.columns) == ("Turing", table.columns)
    assert caught.value.facts["wanted"] == "Turin"


def test_a_mark_means_the_definition_of_its_own_section(page: Document) -> None:
    first, second = page.tables

    note = page.footnote("*", first.line)
    assert note is not None
    assert note.text == "With care."
    assert page.footnote("‡", first.line) is None
    assert [n.text for n in page.resolve_mark("E+", second.line)] == ["Embeddings.", "Several."]
    assert page.resolve_mark("EX", second.line) == ()


def test_a_mark_without_a_definition_below_takes_the_nearest_of_the_page() -> None:
    page = read_markdown("# A\n\n[^1]: First.\n\n# B\n\n|X|\n|-|\n|Yes [^1]|\n\n# C\n\nEnd\n")

    note = page.footnote("1", page.tables[0].line)
    assert note is not None
    assert note.text == "First."


def test_a_heading_inside_a_container_ends_with_it() -> None:
    page = read_markdown('# A\n\n=== "T"\n    ## Inner\n\n    x\n\ny\n', dialect="mkdocs")

    assert [(p.text, p.heading) for p in page.paragraphs] == [("x", ("A", "Inner")), ("y", ("A",))]
    assert [page.heading_at(line) for line in (1, 6, 8)] == [("A",), ("A", "Inner"), ("A",)]
