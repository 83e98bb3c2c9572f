"""Statistics made again from samples."""

import numpy as np
import pytest

from benchmarks_app.contract import Measurement, Samples
from benchmarks_app.domain.summary import (
    derive_columns,
    metric_samples,
    percentile_of_sorted,
    statistics_of,
    summarise,
)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 101, 5000])
def test_every_statistic_is_that_of_numpy(count: int) -> None:
    values = np.random.default_rng(count).lognormal(5.0, 1.0, count)
    found = statistics_of(values, percentiles=(0.0, 0.1, 37.5, 50.0, 99.0, 99.9, 100.0))
    assert found is not None
    for name, value in found.items():
        wanted = {
            "count": float(count),
            "mean": np.mean(values),
            "std": np.std(values),
            "min": np.min(values),
            "max": np.max(values),
        }.get(name)
        if wanted is None:
            wanted = np.percentile(values, float(name[1:]))
        assert value == pytest.approx(float(wanted), rel=1e-12, abs=1e-12)


def test_unknown_values_are_not_counted_and_nothing_known_gives_nothing() -> None:
    values = np.array([np.nan, 3.0, np.nan, 1.0])
    assert statistics_of(values, percentiles=(50.0,)) == {
        "count": 2.0, "mean": 2.0, "min": 1.0, "max": 3.0, "std": 1.0, "p50": 2.0,
    }  # fmt: skip
    assert statistics_of(np.array([np.nan])) is None


def test_one_repeat_has_no_spread() -> None:
    assert statistics_of(np.array([4.0]), percentiles=(), ddof=1) == {
        "count": 1.0, "mean": 4.0, "min": 4.0, "max": 4.0,
    }  # fmt: skip


def test_a_rank_over_100_is_refused() -> None:
    with pytest.raises(ValueError, match="0 to 100"):
        percentile_of_sorted(np.array([1.0]), 101.0)


def test_tpot_follows_from_ttft_end_and_tokens_of_successful_requests_alone() -> None:
    samples = Samples(
        requests={
            "ok": np.array([1.0, 1.0, 0.0, 1.0]),
            "ttft_ms": np.array([100.0, 0.0, 70.0, 50.0]),
            "e2el_ms": np.array([1100.0, 900.0, 0.0, 50.0]),
            "output_tokens": np.array([11.0, 0.0, 3.0, 1.0]),
        }
    )
    found = derive_columns(samples).requests
    assert found["tpot_ms"].tolist() == pytest.approx([100.0, np.nan, np.nan, np.nan], nan_ok=True)
    # The second request has no output: its 0 is a placeholder; the third one failed.
    assert found["ttft_ms"].tolist() == pytest.approx([100.0, np.nan, np.nan, 50.0], nan_ok=True)
    assert found["e2el_ms"].tolist() == pytest.approx([1100.0, 900.0, np.nan, 50.0], nan_ok=True)


def test_the_end_follows_from_ttft_and_tpot() -> None:
    samples = Samples(
        requests={
            "ttft_ms": np.array([100.0, 30.0]),
            "tpot_ms": np.array([10.0, np.nan]),
            "output_tokens": np.array([5.0, 1.0]),
        }
    )
    assert derive_columns(samples).requests["e2el_ms"].tolist() == [140.0, 30.0]


def test_measurements_keep_the_definition_that_the_tool_reported() -> None:
    samples = Samples(
        requests={"ttft_ms": np.array([1.0, 3.0])},
        pooled={"itl_ms": np.array([5.0])},
        repeats={"decode_throughput": np.array([10.0, 14.0])},
    )
    reported = [Measurement(metric="itl", definition="itl/token", stats={"mean": 5.0})]
    found = summarise(samples, percentiles=(99.0,), reported=reported)
    assert found == [
        Measurement(
            metric="ttft",
            definition="ttft/first-chunk",
            stats={"count": 2.0, "mean": 2.0, "min": 1.0, "max": 3.0, "std": 1.0, "p99": 2.98},
            pointer="samples.requests.ttft_ms",
            percentile_method="linear",
        ),
        Measurement(
            metric="itl",
            definition="itl/token",
            stats={"count": 1.0, "mean": 5.0, "min": 5.0, "max": 5.0, "std": 0.0, "p99": 5.0},
            pointer="samples.pooled.itl_ms",
            percentile_method="linear",
        ),
        Measurement(
            metric="decode_throughput",
            definition="decode_throughput/generated-tokens",
            stats={
                "count": 2.0,
                "mean": 12.0,
                "min": 10.0,
                "max": 14.0,
                "std": pytest.approx(8.0**0.5),
            },
            pointer="samples.repeats.decode_throughput",
            percentile_method="linear",
        ),
    ]


def test_samples_of_a_metric_are_found_in_requests_gaps_and_repeats() -> None:
    samples = Samples(
        requests={"ttft_ms": np.array([1.0, np.nan])},
        pooled={"itl_ms": np.array([np.nan])},
        repeats={"decode_throughput": np.array([7.0])},
    )
    ttft, repeats = metric_samples(samples, "ttft"), metric_samples(samples, "decode_throughput")
    assert ttft is not None
    assert ttft.tolist() == [1.0]
    assert repeats is not None
    assert repeats.tolist() == [7.0]
    assert metric_samples(samples, "itl") is None
    assert metric_samples(samples, "e2el") is None


@pytest.mark.parametrize(
    ("count", "ranks"),
    [(3, {"p50"}), (9, {"p50"}), (10, {"p50", "p90"}), (99, {"p50", "p90", "p95"}),
     (100, {"p50", "p90", "p95", "p99"})],
)  # fmt: skip
def test_few_repeats_have_no_far_percentile(count: int, ranks: set[str]) -> None:
    repeats = {"decode_throughput": np.linspace(10.0, 20.0, count)}
    stats = summarise(Samples(repeats=repeats))[0].stats
    assert {stat for stat in stats if stat[0] == "p"} == ranks


def test_samples_of_requests_are_no_statistic_over_tokens() -> None:
    samples = Samples(requests={"tpot_ms": np.array([10.0, 20.0])})
    reported = [Measurement(metric="tpot", definition="tpot/token", stats={"mean": 12.0})]
    assert [one.definition for one in summarise(samples, reported=reported)] == ["tpot/request"]
