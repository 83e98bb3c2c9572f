"""One statement seen once: what a finding says at a release, or what a claim was made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ingest.contract import Finding, Page
from ingest.domain.statements import Stance, conditions_of, execution_of, stance_of
from matrix.domain.claims import Claim, Document, Observation
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import EndpointKind, EvidenceKind, Execution, Limit, SupportLevel, Tier
from matrix.domain.versions import ReleaseHistory


@dataclass(frozen=True, slots=True)
class Said:
    """Everything of a claim but where and when it was observed."""

    scope: Scope
    level: SupportLevel
    tier: Tier
    execution: Execution
    kind: EvidenceKind
    note: str
    conditions: tuple[Condition, ...]
    limit: Limit | None
    open_ended: bool

    def key(self) -> tuple[object, ...]:
        """A hashable form: mappings do not hash, frozensets of their items do."""
        scope = self.scope
        return (
            frozenset(scope.nodes.items()),
            scope.features,
            frozenset(scope.numbers.items()),
            self.level,
            self.tier,
            self.execution,
            self.kind,
            self.note,
            self.conditions,
            self.limit,
            self.open_ended,
        )


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was said at one release, with the place that says it.

    **Shapes**: ``since`` is a version from which the page itself says that it holds;
    ``own_release`` marks a statement about a release that the page names, as release notes do.
    """

    rank: int
    release: str
    said: Said
    observation: Observation
    since: str
    parser: str
    own_release: bool

    @property
    def place(self) -> tuple[str, str]:
        """The document and the release that it speaks about."""
        return self.observation.document.key, self.release


def document_of(page: Page) -> Document:
    """The document that a page is evidence from."""
    return Document(
        key=f"{page.framework}:{page.version}:{page.path}",
        url=page.url,
        version=page.release,
        commit=page.commit,
        path=page.path,
        sha256=page.sha256,
        stated_on=page.stated_on,
    )


def sighting_of(
    finding: Finding, page: Page, *, document: Document, parser: str, history: ReleaseHistory
) -> Sighting | None:
    """The sighting of a finding, or ``None`` when it makes no claim or no release can be found."""
    stance = stance_of(finding)
    if stance is None:
        return None
    release = history.find(finding.release) if finding.release else None
    if finding.release and release is None:
        return None
    version = release.version if release else page.release
    stated_on: date = release.released_on if release else page.stated_on or date.min
    return Sighting(
        rank=history.rank(version),
        release=version,
        said=_said(finding, stance),
        observation=Observation(
            document=document,
            locator=finding.locator,
            release=version,
            stated_on=stated_on,
            raw=_sign(finding),
        ),
        since=finding.since,
        parser=parser,
        own_release=release is not None,
    )


def _said(finding: Finding, stance: Stance) -> Said:
    scope = finding.scope
    assert scope is not None
    tier = stance.tier if finding.tier is Tier.OFFICIAL and stance.tier else finding.tier
    return Said(
        scope=scope,
        level=stance.level,
        tier=tier,
        execution=execution_of(finding),
        kind=finding.evidence,
        note=finding.note or stance.note,
        conditions=conditions_of(finding),
        limit=finding.limit,
        open_ended=finding.open_ended or stance.open_ended,
    )


def said_of(claim: Claim) -> Said:
    """What a claim says, without where and when."""
    return Said(
        scope=claim.scope,
        level=claim.level,
        tier=claim.tier,
        execution=claim.execution,
        kind=claim.kind,
        note=claim.note,
        conditions=claim.conditions,
        limit=claim.limit,
        open_ended=claim.validity.open_ended,
    )


def sightings_of(claim: Claim, history: ReleaseHistory) -> Sequence[Sighting]:
    """The sightings that a recorded claim was made from; empty when a release is not known."""
    said = said_of(claim)
    validity = claim.validity
    exact = validity.first_kind is EndpointKind.EXACT
    starts_here = any(seen.release == validity.first for seen in claim.observations)
    found = []
    for seen in claim.observations:
        rank = history.find_rank(seen.release)
        if rank is None:
            return ()
        found.append(
            Sighting(
                rank=rank,
                release=history.releases[rank].version,
                said=said,
                observation=seen,
                since=validity.first if exact and not starts_here else "",
                parser=claim.parser,
                own_release=exact and starts_here,
            )
        )
    return found


LONGEST_SIGN = 40


def _sign(finding: Finding) -> str:
    """The sign or value as the page writes it, or nothing where that would be a page's sentence.

    Claims ship; a table cell's "✅" or "Yes (SM100+)" is a fact, a line of prose is its author's.
    """
    where = finding.locator
    in_a_cell = bool(where.row or where.column or where.path)
    return finding.raw if in_a_cell and len(finding.raw) <= LONGEST_SIGN else ""
