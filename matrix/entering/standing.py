"""What stands in the record under the sources of an import."""

from collections.abc import Iterable
from dataclasses import dataclass

from matrix.convert import document_value
from matrix.domain import codec
from matrix.domain.claims import Claim, Observation, Validity
from matrix.domain.levels import EvidenceKind, SupportLevel
from matrix.models import Claim as ClaimRow
from matrix.services import AGAIN


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recording of a claim: its row, what it says as far as an import compares it, its end."""

    row_id: int
    uid: str
    claim: Claim
    parser: str
    superseded: bool
    withdrawn: bool
    reason: str

    @property
    def base(self) -> str:
        """The identifier without the number of its recording."""
        return self.uid.partition(AGAIN)[0]

    @property
    def stands(self) -> bool:
        """Neither superseded nor withdrawn."""
        return not self.superseded and not self.withdrawn

    @property
    def addresses(self) -> frozenset[str]:
        """The addresses of its evidence."""
        return addresses_of(self.claim)


def addresses_of(claim: Claim) -> frozenset[str]:
    """The addresses of a claim's evidence."""
    return frozenset(o.document.url for o in claim.observations)


def recorded_claims(sources: Iterable[str]) -> list[Recorded]:
    """All recordings under some sources, ended ones included, oldest first. **Queries**: 3."""
    rows = (
        ClaimRow.objects.filter(source__in=list(sources))
        .select_related("framework")
        .prefetch_related("observations__document")
        .order_by("pk")
    )
    return [
        Recorded(
            row_id=row.pk,
            uid=row.uid,
            claim=_claim(row),
            parser=row.parser,
            superseded=row.superseded_at is not None,
            withdrawn=row.withdrawn_at is not None,
            reason=row.reason,
        )
        for row in rows
    ]


def _claim(row: ClaimRow) -> Claim:
    return Claim(
        uid=row.uid,
        framework=row.framework.slug,
        source=row.source,
        statement=row.statement,
        scope=codec.scope_from_plain(row.scope),
        level=SupportLevel(row.level),
        kind=EvidenceKind(row.kind),
        validity=Validity(first=row.first, last=row.last),
        observations=tuple(
            Observation(
                document=document_value(seen.document),
                locator=codec.locator_from_plain(seen.locator),
                release=seen.release,
                stated_on=seen.stated_on,
                raw=seen.raw,
            )
            for seen in row.observations.all()
        ),
        conditions=codec.conditions_from_plain(row.conditions),
        superseded_at=row.superseded_at,
        withdrawn_at=row.withdrawn_at,
    )
