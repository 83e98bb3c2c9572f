"""Counts of what operating frameworks takes."""

from datetime import UTC, date, datetime, timedelta

from matrix.domain.engineering_cost import (
    QUARTER,
    ReleasePace,
    StatedEffort,
    engineering_cost,
    pace_of,
)
from matrix.domain.versions import Release

AS_OF = date(2026, 11, 30)


def release(days_before: int, version: str, *, line: str = "stable") -> Release:
    on = AS_OF - timedelta(days=days_before)
    return Release("vllm", version, datetime(on.year, on.month, on.day, tzinfo=UTC), line=line)


def test_stable_releases_of_four_quarters_are_counted() -> None:
    found = pace_of(
        "vllm",
        [release(500, "1"), release(300, "2"), release(100, "3"), release(90, "4"), release(0, "5"),
         release(5, "5rc1", line="rc")],
        as_of=AS_OF,
    )  # fmt: skip
    assert found.by_quarter == (1, 0, 1, 2)
    assert found.per_quarter == 1.0
    assert (found.newest, found.newest_on) == ("5", AS_OF)


def test_releases_after_the_date_do_not_count() -> None:
    found = pace_of("vllm", [release(500, "1"), release(-1, "2")], as_of=AS_OF)
    assert found.by_quarter == (0, 0, 0, 0)
    assert found.newest == "1"


def test_a_young_history_has_no_pace() -> None:
    found = pace_of("vllm", [release(200, "1"), release(1, "2")], as_of=AS_OF)
    assert found.by_quarter is None
    assert found.per_quarter is None
    assert found.known_since == AS_OF - timedelta(days=200)
    assert pace_of("vllm", [], as_of=AS_OF) == ReleasePace("vllm", AS_OF)


def test_the_day_a_quarter_begins_belongs_to_the_one_before() -> None:
    edge = (4 * QUARTER).days
    found = pace_of("vllm", [release(edge, "1"), release(edge - 1, "2")], as_of=AS_OF)
    assert found.by_quarter == (1, 0, 0, 0)


def test_costs_are_summed_over_frameworks() -> None:
    found = engineering_cost(
        [StatedEffort("vllm", conversion_steps=0, image_rebuilds_per_release=1),
         StatedEffort("tgi", conversion_steps=3, image_rebuilds_per_release=2)],
        [ReleasePace("vllm", AS_OF, (6, 6, 6, 6)), ReleasePace("tgi", AS_OF, (1, 2, 1, 2))],
    )  # fmt: skip
    assert found.frameworks == ("tgi", "vllm")
    assert found.conversion_steps == 3
    assert found.releases_per_quarter == 7.5
    assert found.image_rebuilds_per_quarter == 9.0
    assert found.unknown == ()


def test_what_nobody_states_is_no_zero() -> None:
    found = engineering_cost(
        [StatedEffort("vllm", image_rebuilds_per_release=1)],
        [ReleasePace("vllm", AS_OF, (6, 6, 6, 6)), ReleasePace("tgi", AS_OF)],
    )
    assert found.conversion_steps is None
    assert found.releases_per_quarter is None
    assert found.image_rebuilds_per_quarter is None
    assert found.unknown == ("tgi", "vllm")
