"""When a run was measured, as far as its facts say."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from benchmarks_app.contract import Fact
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

# Before this nobody served language models; a clock that says so was not set.
EARLIEST = date(2019, 1, 1)
ZONE = "run.timezone"
_ABSOLUTE = ("run.started_at", "run.finished_at")
_LOCAL = ("run.started_at_local", "run.finished_at_local")
_FORMS = (
    "%Y%m%d-%H%M%S", "%Y%m%d_%H%M%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d_%H-%M-%S",
    "%Y%m%d%H%M%S", "%a %b %d %H:%M:%S %Y", "%Y/%m/%d %H:%M:%S", "%Y-%m-%d", "%Y%m%d",
)  # fmt: skip
_OFFSET = re.compile(r"^(?:UTC)?(?P<sign>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2})$")
_GREATEST_EPOCH = 10_000_000_000.0


def measured_when(
    facts: Mapping[str, Fact], *, now: datetime
) -> tuple[datetime | None, date | None]:
    """The moment where its zone is known, and the day; ``None`` for what is unknown.

    **Dates**: the moment in UTC; without a zone the day is the writer's. A moment more than a day
    after ``now`` or before ``EARLIEST`` is a clock that was wrong, so it is unknown.
    """
    zone = _zone(str(facts[ZONE].value)) if ZONE in facts else None
    for name in (*_ABSOLUTE, *_LOCAL):
        if name not in facts:
            continue
        moment = _moment(facts[name].value)
        if moment is None:
            continue
        if moment.tzinfo is None and zone is not None:
            moment = moment.replace(tzinfo=zone)
        elif moment.tzinfo is None and name in _ABSOLUTE:
            moment = moment.replace(tzinfo=UTC)
        day = moment.date()
        if moment.tzinfo is not None:
            try:
                moment = moment.astimezone(UTC)
            except OverflowError:  # The first or last day of the calendar, in another zone.
                continue
            day = moment.date()
        if not EARLIEST <= day <= (now + timedelta(days=1)).date():
            continue
        return (moment, day) if moment.tzinfo is not None else (None, day)
    return None, None


def check_date(name: str, text: str, *, now: datetime) -> None:
    """Returns when a person may have meant a day or a zone. **Raises**: ``InvalidValue``."""
    if name == ZONE:
        if _zone(text) is None:
            raise InvalidValue(
                name=name, value=text[:80], accepted=Phrase("+01:00 or Europe/Berlin")
            )
    elif name in (*_ABSOLUTE, *_LOCAL):
        day = _moment(text)
        if day is None or not EARLIEST <= day.date() <= (now + timedelta(days=1)).date():
            raise InvalidValue(
                name=name,
                value=text[:80],
                accepted=Phrase(
                    "a time from {earliest:%Y} until today, as 2026-11-02T09:30:00+01:00",
                    earliest=EARLIEST,
                ),
            )


def _moment(value: object) -> datetime | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return datetime.fromtimestamp(value, UTC) if 0 < value < _GREATEST_EPOCH else None
    text = str(value).strip()
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    for form in _FORMS:
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007
        except ValueError:
            continue
    return None


def _zone(text: str) -> tzinfo | None:
    found = _OFFSET.match(text.strip())
    if found:
        sign = -1 if found["sign"] == "-" else 1
        span = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"]))
        return timezone(sign * span) if span < timedelta(days=1) else None
    try:
        return ZoneInfo(text.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
