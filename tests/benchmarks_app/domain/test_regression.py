"""Steps in the history of a metric."""

import numpy as np
import pytest

from benchmarks_app.domain.regression import (
    ALPHA,
    POWER,
    EventKind,
    HistoryPoint,
    NoDetection,
    Power,
    detect_steps,
)
from benchmarks_app.domain.student import two_sided_p


def make_points(
    *levels: tuple[int, float], noise: float = 0.01, seed: int = 1, marked: int = -1
) -> list[HistoryPoint]:
    rng = np.random.default_rng(seed)
    values = np.concatenate([np.full(count, level) for count, level in levels])
    values *= np.exp(rng.normal(0.0, noise, values.size))
    return [HistoryPoint(str(i), float(v), marked=i == marked) for i, v in enumerate(values)]


@pytest.mark.parametrize(
    ("metric", "after", "kind"),
    [
        ("output_token_throughput", 90.0, EventKind.REGRESSION),
        ("output_token_throughput", 110.0, EventKind.IMPROVEMENT),
        ("ttft", 110.0, EventKind.REGRESSION),
        ("ttft", 90.0, EventKind.IMPROVEMENT),
        ("achieved_concurrency", 90.0, EventKind.CHANGE),
    ],
)
def test_a_step_is_found_at_its_place_with_its_meaning(
    metric: str, after: float, kind: EventKind
) -> None:
    (event,) = detect_steps(metric, make_points((8, 100.0), (5, after))).events
    assert (event.uid, event.previous_uid, event.kind) == ("8", "7", kind)
    assert (event.before, event.after) == (8, 5)
    assert event.effect == pytest.approx(after / 100.0 - 1.0, abs=0.02)
    assert event.p_value < 0.01
    assert event.noise == pytest.approx(0.01, abs=0.006)


def test_two_steps_are_found_in_their_order() -> None:
    points = make_points((8, 100.0), (8, 80.0), (8, 100.0))
    events = detect_steps("output_token_throughput", points).events
    assert [(one.uid, one.kind) for one in events] == [
        ("8", EventKind.REGRESSION), ("16", EventKind.IMPROVEMENT),
    ]  # fmt: skip


def test_noise_alone_is_rarely_called_a_step() -> None:
    alarms = sum(
        bool(detect_steps("ttft", make_points((20, 100.0), noise=0.05, seed=seed)).events)
        for seed in range(400)
    )
    assert alarms <= 12


def test_a_small_step_is_no_event_however_sure_it_is() -> None:
    points = make_points((50, 100.0), (50, 98.5), noise=0.001)
    assert detect_steps("ttft", points).events == ()


def test_one_outlier_is_no_step() -> None:
    points = make_points((10, 100.0), (1, 50.0), (10, 100.0))
    events = detect_steps("output_token_throughput", points).events
    assert all(one.p_value < 0.01 for one in events)
    assert events == ()


def test_equal_values_are_no_proof_of_no_noise() -> None:
    points = [HistoryPoint(str(i), value) for i, value in enumerate([100.0] * 4 + [103.5] * 3)]
    (event,) = detect_steps("ttft", points).events
    assert event.noise >= 0.005


def test_what_people_marked_as_changed_is_not_compared() -> None:
    points = make_points((8, 100.0), (8, 60.0), marked=8)
    assert detect_steps("ttft", points).events == ()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([1.0, 2.0, 3.0], NoDetection.TOO_FEW),
        ([], NoDetection.TOO_FEW),
        ([1.0] * 7 + [0.0], NoDetection.NOT_POSITIVE),
        ([1.0] * 7 + [float("nan")], NoDetection.NOT_POSITIVE),
    ],
)
def test_what_cannot_be_tested_says_why(values: list[float], why: NoDetection) -> None:
    points = [HistoryPoint(str(i), value) for i, value in enumerate(values)]
    assert detect_steps("ttft", points).why_none is why


@pytest.mark.parametrize(
    ("t", "freedom", "p"),
    [
        (12.7062, 1, 0.05),
        (2.570582, 5, 0.05),
        (4.032143, 5, 0.01),
        (1.959964, 1e6, 0.05),
        (0, 3, 1.0),
    ],
)
def test_students_t_is_that_of_the_tables(t: float, freedom: float, p: float) -> None:
    assert two_sided_p(t, freedom) == pytest.approx(p, rel=1e-4)


def stated(*, effect: float, noise: float, before: int) -> Power:
    (line,) = (
        one for one in POWER if (one.effect, one.noise, one.before) == (effect, noise, before)
    )
    return line


def test_the_stated_power_grows_with_effect_and_runs_and_false_alarms_are_rare() -> None:
    by_effect = [stated(effect=effect, noise=0.05, before=10) for effect in (0.05, 0.1, 0.2)]
    assert sorted(one.found for one in by_effect) == [one.found for one in by_effect]
    by_runs = [stated(effect=0.1, noise=0.05, before=before) for before in (5, 10, 20)]
    assert sorted(one.found for one in by_runs) == [one.found for one in by_runs]
    assert sum(one.false_alarms for one in POWER) / len(POWER) < ALPHA
    assert max(one.false_alarms for one in POWER) < 2 * ALPHA


def test_the_stated_power_is_that_of_the_detection() -> None:
    line = stated(effect=0.1, noise=0.03, before=10)
    found = 0
    for seed in range(150):
        points = make_points((10, 100.0), (5, 90.0), noise=0.03, seed=seed)
        events = detect_steps("output_token_throughput", points).events
        found += any(abs(int(event.uid) - 10) <= 1 for event in events)
    assert found / 150 == pytest.approx(line.found, abs=0.1)
