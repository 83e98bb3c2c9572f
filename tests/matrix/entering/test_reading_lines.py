"""JSONL and CSV as people and spreadsheets write them; each problem has its line."""

from typing import Any

import pytest

from matrix.entering.lines import LONGEST_LINE_BYTES, read_lines
from tests.matrix.entering.entered_world import jsonl


def given(data: bytes, form: str = "jsonl") -> list[tuple[int, Any]]:
    """The lines of a file that has no problem."""
    entries, problems = read_lines(data, form=form)
    assert problems == []
    return [(entry.line, entry.given) for entry in entries]


def broken(data: bytes, form: str = "jsonl") -> list[str]:
    """The problems of a file."""
    return [str(problem) for problem in read_lines(data, form=form)[1]]


def test_blank_lines_comments_a_bom_and_windows_ends_are_taken() -> None:
    data = b'\xef\xbb\xbf# why\r\n\r\n{"a": 1}\r\n// more\r\n  {"b": "\xe2\x9c\x85"}  '
    assert given(data) == [(3, {"a": 1}), (5, {"b": "✅"})]


def test_other_line_separators_stay_inside_their_text() -> None:
    assert given('{"a": "x\u2028y"}\n'.encode()) == [(1, {"a": "x\u2028y"})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a": 1,}', "line 2, is no JSON at column"),
        (b"[1]", "line 2, is [1]; accepted: one object a line"),
        (b"3", "line 2, is 3"),
        (b'{"a": 1, "a": 2}', "line 2, holds the field 'a' twice"),
        (b'{"a": {"b": 1, "b": 2}}', "line 2, holds the field 'b' twice"),
        (b'{"a": NaN}', "line 2, holds NaN"),
        (b'{"a": -Infinity}', "line 2, holds -Infinity"),
        (b'{"a": "\xff"}', "line 2, is no UTF-8 at column 8"),
        (b"[" * 20_000, "line 2, is nested too deeply"),
        (b'{"a": 1} {"b": 2}', "line 2, is no JSON at column 10"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "line 2, "),
        (b'{"a": "' + b"x" * LONGEST_LINE_BYTES + b'"}', "line 2, has 65545 bytes"),
    ],
)
def test_a_broken_line_is_named_and_the_others_are_read(text: bytes, expected: str) -> None:
    data = b'{"x": 1}\n' + text + b'\n{"y": 2}\n'
    entries, problems = read_lines(data, form="jsonl")
    assert [entry.line for entry in entries] == [1, 3]
    assert len(problems) == 1
    assert str(problems[0]).startswith(expected)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_another_encoding_is_said(form: str) -> None:
    assert broken('{"a": 1}'.encode("utf-16"), form) == [
        "line 1, file: is UTF-16 or binary; accepted: text in UTF-8"
    ]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n"])
def test_a_file_without_a_line_is_said(data: bytes) -> None:
    assert broken(data) == ["file: holds no line; accepted: at least one claim"]


CSV = (
    "framework,statement,scope.hardware,scope.hardware.exclude,scope.features,scope.tp,"
    "evidence.url,evidence.line,conditions\r\n"
    'vLLM,"AWQ, on T4",NVIDIA,Tesla T4|Turing,LoRA | Spec,>=2,https://example.org/,12,\r\n'
    "\r\n"
    'vLLM,"two\r\nlines",,,,,https://example.org/,,"[{""kind"": ""flag"", ""name"": ""-x""}]"\r\n'
)


def test_csv_cells_become_the_fields_of_a_line() -> None:
    assert given(CSV.encode(), "csv") == [
        (
            2,
            {
                "framework": "vLLM",
                "statement": "AWQ, on T4",
                "scope": {
                    "hardware": {"include": "NVIDIA", "exclude": ["Tesla T4", "Turing"]},
                    "features": ["LoRA", "Spec"],
                    "tp": ">=2",
                },
                "evidence": {"url": "https://example.org/", "line": "12"},
            },
        ),
        (
            4,
            {
                "framework": "vLLM",
                "statement": "two\r\nlines",
                "evidence": {"url": "https://example.org/"},
                "conditions": [{"kind": "flag", "name": "-x"}],
            },
        ),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", "line 1, is 'a|b'; accepted: names of columns, one of them framework"),
        ("framework,b,b\nx,y,z\n", "line 1, holds the column 'b' twice"),
        ("framework,a,a.b\n", "line 1, holds 'a' and 'a.b'; accepted: one of the two"),
        ("framework,b\nx\n", "line 2, has 1 cells; accepted: 2"),
        ("framework,b\nx,y,z\n", "line 2, has 3 cells; accepted: 2"),
        ('framework,b\nx,"y\n', "line 2, is no CSV: "),
        ('framework,b\nx,"y"z\n', "line 2, is no CSV: "),
        ("framework,conditions\nx,[\n", "line 2, conditions: is '[', no JSON"),
    ],
)
def test_a_broken_csv_line_is_named(text: str, expected: str) -> None:
    assert broken(text.encode(), "csv")[0].startswith(expected)


def test_a_csv_file_in_another_encoding_names_its_line() -> None:
    data = "framework,b\nx,y\nx,é\n".encode("latin-1")
    assert broken(data, "csv") == ["line 3, is no UTF-8; accepted: text in UTF-8"]


def test_a_long_file_of_sound_lines_is_read_whole() -> None:
    assert len(given(jsonl(*({"n": n} for n in range(5_000))))) == 5_000
