"""The plain form of scopes, conditions, locators and claims, there and back."""

from typing import Any

import pytest

from matrix.domain import codec
from matrix.domain.claims import Locator
from matrix.domain.coordinates import CONDITION_OPS, Condition, NumberRange, Scope
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind, NumberAxis, Tier
from tests.builders import claim, scope

SCOPES = [
    (Scope(), {}),
    (scope(hardware="nvidia-t4"), {"hardware": {"include": ["nvidia-t4"]}}),
    (
        scope(hardware="nvidia", exclude={Axis.HARDWARE: ["nvidia-volta", "nvidia-turing"]}),
        {"hardware": {"include": ["nvidia"], "exclude": ["nvidia-turing", "nvidia-volta"]}},
    ),
    (scope(exclude={Axis.LAYER: ["moe"]}), {"layer": {"exclude": ["moe"]}}),
    (scope(features=["lora", "eagle"]), {"features": ["eagle", "lora"]}),
    (
        scope(numbers={NumberAxis.TENSOR_PARALLEL: NumberRange(minimum=2)}),
        {"tensor_parallel": {"min": 2}},
    ),
    (
        scope(numbers={NumberAxis.CONTEXT_TOKENS: NumberRange(maximum=8192)}),
        {"context_tokens": {"max": 8192}},
    ),
]


@pytest.mark.parametrize(("value", "plain"), SCOPES)
def test_a_scope_goes_there_and_back(value: Scope, plain: dict[str, Any]) -> None:
    assert codec.scope_to_plain(value) == plain
    assert codec.scope_from_plain(plain) == value


def test_every_axis_has_a_plain_form() -> None:
    for axis in Axis:
        value = scope(**{axis.value: "x"})
        assert codec.scope_from_plain(codec.scope_to_plain(value)) == value
    for number in NumberAxis:
        value = scope(numbers={number: NumberRange(minimum=1, maximum=2)})
        assert codec.scope_from_plain(codec.scope_to_plain(value)) == value


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"hardwear": {"include": ["x"]}}, "'hardwear'; accepted axes: backend, hardware"),
        ({"hardware": ["nvidia"]}, "accepted: include and exclude"),
        ({"hardware": {"includes": ["nvidia"]}}, "accepted: include and exclude"),
        ({"hardware": {"include": "nvidia"}}, "accepted: a list of slugs"),
        ({"hardware": {"include": [1]}}, "accepted: a list of slugs"),
        ({"features": "lora"}, "accepted: a list of slugs"),
        ({"tensor_parallel": 2}, "accepted: min and max"),
        ({"tensor_parallel": {"min": "2"}}, "accepted: min and max with numbers"),
        ({"tensor_parallel": {"min": True}}, "accepted: min and max with numbers"),
        ({"tensor_parallel": {"least": 2}}, "accepted: min and max"),
        (["hardware"], "accepted: axes with their nodes"),
    ],
)
def test_a_scope_of_a_wrong_form_is_refused_with_what_is_accepted(plain: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        codec.scope_from_plain(plain)


@pytest.mark.parametrize("kind", list(ConditionKind))
@pytest.mark.parametrize("op", CONDITION_OPS)
def test_a_condition_goes_there_and_back(kind: ConditionKind, op: str) -> None:
    value = Condition(
        kind=kind, name="--flag", op=op, value="1", workaround="drop it", link="https://example.org"
    )
    assert codec.condition_from_plain(codec.condition_to_plain(value)) == value


def test_a_bare_condition_is_short() -> None:
    value = Condition(kind=ConditionKind.FLAG, name="--flag")
    assert codec.condition_to_plain(value) == {"kind": "flag", "name": "--flag"}
    assert codec.condition_from_plain({"name": "--flag"}).kind is ConditionKind.OTHER


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"kind": "flag"}, "accepted: an object with a name"),
        ({"kind": "flags", "name": "x"}, "'flags' is not a valid"),
        ({"kind": "flag", "name": "x", "op": "~"}, "accepted: =, !=, >=, <=, <, >, set, unset"),
        ({"kind": "flag", "name": "x", "valeu": "1"}, "accepted: kind, link, name, op"),
        ("--flag", "accepted: an object with a name"),
    ],
)
def test_a_condition_of_a_wrong_form_is_refused(plain: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        codec.condition_from_plain(plain)


def test_a_locator_goes_there_and_back_and_says_nothing_that_it_does_not_know() -> None:
    full = Locator(
        heading=("Quantization", "Hardware"),
        row="AWQ",
        column="Turing",
        line=12,
        line_end=14,
        table=2,
        tabs=("CUDA",),
        path=("a", "b"),
    )
    assert codec.locator_from_plain(codec.locator_to_plain(full)) == full
    assert codec.locator_to_plain(Locator()) == {}
    assert codec.locator_from_plain({}) == Locator()


def test_a_locator_reads_as_a_place_in_the_document() -> None:
    text = codec.locator_text(
        Locator(heading=("Page", "Part", "Table"), row="AWQ", column="Turing", line=12)
    )
    assert text == "Part › Table, row “AWQ”, column “Turing”, line 12"
    assert codec.locator_text(Locator(path=("gates", "awq"))) == "gates.awq"
    assert codec.locator_text(Locator()) == ""


def test_a_claim_says_only_what_its_source_said() -> None:
    plain = codec.claim_to_plain(claim("supported", about=scope(hardware="nvidia-t4")))
    assert set(plain) == {
        "uid", "framework", "source", "statement", "scope", "level", "kind", "first",
        "first_kind", "last",
    }  # fmt: skip
    rich = codec.claim_to_plain(
        claim(
            "partial",
            about=scope(hardware="nvidia-t4"),
            kind=EvidenceKind.MAINTAINER,
            tier=Tier.EXPERIMENTAL,
            gone="0.8.0",
        )
    )
    assert (rich["tier"], rich["note"], rich["gone"]) == ("experimental", "a part of it", "0.8.0")
    assert rich["gone_on"] == "2025-08-13"
