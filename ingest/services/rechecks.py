"""Re-checks: opens a review item for each page whose statements nobody repeated for too long."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.services.items import Draft, Place, identity_of, open_items
from matrix.domain.verdict_values import RECHECK_AFTER_DAYS
from matrix.queries.freshness import DueDocument, due_documents, recheck_limit
from matrix.services import write_audit

DUE_CODE = "recheck-due"
ACTOR = "open_rechecks"


@dataclass(frozen=True, slots=True)
class RecheckSummary:
    """What a look at all claims brought. **Units**: ``claims`` are due, on ``pages`` pages."""

    claims: int
    pages: int
    opened: int
    obsolete: int


@transaction.atomic
def open_rechecks(*, now: datetime) -> RecheckSummary:
    """Opens what is due and sets aside what is not any more; running it again does nothing.

    A curator checks a page, not each of its rows, so the claims that were last seen on one page at
    one release share an item. One that was answered without a newer observation comes back when
    the limit has passed once more.
    **Queries**: 4 or 5, however many claims there are.
    """
    found = due_documents(now.date())
    drafts = [_draft(document, today=now.date()) for document in found]
    opened = open_items(drafts, now=now)
    waiting = ReviewItem.objects.filter(kind=ItemKind.DUE_RECHECK, state=ItemState.OPEN)
    obsolete = waiting.exclude(identity__in=[d.identity for d in drafts]).update(
        state=ItemState.OBSOLETE,
        decided_at=now,
        decided_by=ACTOR,
        reason="The claims were seen again, ended, or are due for a later re-check.",
    )
    summary = RecheckSummary(
        claims=sum(document.claims for document in found),
        pages=len(found),
        opened=opened,
        obsolete=obsolete,
    )
    if opened or obsolete:
        write_audit(
            actor=ACTOR,
            action="open-rechecks",
            subject="claims",
            after={"claims": summary.claims, "opened": opened, "obsolete": obsolete},
        )
    return summary


def _draft(document: DueDocument, *, today: date) -> Draft:
    source, _, rule = document.source.partition(":")
    # The limit has passed so many times since the newest of the observations.
    turn = (recheck_limit(today) - document.newest).days // RECHECK_AFTER_DAYS
    identity = identity_of(
        ItemKind.DUE_RECHECK.value,
        document.framework,
        document.source,
        document.path,
        document.url,
        document.version,
        document.release,
        document.newest,
        turn,
    )
    return Draft(
        identity=identity,
        kind=ItemKind.DUE_RECHECK,
        place=Place(
            framework=document.framework,
            version=document.version,
            release=document.release,
            path=document.path[:400],
            url=document.url,
            snapshot_sha256=document.sha256,
        ),
        source=source,
        rule=rule,
        code=DUE_CODE,
        sentence=(
            f"{document.claims} claim{'' if document.claims == 1 else 's'} last seen on this page "
            f"at {document.release} ({document.newest}); nobody repeated "
            f"{'it' if document.claims == 1 else 'them'} within {RECHECK_AFTER_DAYS} days."
        ),
        new={
            "claims_count": document.claims,
            "oldest_on": document.oldest.isoformat(),
            "newest_on": document.newest.isoformat(),
            "claims": list(document.uids),
        },
    )
