"""Pipe tables with all the ways pages get them slightly wrong."""

from __future__ import annotations

from ingest.reading.document import Document, Table
from ingest.reading.markdown import read_markdown


def read(*lines: str, dialect: str = "gfm") -> Document:
    return read_markdown("\n".join(lines), dialect=dialect)


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_cells_keep_raw_line_and_marks() -> None:
    page = read("# T", "", "| Method | Turing |", "|---|:-:|", "| AWQ | [✅︎](u)\\* |")

    (table,) = page.tables
    cell = table.rows[0][1]
    assert (table.line, table.columns, table.heading) == (3, ("Method", "Turing"), ("T",))
    assert (cell.text, cell.raw, cell.line, cell.marks) == ("✅", "[✅︎](u)\\*", 5, ("*",))


def test_outer_pipes_may_be_missing() -> None:
    page = read("A | B", "--- | ---", "1 | 2", "| 3 | 4", "5 | 6 |")

    assert texts(page.tables[0]) == [["1", "2"], ["3", "4"], ["5", "6"]]
    assert page.tables[0].irregular is None


def test_short_rows_are_padded_and_long_rows_kept_and_both_are_told() -> None:
    page = read("|A|B|C|", "|-|-|-|", "|1|", "|1|2|3|4|")

    (table,) = page.tables
    assert texts(table) == [["1", "", ""], ["1", "2", "3", "4"]]
    assert [cell.line for cell in table.rows[0]] == [3, 3, 3]
    assert table.irregular == (
        "1 rows have fewer than 3 cells (lines 3); 1 rows have more than 3 cells (lines 4)"
    )


def test_a_delimiter_row_of_another_length_is_read_and_told() -> None:
    page = read("|A|B|C|", "|---|---|", "|1|2|3|")

    (table,) = page.tables
    assert (table.columns, texts(table)) == (("A", "B", "C"), [["1", "2", "3"]])
    assert table.irregular == "the delimiter row has 2 cells against 3 in the header"


def test_escaped_pipes_and_pipes_in_code_do_not_split() -> None:
    rows = ["|A|B|", "|-|-|", "|a \\| b|c|", "|`x|y`|z|", "|`str \\| null`|n|"]

    for dialect in ("gfm", "mkdocs"):
        assert texts(read(*rows, dialect=dialect).tables[0]) == [
            ["a | b", "c"],
            ["x|y", "z"],
            ["str | null", "n"],
        ]


def test_a_table_directly_below_a_bold_line_has_it_as_lead() -> None:
    page = read("## Q", "**Model 7B**", "| A | B |", "|---|---|", "| 1 | 2 |")

    assert page.tables[0].lead == "Model 7B"
    assert [paragraph.text for paragraph in page.paragraphs] == ["Model 7B"]


def test_a_heading_glued_to_a_table_is_no_row() -> None:
    page = read("|A|B|", "|-|-|", "|1|2|", "#### Next", "", "|C|D|", "|-|-|", "|3|4|")

    assert [(table.columns, texts(table)) for table in page.tables] == [
        (("A", "B"), [["1", "2"]]),
        (("C", "D"), [["3", "4"]]),
    ]
    assert page.tables[1].heading == ("Next",)


def test_a_directive_or_a_list_glued_to_a_table_ends_it() -> None:
    page = read("|A|B|", "|-|-|", "|1|2|", "```{note}", "Take care.", "```", dialect="myst")
    legend = read("|A|B|", "|-|-|", "|1|2|", "- ✅: works")

    assert texts(page.tables[0]) == [["1", "2"]]
    assert [(p.text, p.label) for p in page.paragraphs] == [("Take care.", "note")]
    assert texts(legend.tables[0]) == [["1", "2"]]
    assert [item.text for item in legend.items] == ["✅: works"]


def test_tables_in_lists_details_and_quotes_keep_the_lines_of_the_page() -> None:
    page = read(
        "- News",
        "",
        "  | A | B |",
        "  |---|---|",
        "  | 1 | 2 |",
        "",
        "<details>",
        "<summary><b>Text-only</b></summary>",
        "",
        "| C | D |",
        "|---|---|",
        "| 3 | 4 |",
        "</details>",
        "",
        "> | E | F |",
        "> |---|---|",
        "> | 5 | 6 |",
    )

    assert [(t.line, t.tabs, texts(t)) for t in page.tables] == [
        (3, (), [["1", "2"]]),
        (10, ("Text-only",), [["3", "4"]]),
        (15, (), [["5", "6"]]),
    ]
    assert [t.rows[0][0].line for t in page.tables] == [5, 12, 17]


def test_blank_cells_and_dashes_stay_what_they_are() -> None:
    page = read("| | FP8 |", "|---|---|", "| a | |", "| b | - |", "| | . |")

    assert page.tables[0].columns == ("", "FP8")
    assert texts(page.tables[0]) == [["a", ""], ["b", "-"], ["", "."]]


def test_a_table_in_a_code_block_is_no_table() -> None:
    page = read("```text", "|A|B|", "|-|-|", "|1|2|", "```")

    assert page.tables == ()
    assert [(c.language, c.line) for c in page.code_blocks] == [("text", 1)]


def test_records_number_repeated_columns() -> None:
    page = read("|M|X|X|", "|-|-|-|", "|a|1|2|")

    ((key, record),) = page.tables[0].records()
    assert key.text == "a"
    assert {label: cell.text for label, cell in record.items()} == {
        "M": "a",
        "X": "1",
        "X (2)": "2",
    }
