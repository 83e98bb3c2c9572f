"""C++ source is read as enums and tables; comments are no entries."""

from ingest.reading.cpp_code import (
    comments,
    enum_comments,
    enum_names,
    find_block,
    table_rows,
    without_comments,
)

CODE = """
// enum kind { KIND_TRAP = 9 };
enum kind {
    KIND_A = 0,
    KIND_B = 1, // the second
    // KIND_C = 2, support has been removed
    /* KIND_D,
       KIND_E */
    KIND_LAST,
};

static const std::map<kind, const char *> NAMES = {
    { KIND_A, "a { brace"        },
    { KIND_B, "b \\"quoted\\", // no comment" }, // gone: { KIND_C, "c" },
    // { KIND_D, "d" },
};
"""


def test_an_enum_has_the_names_that_are_not_commented_out() -> None:
    assert enum_names(CODE, "kind") == ["KIND_A", "KIND_B", "KIND_LAST"]
    assert enum_names(CODE, "other") == []


def test_the_comments_of_an_enum_tell_what_was_removed() -> None:
    assert enum_comments(CODE, "kind")[:2] == [
        "the second",
        "KIND_C = 2, support has been removed",
    ]


def test_rows_of_a_table_keep_strings_whole() -> None:
    assert table_rows(CODE, r"\bNAMES\s*=") == [
        ["KIND_A", "a { brace"],
        ["KIND_B", 'b "quoted", // no comment'],
    ]


def test_places_stay_when_comments_are_blanked() -> None:
    code = without_comments(CODE)
    assert len(code) == len(CODE)
    assert code.count("\n") == CODE.count("\n")
    assert "TRAP" not in code
    assert next(comments(CODE)) == "enum kind { KIND_TRAP = 9 };"


def test_a_block_that_never_closes_is_no_block() -> None:
    assert find_block("enum kind { KIND_A", r"\benum\s+kind") is None
    assert table_rows("NAMES = { { A, 1 }, { B", r"\bNAMES\s*=") == []


def test_comments_that_never_close_are_read_once() -> None:
    text = "/* " * 200_000
    assert without_comments(text).strip() == ""
    assert len(list(comments(text))) == 1
