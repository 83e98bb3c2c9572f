"""The many names of one statistic."""

import pytest

from benchmarks_app.reading.distributions import (
    scale,
    stat_name,
    take_affixed,
    take_distribution,
)
from benchmarks_app.reading.fields import Fields


@pytest.mark.parametrize(
    ("key", "stat"),
    [
        ("mean", "mean"), ("avg", "mean"), ("Average", "mean"), ("median", "p50"),
        ("Median", "p50"), ("stddev", "std"), ("std", "std"), ("min", "min"), ("max", "max"),
        ("p99", "p99"), ("P25", "p25"), ("p99.9", "p99.9"), ("p0p1", "p0.1"), ("p99p9", "p99.9"),
        ("p50.0", "p50"), ("50%", "p50"), ("99.9%", "p99.9"), ("p05", "p5"),
    ],
)  # fmt: skip
def test_a_key_names_its_statistic(key, stat):
    assert stat_name(key) == stat


@pytest.mark.parametrize("key", ["", "p", "units", "p100", "50", "99.9", "p99_ttft", "pp99", "N"])
def test_anything_else_is_no_statistic(key):
    assert stat_name(key) is None


def test_a_distribution_is_scaled_and_what_is_left_stays_in_the_rest():
    fields = Fields(
        {"mean": 0.5, "p50": 0.25, "median": 9.0, "units": "s", "p99": None, "max": "x"}
    )
    assert take_distribution(fields, factor=1000) == {"mean": 500.0, "p50": 250.0}
    assert fields.rest() == {"$.median": 9.0, "$.units": "s", "$.max": "x"}


def test_a_skipped_statistic_and_one_beyond_all_numbers_stay_in_the_rest():
    fields = Fields({"std": 1.0, "mean": 1e308, "max": float("inf")})
    assert take_distribution(fields, factor=1000, skip=("std",)) == {}
    assert fields.rest() == {"$.std": 1.0, "$.mean": 1e308, "$.max": float("inf")}
    assert fields.all_non_finite() == ("$.max",)


def test_flat_keys_with_a_suffix_are_one_distribution():
    fields = Fields({"mean_ttft": 1.0, "p99_ttft": 2.0, "p99_other_ttft": 3.0, "ttft": 4.0})
    assert take_affixed(fields, "_ttft") == {"mean": 1.0, "p99": 2.0}
    assert fields.rest() == {"$.p99_other_ttft": 3.0, "$.ttft": 4.0}


def test_a_product_beyond_all_numbers_is_none():
    assert scale(1e308, 1000) is None
    assert scale(2.0, 1000) == 2000.0
