"""Taking fields: whatever nobody took, or could not use, stays in the rest."""

import math

import numpy as np

from benchmarks_app.reading.fields import Fields


def test_what_is_not_taken_stays_under_its_place() -> None:
    fields = Fields({"a": 1, "b": {"c": 2, "d": None}, "e": [1]})
    assert fields.number("a") == 1.0
    assert fields.child("b").integer("c") == 2
    assert fields.rest() == {"$.b.d": None, "$.e": [1]}


def test_a_value_of_another_type_is_not_taken() -> None:
    fields = Fields({"a": "12", "b": True, "c": [1], "d": 3, "e": {"f": 1}})
    assert fields.number("a") is None
    assert fields.number("b") is None
    assert fields.integer("c") is None
    assert fields.text("d") is None
    assert fields.flag("e") is None
    assert set(fields.rest()) == {"$.a", "$.b", "$.c", "$.d", "$.e"}


def test_null_and_blank_are_unknown_and_taken() -> None:
    fields = Fields({"a": None, "b": "  "})
    assert fields.number("a") is None
    assert fields.text("b") is None
    assert fields.rest() == {}


def test_infinite_numbers_are_noted_and_stay_in_the_rest() -> None:
    fields = Fields({"a": {"b": math.inf}})
    assert fields.child("a").number("b") is None
    assert fields.all_non_finite() == ("$.a.b",)
    assert fields.rest() == {"$.a.b": math.inf}


def test_integers_beyond_all_numbers_are_noted_like_infinite_ones() -> None:
    fields = Fields({"a": 10**400, "b": True})
    assert fields.number("a") is None and fields.number("b") is None
    assert fields.all_non_finite() == ("$.a",)
    assert list(fields.rest()) == ["$.a", "$.b"]


def test_a_whole_number_written_with_a_point_is_an_integer_and_a_fraction_is_not() -> None:
    fields = Fields({"a": 3.0, "b": 3.5})
    assert fields.integer("a") == 3
    assert fields.integer("b") is None
    assert list(fields.rest()) == ["$.b"]


def test_numbers_written_as_texts_are_read_only_where_asked_for() -> None:
    fields = Fields({"a": "1,234.5", "b": "fast", "c": "inf"})
    assert fields.number_text("a") == 1234.5
    assert fields.number_text("b") is None
    assert fields.number_text("c") is None
    assert list(fields.rest()) == ["$.b", "$.c"]


def test_a_list_of_numbers_keeps_null_as_unknown() -> None:
    found = Fields({"a": [1, None, 2.5]}).numbers("a")
    assert found is not None
    assert np.array_equal(found, [1.0, np.nan, 2.5], equal_nan=True)


def test_a_list_with_texts_or_lists_in_it_is_no_list_of_numbers() -> None:
    fields = Fields({"a": ["x"], "b": [[1], [2]], "c": [[1], [2, 3]], "d": {}})
    assert all(fields.numbers(name) is None for name in "abcd")
    assert set(fields.rest()) == {"$.a", "$.b", "$.c", "$.d"}


def test_a_list_of_objects_is_only_taken_whole() -> None:
    fields = Fields({"a": [{"x": 1}, {"x": 2, "y": 3}], "b": [{"x": 1}, 2]})
    assert [child.integer("x") for child in fields.children("a")] == [1, 2]
    assert fields.children("b") == []
    assert fields.rest() == {"$.b": [{"x": 1}, 2], "$.a[1].y": 3}


def test_withheld_places_are_named_without_their_values() -> None:
    fields = Fields({"a": {"prompt": "secret"}, "key": "k"})
    fields.withhold("key", "absent")
    fields.child("a").withhold("prompt")
    assert fields.withheld() == ("$.key", "$.a.prompt")
    assert fields.rest() == {}


def test_an_object_asked_for_twice_remembers_what_was_taken_of_it():
    fields = Fields({"a": {"b": 1, "c": 2}, "l": [{"d": 3}]})
    fields.child("a").number("b")
    fields.children("l")[0].number("d")
    assert fields.child("a").number("c") == 2.0
    assert fields.children("l")[0].number("d") == 3.0
    assert fields.rest() == {}


def test_keys_that_are_no_texts_become_texts():
    assert Fields({7: 1, None: 2, "a": 3}).rest() == {"$.7": 1, "$.None": 2, "$.a": 3}
