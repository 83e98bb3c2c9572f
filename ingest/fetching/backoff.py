"""How long to wait: after a failure, and because a server asked for it. Pure functions."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

BASE_SECONDS = 30.0
CAP_SECONDS = 3_600.0
# A server may ask for a pause of a day; what asks for more is a mistake or a trap.
LONGEST_RETRY_AFTER_SECONDS = 86_400.0
# Reset values below this are seconds from now, those above are seconds since 1970.
_FIRST_EPOCH_SECOND = 1_000_000_000


def delay_seconds(
    attempt: int,
    *,
    base: float = BASE_SECONDS,
    cap: float = CAP_SECONDS,
    random: Callable[[], float],
) -> float:
    """Returns the wait before a try that follows ``attempt`` failed ones.

    Doubles from ``base`` up to ``cap``; half of it is drawn by ``random`` (0 ≤ value < 1), so that
    feeds that failed together do not come back together.
    **Units**: seconds.
    """
    # A float has no room for larger powers, and any cap is reached long before.
    whole = min(cap, base * 2.0 ** min(max(attempt, 1) - 1, 60))
    return whole / 2 + random() * whole / 2


def read_retry_after(text: str, *, now: datetime) -> float | None:
    """Returns the seconds that a Retry-After value asks for, ``None`` where it is unreadable.

    **Shapes**: whole seconds or an HTTP date. **Units**: from 0 to one day.
    **Source**: RFC 9110, section 10.2.3.
    """
    text = text.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), LONGEST_RETRY_AFTER_SECONDS)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max((aware - now).total_seconds(), 0.0), LONGEST_RETRY_AFTER_SECONDS)


def read_limit_pause(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Returns the seconds until a host's quota is full again, ``None`` while some of it is left.

    **Shapes**: headers with lower-case names; X-RateLimit-Remaining and X-RateLimit-Reset, the
    latter in seconds since 1970 (code host, image hub) or from now.
    """
    reset = headers.get("x-ratelimit-reset", "").strip()
    if headers.get("x-ratelimit-remaining", "").strip() != "0" or not (
        reset.isascii() and reset.isdigit()
    ):
        return None
    value = float(reset[:12])
    seconds = value - now.timestamp() if value >= _FIRST_EPOCH_SECOND else value
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER_SECONDS)
