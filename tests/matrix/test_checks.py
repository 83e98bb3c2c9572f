"""The checks that hold vocabularies, tables, words and styles together, each shown by a breach."""

from enum import Enum

import pytest
from django.db import connection

from matrix import checks
from matrix.domain.levels import CLAIM_LEVELS, EvidenceKind, SupportLevel
from matrix.domain.verdict_values import Rule
from matrix.models import Claim


def test_this_installation_passes() -> None:
    assert checks.check_columns() == []
    assert checks.check_words() == []
    assert checks.check_styles() == []


def test_a_column_with_other_choices_is_an_error() -> None:
    (problem,) = checks.column_problems(Claim, "level", tuple(SupportLevel))
    assert problem.id == "matrix.E001"
    assert "Claim.level offers supported, partial, unsupported" in problem.msg


def test_a_column_that_is_too_short_is_an_error() -> None:
    class Long(Enum):
        WORD = "x" * 300

    problems = list(checks.column_problems(Claim, "outcome", tuple(Long)))
    assert ["holds 20 characters" in problem.msg for problem in problems] == [True]


def test_the_levels_of_a_claim_are_those_it_may_state() -> None:
    assert list(checks.column_problems(Claim, "level", CLAIM_LEVELS)) == []


def test_a_value_without_a_word_is_an_error_that_names_it() -> None:
    table = {rule: "word" for rule in Rule if rule is not Rule.VETO}
    (problem,) = checks.word_problems("RULE_NAMES", Rule, table)
    assert problem.msg == "RULE_NAMES has no word for veto of Rule."


def test_a_level_without_a_style_is_an_error_that_names_it() -> None:
    sheet = " ".join(f".level-{level.value} {{}}" for level in SupportLevel if level != "partial")
    problems = [problem.msg for problem in checks.style_problems(sheet)]
    assert problems[0] == "css/components.css has no class level-partial."
    assert "status-active" in problems[1]


def test_a_longer_class_does_not_stand_for_a_shorter_one() -> None:
    sheet = " ".join(f".level-{level.value}-soft {{}}" for level in SupportLevel)
    assert "level-supported" in next(checks.style_problems(sheet)).msg


def test_every_vocabulary_of_the_evidence_is_held_by_two_columns() -> None:
    held = [name for _, name, members in checks.COLUMNS if tuple(members) == tuple(EvidenceKind)]
    assert held == ["kind", "evidence_kind"]


@pytest.mark.django_db
def test_a_database_whose_triggers_are_switched_off_is_an_error() -> None:
    assert checks.check_triggers(databases=["default"]) == []
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE matrix_claim DISABLE TRIGGER matrix_claim_append_only")
    (problem,) = checks.check_triggers(databases=["default"])
    assert problem.id == "matrix.E004"
    assert "matrix_claim_append_only" in problem.msg
    assert checks.check_triggers(databases=None) == []
