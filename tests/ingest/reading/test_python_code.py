"""Python source is read without being run; what is no literal stays unresolved."""

import ast

import pytest

from ingest.reading.python_code import (
    MAX_CHARACTERS,
    PythonModule,
    UnreadableCode,
    Unresolved,
    literal_choices,
    named_strings,
    raised,
    read_python,
    returned,
    string_keys,
)

CODE = '''\ufeff
from far.away import Engine as Motor, Wheel

_BASE = {"a": ("x", "A"), "b": 1}
_ALL = {**_BASE, "c": [True, None, -2.5]}
_MADE = make(_BASE)
_LOOP = _POOL
_POOL = _LOOP
Names = Literal["one", "two"]

if Motor:
    _LATE = Wheel


class Old(ABC):
    limit: int = 3

    def floor(self):
        """Only a remark."""
        raise NotImplementedError("no floor")


class New(far.Old):
    def floor(self):
        def inner():
            return 1
        if inner:
            return 80
        return 90
'''


@pytest.fixture
def module() -> PythonModule:
    """A made-up module that starts with a byte order mark."""
    return read_python(CODE, path="made/up.py")


def test_literals_follow_names_and_spread_tables(module: PythonModule) -> None:
    assert module.literal_or_none("_ALL") == {"a": ["x", "A"], "b": 1, "c": [True, None, -2.5]}


def test_a_call_or_a_circle_of_names_is_not_resolved(module: PythonModule) -> None:
    assert module.literal_or_none("_MADE") is None
    assert module.literal_or_none("_POOL") is None
    node = module.assigned("_MADE")
    assert node is not None
    with pytest.raises(Unresolved, match=r"make\(_BASE\)"):
        module.literal(node)


def test_keys_choices_and_named_values_are_read_in_order(module: PythonModule) -> None:
    table, names = module.assigned("_ALL"), module.assigned("Names")
    assert table is not None and names is not None
    assert string_keys(table) == ["c"]
    assert named_strings(table) == {"c": "[True, None, -2.5]"}
    assert literal_choices(names) == ["one", "two"]


def test_imports_keep_their_origin_and_branches_their_assignments(module: PythonModule) -> None:
    assert module.import_names == {"Motor": "Engine", "Wheel": "Wheel"}
    assert module.import_origins("Motor") == ("far.away",)
    assert [ast.unparse(node) for node in module.assigned_anywhere("_LATE")] == ["Wheel"]
    assert module.assigned("_LATE") is None


def test_methods_say_what_they_raise_or_give_back(module: PythonModule) -> None:
    old, new = module.classes["Old"], module.classes["New"]
    old_floor, new_floor = old.method("floor"), new.method("floor")
    assert old_floor is not None and new_floor is not None
    assert (new.bases, new.method("missing")) == (("Old",), None)
    assert raised(old_floor) == "NotImplementedError"
    assert raised(new_floor) == ""
    assert [ast.unparse(node) for node in returned(new_floor)] == ["80", "90"]
    limit = old.attribute("limit")
    assert limit is not None and ast.unparse(limit) == "3"


@pytest.mark.parametrize(
    "text",
    ["def broken(:", "x = \0", "(" * 5_000 + ")" * 5_000, "#" * (MAX_CHARACTERS + 1)],
    ids=["syntax", "null", "nested", "long"],
)
def test_text_that_is_no_python_is_refused_with_its_path(text: str) -> None:
    with pytest.raises(UnreadableCode, match=r"^made/up\.py cannot be parsed: ") as caught:
        read_python(text, path="made/up.py")
    assert caught.value.code == "unreadable-code"
