"""The maintenance status of a framework on a day, with its evidence."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from matrix.domain.catalogue import Catalogue, MaintenancePeriod
from matrix.domain.levels import MaintenanceStatus
from matrix.queries.remembered import RememberedFor

_remembered: RememberedFor[dict[str, Any]] = RememberedFor()
_WEAK = frozenset({"third-party", "silence"})


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
    here = [p for p in _covering(catalogue.periods, framework, as_of) if not p.component]
    here.sort(key=lambda p: (p.strength not in _WEAK, p.start, p.stated_on or p.start))
    if not here:
        return {"status": MaintenanceStatus.UNKNOWN.value, "as_of": as_of.isoformat(),
                "stated_later": False, "period": None}  # fmt: skip
    period = here[-1]
    return {
        "status": period.status.value,
        "as_of": as_of.isoformat(),
        "stated_later": bool(period.stated_on and period.stated_on > as_of),
        "period": period_plain(period),
    }


def _covering(
    periods: Iterable[MaintenancePeriod], framework: str, as_of: date
) -> Iterable[MaintenancePeriod]:
    for period in periods:
        ended = period.end is not None and period.end <= as_of
        if period.framework == framework and period.start <= as_of and not ended:
            yield period
