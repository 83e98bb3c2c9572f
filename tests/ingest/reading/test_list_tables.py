"""List-tables of MyST and reST."""

from __future__ import annotations

from ingest.reading.document import Table
from ingest.reading.markdown import read_markdown
from ingest.reading.rst import read_rst


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


MYST = """# Matrix

:::{list-table}
:header-rows: 1
:stub-columns: 1
:widths: 20 8

- * Method
  * Turing
  * [LoRA](lora.md)
- * AWQ
  * ✅︎
  *
- * GPTQ
  * [❌](gh-issue:1)
  * ✅︎\\*
:::

\\* Only some.
"""


def test_a_colon_fenced_list_table_is_read() -> None:
    page = read_markdown(MYST, dialect="myst")

    (table,) = page.tables
    assert (table.line, table.syntax) == (3, "myst-list-table")
    assert table.columns == ("Method", "Turing", "LoRA")
    assert texts(table) == [["AWQ", "✅", ""], ["GPTQ", "❌", "✅"]]
    assert [[cell.line for cell in row] for row in table.rows] == [[11, 12, 13], [14, 15, 16]]
    assert [row[0].is_header for row in table.rows] == [True, True]
    assert table.rows[1][2].marks == ("*",)
    note = page.footnote("*", table.line)
    assert note is not None
    assert (note.text, note.line) == ("Only some.", 19)


def test_longer_fences_and_backticks_read_the_same() -> None:
    longer = MYST.replace(":::", ":::::")
    ticks = MYST.replace(":::{list-table}", "```{list-table}").replace(":::", "```")

    wanted = read_markdown(MYST, dialect="myst").tables
    assert read_markdown(longer, dialect="myst").tables == wanted
    assert read_markdown(ticks, dialect="myst").tables == wanted


RST = """Matrix
======

.. list-table::
   :header-rows: 1
   :widths: auto

   * - Feature
     - :ref:`CP <cp>`
   * - :abbr:`MM (Multimodal)`
     - `✗ <https://example.org/1>`__
   * - best-of
     -
"""


def test_an_rst_list_table_is_read() -> None:
    (table,) = read_rst(RST).tables

    assert (table.line, table.syntax, table.heading) == (4, "rst-list-table", ("Matrix",))
    assert table.columns == ("Feature", "CP")
    assert texts(table) == [["MM", "✗"], ["best-of", ""]]
    assert table.rows[0][1].raw == "`✗ <https://example.org/1>`__"
    assert table.rows[0][0].titles == ("Multimodal",)


def test_a_list_table_within_eval_rst_has_lines_of_the_page() -> None:
    text = "# S\n\n## Hardware\n\n```{eval-rst}\n" + RST.split("\n\n", 1)[1] + "```\n"

    (table,) = read_markdown(text, dialect="myst").tables
    assert (table.line, table.heading) == (6, ("S", "Hardware"))
    assert [row[0].line for row in table.rows] == [12, 14]


def test_a_list_within_a_cell_is_one_line_each() -> None:
    text = """
.. list-table::
    :header-rows: 1

    * -
      - Hardware
    * - Architectures
      -
            - `H100 <https://example.org>`_
            - V100 (experimental)
"""
    (table,) = read_rst(text).tables
    cell = table.rows[0][1]

    assert cell.text == "H100\nV100 (experimental)"
    assert (cell.line, cell.raw.count("\n")) == (9, 1)
    assert [link.target for link in cell.links] == ["https://example.org"]


def test_notes_in_brackets_are_marks_only_where_the_page_defines_them() -> None:
    text = """
.. list-table::
    :header-rows: 1

    * - Arch
      - Types
    * - Old
      - FP16, INT8(1), INT4(1)(2)
    * - Other (3)
      - FP16

(1) Not on old ones.
(2) Not at all.
"""
    (table,) = read_rst(text).tables

    assert texts(table) == [["Old", "FP16, INT8, INT4"], ["Other (3)", "FP16"]]
    assert table.rows[0][1].marks == ("1", "2")


def test_rows_that_a_page_forgot_to_indent_still_belong_to_the_directive() -> None:
    text = ".. list-table::\n    :header-rows: 1\n\n* - Model\n  - FP8\n* - A\n  - Yes\n"

    (table,) = read_rst(text).tables
    assert (table.columns, texts(table)) == (("Model", "FP8"), [["A", "Yes"]])


def test_a_missing_header_row_is_told() -> None:
    text = ".. list-table::\n\n   * - Model\n     - FP8\n   * - A\n     - Yes\n"

    (table,) = read_rst(text).tables
    assert table.columns == ("Model", "FP8")
    assert table.irregular == "no header row is stated; the first row is taken as the header"
