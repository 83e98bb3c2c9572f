"""System checks that hold the vocabularies, the tables, the words and the styles together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import CharField, Model

from matrix.domain.levels import (
    CLAIM_LEVELS,
    ConditionKind,
    Confidence,
    EndpointKind,
    EvidenceKind,
    Execution,
    LegKind,
    Limit,
    MaintenanceStatus,
    Outcome,
    SupportLevel,
    Tier,
    UnknownReason,
)
from matrix.domain.verdict_values import AgeKind, Rule
from matrix.models import Claim, MaintenancePeriod
from matrix.pages import rule_words, words
from matrix.queries.rule_texts import RULE_TEXTS

# Which vocabulary each column holds; those with choices must offer exactly it.
COLUMNS: tuple[tuple[type[Model], str, Sequence[Enum]], ...] = (
    (Claim, "level", CLAIM_LEVELS),
    (Claim, "execution", tuple(Execution)),
    (Claim, "tier", tuple(Tier)),
    (Claim, "outcome", tuple(Outcome)),
    (Claim, "limit", tuple(Limit)),
    (Claim, "kind", tuple(EvidenceKind)),
    (Claim, "first_kind", tuple(EndpointKind)),
    (MaintenancePeriod, "status", tuple(MaintenanceStatus)),
    (MaintenancePeriod, "evidence_kind", tuple(EvidenceKind)),
)
WORDS: tuple[tuple[str, type[Enum], Mapping[Any, object]], ...] = (
    ("LEVEL_SIGNS", SupportLevel, words.LEVEL_SIGNS),
    ("STATUS_SIGNS", MaintenanceStatus, words.STATUS_SIGNS),
    ("EVIDENCE_SIGNS", EvidenceKind, words.EVIDENCE_SIGNS),
    ("EXECUTION_WORDS", Execution, words.EXECUTION_WORDS),
    ("TIER_WORDS", Tier, words.TIER_WORDS),
    ("OUTCOME_WORDS", Outcome, words.OUTCOME_WORDS),
    ("CONFIDENCE_WORDS", Confidence, words.CONFIDENCE_WORDS),
    ("LIMIT_WORDS", Limit, words.LIMIT_WORDS),
    ("LEG_WORDS", LegKind, words.LEG_WORDS),
    ("CONDITION_WORDS", ConditionKind, words.CONDITION_WORDS),
    ("RULE_NAMES", Rule, rule_words.RULE_NAMES),
    ("RULE_TEXTS", Rule, RULE_TEXTS),
    ("UNKNOWN_SENTENCES", UnknownReason, rule_words.UNKNOWN_SENTENCES),
    ("AGE_SENTENCES", AgeKind, rule_words.AGE_SENTENCES),
)
STYLE_SHEET = "css/components.css"
STYLES: tuple[tuple[str, type[Enum]], ...] = (
    ("level", SupportLevel),
    ("status", MaintenanceStatus),
)
TRIGGERS = frozenset(
    {
        "matrix_claim_append_only",
        "matrix_observation_append_only",
        "matrix_auditentry_append_only",
    }
)


def check_columns(**kwargs: Any) -> list[CheckMessage]:
    """Returns an error for each column that does not offer, or cannot hold, its vocabulary."""
    return [problem for column in COLUMNS for problem in column_problems(*column)]


def column_problems(model: type[Model], name: str, members: Sequence[Enum]) -> Iterator[Error]:
    """What is wrong with one column."""
    column = model._meta.get_field(name)
    assert isinstance(column, CharField)
    where = f"{model.__name__}.{name}"
    values = [str(member.value) for member in members]
    offered = [str(value) for value, _ in column.choices or ()]
    if offered and offered != values:
        yield Error(
            f"{where} offers {', '.join(offered)}; its vocabulary is {', '.join(values)}.",
            hint="Derive the choices from the enumeration and make a migration.",
            id="matrix.E001",
        )
    longest = max(values, key=len)
    if column.max_length is not None and len(longest) > column.max_length:
        yield Error(
            f"{where} holds {column.max_length} characters; {longest!r} has {len(longest)}.",
            hint="Widen the column.",
            id="matrix.E001",
        )


def check_words(**kwargs: Any) -> list[CheckMessage]:
    """Returns an error for each table of words that lacks a value of its vocabulary."""
    return [problem for table in WORDS for problem in word_problems(*table)]


def word_problems(
    name: str, vocabulary: type[Enum], table: Mapping[Any, object]
) -> Iterator[Error]:
    """What is wrong with one table of words."""
    if missing := [str(member.value) for member in vocabulary if member not in table]:
        yield Error(
            f"{name} has no word for {', '.join(missing)} of {vocabulary.__name__}.",
            hint="Every value is shown somewhere; add its word.",
            id="matrix.E002",
        )


def check_styles(**kwargs: Any) -> list[CheckMessage]:
    """Returns an error for each level or status without a class in the style sheet."""
    found = finders.find(STYLE_SHEET)
    text = Path(found).read_text(encoding="utf-8") if isinstance(found, str) else ""
    return list(style_problems(text))


def style_problems(style_sheet: str) -> Iterator[Error]:
    """What a style sheet lacks."""
    classes = set(re.findall(r"\.([a-z][a-z-]*)", style_sheet))
    for prefix, vocabulary in STYLES:
        wanted = [f"{prefix}-{member.value}" for member in vocabulary]
        if missing := [name for name in wanted if name not in classes]:
            yield Error(
                f"{STYLE_SHEET} has no class {', '.join(missing)}.",
                hint="Every value is shown in a colour of its own, beside its sign.",
                id="matrix.E003",
            )


def check_triggers(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Returns an error for a database whose append-only triggers are missing or switched off.

    Runs where databases are checked (``manage.py check --database default``).
    """
    problems: list[CheckMessage] = []
    for alias in databases or ():
        # Before its migration ran, nothing is missing yet, and `migrate` itself asks here first.
        if ("matrix", "0002_append_only") not in MigrationRecorder(
            connections[alias]
        ).applied_migrations():
            continue
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT tgname FROM pg_trigger WHERE tgenabled <> 'D'")
            missing = sorted(TRIGGERS - {name for (name,) in cursor.fetchall()})
        if missing:
            problems.append(
                Error(
                    f"The database {alias!r} lacks the triggers {', '.join(missing)}, so that "
                    "claims and the audit log could be edited.",
                    hint="Run `manage.py migrate`, or enable the triggers again.",
                    id="matrix.E004",
                )
            )
    return problems
