"""Every value of a closed vocabulary has its words, and every colour pair its contrast."""

import re
from pathlib import Path

import pytest

from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.domain.catalogue import NODE_AREAS
from matrix.domain.coordinates import NumberRange, Scope
from matrix.domain.levels import (
    Axis,
    ConditionKind,
    Confidence,
    EvidenceKind,
    Execution,
    LegKind,
    Limit,
    MaintenanceStatus,
    NumberAxis,
    Outcome,
    SupportLevel,
    Tier,
    UnknownReason,
)
from matrix.domain.verdict_values import AgeKind, Rule
from matrix.grids import Absent
from matrix.pages import rule_words, words
from matrix.pages.changes import CHANGE_WORDS
from matrix.pages.evidence import scope_lines
from matrix.pages.explorer import absent_sentence
from matrix.queries import ChangeKind
from matrix.queries.rule_texts import RULE_TEXTS

STATIC = Path(__file__).resolve().parents[2] / "static"

TABLES = [
    (words.LEVEL_SIGNS, SupportLevel),
    (words.STATUS_SIGNS, MaintenanceStatus),
    (words.EVIDENCE_SIGNS, EvidenceKind),
    (words.EXECUTION_WORDS, Execution),
    (words.TIER_WORDS, Tier),
    (words.OUTCOME_WORDS, Outcome),
    (words.CONFIDENCE_WORDS, Confidence),
    (words.LIMIT_WORDS, Limit),
    (words.LEG_WORDS, LegKind),
    (words.CONDITION_WORDS, ConditionKind),
    (rule_words.RULE_NAMES, Rule),
    (rule_words.UNKNOWN_SENTENCES, UnknownReason),
    (rule_words.AGE_SENTENCES, AgeKind),
    (RULE_TEXTS, Rule),
    (CHANGE_WORDS, ChangeKind),
]


@pytest.mark.parametrize(("table", "vocabulary"), TABLES, ids=lambda v: getattr(v, "__name__", ""))
def test_every_value_has_its_words(table: dict[object, object], vocabulary: type) -> None:
    assert set(table) == set(vocabulary)


def test_every_axis_has_a_name() -> None:
    assert {*Axis, *NumberAxis} <= set(words.AXIS_WORDS)


def test_every_level_of_the_shipped_trees_has_a_name() -> None:
    catalogue = read_catalogue(CATALOG_FOLDER)
    kinds = {node.kind for area in NODE_AREAS for node in catalogue.area(area).values()}
    kinds |= {period.start_kind for period in catalogue.periods}
    assert kinds <= set(words.KIND_WORDS)


def test_every_reason_for_not_asking_has_a_sentence() -> None:
    assert len({absent_sentence(why) for why in Absent}) == len(Absent)


def test_levels_differ_by_icon_and_word_not_only_by_colour() -> None:
    for name in ("icon", "word", "short"):
        assert len({str(getattr(sign, name)) for sign in words.LEVEL_SIGNS.values()}) == 5


def test_every_level_and_status_has_a_style() -> None:
    css = (STATIC / "css" / "components.css").read_text(encoding="utf-8")
    assert all(f".level-{level.value}" in css for level in SupportLevel)
    assert all(f".status-{status.value}" in css for status in MaintenanceStatus)
    bars = (STATIC / "css" / "matrix.css").read_text(encoding="utf-8")
    assert all(f".fill-{level.value}" in bars for level in SupportLevel)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _tokens() -> dict[str, tuple[str, str]]:
    css = (STATIC / "css" / "tokens.css").read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", css)
    return {name: (light, dark) for name, light, dark in found}


TEXT_ON_GROUND = [
    ("ink", "paper"), ("ink", "ground"), ("ink", "raised"), ("ink-soft", "paper"),
    ("ink-soft", "ground"), ("ink-soft", "raised"), ("accent", "paper"), ("accent", "ground"),
    ("accent", "accent-ground"), ("accent-ink", "accent"),
    *((f"{level.value}-ink", f"{level.value}-ground") for level in SupportLevel),
]  # fmt: skip


@pytest.mark.parametrize(("text", "ground"), TEXT_ON_GROUND)
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(text: str, ground: str, scheme: int) -> None:
    tokens = _tokens()
    assert _contrast(tokens[text][scheme], tokens[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_borders_of_fields_are_visible(scheme: int) -> None:
    tokens = _tokens()
    assert _contrast(tokens["line-strong"][scheme], tokens["raised"][scheme]) >= 3.0


def test_a_number_with_one_value_is_written_as_that_value() -> None:
    scope = Scope(
        numbers={
            NumberAxis.HARDWARE_COUNT: NumberRange(minimum=1, maximum=1),
            NumberAxis.CONTEXT_TOKENS: NumberRange(minimum=16_384, maximum=None),
        }
    )
    lines = scope_lines(read_catalogue(CATALOG_FOLDER), scope)
    assert [line.rpartition(": ")[2] for line in lines] == ["1", "≥ 16384"]
