"""Writes to the knowledge: record, confirm, supersede, withdraw; one transaction each.

Every write raises the knowledge revision and leaves an audit entry in the same transaction.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from matrix.convert import load_catalogue
from matrix.domain import codec
from matrix.domain.claims import Claim, Document, Observation, problems_of
from matrix.domain.errors import InvalidClaim, InvalidValue
from matrix.domain.lint import breaches_of
from matrix.domain.phrases import Phrase
from matrix.index import note_write
from matrix.models import AuditEntry, Framework, KnowledgeRevision, SourceDocument
from matrix.models import Claim as ClaimRow
from matrix.models import Observation as ObservationRow

_BATCH_ROWS = 2_000
# Between the identifier of a statement and the number of its recording, from the second one on.
AGAIN = "."


def claim_uid(claim: Claim) -> str:
    """A stable identifier of what is said: source, statement, scope, level and first release.

    Later observations of the same statement keep it, a change of what is said does not.
    """
    said = [
        claim.framework,
        claim.source,
        claim.statement,
        codec.scope_to_plain(claim.scope),
        claim.level.value,
        claim.kind.value,
        claim.validity.first,
        claim.tier.value,
        claim.execution.value,
        claim.note,
        [codec.condition_to_plain(c) for c in claim.conditions],
    ]
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def raise_revision() -> int:
    """Raises the knowledge revision inside the caller's transaction; returns the new number."""
    transaction.on_commit(note_write)
    KnowledgeRevision.objects.get_or_create(pk=1)
    KnowledgeRevision.objects.filter(pk=1).update(number=F("number") + 1, raised_at=timezone.now())
    return KnowledgeRevision.objects.values_list("number", flat=True).get(pk=1)


def write_audit(
    *, actor: str, action: str, subject: str, before: object = None, after: object = None
) -> None:
    """One line of the audit log, inside the caller's transaction."""
    AuditEntry.objects.create(
        actor=actor, action=action, subject=subject, before=before or {}, after=after or {}
    )


def store_documents(documents: Iterable[Document]) -> dict[str, int]:
    """Rows of the documents by key; known keys are kept as they are. **Queries**: 2 per 2,000."""
    wanted = {document.key: document for document in documents}
    rows = [
        SourceDocument(
            key=d.key,
            url=d.url,
            version=d.version,
            commit=d.commit,
            path=d.path,
            title=d.title,
            sha256=d.sha256,
            stated_on=d.stated_on,
            retrieved_at=d.retrieved_at,
        )
        for d in wanted.values()
    ]
    SourceDocument.objects.bulk_create(rows, batch_size=_BATCH_ROWS, ignore_conflicts=True)
    found = SourceDocument.objects.filter(key__in=list(wanted)).values_list("key", "pk")
    return dict(found)


def claim_row(claim: Claim, *, framework_id: int, recorded_at: datetime, shipped: bool) -> ClaimRow:
    """The unsaved row of a claim."""
    validity = claim.validity
    return ClaimRow(
        uid=claim.uid,
        framework_id=framework_id,
        source=claim.source,
        statement=claim.statement,
        scope=codec.scope_to_plain(claim.scope),
        level=claim.level.value,
        execution=claim.execution.value,
        tier=claim.tier.value,
        outcome=claim.outcome.value,
        limit=claim.limit.value if claim.limit else "",
        kind=claim.kind.value,
        note=claim.note,
        conditions=[codec.condition_to_plain(c) for c in claim.conditions],
        first=validity.first,
        first_kind=validity.first_kind.value,
        after=validity.after,
        last=validity.last,
        gone=validity.gone,
        gone_on=validity.gone_on,
        open_ended=validity.open_ended,
        reference=claim.reference,
        parser=claim.parser,
        shipped=shipped,
        recorded_at=claim.recorded_at or recorded_at,
    )


def observation_row(
    observation: Observation, *, claim_id: int, document_id: int, recorded_at: datetime
) -> ObservationRow:
    """The unsaved row of an observation."""
    return ObservationRow(
        claim_id=claim_id,
        document_id=document_id,
        release=observation.release,
        stated_on=observation.stated_on,
        locator=codec.locator_to_plain(observation.locator),
        raw=observation.raw[:200],
        recorded_at=recorded_at,
    )


def add_claims(claims: Sequence[Claim], *, shipped: bool) -> int:
    """Inserts claims with their evidence inside the caller's transaction; known uids are skipped.

    **Raises**: ``InvalidClaim`` listing every problem before anything is written.
    """
    now = timezone.now()
    problems = [
        f"{claim.uid}: {problem}"
        for claim in claims
        for problem in problems_of(claim, today=now.date())
    ]
    counts = Counter(claim.uid for claim in claims)
    problems += [f"{uid}: the identifier stands {n} times" for uid, n in counts.items() if n > 1]
    frameworks = dict(Framework.objects.values_list("slug", "pk"))
    missing = sorted({claim.framework for claim in claims} - set(frameworks))
    problems += [f"the framework {slug!r} is not in the catalogue" for slug in missing]
    if problems:
        raise InvalidClaim(problems=problems[:50])
    known = set(
        ClaimRow.objects.filter(uid__in=[c.uid for c in claims]).values_list("uid", flat=True)
    )
    fresh = [claim for claim in claims if claim.uid not in known]
    documents = store_documents(o.document for c in fresh for o in c.observations)
    rows = [
        claim_row(c, framework_id=frameworks[c.framework], recorded_at=now, shipped=shipped)
        for c in fresh
    ]
    ClaimRow.objects.bulk_create(rows, batch_size=_BATCH_ROWS)
    seen = [
        observation_row(
            o, claim_id=row.pk, document_id=documents[o.document.key], recorded_at=row.recorded_at
        )
        for row, claim in zip(rows, fresh, strict=True)
        for o in claim.observations
    ]
    ObservationRow.objects.bulk_create(seen, batch_size=_BATCH_ROWS, ignore_conflicts=True)
    return len(fresh)


@transaction.atomic
def record_claim(claim: Claim, *, actor: str) -> ClaimRow:
    """Records one claim with its evidence; the recorded clock is the database's, not the caller's.

    A statement that was withdrawn or superseded may be recorded again; it gets a new identifier.
    **Raises**: ``InvalidClaim``; ``InvalidValue`` when the very same statement stands already.
    """
    today = timezone.now().date()
    found = breaches_of(claim, load_catalogue(), today=today)
    problems = [f"{what} ({rule})" for rule, what in found]
    if problems:
        raise InvalidClaim(problems=problems)
    uid = free_uid(claim.uid or claim_uid(claim))
    claim = replace(claim, uid=uid, recorded_at=None, superseded_at=None, withdrawn_at=None)
    add_claims([claim], shipped=False)
    row = ClaimRow.objects.get(uid=claim.uid)
    write_audit(
        actor=actor,
        action="record-claim",
        subject=f"claim:{claim.uid}",
        after=codec.claim_to_plain(claim),
    )
    raise_revision()
    return row


def free_uid(uid: str) -> str:
    """The identifier under which a statement may be recorded: ``uid``, or ``uid.2`` and so on
    after claims of the same statement that have ended.

    **Raises**: ``InvalidValue`` when one of them still stands.
    """
    base = uid.partition(AGAIN)[0]
    rows = ClaimRow.objects.filter(Q(uid=base) | Q(uid__startswith=f"{base}{AGAIN}"))
    if rows.standing().exists():
        raise InvalidValue(
            name="claim", value=uid, accepted=Phrase("a statement that is not recorded already")
        )
    taken = rows.count()
    return f"{base}{AGAIN}{taken + 1}" if taken else base


@transaction.atomic
def supersede_claim(uid: str, claim: Claim, *, actor: str, reason: str) -> ClaimRow:
    """Records a claim and ends an earlier one by it.

    **Raises**: ``InvalidClaim``, ``InvalidValue`` (no reason, or already ended), ``DoesNotExist``.
    """
    old = _standing(uid, reason=reason)
    # The old claim ends first, so that the new one may repeat its statement with a correction.
    old.superseded_at = timezone.now()
    old.reason = reason
    old.save(update_fields=["superseded_at", "reason"])
    new = record_claim(claim, actor=actor)
    old.superseded_by = new
    old.save(update_fields=["superseded_by"])
    write_audit(
        actor=actor,
        action="supersede-claim",
        subject=f"claim:{uid}",
        after={"by": new.uid, "reason": reason},
    )
    return new


@transaction.atomic
def withdraw_claim(uid: str, *, actor: str, reason: str) -> ClaimRow:
    """Takes a claim back with a reason; it stays readable and answers ``known_at`` before today.

    **Raises**: ``InvalidValue`` (no reason, or already ended), ``DoesNotExist``.
    """
    row = _standing(uid, reason=reason)
    row.withdrawn_at = timezone.now()
    row.reason = reason
    row.save(update_fields=["withdrawn_at", "reason"])
    write_audit(
        actor=actor, action="withdraw-claim", subject=f"claim:{uid}", after={"reason": reason}
    )
    raise_revision()
    return row


def _standing(uid: str, *, reason: str) -> ClaimRow:
    if not reason.strip():
        raise InvalidValue(name="reason", value=reason, accepted=Phrase("a sentence that says why"))
    row = ClaimRow.objects.select_for_update().get(uid=uid)
    if row.superseded_at or row.withdrawn_at:
        raise InvalidValue(name="claim", value=uid, accepted=Phrase("a claim that still stands"))
    return row


def confirm_claims(claims: Sequence[Claim]) -> int:
    """Adds newer observations to claims that stand already, inside the caller's transaction.

    Moves only the last release seen and the end of the statement; returns how many changed.
    **Raises**: ``InvalidClaim`` for a claim that is not recorded or breaks a data rule.
    """
    now = timezone.now()
    rows = {row.uid: row for row in ClaimRow.objects.filter(uid__in=[c.uid for c in claims])}
    problems = [f"{c.uid}: the claim is not recorded" for c in claims if c.uid not in rows]
    problems += [f"{c.uid}: {p}" for c in claims for p in problems_of(c, today=now.date())]
    if problems:
        raise InvalidClaim(problems=problems[:50])
    documents = store_documents(o.document for c in claims for o in c.observations)
    changed = []
    seen = []
    for claim in claims:
        row = rows[claim.uid]
        ends = (claim.validity.last, claim.validity.gone, claim.validity.gone_on)
        if ends != (row.last, row.gone, row.gone_on):
            row.last, row.gone, row.gone_on = ends
            changed.append(row)
        seen += [
            observation_row(
                o, claim_id=row.pk, document_id=documents[o.document.key], recorded_at=now
            )
            for o in claim.observations
        ]
    ClaimRow.objects.bulk_update(changed, ["last", "gone", "gone_on"], batch_size=_BATCH_ROWS)
    ObservationRow.objects.bulk_create(seen, batch_size=_BATCH_ROWS, ignore_conflicts=True)
    return len(changed)
