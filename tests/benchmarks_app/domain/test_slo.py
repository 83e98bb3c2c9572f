"""Thresholds, attainment and goodput from samples."""

import numpy as np
import pytest

from benchmarks_app.contract import Counts, Samples, Tokens
from benchmarks_app.domain.levels import RunClass, RunStatus
from benchmarks_app.domain.run_view import RunView, SampledRun
from benchmarks_app.domain.slo import (
    Attainment,
    DurationFrom,
    Thresholds,
    WhyUnknown,
    attain,
)
from matrix.domain.errors import InvalidValue

NAN = float("nan")
REQUESTS = {
    "ok": np.array([1.0, 1.0, 1.0, 0.0]),
    "ttft_ms": np.array([100.0, 300.0, 50.0, 10.0]),
    "e2el_ms": np.array([1100.0, 1300.0, 50.0, 0.0]),
    "output_tokens": np.array([11.0, 101.0, 1.0, 0.0]),
    "start_s": np.array([0.0, 1.0, 2.0, 3.0]),
}


def make_run(
    requests: dict[str, np.ndarray] | None, total: int | None = None, duration: float | None = None
) -> SampledRun:
    view = RunView(
        "u", "u", "vllm", RunClass.MEASURED, RunStatus.OK,
        counts=Counts(total=total), tokens=Tokens(duration_s=duration),
    )  # fmt: skip
    return SampledRun(view, None if requests is None else Samples(requests=requests))


def test_requests_within_all_thresholds_are_counted_and_failed_ones_never_are() -> None:
    run = make_run(REQUESTS, total=5, duration=4.0)
    found = attain(run, Thresholds(ttft_ms=200.0, tpot_ms=100.0), rank=50.0)
    # The third request has one token and so no TPOT to miss; a fifth one left no sample.
    assert found == Attainment(
        "u", met=2, total=5, share=0.4, goodput=0.5, duration_from=DurationFrom.REPORTED,
        met_by={"ttft_ms": 2, "tpot_ms": 3},
        percentiles={"ttft_ms.p50": (100.0, True), "tpot_ms.p50": (55.0, True)},
    )  # fmt: skip


def test_a_threshold_is_met_by_the_value_itself() -> None:
    found = attain(make_run(REQUESTS, duration=1.0), Thresholds(e2el_ms=1100.0))
    assert (found.met, found.met_by) == (2, {"e2el_ms": 2})


def test_without_a_stated_duration_the_samples_tell_it() -> None:
    found = attain(make_run(REQUESTS), Thresholds(ttft_ms=1000.0))
    assert found.duration_from is DurationFrom.SAMPLES
    assert found.goodput == pytest.approx(3 / 2.3)


def test_without_any_duration_the_share_is_known_and_the_goodput_is_not() -> None:
    requests = {name: REQUESTS[name] for name in ("ok", "ttft_ms")}
    found = attain(make_run(requests), Thresholds(ttft_ms=1000.0))
    assert (found.share, found.goodput) == (0.75, None)
    assert found.why_no_goodput is WhyUnknown.NO_DURATION
    assert found.why_unknown is None


@pytest.mark.parametrize(
    ("requests", "thresholds", "why", "detail"),
    [
        (None, Thresholds(ttft_ms=1.0), WhyUnknown.NO_SAMPLES, ""),
        ({}, Thresholds(ttft_ms=1.0), WhyUnknown.NO_SAMPLES, ""),
        (REQUESTS, Thresholds(), WhyUnknown.NOTHING_ASKED, ""),
        ({"ok": np.ones(2)}, Thresholds(tpot_ms=5.0), WhyUnknown.NO_COLUMN, "tpot_ms"),
        (
            {"ok": np.ones(2), "ttft_ms": np.full(2, NAN)},
            Thresholds(ttft_ms=5.0), WhyUnknown.NO_COLUMN, "ttft_ms",
        ),
    ],
)  # fmt: skip
def test_what_is_unknown_has_its_reason(
    requests: dict[str, np.ndarray] | None, thresholds: Thresholds, why: WhyUnknown, detail: str
) -> None:
    found = attain(make_run(requests), thresholds)
    assert (found.met, found.share, found.why_unknown, found.detail) == (None, None, why, detail)


def test_a_success_without_the_latency_is_undecided_and_not_met() -> None:
    requests = {"ok": np.ones(3), "ttft_ms": np.array([5.0, NAN, 7.0])}
    found = attain(make_run(requests, duration=1.0), Thresholds(ttft_ms=10.0))
    assert (found.met, found.total, found.undecided) == (2, 3, 1)


def test_a_run_of_which_everything_failed_attains_nothing_which_is_known() -> None:
    requests = {"ok": np.zeros(3), "ttft_ms": np.full(3, NAN)}
    found = attain(make_run(requests, duration=2.0), Thresholds(ttft_ms=10.0))
    assert (found.met, found.total, found.share, found.goodput) == (0, 3, 0.0, 0.0)


def test_the_counts_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(3)
    requests = {
        "ok": (rng.random(500) > 0.1).astype(float),
        "ttft_ms": rng.lognormal(5.0, 0.5, 500),
        "output_tokens": rng.integers(1, 200, 500).astype(float),
    }
    requests["e2el_ms"] = requests["ttft_ms"] + requests["output_tokens"] * rng.lognormal(
        3, 0.2, 500
    )
    expected = 0
    for ok, ttft, tokens, e2el in zip(*requests.values(), strict=True):
        tpot = (e2el - ttft) / (tokens - 1) if tokens > 1 else 0.0
        expected += bool(ok) and ttft <= 180.0 and tpot <= 22.0 and e2el <= 4000.0
    found = attain(make_run(requests, duration=1.0), Thresholds(180.0, 22.0, 4000.0))
    assert found.met == expected
    assert 0 < expected < 500


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), 1e12])
def test_a_threshold_that_means_nothing_is_refused(value: float) -> None:
    with pytest.raises(InvalidValue, match="milliseconds above 0"):
        Thresholds(ttft_ms=value)
