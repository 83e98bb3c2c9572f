"""Reads for ingest: recorded claims of sources, catalogue for readers."""

from collections.abc import Iterable, Mapping

from ingest.domain.review import CHANGE_KINDS, UNSETTLED_STATES
from ingest.models import ReviewItem
from matrix.convert import ClaimReader, document_value
from matrix.domain.claims import Claim, Document, Observation
from matrix.domain.codec import locator_from_plain
from matrix.domain.versions import ReleaseHistory
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
    documents = {
        row.pk: document_value(row)
        for row in SourceDocument.objects.filter(observations__claim_id__in=ids).distinct()
    }
    seen = _observations(ids, documents)
    frameworks = dict(Framework.objects.values_list("pk", "slug"))
    reader = ClaimReader(frameworks, documents)
    return [reader.claim(row, seen.get(row.pk, ())) for row in rows]


def _observations(
    ids: Iterable[int], documents: Mapping[int, Document]
) -> dict[int, list[Observation]]:
    """The observations of claims by claim, in the order they were recorded. **Queries**: 1.

    Plain columns instead of rows: there are ten times as many observations as claims.
    """
    found: dict[int, list[Observation]] = {}
    columns = ObservationRow.objects.filter(claim_id__in=ids).order_by("pk").values_list(
        "claim_id", "document_id", "release", "stated_on", "locator", "raw"
    )  # fmt: skip
    for claim, document, release, stated_on, locator, raw in columns.iterator():
        found.setdefault(claim, []).append(
            Observation(
                document=documents[document],
                locator=locator_from_plain(locator),
                release=release,
                stated_on=stated_on,
                raw=raw,
            )
        )
    return found


def used_uids(uids: Iterable[str]) -> set[str]:
    """All identifiers borne by claims, standing or not, that begin with one of these.

    **Queries**: 2.
    """
    wanted = set(uids)
    known = ClaimRow.objects.values_list("uid", flat=True)
    again = known.filter(uid__contains=AGAIN)
    return {*known.filter(uid__in=wanted), *(u for u in again if u.partition(AGAIN)[0] in wanted)}


def unsettled_statements(
    *, framework: str, history: ReleaseHistory, besides: Iterable[int] = ()
) -> dict[tuple[str, str], frozenset[int]]:
    """At which releases the word of a claim source on a statement waits for review or was refused.

    **Shapes**: ``besides`` are items that no longer count, because their pages were read anew.
    **Queries**: 1.
    """
    rows = ReviewItem.objects.filter(
        framework=framework, kind__in=CHANGE_KINDS, state__in=UNSETTLED_STATES
    ).exclude(pk__in=list(besides))
    found: dict[tuple[str, str], set[int]] = {}
    for source, rule, statement, release in rows.values_list(
        "source", "rule", "statement", "release"
    ):
        rank = history.find_rank(release)
        if rank is not None:
            found.setdefault((f"{source}:{rule}", statement), set()).add(rank)
    return {key: frozenset(ranks) for key, ranks in found.items()}
