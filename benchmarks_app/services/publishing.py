"""Publishes, corrects and withdraws runs, each with its claim on the matrix in one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Measurement, Run, RunFile, SampleSet
from benchmarks_app.services.attaching import Attachment, NotAttached, attachment_of
from benchmarks_app.services.declaring import restate
from benchmarks_app.services.masking import mask, storable_text
from benchmarks_app.services.uids import new_uid
from benchmarks_app.services.unknown_names import current_resolver, hold_names, note_unknown
from matrix.domain import codec
from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.index import current_knowledge
from matrix.models import Claim
from matrix.services import (
    add_claims,
    claim_uid,
    free_uid,
    raise_revision,
    withdraw_claim,
    write_audit,
)

_REASON_ACCEPTED = Phrase("a sentence that says why")
_DRAFT_ACCEPTED = Phrase("a draft")
_PUBLISHED_ACCEPTED = Phrase("a published run that was neither withdrawn nor replaced")
LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True)
class Published:
    """A published run with the claim that it recorded, or the reasons why it recorded none."""

    run: Run
    claim_uid: str
    why_not: tuple[NotAttached, ...] = ()


def publish_run(run: Run, *, actor: str) -> Published:
    """Publishes one draft; see ``publish_runs``."""
    return publish_runs([run], actor=actor)[0]


@transaction.atomic
def publish_runs(runs: Sequence[Run], *, actor: str) -> list[Published]:
    """Makes drafts public for good and records what they show on the matrix.

    **Queries**: 5, 3 for each run, and 3 for each that is attached. **Raises**: ``InvalidValue``
    for a run that is no draft; none is published then.
    """
    rows = _locked(runs, accepted=_DRAFT_ACCEPTED)
    return _publish(rows, actor=actor, catalogue=current_knowledge().catalogue)


def _publish(rows: Sequence[Run], *, actor: str, catalogue: Catalogue) -> list[Published]:
    now = timezone.now()
    for run in rows:
        if run.state != RunState.DRAFT.value:
            value = f"{run.uid} ({run.state})"
            raise InvalidValue(name="run", value=value, accepted=_DRAFT_ACCEPTED)
    found = [(run, attachment_of(run, catalogue, today=now.date())) for run in rows]
    _record(found, actor=actor)
    for run in rows:
        run.state, run.published_by, run.published_at = RunState.PUBLISHED.value, actor, now
    Run.objects.bulk_update(
        rows, ["state", "published_by", "published_at", "claim_uid"], batch_size=500
    )
    for run in rows:
        write_audit(
            actor=actor, action="publish-run", subject=f"run:{run.uid}",
            after={"claim": run.claim_uid},
        )  # fmt: skip
    return [Published(run, run.claim_uid, one.why_not) for run, one in found]


@transaction.atomic
def withdraw_run(run: Run, *, actor: str, reason: str) -> Run:
    """Takes a published run back with its claim; the record stays with the reason.

    **Raises**: ``InvalidValue`` without a reason, or for a run that is not published.
    """
    reason = _checked(reason)
    row = _published(run)
    _take_back(row, actor=actor, reason=reason)
    row.state, row.reason = RunState.WITHDRAWN.value, reason
    row.ended_by, row.ended_at = actor, timezone.now()
    row.save(update_fields=["state", "reason", "ended_by", "ended_at"])
    write_audit(
        actor=actor, action="withdraw-run", subject=f"run:{row.uid}", after={"reason": reason}
    )
    return row


@transaction.atomic
def correct_run(
    run: Run,
    *,
    actor: str,
    reason: str,
    facts: Mapping[str, object] | None = None,
    not_captured: Iterable[str] = (),
) -> Run:
    """A new published version of a run with other declared facts; the old one is replaced.

    What the files say stays as it is: only what people declared can be corrected.
    **Raises**: ``InvalidValue`` without a reason or a change, or for a run that is not published.
    """
    reason = _checked(reason)
    hold_names()
    old = _published(run)
    now = timezone.now()
    # Asked before the old claim is taken back, after which it would be built anew.
    catalogue = current_knowledge().catalogue
    new = _copy(old, actor=actor, now=now)
    unknown = restate(
        new, facts=facts or {}, not_captured=not_captured, resolver=current_resolver(), now=now
    )
    if new.facts == old.facts:
        raise InvalidValue(
            name="correction", value="no change", accepted=Phrase("at least one other fact")
        )
    _take_back(old, actor=actor, reason=reason)
    old.state, old.reason = RunState.REPLACED.value, reason
    old.ended_by, old.ended_at = actor, now
    old.save(update_fields=["state", "reason", "ended_by", "ended_at"])
    new.save(force_insert=True)
    _copy_parts(old, new)
    note_unknown(unknown, now=now)
    write_audit(
        actor=actor, action="correct-run", subject=f"run:{old.uid}",
        before={"facts": old.facts}, after={"by": new.uid, "facts": new.facts, "reason": reason},
    )  # fmt: skip
    return _publish([new], actor=actor, catalogue=catalogue)[0].run


def reattach(runs: Sequence[Run], *, actor: str, reason: str) -> int:
    """Records the claims of published runs anew where what they say has changed.

    Inside the caller's transaction; returns how many runs changed their claim.
    """
    catalogue = current_knowledge().catalogue
    today = timezone.now().date()
    changed = []
    for run in runs:
        attachment = attachment_of(run, catalogue, today=today)
        if _says_the_same(run, attachment):
            continue
        _take_back(run, actor=actor, reason=reason)
        run.claim_uid = ""
        _record([(run, attachment)], actor=actor)
        changed.append(run)
    Run.objects.bulk_update(changed, ["claim_uid"])
    return len(changed)


def _says_the_same(run: Run, attachment: Attachment) -> bool:
    if attachment.claim is None or not run.claim_uid:
        return attachment.claim is None and not run.claim_uid
    return claim_uid(attachment.claim) == run.claim_uid.partition(".")[0]


def _record(found: Iterable[tuple[Run, Attachment]], *, actor: str) -> None:
    """Records the claims in one go; the revision is raised once."""
    claims = []
    for run, one in found:
        if one.claim is not None:
            uid = free_uid(claim_uid(one.claim))
            claims.append(replace(one.claim, uid=uid))
            run.claim_uid = uid
    if not claims:
        return
    add_claims(claims, shipped=False)
    for claim in claims:
        write_audit(
            actor=actor, action="record-claim", subject=f"claim:{claim.uid}",
            after=codec.claim_to_plain(claim),
        )  # fmt: skip
    raise_revision()


def _take_back(run: Run, *, actor: str, reason: str) -> None:
    """Withdraws a run's claim unless a curator did so already."""
    standing = Claim.objects.filter(
        uid=run.claim_uid, superseded_at__isnull=True, withdrawn_at__isnull=True
    )
    if run.claim_uid and standing.exists():
        withdraw_claim(run.claim_uid, actor=actor, reason=f"run {run.uid}: {reason}")


def _locked(runs: Sequence[Run], *, accepted: str) -> list[Run]:
    """The rows as they are now. **Raises**: ``InvalidValue`` for one that was discarded since."""
    rows = Run.objects.select_for_update(of=("self",)).select_related("upload")
    found = list(rows.filter(pk__in=[run.pk for run in runs]).order_by("pk"))
    here = {row.pk for row in found}
    for run in runs:
        if run.pk not in here:
            raise InvalidValue(name="run", value=f"{run.uid} (discarded)", accepted=accepted)
    return found


def _published(run: Run) -> Run:
    row = _locked([run], accepted=_PUBLISHED_ACCEPTED)[0]
    if row.state != RunState.PUBLISHED.value:
        raise InvalidValue(
            name="run", value=f"{row.uid} ({row.state})", accepted=_PUBLISHED_ACCEPTED
        )
    return row


def _checked(reason: str) -> str:
    text = reason.strip()
    if not text or len(text) > LONGEST_REASON:
        raise InvalidValue(name="reason", value=text[:80], accepted=_REASON_ACCEPTED)
    # It is shown to everybody, like what the files say.
    return mask(storable_text(text))


def _copy(old: Run, *, actor: str, now: datetime) -> Run:
    new = Run.objects.select_related("upload").get(pk=old.pk)
    new.pk = None
    new.uid, new.version, new.replaces = new_uid(), old.version + 1, old
    new.state, new.claim_uid = RunState.DRAFT.value, ""
    new.created_by, new.created_at = actor, now
    new.published_by, new.published_at = "", None
    return new


def _copy_parts(old: Run, new: Run) -> None:
    values = list(old.measurements.all())
    files = list(old.files.all())
    samples = list(SampleSet.objects.filter(run=old))
    rows: list[Measurement | RunFile | SampleSet] = [*values, *files, *samples]
    for row in rows:
        row.pk, row.run = None, new
    Measurement.objects.bulk_create(values)
    RunFile.objects.bulk_create(files)
    SampleSet.objects.bulk_create(samples)
