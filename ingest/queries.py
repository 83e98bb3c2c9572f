"""Reads for ingest: recorded claims of sources, catalogue for readers."""

from collections.abc import Iterable

from matrix.convert import ClaimReader, document_value
from matrix.domain.claims import Claim, Observation
from matrix.models import AuditEntry, Framework, SourceDocument
from matrix.models import Claim as ClaimRow
from matrix.models import Observation as ObservationRow
from matrix.services import AGAIN

# How the audit log names a run of ingest; what it read stands there.
READ_ACTION = "accept-readings"


def read_subject(framework: str) -> str:
    """The subject of a framework's runs in the audit log."""
    return f"framework:{framework}"


def read_versions(*, framework: str) -> dict[str, set[str]]:
    """At which releases each claim source was read so far, whatever it found there.

    **Queries**: 1.
    """
    runs = AuditEntry.objects.filter(action=READ_ACTION, subject=read_subject(framework))
    found: dict[str, set[str]] = {}
    for after in runs.values_list("after", flat=True):
        for source, versions in after.get("read", {}).items():
            found.setdefault(source, set()).update(versions)
    return found


def recorded_claims(*, framework: str, sources: Iterable[str]) -> list[Claim]:
    """Standing claims of the given claim sources ("vllm-docs:quantization") with their evidence.

    **Queries**: 4.
    """
    rows = list(
        ClaimRow.objects.standing().filter(framework__slug=framework, source__in=list(sources))
    )
    ids = [row.pk for row in rows]
    seen: dict[int, list[ObservationRow]] = {}
    for observation in ObservationRow.objects.filter(claim_id__in=ids).order_by("pk"):
        seen.setdefault(observation.claim_id, []).append(observation)
    documents = {
        row.pk: document_value(row)
        for row in SourceDocument.objects.filter(observations__claim_id__in=ids).distinct()
    }
    frameworks = dict(Framework.objects.values_list("pk", "slug"))
    reader = ClaimReader(frameworks, documents)
    return [reader.claim(row, _observations(reader, seen.get(row.pk, ()))) for row in rows]


def _observations(reader: ClaimReader, rows: Iterable[ObservationRow]) -> list[Observation]:
    return [reader.observation(row) for row in rows]


def used_uids(uids: Iterable[str]) -> set[str]:
    """All identifiers borne by claims, standing or not, that begin with one of these.

    **Queries**: 2.
    """
    wanted = set(uids)
    known = ClaimRow.objects.values_list("uid", flat=True)
    again = known.filter(uid__contains=AGAIN)
    return {*known.filter(uid__in=wanted), *(u for u in again if u.partition(AGAIN)[0] in wanted)}
