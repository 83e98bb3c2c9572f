"""From readings of many releases to claims with release ranges.

A statement that consecutive releases repeat is one claim with several observations. Where the next
reading of the same rule says something else or nothing, the claim ends there ("no longer stated"
is not "no"). Gaps between captured releases stay gaps.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.contract import Page, Reading
from ingest.domain.sightings import Sighting, document_of, sighting_of
from matrix.domain.claims import Claim, Document, Validity
from matrix.domain.levels import EndpointKind
from matrix.domain.versions import ReleaseHistory

# Sightings by claim source ("vllm-docs:quantization") and statement.
Sightings = dict[tuple[str, str], list[Sighting]]
# Ranks of releases by claim source and statement.
Unsettled = Mapping[tuple[str, str], frozenset[int]]
NOTHING_UNSETTLED: Unsettled = {}


@dataclass(frozen=True, slots=True)
class PageReading:
    """What one rule of one source read from one page."""

    source: str
    rule: str
    parser: str
    page: Page
    reading: Reading

    @property
    def claim_source(self) -> str:
        """The source under which claims of this rule are recorded."""
        return f"{self.source}:{self.rule}"


def coverage_of(
    readings: Iterable[PageReading], history: ReleaseHistory
) -> Mapping[str, tuple[int, ...]]:
    """At which releases (ranks, ascending) each rule read a page: ``{"source:rule": (…)}``."""
    ranks: dict[str, set[int]] = {}
    for item in readings:
        if item.page.release:
            ranks.setdefault(item.claim_source, set()).add(history.rank(item.page.release))
    return {name: tuple(sorted(found)) for name, found in ranks.items()}


def unknown_releases(readings: Iterable[PageReading], history: ReleaseHistory) -> Counter[str]:
    """Releases that pages speak about and the catalogue does not know; they make no claims."""
    named = (f.release for item in readings for f in item.reading.findings if f.release)
    return Counter(version for version in named if history.find(version) is None)


def collect_sightings(readings: Iterable[PageReading], history: ReleaseHistory) -> Sightings:
    """Everything the readings state, by claim source and statement.

    Pages that could not be placed at a release or have no date state nothing here.
    """
    found: Sightings = {}
    documents: dict[int, Document] = {}
    for item in readings:
        page = item.page
        if not page.release or page.stated_on is None:
            continue
        document = documents.setdefault(id(page), document_of(page))
        for finding in item.reading.findings:
            sighting = sighting_of(
                finding, page, document=document, parser=item.parser, history=history
            )
            if sighting is not None:
                found.setdefault((item.claim_source, finding.statement), []).append(sighting)
    return found


def derive_claims(
    readings: Sequence[PageReading], *, framework: str, history: ReleaseHistory
) -> list[Claim]:
    """The claims of all readings, each with its observations and typed release range."""
    return claims_from(
        collect_sightings(readings, history),
        framework=framework,
        coverage=coverage_of(readings, history),
        history=history,
    )


def claims_from(
    sightings: Sightings,
    *,
    framework: str,
    coverage: Mapping[str, Sequence[int]],
    history: ReleaseHistory,
    unsettled: Unsettled = NOTHING_UNSETTLED,
) -> list[Claim]:
    """The claims of collected sightings; their ``uid`` is still empty.

    **Shapes**: ``unsettled`` names the releases at which the word of a source on a statement waits
    for review: its silence there ends nothing.
    """
    claims = []
    for (source, statement), seen in sightings.items():
        waiting = unsettled.get((source, statement), frozenset())
        covered = [rank for rank in coverage.get(source, ()) if rank not in waiting]
        ranks = sorted({sighting.rank for sighting in seen})
        claims += [
            _claim(
                run,
                framework=framework,
                source=source,
                statement=statement,
                covered=covered,
                ranks=ranks,
                history=history,
            )
            for run in _runs(seen, covered)
        ]
    return claims


def _runs(seen: Iterable[Sighting], covered: Sequence[int]) -> list[list[Sighting]]:
    """Sightings that say the same at consecutive read releases, one list a claim."""
    by_rank: dict[int, list[Sighting]] = {}
    for sighting in seen:
        by_rank.setdefault(sighting.rank, []).append(sighting)
    runs: list[list[Sighting]] = []
    open_runs: dict[tuple[object, ...], list[Sighting]] = {}
    last_rank: int | None = None
    for rank in sorted(by_rank):
        skipped = last_rank is not None and any(last_rank < c < rank for c in covered)
        still: dict[tuple[object, ...], list[Sighting]] = {}
        for sighting in by_rank[rank]:
            key = sighting.said.key()
            # Pages between that are silent end a statement, but not one that holds from then on.
            ended = skipped and not _outlasts_silence(sighting)
            run = still.get(key) or (None if ended else open_runs.get(key))
            if run is None:
                run = []
                runs.append(run)
            if all(earlier.place != sighting.place for earlier in run):
                run.append(sighting)
            still[key] = run
        open_runs = still
        last_rank = rank
    return runs


def _outlasts_silence(sighting: Sighting) -> bool:
    return sighting.said.open_ended or sighting.own_release


def _claim(
    run: Sequence[Sighting],
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
    # A later page that is silent ends neither what holds from a release on nor what was said of a
    # release by its name; another word of the same statement ends every kind.
    ends = ranks if _outlasts_silence(first) else (*covered, *ranks)
    gone = min((rank for rank in ends if rank > last.rank), default=None)
    earlier = [rank for rank in covered if rank < first.rank]
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
        validity=replace(validity, open_ended=said.open_ended),
        observations=tuple(sighting.observation for sighting in run),
        execution=said.execution,
        tier=said.tier,
        limit=said.limit,
        note=said.note,
        conditions=said.conditions,
        parser=last.parser,
    )


def _validity(
    first: Sighting, last: Sighting, *, earlier: Sequence[int], history: ReleaseHistory
) -> Validity:
    since = history.find(first.since) if first.since else None
    if since is not None and history.rank(since.version) <= first.rank:
        return Validity(first=since.version, last=last.release, first_kind=EndpointKind.EXACT)
    if first.own_release:
        return Validity(first=first.release, last=last.release, first_kind=EndpointKind.EXACT)
    if earlier:
        return Validity(
            first=first.release,
            last=last.release,
            first_kind=EndpointKind.BETWEEN,
            after=history.releases[earlier[-1]].version,
        )
    return Validity(first=first.release, last=last.release, first_kind=EndpointKind.AT_OR_BEFORE)
