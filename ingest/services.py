"""Writes of ingest: what a reading found becomes claims, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import transaction

from ingest.domain.derive import PageReading, coverage_of, derive_claims
from ingest.domain.difference import Difference, compare_claims
from ingest.queries import recorded_claims
from matrix.domain.versions import ReleaseHistory
from matrix.services import add_claims, claim_uid, confirm_claims, raise_revision, write_audit


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """How many claims a reading added, confirmed, ended by another word, or ended by silence."""

    new: int
    confirmed: int
    changed: int
    gone: int


@transaction.atomic
def accept_readings(
    readings: Sequence[PageReading], *, framework: str, history: ReleaseHistory, actor: str
) -> IngestSummary:
    """Records what the readings state; all of it or nothing.

    **Raises**: ``InvalidClaim`` when a finding breaks a data rule.
    """
    coverage = coverage_of(readings, history)
    derived = [
        replace(claim, uid=claim_uid(claim))
        for claim in derive_claims(readings, framework=framework, history=history)
    ]
    recorded = recorded_claims(framework=framework, sources=coverage)
    difference = compare_claims(recorded, derived, coverage=coverage, history=history)
    _write(difference)
    summary = IngestSummary(
        new=len(difference.new),
        confirmed=len(difference.confirmed),
        changed=len(difference.changed),
        gone=len(difference.gone),
    )
    write_audit(
        actor=actor,
        action="accept-readings",
        subject=f"framework:{framework}",
        after={
            "new": summary.new,
            "confirmed": summary.confirmed,
            "changed": summary.changed,
            "gone": summary.gone,
        },
    )
    if summary.new or summary.changed or summary.gone:
        raise_revision()
    return summary


def _write(difference: Difference) -> None:
    add_claims(difference.new, shipped=False)
    confirm_claims([*difference.confirmed, *difference.changed, *difference.gone])
