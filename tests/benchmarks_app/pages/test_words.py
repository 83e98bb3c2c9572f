"""Every code of a closed list has its words, and numbers are shown with what they say."""

from enum import StrEnum

import pytest

from benchmarks_app.contract import Load
from benchmarks_app.domain.comparability import BARRIER_CODES, VARIABLES, Barrier, Role, Severity
from benchmarks_app.domain.comparability import Verdict as Likeness
from benchmarks_app.domain.comparison import Difference, NoInterval, ValueOrigin
from benchmarks_app.domain.facts import FactGroup
from benchmarks_app.domain.levels import (
    LoadMode,
    Origin,
    RunClass,
    RunOutcome,
    RunState,
    RunStatus,
)
from benchmarks_app.domain.metrics import METRICS, STATS, Direction, Unit
from benchmarks_app.domain.notices import NOTICES, Weight
from benchmarks_app.domain.outcomes import REASONS
from benchmarks_app.domain.provenance import ITEMS, Grade, Known
from benchmarks_app.domain.regression import EventKind, NoDetection
from benchmarks_app.domain.slo import WhyUnknown
from benchmarks_app.domain.stability import Drift, WhyNone
from benchmarks_app.pages import barrier_words, checklist_words, metric_words, words
from benchmarks_app.pages.barrier_words import barrier_word
from benchmarks_app.pages.comparison_tables import WHY_UNKNOWN_WORDS, run_numbers
from benchmarks_app.pages.history import EVENT_SIGNS, NO_DETECTION_WORDS
from benchmarks_app.pages.metric_words import number_word, value_word
from benchmarks_app.pages.notice_words import NOTICE_WORDS, WEIGHT_WORDS, notice_word
from benchmarks_app.pages.outcome_words import REASON_WORDS, outcome_words
from benchmarks_app.plots.stability_figures import DRIFT_WORDS, WHY_NONE_WORDS


@pytest.mark.parametrize(
    ("values", "table"),
    [
        (RunStatus, words.STATUS_SIGNS),
        (RunClass, words.CLASS_SIGNS),
        (RunOutcome, words.OUTCOME_SIGNS),
        (RunState, words.STATE_SIGNS),
        (LoadMode, words.LOAD_MODE_WORDS),
        (LoadMode, words.LOAD_MODE_SHORT),
        (Origin, words.ORIGIN_WORDS),
        (FactGroup, words.FACT_GROUP_WORDS),
        (Direction, words.DIRECTION_WORDS),
        (Unit, metric_words.UNIT_WORDS),
        (Weight, WEIGHT_WORDS),
        (Known, checklist_words.KNOWN_WORDS),
        (Role, barrier_words.ROLE_WORDS),
        (Likeness, barrier_words.VERDICT_SIGNS),
        (NoInterval, barrier_words.NO_INTERVAL_WORDS),
        (Difference, barrier_words.DIFFERENCE_SIGNS),
        (ValueOrigin, barrier_words.VALUE_ORIGIN_WORDS),
        (WhyUnknown, WHY_UNKNOWN_WORDS),
        (EventKind, EVENT_SIGNS),
        (NoDetection, NO_DETECTION_WORDS),
        (Drift, DRIFT_WORDS),
        (WhyNone, WHY_NONE_WORDS),
    ],
)
def test_every_member_has_its_words(values: type[StrEnum], table: dict[StrEnum, object]) -> None:
    assert [one for one in values if one not in table] == []


def test_every_code_and_name_has_its_words() -> None:
    assert sorted(set(NOTICES) - set(NOTICE_WORDS)) == []
    assert sorted(set(METRICS) - set(metric_words.METRIC_WORDS)) == []
    assert sorted(set(REASONS) ^ set(REASON_WORDS)) == []
    assert sorted({item.name for item in ITEMS} - set(checklist_words.ITEM_WORDS)) == []
    assert sorted(set(BARRIER_CODES) - set(barrier_words.BARRIER_WORDS)) == []
    assert sorted({one.name for one in VARIABLES} - set(barrier_words.VARIABLE_WORDS)) == []
    assert sorted({grade.value for grade in Grade} - set(words.GRADE_WORDS)) == []
    loads = set(Load.__dataclass_fields__) - {"extra"}
    assert sorted(loads - set(words.LOAD_WORDS)) == []


def test_why_a_run_shows_nothing_is_said_in_words_with_the_quoted_line() -> None:
    assert outcome_words("no-subject") == "model, framework or hardware are not stated"
    assert outcome_words("crashed: GGML_ASSERT: a") == "the framework crashed: GGML_ASSERT: a"
    assert outcome_words("1/10 of them") == "1/10 of them"


def test_every_definition_is_explained() -> None:
    for metric in METRICS.values():
        for definition in metric.definitions:
            assert metric_words.definition_word(definition) != definition


def test_statistics_are_named_and_percentiles_keep_their_rank() -> None:
    assert [metric_words.stat_word(stat) for stat in ("p99", "p99.9", "p50")] == [
        "P99",
        "P99.9",
        "median",
    ]
    assert all(metric_words.stat_word(stat) for stat in STATS)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (0.000123456, "0.0001235"),
        (1.5, "1.5"),
        (80.0, "80"),
        (1234.5678, "1,235"),
        (-3.14159, "-3.142"),
        (1e-12, "1e-12"),
        (float("nan"), "not a number"),
    ],
)
def test_numbers_keep_four_digits_that_say_something(value: float, shown: str) -> None:
    assert number_word(value) == shown


def test_bytes_and_shares_are_shown_in_the_units_of_people() -> None:
    assert value_word("peak_gpu_memory", 2.0 * 2**30) == "2"
    assert value_word("goodput_fraction", 0.25) == "25"


def test_a_detail_completes_the_sentence_of_a_notice() -> None:
    assert notice_word("zero_token_successes", "379").endswith("(379)")
    assert notice_word("no-such-code") == "no-such-code"


def test_barriers_name_both_sides_and_the_unknown_one() -> None:
    barrier = Barrier("load-mode", Severity.BLOCKS, "closed_loop", "burst")
    assert barrier_word(barrier).endswith("closed loop and burst")
    unknown = Barrier("input-length-unknown", Severity.MARKS, None, 512.0)
    assert barrier_word(unknown).endswith("unknown and 512")


def test_numbers_of_runs_are_written_in_short() -> None:
    assert run_numbers([1, 2, 3, 5, 7, 8]) == "1–3, 5, 7, 8"
