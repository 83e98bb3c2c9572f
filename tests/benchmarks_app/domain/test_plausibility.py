"""Impossible numbers are said and kept."""

import numpy as np
import pytest

from benchmarks_app.contract import (
    Counts,
    Load,
    Measurement,
    Notice,
    RunReading,
    Samples,
    Tokens,
)
from benchmarks_app.domain.levels import RunStatus
from benchmarks_app.domain.notices import NOTICES
from benchmarks_app.domain.plausibility import flags_of


def make_run(*metrics: Measurement, **changes: object) -> RunReading:
    return RunReading(0, RunStatus.OK, metrics=metrics, **changes)  # type: ignore[arg-type]


def latency(name: str, **stats: float) -> Measurement:
    return Measurement(name, f"{name}/x", stats, pointer=f"$.{name}")


GOOD = make_run(
    latency("ttft", mean=100.0, min=20.0, p50=90.0, p90=200.0, p99=400.0, max=500.0, std=40.0),
    latency("tpot", mean=10.0, p50=9.0, p99=30.0),
    latency("e2el", mean=1090.0, max=2000.0),
    latency("output_token_throughput", value=200.0),
    latency("request_throughput", value=2.0),
    requests=Counts(total=20, completed=20, failed=0),
    tokens=Tokens(output_total=2000, input_total=9000, duration_s=10.0),
)


def test_a_sound_run_is_not_flagged() -> None:
    assert flags_of(GOOD) == ()


@pytest.mark.parametrize(
    ("run", "flags"),
    [
        (make_run(latency("ttft", mean=-1.0)), [("negative_value", "ttft.mean")]),
        (make_run(latency("ttft", p99=1e8)), [("absurd_value", "ttft.p99")]),
        (
            make_run(latency("output_token_throughput", value=1e12)),
            [("absurd_value", "output_token_throughput.value")],
        ),
        (
            make_run(latency("goodput_fraction", value=87.0)),
            [("absurd_value", "goodput_fraction.value")],
        ),
        (make_run(latency("ttft", p50=9.0, p90=8.0)), [("contradicts_itself", "ttft.p50>p90")]),
        (make_run(latency("ttft", p99=9.0, max=8.0)), [("contradicts_itself", "ttft.p99>max")]),
        (make_run(latency("ttft", mean=9.0, max=8.0)), [("contradicts_itself", "ttft.mean>max")]),
        (make_run(latency("ttft", min=3.0, mean=2.0)), [("contradicts_itself", "ttft.min>mean")]),
        (
            make_run(latency("ttft", mean=3.0), latency("e2el", mean=2.0)),
            [("contradicts_itself", "ttft.mean>e2el.mean")],
        ),
        (
            make_run(latency("ttft", mean=300.0), latency("e2el", mean=1.2)),
            [("mixed_units", "ttft.mean>e2el.mean")],
        ),
        (
            make_run(requests=Counts(total=10, completed=9, failed=2)),
            [("contradicts_itself", "requests.total=10,ended=11")],
        ),
        (
            make_run(requests=Counts(total=10, completed=5, failed=2, incomplete=0)),
            [("contradicts_itself", "requests.total=10,ended=7")],
        ),
        (
            make_run(requests=Counts(failed=1), failures={"timeout": 3}),
            [("contradicts_itself", "failures=3,failed=1")],
        ),
        (make_run(tokens=Tokens(duration_s=-4.0)), [("negative_value", "tokens.duration_s")]),
        (
            make_run(
                latency("output_token_throughput", value=110.0),
                tokens=Tokens(output_total=1000, duration_s=10.0),
            ),
            [("rates_counted_differently", "output_token_throughput x 1.10")],
        ),
        (
            make_run(
                latency("output_token_throughput", value=310.0),
                tokens=Tokens(output_total=1000, duration_s=10.0),
            ),
            [("contradicts_itself", "output_token_throughput x 3.10")],
        ),
        (
            make_run(
                latency("output_token_throughput", value=100.0),
                tokens=Tokens(output_total=1000, duration_s=10_000.0),
            ),
            [("mixed_units", "output_token_throughput,duration_s")],
        ),
        (
            make_run(
                latency("ttft", mean=0.1), latency("tpot", mean=0.01), latency("e2el", mean=1090.0),
                load=Load(osl_mean=100.0),
            ),
            [("mixed_units", "e2el.mean,ttft.mean,tpot.mean")],
        ),
        (
            make_run(latency("e2el", mean=5000.0), tokens=Tokens(duration_s=0.005)),
            [("mixed_units", "e2el.mean>duration_s")],
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_true_is_named(run: RunReading, flags: list[tuple[str, str]]) -> None:
    assert [(one.code, one.detail) for one in flags_of(run)] == flags
    assert all(code in NOTICES for code, _detail in flags)


def test_a_rounded_mean_beside_its_greatest_value_is_no_contradiction() -> None:
    assert flags_of(make_run(latency("tpot", mean=8.13, max=8.127, min=8.13))) == ()


def test_percentiles_of_a_slow_tail_may_fall() -> None:
    falling = Measurement(
        "output_token_throughput_per_user",
        "output_token_throughput_per_user/inverse-tpot-of-percentile",
        {"p50": 90.0, "p99": 40.0},
    )
    assert flags_of(make_run(falling)) == ()


def test_samples_are_looked_at_too() -> None:
    samples = Samples(
        requests={
            "ok": np.array([1.0, 1.0, 1.0, 0.0]),
            "ttft_ms": np.array([-1.0, 5.0, np.nan, 9.0]),
            "e2el_ms": np.array([2.0, 4.0, 1e9, 0.0]),
            "output_tokens": np.array([3.0, 0.0, 2.0, 0.0]),
        }
    )
    assert [(one.code, one.detail) for one in flags_of(make_run(samples=samples))] == [
        ("negative_value", "samples.ttft_ms"),
        ("absurd_value", "samples.e2el_ms"),
        ("zero_token_successes", "1"),
        ("contradicts_itself", "samples.ttft_ms>e2el_ms:1"),
    ]
    told = (Notice("zero_token_successes", "2"), Notice("negative_value", "samples.ttft_ms"))
    codes = [one.code for one in flags_of(make_run(samples=samples, notices=told))]
    assert codes == ["absurd_value", "contradicts_itself"]
