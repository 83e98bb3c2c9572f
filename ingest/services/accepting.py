"""What readings found becomes claims, in one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from django.db import transaction
from django.utils import timezone

from ingest.domain.derive import (
    NOTHING_UNSETTLED,
    PageReading,
    Sightings,
    Unsettled,
    collect_sightings,
    coverage_of,
)
from ingest.domain.difference import Difference, Replacement, compare_claims
from ingest.domain.sightings import document_of
from ingest.queries import (
    READ_ACTION,
    read_subject,
    read_versions,
    recorded_claims,
    unsettled_statements,
    used_uids,
)
from matrix.domain.claims import Claim
from matrix.domain.versions import ReleaseHistory
from matrix.models import Claim as ClaimRow
from matrix.services import (
    AGAIN,
    add_claims,
    claim_uid,
    confirm_claims,
    raise_revision,
    write_audit,
)


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """How many claims the readings added, confirmed, ended by another word, or ended by silence.

    A claim that its own documents, read again, no longer say is ``changed`` when they say
    something else and ``gone`` when they say nothing of the kind.
    """

    new: int
    confirmed: int
    changed: int
    gone: int

    def __add__(self, other: "IngestSummary") -> "IngestSummary":
        return IngestSummary(
            new=self.new + other.new,
            confirmed=self.confirmed + other.confirmed,
            changed=self.changed + other.changed,
            gone=self.gone + other.gone,
        )


NOTHING_WRITTEN = IngestSummary(new=0, confirmed=0, changed=0, gone=0)


@dataclass(frozen=True)
class Ground:
    """What a difference is made against: the claims on record and where they were looked for.

    **Shapes**: ``replaced`` are keys of documents whose place the pages read now have taken.
    """

    framework: str
    history: ReleaseHistory
    readings: Sequence[PageReading]
    recorded: Sequence[Claim]
    coverage: Mapping[str, Sequence[int]]
    read_before: Mapping[str, Iterable[str]]
    replaced: frozenset[str] = frozenset()

    def compare(self, sightings: Sightings, *, unsettled: Unsettled) -> Difference:
        """The difference that the sightings make."""
        again = {(r.claim_source, document_of(r.page).key) for r in self.readings}
        return compare_claims(
            self.recorded,
            sightings,
            framework=self.framework,
            coverage=self.coverage,
            read_again=frozenset(again),
            read_before=self.read_before,
            history=self.history,
            unsettled=unsettled,
            replaced=self.replaced,
        )


def find_ground(
    readings: Sequence[PageReading],
    *,
    framework: str,
    history: ReleaseHistory,
    replaced: frozenset[str] = frozenset(),
) -> Ground:
    """The ground of readings. **Queries**: 5."""
    coverage = coverage_of(readings, history)
    return Ground(
        framework=framework,
        history=history,
        readings=readings,
        recorded=recorded_claims(framework=framework, sources=coverage),
        coverage=coverage,
        read_before=read_versions(framework=framework),
        replaced=replaced,
    )


@transaction.atomic
def accept_readings(
    readings: Sequence[PageReading],
    *,
    framework: str,
    history: ReleaseHistory,
    actor: str,
    unsettled: Unsettled = NOTHING_UNSETTLED,
) -> IngestSummary:
    """Records what the readings state; all of it or nothing.

    What waits for review from other readings stays as it is and counts as no silence.
    **Raises**: ``InvalidClaim`` when a finding breaks a data rule.
    """
    ground = find_ground(readings, framework=framework, history=history)
    waiting = unsettled or unsettled_statements(framework=framework, history=history)
    sightings = collect_sightings(readings, history)
    return write_difference(ground, ground.compare(sightings, unsettled=waiting), actor=actor)


def write_difference(ground: Ground, difference: Difference, *, actor: str) -> IngestSummary:
    """Writes a difference inside the caller's transaction, with its line in the audit log."""
    summary = _summary(difference)
    _write(difference)
    write_audit(
        actor=actor,
        action=READ_ACTION,
        subject=read_subject(ground.framework),
        after={**asdict(summary), "read": _versions_of(ground.coverage, ground.history)},
    )
    if summary.new or summary.changed or summary.gone or difference.evidence:
        raise_revision()
    return summary


def _versions_of(
    coverage: Mapping[str, Sequence[int]], history: ReleaseHistory
) -> dict[str, list[str]]:
    """What was read, by claim source: a rule that found nothing was there all the same."""
    return {
        source: [history.releases[rank].version for rank in ranks]
        for source, ranks in sorted(coverage.items())
    }


def _summary(difference: Difference) -> IngestSummary:
    replaced = sum(item.by is not None for item in difference.replaced)
    return IngestSummary(
        new=len(difference.new),
        confirmed=len(difference.confirmed),
        changed=len(difference.changed) + replaced,
        gone=len(difference.gone) + len(difference.replaced) - replaced,
    )


def _write(difference: Difference) -> None:
    named = _named(difference.new)
    add_claims([claim for _, claim in named], shipped=False)
    confirm_claims([*difference.confirmed, *difference.changed, *difference.gone])
    _end_replaced(difference.replaced, {id(bare): claim.uid for bare, claim in named})


def _named(claims: Sequence[Claim]) -> list[tuple[Claim, Claim]]:
    """Each claim with a copy that has its identifier.

    An identifier that an earlier claim of the same words bears (it is superseded or withdrawn, or
    ends with this writing) is counted up, so that the statement can be made again.
    """
    plain = [claim_uid(claim) for claim in claims]
    used = used_uids(plain)
    named = []
    for claim, first in zip(claims, plain, strict=True):
        uid, again = first, 1
        while uid in used:
            again += 1
            uid = f"{first}{AGAIN}{again}"
        used.add(uid)
        named.append((claim, replace(claim, uid=uid)))
    return named


def _end_replaced(replaced: Iterable[Replacement], uids: dict[int, str]) -> None:
    """Supersede each claim by its successor, or withdraw it where its documents say nothing."""
    now = timezone.now()
    ended = {item.recorded.uid: item for item in replaced}
    successors = {uid: uids.get(id(item.by), item.by.uid) for uid, item in ended.items() if item.by}
    rows = ClaimRow.objects.in_bulk([*ended, *successors.values()], field_name="uid")
    for uid, item in ended.items():
        row = rows[uid]
        reader = item.by.parser if item.by else "the current reader"
        if item.by is not None:
            row.superseded_at, row.superseded_by = now, rows[successors[uid]]
            row.reason = f"its documents were read again by {reader}"
        else:
            row.withdrawn_at = now
            row.reason = "its documents, read again, no longer state it"
    ClaimRow.objects.bulk_update(
        [rows[uid] for uid in ended],
        ["superseded_at", "superseded_by", "withdrawn_at", "reason"],
        batch_size=1_000,
    )
