"""The maintenance status of a framework on a day, with its evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from matrix.domain.catalogue import Catalogue, MaintenancePeriod
from matrix.domain.levels import MaintenanceStatus
from matrix.queries.remembered import RememberedFor

_remembered: RememberedFor[dict[str, Any]] = RememberedFor()
_WEAK = frozenset({"third-party", "silence"})
# **Units**: days without release and push from which on silence is reported; it is never called
# an end, because only a statement is one.
SILENCE_DAYS = 180


@dataclass(frozen=True, slots=True)
class Silence:
    """How long nothing was heard of a framework on a day.

    **Units**: ``days`` since the last release or push known by then; ``is_long`` from
    ``SILENCE_DAYS`` on.
    **Dates**: ``pushed_on`` is the last push by that day as far as it is known; ``asked_on`` is
    the day on which the code host was last asked, ``None`` for never: pushes after it, or all of
    them, are unknown.
    """

    days: int
    since: date
    released_on: date | None
    pushed_on: date | None
    asked_on: date | None
    is_long: bool


@dataclass(frozen=True, slots=True)
class MaintenanceStory:
    """The status of a framework on a day, what carries it, and what else is said of that day.

    **Shapes**: ``others`` are further periods that cover the day, strongest and newest first.
    """

    status: MaintenanceStatus
    as_of: date
    period: MaintenancePeriod | None
    others: tuple[MaintenancePeriod, ...]
    silence: Silence | None

    def is_later(self, period: MaintenancePeriod) -> bool:
        """Whether a period's evidence was published after the day."""
        return bool(period.stated_on and period.stated_on > self.as_of)


def period_plain(period: MaintenancePeriod) -> dict[str, Any]:
    """A maintenance period as plain data."""
    return {
        "framework": period.framework,
        "component": period.component or None,
        "status": period.status.value,
        "start_on": period.start.isoformat(),
        "start_kind": period.start_kind,
        "end_on": period.end.isoformat() if period.end else None,
        "note": period.note,
        "evidence": {
            "kind": period.evidence_kind.value,
            "strength": period.strength or None,
            "url": period.url or None,
            "commit": period.commit or None,
            "locator": period.locator or None,
            "stated_on": period.stated_on.isoformat() if period.stated_on else None,
        },
    }


def maintenance_on(catalogue: Catalogue, framework: str, *, as_of: date) -> dict[str, Any]:
    """Status of the whole framework on a day: the newest period that the strongest source states.

    **Dates**: ``as_of`` is compared with the periods' own days; ``stated_later`` marks a period
    whose evidence was published after that day.
    """
    return _remembered.get(
        catalogue, (framework, as_of), lambda: _maintenance_on(catalogue, framework, as_of=as_of)
    )


def _maintenance_on(catalogue: Catalogue, framework: str, *, as_of: date) -> dict[str, Any]:
    story = maintenance_story(catalogue, framework, as_of=as_of)
    period = story.period
    return {
        "status": story.status.value,
        "as_of": as_of.isoformat(),
        "stated_later": period is not None and story.is_later(period),
        "period": period_plain(period) if period else None,
    }


def maintenance_story(catalogue: Catalogue, framework: str, *, as_of: date) -> MaintenanceStory:
    """The status of the whole framework on a day, with the statements beside it and the silence.

    The newest period that the strongest kind of source states counts: a third party's word and
    silence never go before the project's own.
    """
    here = [p for p in _covering(catalogue.periods, framework, as_of) if not p.component]
    here.sort(key=lambda p: (p.strength not in _WEAK, p.start, p.stated_on or p.start))
    period = here.pop() if here else None
    return MaintenanceStory(
        status=period.status if period else MaintenanceStatus.UNKNOWN,
        as_of=as_of,
        period=period,
        others=tuple(reversed(here)),
        silence=silence_on(catalogue, framework, as_of=as_of),
    )


def silence_on(catalogue: Catalogue, framework: str, *, as_of: date) -> Silence | None:
    """How long nothing was heard by a day; ``None`` where nothing was ever heard.

    **Dates**: a push after the day says nothing about earlier ones, so it is left out.
    """
    days = [r.released_on for r in catalogue.releases.get(framework, ()) if r.released_on <= as_of]
    released_on = max(days, default=None)
    repository = catalogue.repositories.get(framework)
    pushed_on = asked_on = None
    if repository is not None:
        asked_on = repository.seen_at.date()
        pushed = repository.pushed_at.date() if repository.pushed_at else None
        pushed_on = pushed if pushed and pushed <= as_of else None
    heard = [day for day in (released_on, pushed_on) if day]
    if not heard:
        return None
    since = max(heard)
    return Silence(
        days=(as_of - since).days,
        since=since,
        released_on=released_on,
        pushed_on=pushed_on,
        asked_on=asked_on,
        is_long=(as_of - since).days >= SILENCE_DAYS,
    )


def story_plain(story: MaintenanceStory) -> dict[str, Any]:
    """What is said beside the status, as plain data."""
    silence = story.silence
    return {
        "others": [
            {"stated_later": story.is_later(period), "period": period_plain(period)}
            for period in story.others
        ],
        "silence": {
            "days": silence.days,
            "is_long": silence.is_long,
            "limit_days": SILENCE_DAYS,
            "since": silence.since.isoformat(),
            "last_release_on": _iso(silence.released_on),
            "last_push_on": _iso(silence.pushed_on),
            "code_host_asked_on": _iso(silence.asked_on),
        }
        if silence
        else None,
    }


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _covering(
    periods: Iterable[MaintenancePeriod], framework: str, as_of: date
) -> Iterable[MaintenancePeriod]:
    for period in periods:
        ended = period.end is not None and period.end <= as_of
        if period.framework == framework and period.start <= as_of and not ended:
            yield period
