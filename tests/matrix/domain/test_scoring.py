"""The scorecard: knock-outs first, an unknown never passes, and how firm the order is."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.domain.scorecard import (
    CheckResult,
    Criterion,
    CriterionKind,
    Judgement,
    Outcome,
    Scorecard,
    Standing,
)
from matrix.domain.scoring import score

KNOCK_OUT, WEIGHTED = CriterionKind.KNOCK_OUT, CriterionKind.WEIGHTED
OUT = Criterion("1", "runs", KNOCK_OUT, check="verdict")
SPEED = Criterion("2", "speed", WEIGHTED, weight_percent=60)
CARE = Criterion("3", "care", WEIGHTED, weight_percent=40)


def card(
    candidates: str,
    *,
    checks: Mapping[tuple[str, str], bool | None] | None = None,
    points: Mapping[tuple[str, str], int] | None = None,
    passes: Mapping[tuple[str, str], bool] | None = None,
    waived: Mapping[tuple[str, str], str] | None = None,
    criteria: tuple[Criterion, ...] = (OUT, SPEED, CARE),
) -> Scorecard:
    """The scorecard of candidates that are named by one letter each."""
    judged: dict[Any, Judgement] = {
        key: Judgement(points=value, note="so") for key, value in (points or {}).items()
    }
    judged |= {key: Judgement(passes=value, note="so") for key, value in (passes or {}).items()}
    return score(
        list(candidates),
        criteria,
        checks={key: CheckResult(value) for key, value in (checks or {}).items()},
        judgements=judged,
        waived=waived or {},
    )


def test_a_knocked_out_candidate_is_ranked_last_whatever_its_points() -> None:
    found = card(
        "ab",
        checks={("a", "1"): False, ("b", "1"): True},
        points={("a", "2"): 4, ("a", "3"): 4, ("b", "2"): 1, ("b", "3"): 1},
    )
    assert [(r.candidate, r.standing, r.is_competing) for r in found.ranking] == [
        ("b", Standing.IN, True),
        ("a", Standing.OUT, False),
    ]
    assert found.ranking[1].low_percent == 100
    assert found.ranking[1].failed == ("1",)


def test_an_unknown_knock_out_is_open_and_stands_behind_those_that_pass() -> None:
    found = card(
        "ab",
        checks={("a", "1"): None, ("b", "1"): True},
        points={("a", "2"): 4, ("a", "3"): 4, ("b", "2"): 0, ("b", "3"): 0},
    )
    assert found.entry("a", "1").outcome is Outcome.OPEN
    assert [r.candidate for r in found.ranking] == ["b", "a"]
    assert found.ranking[1].open_knock_outs == 1


def test_people_answer_what_a_check_does_not_know() -> None:
    found = card("ab", checks={("a", "1"): None}, passes={("a", "1"): True, ("b", "1"): False})
    assert found.entry("a", "1").outcome is Outcome.PASS
    assert not found.entry("a", "1").by_check
    assert found.entry("b", "1").outcome is Outcome.FAIL


@pytest.mark.parametrize(("check", "said"), [(False, True), (True, False)])
def test_neither_people_nor_a_check_overrule_a_failure(check: bool, said: bool) -> None:
    found = card("a", checks={("a", "1"): check}, passes={("a", "1"): said})
    assert found.entry("a", "1").outcome is Outcome.FAIL


@pytest.mark.parametrize("check", [False, None])
def test_a_waiver_lifts_a_failed_and_an_open_knock_out(check: bool | None) -> None:
    found = card("a", checks={("a", "1"): check}, waived={("a", "1"): "2027-01-31"})
    entry = found.entry("a", "1")
    assert (entry.outcome, entry.remove_by) == (Outcome.WAIVED, "2027-01-31")
    assert found.ranking[0].standing is Standing.IN
    assert found.ranking[0].waived == ("1",)


def test_a_waiver_of_what_passes_is_not_shown_as_one() -> None:
    found = card("a", checks={("a", "1"): True}, waived={("a", "1"): "2027-01-31"})
    assert found.entry("a", "1").outcome is Outcome.PASS
    assert found.ranking[0].waived == ()


def test_an_open_score_makes_a_range_and_its_lower_end_ranks() -> None:
    found = card(
        "ab",
        checks={("a", "1"): True, ("b", "1"): True},
        points={("a", "2"): 3, ("b", "2"): 3, ("b", "3"): 1},
    )
    best, other = found.ranking
    assert (best.candidate, best.low_percent, best.high_percent) == ("b", 55, 55)
    assert (other.low_percent, other.high_percent, other.open_scores) == (45, 85, 1)


def test_a_check_gives_points_only_where_people_gave_none() -> None:
    checked = Criterion("2", "speed", WEIGHTED, check="slo", weight_percent=100)
    found = card(
        "abc",
        checks={("a", "2"): True, ("b", "2"): False, ("c", "2"): True},
        points={("c", "2"): 1},
        criteria=(checked,),
    )
    assert [found.entry(c, "2").points for c in "abc"] == [4, 0, 1]
    assert [found.entry(c, "2").by_check for c in "abc"] == [True, True, False]


def test_equal_candidates_share_a_rank() -> None:
    found = card("ab", checks={("a", "1"): True, ("b", "1"): True})
    assert [r.rank for r in found.ranking] == [1, 1]


def test_a_narrow_lead_turns_when_a_weight_moves_by_ten_points() -> None:
    found = card(
        "ab",
        checks={("a", "1"): True, ("b", "1"): True},
        points={("a", "2"): 4, ("a", "3"): 0, ("b", "2"): 1, ("b", "3"): 4},
    )
    # 60 × 4 = 240 stand against 60 × 1 + 40 × 4 = 220; at 50 and 50 it is 200 against 250.
    assert found.ranking[0].candidate == "a"
    turned = {(m.criterion, m.by_points) for m in found.moves if m.changes_leader}
    assert turned == {("2", -10), ("3", 10)}
    assert not found.is_leader_firm
    assert not found.is_order_firm


def test_a_wide_lead_stays_whatever_weight_moves() -> None:
    found = card(
        "ab",
        checks={("a", "1"): True, ("b", "1"): True},
        points={("a", "2"): 4, ("a", "3"): 4, ("b", "2"): 1, ("b", "3"): 1},
    )
    assert len(found.moves) == 4
    assert found.is_order_firm
    assert found.is_leader_firm


def test_parting_two_equals_is_no_change_of_the_leader() -> None:
    found = card(
        "ab",
        checks={("a", "1"): True, ("b", "1"): True},
        points={("a", "2"): 2, ("a", "3"): 1, ("b", "2"): 0, ("b", "3"): 4},
    )
    assert found.ranking[0].low_percent == found.ranking[1].low_percent
    assert found.is_leader_firm
    assert found.is_order_firm


@settings(deadline=None)
@given(
    weights=st.lists(st.integers(0, 100), min_size=1, max_size=5),
    points=st.lists(st.integers(0, 4), min_size=15, max_size=15),
)
def test_percent_lie_between_none_and_all_and_never_fall_with_more_points(
    weights: list[int], points: list[int]
) -> None:
    criteria = tuple(
        Criterion(str(at), str(at), WEIGHTED, weight_percent=weight)
        for at, weight in enumerate(weights)
    )
    given_points = {
        (name, str(at)): points[at * 3 + offset]
        for at in range(len(weights))
        for offset, name in enumerate("abc")
    }
    found = card("abc", points=given_points, criteria=criteria)
    assert all(0 <= r.low_percent == r.high_percent <= 100 for r in found.ranking)
    better = {**given_points, ("a", "0"): 4}
    before = next(r for r in found.ranking if r.candidate == "a")
    after = next(
        r for r in card("abc", points=better, criteria=criteria).ranking if r.candidate == "a"
    )
    assert after.low_percent >= before.low_percent
