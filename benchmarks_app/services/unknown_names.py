"""Names that no catalogue node carries: noted once, and what people decided of them."""

from collections.abc import Iterable
from datetime import datetime

from django.db import connection

from benchmarks_app.models import UnknownName
from benchmarks_app.services.resolving import LONGEST_NAME, Resolver
from matrix.domain.aliases import normalise_name
from matrix.index import current_catalogue

_LOCK = 0x52504257


def hold_names() -> None:
    """Waits for others who write runs or decide names; inside the caller's transaction.

    Runs are written with the names decided so far, and a decision changes the runs that it finds:
    side by side each would miss the other, and a run would keep a name that means something.
    **Queries**: 1.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def current_resolver() -> Resolver:
    """A resolver of the current catalogue and of all decisions. **Queries**: 1 or 2."""
    return Resolver(current_catalogue(), decided_names())


def decided_names() -> dict[tuple[str, str], str]:
    """Decided names to slugs, empty where a name means no node. **Queries**: 1."""
    rows = UnknownName.objects.filter(decided_at__isnull=False)
    return {
        (axis, normalise_name(name)): slug
        for axis, name, slug in rows.values_list("axis", "name", "slug")
    }


def note_unknown(names: Iterable[tuple[str, str]], *, now: datetime) -> None:
    """Puts names into triage that are not there yet. **Queries**: 1 or none."""
    fresh = {(axis, name[:LONGEST_NAME]) for axis, name in names}
    if fresh:
        UnknownName.objects.bulk_create(
            [UnknownName(axis=a, name=n, first_seen_at=now) for a, n in sorted(fresh)],
            ignore_conflicts=True,
        )
