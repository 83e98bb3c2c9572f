"""What operating frameworks costs beside hardware: counts that data give, and what people state."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from matrix.domain.versions import STABLE_LINE, Release

QUARTER = timedelta(days=91)
QUARTERS = 4
# Releases that an operator takes up; candidates and nightly builds are not.
_OPERATED_LINES = frozenset({STABLE_LINE, "post"})


@dataclass(frozen=True, slots=True)
class ReleasePace:
    """How often a framework releases.

    ``by_quarter`` are the stable releases of the last four quarters of 91 days up to ``as_of``,
    oldest first; ``None`` where no release of it is known by then, or its first known one is
    younger than those quarters (``known_since`` says from when on releases are known).
    """

    framework: str
    as_of: date
    by_quarter: tuple[int, ...] | None = None
    known_since: date | None = None
    newest: str = ""
    newest_on: date | None = None

    @property
    def per_quarter(self) -> float | None:
        """The mean of the four quarters."""
        return None if self.by_quarter is None else sum(self.by_quarter) / len(self.by_quarter)


@dataclass(frozen=True, slots=True)
class StatedEffort:
    """What people state of one candidate; ``None`` is not stated and never zero."""

    framework: str
    conversion_steps: int | None = None
    image_rebuilds_per_release: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class EngineeringCost:
    """Counts over the frameworks in operation; a sum is ``None`` where a part is unknown."""

    frameworks: tuple[str, ...]
    conversion_steps: int | None
    releases_per_quarter: float | None
    image_rebuilds_per_quarter: float | None
    unknown: tuple[str, ...]  # frameworks of which something is not known


def pace_of(framework: str, releases: Iterable[Release], *, as_of: date) -> ReleasePace:
    """How often a framework released in the year before a date, by its stable releases."""
    days = sorted(
        (one.released_on, one.version)
        for one in releases
        if one.line in _OPERATED_LINES and one.released_on <= as_of
    )
    if not days:
        return ReleasePace(framework, as_of)
    start = as_of - QUARTERS * QUARTER
    first, (newest_on, newest) = days[0][0], days[-1]
    counts = None
    if first <= start:
        counts = tuple(
            sum(start + n * QUARTER < on <= start + (n + 1) * QUARTER for on, _ in days)
            for n in range(QUARTERS)
        )
    return ReleasePace(framework, as_of, counts, first, newest, newest_on)


def engineering_cost(
    efforts: Sequence[StatedEffort], paces: Sequence[ReleasePace]
) -> EngineeringCost:
    """What the frameworks cost to operate together, each of them counted once."""
    frameworks = tuple(
        sorted({one.framework for one in efforts} | {one.framework for one in paces})
    )
    pace = {one.framework: one.per_quarter for one in paces}
    stated = {one.framework: one for one in efforts}
    steps = [stated[one].conversion_steps if one in stated else None for one in frameworks]
    releases = [pace.get(one) for one in frameworks]
    rebuilds = [_rebuilds(stated.get(one), pace.get(one)) for one in frameworks]
    return EngineeringCost(
        frameworks=frameworks,
        conversion_steps=None if None in steps else sum(one for one in steps if one is not None),
        releases_per_quarter=_sum(releases),
        image_rebuilds_per_quarter=_sum(rebuilds),
        unknown=tuple(
            name
            for name, *parts in zip(frameworks, steps, releases, rebuilds, strict=True)
            if None in parts
        ),
    )


def _rebuilds(effort: StatedEffort | None, per_quarter: float | None) -> float | None:
    if effort is None or effort.image_rebuilds_per_release is None or per_quarter is None:
        return None
    return effort.image_rebuilds_per_release * per_quarter


def _sum(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) if known and len(known) == len(values) else None
