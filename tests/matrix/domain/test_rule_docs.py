"""The rules as readers find them name everything that a verdict may say."""

import re
from enum import Enum
from pathlib import Path

import pytest

from matrix.domain.levels import (
    STRENGTH,
    Confidence,
    EvidenceKind,
    Execution,
    LegKind,
    Limit,
    Outcome,
    SupportLevel,
    Tier,
    UnknownReason,
)
from matrix.domain.verdict_values import CARRY_LIMIT_DAYS, RECHECK_AFTER_DAYS, AgeKind, Rule

DOCS = Path(__file__).parents[3] / "docs"
RULES = (DOCS / "verdict-rules.md").read_text(encoding="utf-8")
VOCABULARIES: tuple[type[Enum], ...] = (
    Rule,
    SupportLevel,
    UnknownReason,
    Tier,
    Execution,
    EvidenceKind,
    Outcome,
    Limit,
    Confidence,
    LegKind,
    AgeKind,
)


def rows_of(heading: str) -> list[str]:
    """The first cells of the table with that first column, without the code signs."""
    table = RULES.partition(f"| {heading} |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_every_value_is_explained(vocabulary: type[Enum]) -> None:
    named = set(re.findall(r"`([^`]+)`", RULES))
    assert [member.value for member in vocabulary if member.value not in named] == []


def test_the_tables_hold_the_whole_vocabularies_in_their_order() -> None:
    assert rows_of("level") == [level.value for level in SupportLevel]
    assert rows_of("reason") == [reason.value for reason in UnknownReason]
    assert rows_of("evidence") == [kind.value for kind in EvidenceKind]
    assert rows_of("age") == [kind.value for kind in AgeKind]


def test_strengths_and_limits_are_those_of_the_code() -> None:
    written = re.findall(r"^\| `([a-z-]+)` \| (\d) \|", RULES, flags=re.MULTILINE)
    assert {kind: int(strength) for kind, strength in written} == {
        kind.value: strength for kind, strength in STRENGTH.items()
    }
    assert f"more than {CARRY_LIMIT_DAYS} days" in RULES
    assert f"{RECHECK_AFTER_DAYS} days after the oldest observation" in RULES


def test_nothing_is_explained_that_the_code_does_not_know() -> None:
    known = {member.value for vocabulary in VOCABULARIES for member in vocabulary}
    assert sorted(set(re.findall(r"`([^`]+)`", RULES)) - known) == []


def test_every_term_of_the_glossary_is_explained_once() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", text, flags=re.MULTILINE)[1:]
    names = [name for name, _ in terms if name.strip("-")]
    assert len(names) == len(set(names)) > 40
    assert all(meaning.strip("– -") for name, meaning in terms if name.strip("-"))
