"""How fresh the claims of each source are, and which of them are due for a re-check."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection

from matrix.domain.verdict_values import RECHECK_AFTER_DAYS
from matrix.models import Claim, Framework, Observation, SourceDocument

# A statement that a later page of its source no longer makes is history, and one that speaks
# "from this release on" needs no repeating; all others fall due when nobody repeated them.
_TABLES = {
    "claims": Claim._meta.db_table,
    "observations": Observation._meta.db_table,
    "documents": SourceDocument._meta.db_table,
    "frameworks": Framework._meta.db_table,
}
_STANDING = "c.superseded_at IS NULL AND c.withdrawn_at IS NULL"
_MAY_FALL_DUE = "c.gone = '' AND NOT c.open_ended"

_SOURCES_SQL = """
    WITH seen AS (
        SELECT claim_id, max(stated_on) AS seen_on FROM {observations} GROUP BY claim_id
    )
    SELECT c.source, f.slug, count(*), min(s.seen_on), max(s.seen_on),
           count(*) FILTER (WHERE {may_fall_due}),
           count(*) FILTER (WHERE {may_fall_due} AND s.seen_on <= %(limit)s),
           count(*) FILTER (WHERE c.shipped),
           max(c.recorded_at) FILTER (WHERE c.shipped), max(c.recorded_at)
    FROM {claims} c JOIN {frameworks} f ON f.id = c.framework_id
    LEFT JOIN seen s ON s.claim_id = c.id
    WHERE {standing} GROUP BY 1, 2 ORDER BY 2, 1
"""
# The newest observations are worked out once: without that the planner, which cannot guess how few
# claims a filter leaves, may work them out anew for each of them.
_DUE_SQL = """
    WITH seen AS MATERIALIZED (
        SELECT DISTINCT ON (claim_id) claim_id, stated_on, document_id, release
        FROM {observations} ORDER BY claim_id, stated_on DESC, id DESC
    )
    SELECT c.uid, f.slug, c.source, c.statement, c.level, c.kind,
           s.stated_on, s.document_id, s.release
    FROM {claims} c JOIN {frameworks} f ON f.id = c.framework_id
    JOIN seen s ON s.claim_id = c.id
    WHERE {standing} AND {may_fall_due} AND s.stated_on <= %(limit)s
      AND (%(framework)s = '' OR f.slug = %(framework)s)
      AND (%(source)s = '' OR split_part(c.source, ':', 1) = %(source)s)
"""
_DUE_PAGE_SQL = """
    SELECT due.*, count(*) OVER () FROM ({due}) due
    ORDER BY due.stated_on, due.uid LIMIT %(most)s OFFSET %(start)s
"""
_DUE_DOCUMENTS_SQL = """
    SELECT due.slug, due.source, d.path, d.url, d.version, due.release, max(d.sha256),
           count(*), min(due.stated_on), max(due.stated_on),
           (array_agg(due.uid ORDER BY due.stated_on, due.uid))[1:%(most)s]
    FROM ({due}) due JOIN {documents} d ON d.id = due.document_id
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 9, 1, 2, 3, 6
"""


def _fill(template: str, **more: str) -> str:
    return template.format(**_TABLES, standing=_STANDING, may_fall_due=_MAY_FALL_DUE, **more)


@dataclass(frozen=True, slots=True)
class SourceStanding:
    """How the standing claims of one source about one framework stand.

    **Shapes**: ``may_fall_due`` counts those that a later page neither dropped nor made needless
    to repeat; ``due`` those of them that nobody repeated within the limit.
    **Dates**: ``oldest`` and ``newest`` are days for which documents speak; ``shipped_at`` is when
    the newest shipped claim was recorded, ``recorded_at`` when the newest of all was.
    """

    source: str
    framework: str
    claims: int
    oldest: date | None
    newest: date | None
    may_fall_due: int
    due: int
    shipped: int
    shipped_at: datetime | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class DueClaim:
    """One claim whose day for a re-check has passed."""

    uid: str
    framework: str
    source: str
    statement: str
    level: str
    kind: str
    scope: dict[str, Any]
    release: str
    seen_on: date

    @property
    def recheck_on(self) -> date:
        """The day on which the re-check fell due."""
        return self.seen_on + timedelta(days=RECHECK_AFTER_DAYS)


@dataclass(frozen=True, slots=True)
class DueDocument:
    """One page at one release that claims due for a re-check were last seen on.

    **Shapes**: ``uids`` are the first of ``claims``.
    """

    framework: str
    source: str
    path: str
    url: str
    version: str
    release: str
    sha256: str
    claims: int
    oldest: date
    newest: date
    uids: Sequence[str]


def recheck_limit(today: date) -> date:
    """The last day for which a document may speak and be due for a re-check today."""
    return today - timedelta(days=RECHECK_AFTER_DAYS)


def source_standings(today: date) -> list[SourceStanding]:
    """All sources with standing claims. **Queries**: 1."""
    with connection.cursor() as cursor:
        cursor.execute(_fill(_SOURCES_SQL), {"limit": recheck_limit(today)})
        return [SourceStanding(*row) for row in cursor.fetchall()]


def due_claims(
    today: date, *, framework: str = "", source: str = "", start: int = 0, most: int = 50
) -> tuple[list[DueClaim], int]:
    """Claims due for a re-check, longest overdue first, and how many there are.

    The total is 0 as well where ``start`` lies past the end. ``source`` is the name before the
    colon. **Queries**: 2, however many claims there are.
    """
    found: dict[str, date | str | int] = {
        "limit": recheck_limit(today),
        "framework": framework,
        "source": source,
        "most": most,
        "start": start,
    }
    with connection.cursor() as cursor:
        cursor.execute(_fill(_DUE_PAGE_SQL, due=_fill(_DUE_SQL)), found)
        rows = cursor.fetchall()
    uids = [row[0] for row in rows]
    scopes = dict(Claim.objects.filter(uid__in=uids).values_list("uid", "scope"))
    claims = [
        DueClaim(
            uid=uid,
            framework=slug,
            source=source_rule,
            statement=statement,
            level=level,
            kind=kind,
            scope=scopes[uid],
            release=release,
            seen_on=seen_on,
        )
        for uid, slug, source_rule, statement, level, kind, seen_on, _document, release, _n in rows
    ]
    return claims, int(rows[0][-1]) if rows else 0


def due_documents(today: date, *, most_uids: int = 20) -> list[DueDocument]:
    """The pages on which claims due for a re-check were last seen. **Queries**: 1."""
    values: dict[str, date | str | int] = {
        "limit": recheck_limit(today),
        "framework": "",
        "source": "",
        "most": most_uids,
    }
    with connection.cursor() as cursor:
        cursor.execute(_fill(_DUE_DOCUMENTS_SQL, due=_fill(_DUE_SQL)), values)
        return [DueDocument(*row) for row in cursor.fetchall()]
