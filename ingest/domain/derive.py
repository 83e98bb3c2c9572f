"""From readings of many releases to claims with release ranges.

A statement that consecutive releases repeat is one claim with several observations. Where the next
reading of the same rule says something else or nothing, the claim ends there ("no longer stated"
is not "no"). Gaps between captured releases stay gaps.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ingest.contract import Finding, Page, Reading
from ingest.domain.statements import Stance, conditions_of, execution_of, stance_of
from matrix.domain.claims import Claim, Document, Observation, Validity
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import EndpointKind, EvidenceKind, Execution, Limit, SupportLevel, Tier
from matrix.domain.versions import ReleaseHistory


@dataclass(frozen=True, slots=True)
class PageReading:
    """What one rule of one source read from one page."""

    source: str
    rule: str
    parser: str
    page: Page
    reading: Reading


@dataclass(frozen=True, slots=True)
class _Said:
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


@dataclass(frozen=True, slots=True)
class _Sighting:
    rank: int
    release: str
    said: _Said
    observation: Observation
    since: str
    parser: str
    released_separately: bool


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


def coverage_of(
    readings: Iterable[PageReading], history: ReleaseHistory
) -> Mapping[str, tuple[int, ...]]:
    """At which releases (ranks, ascending) each rule read a page: ``{"source:rule": (…)}``."""
    ranks: dict[str, set[int]] = {}
    for item in readings:
        if item.page.release:
            ranks.setdefault(f"{item.source}:{item.rule}", set()).add(
                history.rank(item.page.release)
            )
    return {name: tuple(sorted(found)) for name, found in ranks.items()}


def derive_claims(
    readings: Sequence[PageReading], *, framework: str, history: ReleaseHistory
) -> list[Claim]:
    """The claims of all readings, each with its observations and typed release range.

    Pages that could not be placed at a release or have no date state nothing here.
    """
    sightings: dict[tuple[str, str], list[_Sighting]] = {}
    documents: dict[int, Document] = {}
    for item in readings:
        page = item.page
        if not page.release or page.stated_on is None:
            continue
        document = documents.setdefault(id(page), document_of(page))
        for finding in item.reading.findings:
            sighting = _sighting(item, finding, document, history)
            if sighting is not None:
                key = (f"{item.source}:{item.rule}", finding.statement)
                sightings.setdefault(key, []).append(sighting)
    coverage = coverage_of(readings, history)
    claims = []
    for (source, statement), seen in sightings.items():
        claims += _claims_of_statement(
            seen,
            framework=framework,
            source=source,
            statement=statement,
            covered=coverage[source],
            history=history,
        )
    return claims


def _sighting(
    item: PageReading, finding: Finding, document: Document, history: ReleaseHistory
) -> _Sighting | None:
    stance = stance_of(finding)
    if stance is None:
        return None
    page = item.page
    release = history.find(finding.release) if finding.release else None
    if finding.release and release is None:
        return None
    version = release.version if release else page.release
    stated_on: date = release.released_on if release else page.stated_on or date.min
    return _Sighting(
        rank=history.rank(version),
        release=version,
        said=_said(finding, stance),
        observation=Observation(
            document=document,
            locator=finding.locator,
            release=version,
            stated_on=stated_on,
            raw=finding.raw[:80],
        ),
        since=finding.since,
        parser=item.parser,
        released_separately=release is not None,
    )


def _said(finding: Finding, stance: Stance) -> _Said:
    scope = finding.scope
    assert scope is not None
    tier = stance.tier if finding.tier is Tier.OFFICIAL and stance.tier else finding.tier
    return _Said(
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


def _claims_of_statement(
    seen: list[_Sighting],
    *,
    framework: str,
    source: str,
    statement: str,
    covered: Sequence[int],
    history: ReleaseHistory,
) -> list[Claim]:
    by_rank: dict[int, list[_Sighting]] = {}
    for sighting in seen:
        by_rank.setdefault(sighting.rank, []).append(sighting)
    runs: list[list[_Sighting]] = []
    open_runs: dict[_Said, list[_Sighting]] = {}
    last_rank: int | None = None
    for rank in sorted(by_rank):
        skipped = last_rank is not None and any(last_rank < c < rank for c in covered)
        still: dict[_Said, list[_Sighting]] = {}
        for sighting in by_rank[rank]:
            run = None if skipped else open_runs.get(sighting.said)
            run = still.get(sighting.said) or run
            if run is None:
                run = []
                runs.append(run)
            if all(o.observation.document.key != sighting.observation.document.key for o in run):
                run.append(sighting)
            still[sighting.said] = run
        open_runs = still
        last_rank = rank
    ranks = sorted(by_rank)
    return [
        _claim(
            run,
            framework=framework,
            source=source,
            statement=statement,
            covered=covered,
            ranks=ranks,
            history=history,
        )
        for run in runs
    ]


def _claim(
    run: Sequence[_Sighting],
    *,
    framework: str,
    source: str,
    statement: str,
    covered: Sequence[int],
    ranks: Sequence[int],
    history: ReleaseHistory,
) -> Claim:
    first, last = run[0], run[-1]
    said = first.said
    permanent = said.open_ended or first.released_separately
    gone = None if permanent else next((r for r in covered if r > last.rank), None)
    if gone is None and not first.released_separately:
        gone = next((r for r in ranks if r > last.rank), None)
    earlier = [r for r in covered if r < first.rank]
    validity = _validity(first, last, earlier=earlier, history=history)
    if gone is not None:
        release = history.releases[gone]
        validity = replace(validity, gone=release.version, gone_on=release.released_on)
    return Claim(
        uid="",
        framework=framework,
        source=source,
        statement=statement,
        scope=said.scope,
        level=said.level,
        kind=said.kind,
        validity=replace(validity, open_ended=permanent),
        observations=tuple(s.observation for s in run),
        execution=said.execution,
        tier=said.tier,
        limit=said.limit,
        note=said.note,
        conditions=said.conditions,
        parser=last.parser,
    )


def _validity(
    first: _Sighting, last: _Sighting, *, earlier: Sequence[int], history: ReleaseHistory
) -> Validity:
    since = history.find(first.since) if first.since else None
    if since is not None and history.rank(since.version) <= first.rank:
        return Validity(first=since.version, last=last.release, first_kind=EndpointKind.EXACT)
    if first.released_separately:
        return Validity(first=first.release, last=last.release, first_kind=EndpointKind.EXACT)
    if earlier:
        return Validity(
            first=first.release,
            last=last.release,
            first_kind=EndpointKind.BETWEEN,
            after=history.releases[earlier[-1]].version,
        )
    return Validity(first=first.release, last=last.release, first_kind=EndpointKind.AT_OR_BEFORE)
