"""Decisions over the whole queue: proposals are recorded, words set aside, items asked again."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from ingest.domain.review import CHANGE_KINDS, QUARANTINE_KINDS, ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.services.reader_reports import PROPOSED
from ingest.services.reviewing import Decision, accept_items, reject_items, reread_places
from ingest.services.settling import NOTHING_SETTLED
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.entering.importing import import_entries
from matrix.entering.lines import Entry
from matrix.models import Claim
from matrix.services import withdraw_claim, write_audit

# Why a word was set aside; kept with the item under ``set_aside``.
IGNORED, NODE_NEEDED = "ignored", "node-needed"
SET_ASIDE = (IGNORED, NODE_NEEDED)


@transaction.atomic
def accept_queue(ids: Iterable[int], *, actor: str, now: datetime, reason: str = "") -> Decision:
    """Accepts open items of any kind but words; proposed claims among them are recorded.

    **Raises**: what ``accept_items`` raises; ``BrokenEntries`` for a proposal that breaks a rule.
    """
    wanted = sorted(set(ids))
    decision = accept_items(wanted, actor=actor, now=now, reason=reason)
    proposals = ReviewItem.objects.filter(
        pk__in=wanted, kind=ItemKind.PROBLEM_REPORT, code=PROPOSED
    )
    for item in proposals.order_by("pk"):
        entry = Entry(1, item.new.get("proposed", {}))
        summary = import_entries([entry], actor=actor, name=f"review:{item.pk}")
        planned = summary.planned()
        if planned:
            item.claim_uid = planned[0].claim.uid
            item.save(update_fields=["claim_uid"])
    return decision


@transaction.atomic
def set_words_aside(
    ids: Iterable[int], outcome: str, *, actor: str, now: datetime, reason: str
) -> Decision:
    """Answers items about unknown words without giving the word a meaning.

    A word that needs a node is read by itself as soon as the catalogue knows the name.
    **Raises**: ``InvalidValue`` for another outcome, another kind of item, a decided one, or no
    reason.
    """
    if outcome not in SET_ASIDE:
        raise InvalidValue(name="outcome", value=outcome, accepted=" or ".join(SET_ASIDE))
    wanted = sorted(set(ids))
    others = ReviewItem.objects.filter(pk__in=wanted).exclude(kind=ItemKind.UNKNOWN_WORD)
    for pk, kind in others.values_list("pk", "kind")[:1]:
        raise InvalidValue(name="item", value=f"{pk} ({kind})", accepted=Phrase("an unknown word"))
    decision = reject_items(wanted, actor=actor, now=now, reason=reason)
    for item in ReviewItem.objects.filter(pk__in=wanted):
        item.new = {**item.new, "set_aside": outcome}
        item.save(update_fields=["new"])
    return decision


@transaction.atomic
def reopen_item(pk: int, *, actor: str, now: datetime, reason: str) -> Decision:
    """Asks about a decided item again; what its acceptance recorded is withdrawn with the reason.

    The earlier decision stays in the audit log.
    **Raises**: ``InvalidValue`` without a reason, or for an item that is open, out of date, or
    whose answer cannot be taken back here.
    """
    if not reason.strip():
        raise InvalidValue(name="reason", value=reason, accepted=Phrase("a sentence that says why"))
    item = ReviewItem.objects.select_for_update().get(pk=pk)
    before = item.state
    if not may_reopen(item):
        raise InvalidValue(
            name="item", value=f"{pk} ({item.kind}, {before})",
            accepted=Phrase("an item that was rejected or edited, or accepted and recorded as "
"a claim"),
        )  # fmt: skip
    withdrawn = _written_by(item)
    for uid in withdrawn:
        withdraw_claim(uid, actor=actor, reason=reason)
    write_audit(
        actor=actor,
        action="review-reopened",
        subject=f"review:{pk}",
        before={"state": before, "reason": item.reason, "by": item.decided_by},
        after={"state": ItemState.OPEN.value, "reason": reason.strip(), "withdrawn": withdrawn},
    )
    item.state = ItemState.OPEN.value
    item.decided_by, item.decided_at, item.reason, item.claim_uid = "", None, "", ""
    item.new = {key: value for key, value in item.new.items() if key != "set_aside"}
    item.save(update_fields=["state", "decided_by", "decided_at", "reason", "claim_uid", "new"])
    settled = NOTHING_SETTLED
    if item.rule and item.kind in (*CHANGE_KINDS, *QUARANTINE_KINDS):
        place = {(item.framework, item.version): {(item.source, item.rule)}}
        settled = reread_places(place, actor=actor, now=now)
    return Decision(decided=1, settlement=settled)


def may_reopen(item: ReviewItem) -> bool:
    """Whether a decision can be taken back here.

    A name that was given to a node, and what was recorded of a release, a status or a model, stays.
    """
    if item.state in (ItemState.REJECTED, ItemState.EDITED):
        return True
    stays = item.kind == ItemKind.UNKNOWN_WORD or (item.kind in CHANGE_KINDS and not item.rule)
    return item.state == ItemState.ACCEPTED and not stays


def _written_by(item: ReviewItem) -> Sequence[str]:
    """Standing claims that the decision on an item recorded. **Queries**: 1 or 2."""
    standing = Claim.objects.standing()
    found = set(standing.filter(uid=item.claim_uid).values_list("uid", flat=True))
    if item.kind in CHANGE_KINDS and item.state == ItemState.ACCEPTED:
        rows = standing.filter(
            framework__slug=item.framework,
            source=f"{item.source}:{item.rule}",
            statement=item.statement,
            recorded_at__gte=item.decided_at,
            observations__document__sha256=item.snapshot_sha256,
        )
        found.update(rows.values_list("uid", flat=True))
    return sorted(found - {""})
