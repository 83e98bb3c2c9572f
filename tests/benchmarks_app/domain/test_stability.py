"""A run over its own time."""

import numpy as np
import pytest

from benchmarks_app.contract import Samples
from benchmarks_app.domain import stability as rules
from benchmarks_app.domain.stability import (
    Drift,
    Stability,
    WhyNone,
    WindowSeries,
    describe_stability,
)


def make_samples(seed: int, count: int = 1200, slower: float = 0.0) -> Samples:
    """Requests every half second; latencies grow by the share ``slower`` until the end."""
    rng = np.random.default_rng(seed)
    start = np.arange(count) * 0.5 + 1_796_000_000.0
    factor = 1.0 + slower * np.arange(count) / count
    return Samples(
        requests={
            "start_s": start,
            "e2el_ms": rng.lognormal(6.0, 0.2, count) * factor,
            "ttft_ms": rng.lognormal(4.0, 0.2, count) * factor,
        }
    )


def drifting(stability: Stability) -> list[WindowSeries]:
    return [one for one in stability.series if one.drift in (Drift.RISING, Drift.FALLING)]


def test_a_steady_run_does_not_drift_and_its_windows_count_every_request() -> None:
    found = describe_stability(make_samples(1))
    assert [one.name for one in found.series] == ["completed_per_s", "ttft", "e2el"]
    completed = found.series[0].values
    assert completed.size == 60
    assert (completed * found.width_s).sum() == pytest.approx(1200.0)
    assert drifting(found) == []
    assert found.starts_s[0] == 0.0


def test_latencies_that_grow_are_rising() -> None:
    found = describe_stability(make_samples(2, slower=0.3))
    assert [(one.name, one.drift) for one in drifting(found)] == [
        ("ttft", Drift.RISING), ("e2el", Drift.RISING),
    ]  # fmt: skip
    assert found.series[1].change == pytest.approx(0.2, abs=0.06)


def test_a_throughput_that_falls_is_falling() -> None:
    start = np.cumsum(np.linspace(0.2, 0.6, 1000))
    samples = Samples(requests={"start_s": start, "e2el_ms": np.full(1000, 100.0)})
    assert [(one.name, one.drift) for one in drifting(describe_stability(samples))] == [
        ("completed_per_s", Drift.FALLING)
    ]


def test_false_drifts_are_rare() -> None:
    alarms = sum(bool(drifting(describe_stability(make_samples(seed)))) for seed in range(100))
    assert alarms <= 5


@pytest.mark.parametrize(
    ("samples", "why"),
    [
        (None, WhyNone.NO_SAMPLES),
        (Samples(), WhyNone.NO_SAMPLES),
        (Samples(requests={"e2el_ms": np.ones(50)}), WhyNone.NO_START_TIMES),
        (
            Samples(requests={"start_s": np.ones(50), "e2el_ms": np.full(50, np.nan)}),
            WhyNone.NO_START_TIMES,
        ),
        (Samples(requests={"start_s": np.ones(5), "e2el_ms": np.ones(5)}), WhyNone.TOO_FEW),
        (Samples(requests={"start_s": np.ones(50), "e2el_ms": np.zeros(50)}), WhyNone.NO_TIME),
    ],
)
def test_without_windows_there_is_a_reason(samples: Samples | None, why: WhyNone) -> None:
    found = describe_stability(samples)
    assert (found.why_none, found.series) == (why, ())


def test_a_short_run_has_windows_and_no_verdict() -> None:
    found = describe_stability(make_samples(3, count=30))
    assert [one.drift for one in found.series] == [Drift.UNTESTED] * 3


def test_failed_requests_are_not_counted_as_completed() -> None:
    samples = make_samples(4, count=600)
    ok = np.ones(600)
    ok[::2] = 0.0
    found = describe_stability(Samples(requests={**samples.requests, "ok": ok}))
    assert (found.series[0].values * found.width_s).sum() == pytest.approx(300.0)


def test_the_median_of_each_window_is_that_of_numpy() -> None:
    generator = np.random.default_rng(3)
    for _ in range(50):
        count = int(generator.integers(1, 12))
        values = generator.choice([1.0, 2.5, 7.0, np.nan], size=40)
        place = generator.integers(0, count, size=40)
        found = rules._medians(values, place, count)
        for window in range(count):
            inside = values[(place == window) & np.isfinite(values)]
            if inside.size:
                assert found[window] == np.median(inside)
            else:
                assert np.isnan(found[window])
