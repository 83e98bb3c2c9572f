"""Opening result files: what the bytes are, and what is said of broken ones."""

import json
import math
import time

import pytest

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.reading.document import Document, Kind, open_document


def opened(data: bytes | str) -> Document:
    return open_document("a/b.json", data.encode() if isinstance(data, str) else data)


def refusal(data: bytes | str) -> ResultError:
    with pytest.raises(ResultError) as caught:
        opened(data)
    return caught.value


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ('{"a": 1}', Kind.JSON),
        ("[1, 2]", Kind.JSON),
        ("[]", Kind.JSON),
        ("[true]", Kind.JSON),
        ("[NaN, 1]", Kind.JSON),
        ('{"a": 1}\n{"a": 2}', Kind.JSON_LINES),
        ('{"a": 1}\n', Kind.JSON),
        ('{\n"a": 1\n}\n', Kind.JSON),
        ("a: 1\nb: [1, 2]\n", Kind.YAML),
        ("---\na: 1\n", Kind.YAML),
        ("a,b\n1,2\n", Kind.TEXT),
        ("[2024-11-18 10:00:00] started\n", Kind.TEXT),
        ("[TensorRT-LLM][INFO] engine\n", Kind.TEXT),
        ("{ not json", Kind.TEXT),
        (b"\x89PNG\r\n\x1a\n....", Kind.BINARY),
        (b"a\x00b", Kind.BINARY),
    ],
)
def test_the_kind_follows_from_the_bytes_and_not_from_the_name(
    data: bytes | str, kind: Kind
) -> None:
    assert opened(data).kind is kind


def test_json_lines_keep_their_line_numbers_over_blank_lines() -> None:
    document = opened('{"a": 1}\n\n{"a": 2}\n')
    assert [(r.line, r.value) for r in document.records] == [(1, {"a": 1}), (3, {"a": 2})]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_a_byte_order_mark_is_passed_over(mark: bytes) -> None:
    assert opened(mark + b'{"a": 1}').value == {"a": 1}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_is_read(encoding: str) -> None:
    mark = {"utf-16": "", "utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}[encoding]
    assert opened((mark + '{"a": "ü"}').encode(encoding)).value == {"a": "ü"}


def test_bare_infinity_and_nan_become_floats() -> None:
    value = opened('{"rate": Infinity, "low": -Infinity, "none": NaN}').value
    assert isinstance(value, dict)
    assert math.isinf(value["rate"])
    assert value["low"] == -math.inf
    assert math.isnan(value["none"])


def test_the_word_infinity_inside_a_text_stays_a_text() -> None:
    assert opened('{"a": "to Infinity, and on"}').value == {"a": "to Infinity, and on"}


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        ("", "empty-file", ""),
        (" \n\t ", "empty-file", ""),
        ("[\n", "truncated-json", "line 2, column 1"),
        ('{"a": [1, 2', "truncated-json", "line 1, column 12"),
        ('{"a": 1,, "b": 2}', "broken-json", "line 1, column 9"),
        ('{"a": 1}\n{"a": 2,}\n', "broken-json", "line 2, column 9"),
        ('{"a": {"b": 1, "b": 2}}', "repeated-key", "$.a"),
        ('[{"c": 1}, {"b": 1, "b" : 2}]', "repeated-key", "$[1]"),
        ('{"a": 1}\n{"b": 1, "b": 2}', "repeated-key", "line 2, $"),
        (b"a,b\n1,\xff\xfe2\n", "unknown-encoding", "byte 6"),
        ('{"a": "cut off he', "truncated-json", "line 1, column 7"),
        ('{"a": "\\ud800"}', "broken-json", "byte 7"),
        ('{"a": ' + "9" * 5000 + "}", "broken-json", "byte 6"),
        (b'{"a": Infinity, "b": "\xff"}', "broken-json", "byte 22"),
        (b'{"a": 1}\n{"a": NaN, "b": "\xff"}', "broken-json", "line 2, byte 17"),
    ],
)
def test_broken_bytes_are_refused_with_their_place(
    data: bytes | str, code: str, place: str
) -> None:
    error = refusal(data)
    assert (error.code, error.facts["place"]) == (code, place)


@pytest.mark.parametrize("number", [201, 1_500, 100_000])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_endless_nesting_is_refused(number: int, start: str, end: str) -> None:
    assert refusal(start * number + "1" + end * number).code == "too-deep"


@pytest.mark.parametrize("number", [100_000])
def test_endless_nesting_with_an_infinity_is_refused_too(number: int) -> None:
    assert refusal("[" * number + "Infinity" + "]" * number).code == "too-deep"


def test_a_key_ends_in_a_text_do_not_count_as_keys() -> None:
    inner = json.dumps({"a": 1, "b": {"c": 2}})
    value = {"text": inner, "tail": 'ends in ": ', "slash": "\\", "x\\": 1}
    assert opened(json.dumps(value)).value == value


def test_yaml_with_python_tags_gives_plain_values() -> None:
    text = "a: !!python/tuple [1, 2]\nb: !!python/object:os.system {x: 1}\nc: 2026-11-30\n"
    assert opened(text).value == {"a": [1, 2], "b": {"x": 1}, "c": "2026-11-30"}


def test_yaml_whose_anchors_unfold_without_end_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert refusal("\n".join(lines)).code == "too-large"


def test_yaml_that_contains_itself_is_refused() -> None:
    assert refusal("a: &a [*a]\n").code == "too-large"


def test_a_known_binary_format_is_named() -> None:
    assert opened(b"SQLite format 3\x00rest").media == "an SQLite database"


def test_the_folder_and_the_base_name_come_from_either_slash() -> None:
    document = open_document("x\\y/z.csv", b"a,b\n1,2\n")
    assert (document.folder, document.basename) == ("x/y", "z.csv")


def test_a_repeated_key_among_many_is_found_as_fast_as_any_other() -> None:
    keys = ",".join(f'"k{number}":1' for number in range(100_000))
    started = time.process_time()
    with pytest.raises(ResultError, match="k99999"):
        open_document("a.json", f'{{{keys},"k99999":2}}'.encode())
    assert time.process_time() - started < 5.0


def test_merges_of_merges_are_kept_as_keys_and_fill_no_memory() -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n}\n  <<: [*a{n - 1}, *a{n - 1}]" for n in range(1, 12)]
    value = open_document("a.yaml", "\n".join(lines).encode()).value
    assert isinstance(value, dict) and value["a1"] == {"<<": [{"x": 1}, {"x": 1}]}
    lines += [f"a{n}: &a{n}\n  <<: [*a{n - 1}, *a{n - 1}]" for n in range(12, 60)]
    with pytest.raises(ResultError, match="unfold"):
        open_document("a.yaml", "\n".join(lines).encode())
