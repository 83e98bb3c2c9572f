"""Tables in texts, and what reading them leaves behind."""

import csv

import pytest

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.reading.tables import read_csv, read_pipe_tables


@pytest.mark.parametrize("text", ['a,"' + "x" * 200_000 + '"\n', 'a,"open\n'])
def test_the_limit_of_cells_stays_what_other_readers_rely_on(text: str) -> None:
    usual = csv.field_size_limit()
    try:
        rows = read_csv(text)
        assert len(rows[0].cells[1]) == 200_000
    except ResultError as error:
        assert error.code == "broken-csv"
    assert csv.field_size_limit() == usual


def test_rows_know_their_lines_and_blank_lines_are_rows_without_cells() -> None:
    assert [(row.line, row.cells) for row in read_csv('a,b\n\n"c\nd",e\n')] == [
        (1, ("a", "b")),
        (2, ()),
        (4, ("c\nd", "e")),
    ]


def test_an_unclosed_quote_is_refused_with_its_line() -> None:
    with pytest.raises(ResultError) as caught:
        read_csv('a,b\nc,"d\n')
    assert caught.value.facts["place"] == "line 2"


def test_pipe_tables_are_found_between_other_text() -> None:
    text = "before\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n| 3 | 4 |\nafter\n| no | rule |\n"
    (table,) = read_pipe_tables(text)
    assert (table.line, table.header) == (2, ("a", "b"))
    assert [(row.line, row.cells) for row in table.rows] == [(4, ("1", "2")), (5, ("3", "4"))]
