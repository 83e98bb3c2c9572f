"""reStructuredText: sections, grid, simple and csv tables, notes."""

from __future__ import annotations

from ingest.reading.document import Table
from ingest.reading.rst import read_rst


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_titles_nest_by_the_order_of_their_underlines() -> None:
    page = read_rst("====\nPage\n====\n\nOne\n---\n\nDeep\n~~~~\n\nTwo\n---\n")

    assert [(h.path, h.level, h.line) for h in page.headings] == [
        (("Page",), 1, 2),
        (("Page", "One"), 2, 5),
        (("Page", "One", "Deep"), 3, 8),
        (("Page", "Two"), 2, 11),
    ]
    assert page.title == "Page"


def test_a_grid_table_with_spans_and_wide_characters() -> None:
    text = """
+--------+-------------+
| Phase  | Support     |
|        +------+------+
|        | FP8  | INT8 |
+========+======+======+
| Alpha  | ✅   | No   |
|        |      |      |
+--------+------+------+
| Beta   | both        |
+--------+-------------+
"""
    (table,) = read_rst(text).tables

    assert (table.line, table.syntax) == (2, "rst-grid")
    assert table.columns == ("Phase", "Support / FP8", "Support / INT8")
    assert texts(table) == [["Alpha", "✅", "No"], ["Beta", "both", "both"]]
    assert [cell.spanned for cell in table.rows[1]] == [False, False, True]
    assert [row[0].line for row in table.rows] == [7, 10]


def test_a_simple_table_continues_rows_with_a_blank_first_field() -> None:
    text = """
======= ======= ==========
Format  Sharded File
======= ======= ==========
One     No      model.a
                or b
Two     Yes     model.c
======= ======= ==========

After.
"""
    page = read_rst(text)
    (table,) = page.tables

    assert (table.line, table.syntax) == (2, "rst-simple")
    assert texts(table) == [["One", "No", "model.a or b"], ["Two", "Yes", "model.c"]]
    assert [paragraph.text for paragraph in page.paragraphs] == ["After."]


def test_a_csv_table_reads_its_rows_or_names_its_file() -> None:
    text = """
.. csv-table:: Caption
   :header: "Model", "FP8"

   "A, B", Yes
   C, No

.. csv-table::
   :file: other.csv
"""
    page = read_rst(text)
    (table,) = page.tables

    assert (table.syntax, table.caption, table.columns) == ("rst-csv", "Caption", ("Model", "FP8"))
    assert texts(table) == [["A, B", "Yes"], ["C", "No"]]
    assert [row[0].line for row in table.rows] == [5, 6]
    assert [include.target for include in page.includes] == ["other.csv"]


def test_notes_tabs_items_and_footnotes_are_kept() -> None:
    text = """
.. note::

   Mind the gap.

.. tab:: Linux

   * GPUs

     * Ampere and later

.. [1] Only with care
   and patience.
"""
    page = read_rst(text)

    assert [(p.text, p.kind, p.label, p.line) for p in page.paragraphs] == [
        ("Mind the gap.", "admonition", "note", 4)
    ]
    assert [(i.text, i.depth, i.parents, i.tabs, i.line) for i in page.items] == [
        ("GPUs", 0, (), ("Linux",), 8),
        ("Ampere and later", 1, ("GPUs",), ("Linux",), 10),
    ]
    assert [(f.mark, f.text, f.line) for f in page.footnotes] == [
        ("1", "Only with care and patience.", 12)
    ]


def test_a_pipe_table_in_a_code_block_is_no_table() -> None:
    page = read_rst(".. code-block:: text\n\n   |A|B|\n   |-|-|\n   |1|2|\n")

    assert page.tables == ()
    assert page.code_blocks[0].language == "text"
