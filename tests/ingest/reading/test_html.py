"""HTML tables and pages, and tags within Markdown and MDX."""

from __future__ import annotations

from ingest.reading.document import Table
from ingest.reading.htmlpage import read_html
from ingest.reading.markdown import read_markdown


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_two_header_rows_with_spans_become_joined_labels() -> None:
    page = read_html(
        "<h1>Matrix<a class='headerlink' href='#m'>¶</a></h1>\n<table><thead>\n"
        "<tr><th rowspan='2'>Plug<br>in</th><th colspan='2'>Software</th></tr>\n"
        "<tr><th>1.22</th><th>1.23</th></tr></thead>\n<tbody>\n"
        "<tr><td>0.10</td>\n<td>✅ Beta</td><td>❌</td></tr></tbody></table>"
    )

    (table,) = page.tables
    assert (table.heading, table.line) == (("Matrix",), 2)
    assert table.columns == ("Plug in", "Software / 1.22", "Software / 1.23")
    assert texts(table) == [["0.10", "✅ Beta", "❌"]]
    assert [cell.line for cell in table.rows[0]] == [6, 7, 7]


def test_row_spans_are_carried_down_and_marked() -> None:
    page = read_html(
        "<table><tr><td>Vendor</td><td>Model</td><td>X</td></tr>"
        "<tr><td rowspan=3>Q</td><td rowspan='2'>M</td><td>1</td></tr>"
        "<tr><td>2</td></tr><tr><td>N</td><td>3</td></tr></table>"
    )

    (table,) = page.tables
    assert table.columns == ("Vendor", "Model", "X")
    assert texts(table) == [["Q", "M", "1"], ["Q", "M", "2"], ["Q", "N", "3"]]
    assert [[cell.spanned for cell in row] for row in table.rows] == [
        [False, False, False],
        [True, True, False],
        [True, False, False],
    ]


def test_a_span_to_the_right_of_a_short_row_stays_in_its_column() -> None:
    page = read_html(
        "<table><tr><th>A</th><th>B</th><th>C</th></tr>"
        "<tr><td>1</td><td>2</td><td rowspan=2>3</td></tr><tr><td>4</td></tr></table>"
    )

    assert texts(page.tables[0]) == [["1", "2", "3"], ["4", "", "3"]]


def test_a_table_that_lays_out_tables_is_left_out() -> None:
    page = read_html(
        "<table><tr><td><h2>Backends</h2><table><tr><th>B</th></tr><tr><td>CUDA</td></tr></table>"
        "</td></tr></table>"
    )

    assert [(t.heading, t.columns, texts(t)) for t in page.tables] == [
        (("Backends",), ("B",), [["CUDA"]])
    ]


def test_a_table_closed_by_another_opening_tag_does_not_swallow_the_page() -> None:
    page = read_markdown(
        "# P\n\n<table>\n<tr><td>shot</td></tr>\n<table>\n\n"
        "## Backends\n\n|B|D|\n|-|-|\n|CUDA|GPU|\n"
    )

    assert [(t.line, t.heading, t.columns) for t in page.tables] == [
        (3, ("P",), ("shot",)),
        (9, ("P", "Backends"), ("B", "D")),
    ]


def test_pipe_tables_in_the_cells_of_a_layout_table_are_read() -> None:
    page = read_markdown("<table>\n<tr><td>\n\n|A|B|\n|-|-|\n|1|2|\n\n</td></tr>\n</table>\n")

    assert [(t.line, t.syntax, texts(t)) for t in page.tables] == [(4, "gfm", [["1", "2"]])]


def test_mdx_tables_with_style_objects() -> None:
    page = read_markdown(
        '---\ntitle: Q\n---\n<table style={{width: "100%", borderCollapse: "collapse"}}>\n'
        "  <thead>\n    <tr>\n      <th style={{a: 1}}>**Method**</th>\n      <th>AMD</th>\n"
        "    </tr>\n  </thead>\n  <tbody>\n    <tr>\n      <td><code>fp8</code></td>\n"
        "      <td>Yes (A5)</td>\n    </tr>\n  </tbody>\n</table>\n",
        dialect="mdx",
    )

    (table,) = page.tables
    assert (table.syntax, table.line, table.columns) == ("mdx", 4, ("Method", "AMD"))
    assert texts(table) == [["fp8", "Yes (A5)"]]
    assert (table.rows[0][0].raw, table.rows[0][0].line) == ("<code>fp8</code>", 13)


def test_status_by_colour_is_kept_on_the_cell() -> None:
    page = read_html(
        "<table><tr><th>M</th><th>S</th></tr><tr><td>a</td>"
        "<td><span style='color:green'>●</span></td></tr>"
        "<tr><td>b</td><td style='color: #FFA500'>●</td></tr></table>"
    )

    assert [row[1].colour for row in page.tables[0].rows] == ["green", "#ffa500"]
    assert [row[0].colour for row in page.tables[0].rows] == [None, None]


def test_rendered_tabs_notes_items_and_footnotes() -> None:
    page = read_html(
        "<nav><p>menu</p></nav><h1>P</h1>"
        "<div class='sd-tab-set'><input><label class='sd-tab-label'>A2</label>"
        "<div class='sd-tab-content'><table><tr><th>X</th></tr><tr><td>1</td></tr></table></div>"
        "<input><label class='sd-tab-label'>A3</label>"
        "<div class='sd-tab-content'><table><tr><th>X</th></tr><tr><td>2</td></tr></table></div>"
        "</div>"
        "<div class='tabbed-set'><div class='tabbed-labels'><label>L</label><label>R</label></div>"
        "<div class='tabbed-content'><div class='tabbed-block'><p>left</p></div>"
        "<div class='tabbed-block'><p>right</p></div></div></div>"
        "<div class='admonition warning'><p class='admonition-title'>Warning</p><p>Hot.</p></div>"
        "<ul><li><p>GPU</p><ul><li>CC 7.5</li></ul></li></ul>"
        "<aside class='footnote'><span class='label'>[<a href='#r'>1</a>]</span>"
        "<p>Rare.</p></aside>"
        "<div class='footnote'><ol><li id='fn:x'><p>Often.</p></li></ol></div>"
    )

    assert [(t.tabs, texts(t)) for t in page.tables] == [(("A2",), [["1"]]), (("A3",), [["2"]])]
    assert [(p.text, p.kind, p.label, p.title, p.tabs) for p in page.paragraphs] == [
        ("left", "paragraph", None, None, ("L",)),
        ("right", "paragraph", None, None, ("R",)),
        ("Hot.", "admonition", "warning", "Warning", ()),
    ]
    assert [(i.text, i.depth, i.parents) for i in page.items] == [
        ("GPU", 0, ()),
        ("CC 7.5", 1, ("GPU",)),
    ]
    assert [(n.mark, n.text) for n in page.footnotes] == [("1", "Rare."), ("x", "Often.")]


def test_a_truncated_table_is_read_and_told() -> None:
    page = read_html("<table><tr><th>A</th></tr><tr><td>1</td></tr><tr><td>2")

    (table,) = page.tables
    assert texts(table) == [["1"], ["2"]]
    assert table.irregular == "the table is not closed in the source"
