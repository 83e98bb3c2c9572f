"""What new readings change against the claims on record: new, confirmed, changed, gone.

The record keeps every observation, so the claims are made again from the recorded observations and
the new ones together, whatever order the releases were read in. Documents that were read again
speak by the new reading alone. Nothing recorded is edited but its last release and its end; a
claim that would have to change is superseded or withdrawn.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.domain.derive import NOTHING_UNSETTLED, Sightings, Unsettled, claims_from
from ingest.domain.sightings import said_of, sightings_of
from matrix.domain.claims import Claim
from matrix.domain.versions import ReleaseHistory

# (claim source, document key): a rule that read this document anew.
ReadAgain = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A recorded claim that no longer stands, and the new claim in its place if there is one."""

    recorded: Claim
    by: Claim | None


@dataclass
class Difference:
    """What changes in the record.

    **Shapes**: ``confirmed`` are recorded claims seen again, ``changed`` and ``gone`` those whose
    end is now known (by another word, by silence); all three hold the fresh observations, or the
    newest known one where there is none. ``replaced`` are recorded claims that their own
    documents, read again, no longer say so. ``evidence`` counts the fresh observations.
    """

    new: list[Claim] = field(default_factory=list)
    confirmed: list[Claim] = field(default_factory=list)
    changed: list[Claim] = field(default_factory=list)
    gone: list[Claim] = field(default_factory=list)
    replaced: list[Replacement] = field(default_factory=list)
    evidence: int = 0


def compare_claims(
    recorded: Iterable[Claim],
    sightings: Sightings,
    *,
    framework: str,
    coverage: Mapping[str, Sequence[int]],
    read_again: ReadAgain,
    read_before: Mapping[str, Iterable[str]],
    history: ReleaseHistory,
    unsettled: Unsettled = NOTHING_UNSETTLED,
    replaced: frozenset[str] = frozenset(),
) -> Difference:
    """The difference that new sightings make to the standing claims of the same claim sources.

    **Shapes**: ``coverage`` says at which releases each claim source was read now,
    ``read_before`` at which versions it was read in earlier runs, whatever it found there;
    ``unsettled`` at which releases its word on a statement waits for review. ``replaced`` are
    documents that newer ones of the same release took the place of: they speak no longer, unless
    the newer ones say the same.
    """
    standing = [
        (claim, seen)
        for claim in recorded
        if claim.superseded_at is None and claim.withdrawn_at is None
        and (seen := sightings_of(claim, history))
    ]  # fmt: skip
    together: Sightings = {}
    covered = {source: set(ranks) for source, ranks in coverage.items()}
    for claim, seen in standing:
        key = (claim.source, claim.statement)
        waiting = unsettled.get(key, frozenset())
        said_now = {s.said.key() for s in sightings.get(key, ())}
        # What waits for review leaves the record as it is, even where its page was read again.
        kept = [
            s for s in seen
            if s.rank in waiting
            or ((claim.source, s.observation.document.key) not in read_again
                and (s.observation.document.key not in replaced or s.said.key() in said_now))
        ]  # fmt: skip
        if kept:
            together.setdefault((claim.source, claim.statement), []).extend(kept)
        for sighting in seen:
            rank = history.find_rank(sighting.observation.document.version)
            if rank is not None:
                covered.setdefault(claim.source, set()).add(rank)
    for source, versions in read_before.items():
        ranks = {rank for v in versions if (rank := history.find_rank(v)) is not None}
        covered.setdefault(source, set()).update(ranks)
    for key, fresh in sightings.items():
        together.setdefault(key, []).extend(fresh)
    claims = claims_from(
        together,
        framework=framework,
        coverage={source: sorted(ranks) for source, ranks in covered.items()},
        history=history,
        unsettled=unsettled,
    )
    return _sort_out([claim for claim, _ in standing], claims, read_again)


def _identity(claim: Claim) -> tuple[object, ...]:
    """Everything of a claim that may never be edited."""
    validity = claim.validity
    return (
        claim.source,
        claim.statement,
        said_of(claim).key(),
        validity.first,
        validity.first_kind,
        validity.after,
    )


def _places(claim: Claim) -> frozenset[tuple[str, str]]:
    return frozenset((o.document.key, o.release) for o in claim.observations)


def _sort_out(
    standing: Sequence[Claim], claims: Sequence[Claim], read_again: ReadAgain
) -> Difference:
    result = Difference()
    known = {_identity(claim): claim for claim in standing}
    siblings: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        siblings.setdefault((claim.source, claim.statement), []).append(claim)
    kept: set[str] = set()
    # Claims as they stand afterwards, by statement: those on record under their identifier.
    after: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        key = (claim.source, claim.statement)
        match = known.get(_identity(claim))
        if match is None or match.uid in kept or not _places(match) <= _places(claim):
            result.new.append(claim)
            after.setdefault(key, []).append(claim)
            continue
        kept.add(match.uid)
        after.setdefault(key, []).append(replace(claim, uid=match.uid))
        _note_match(match, claim, siblings[key], read_again, result)
    for claim in standing:
        if claim.uid not in kept:
            successor = _successor(claim, after.get((claim.source, claim.statement), []))
            result.replaced.append(Replacement(recorded=claim, by=successor))
    return result


def _note_match(
    recorded: Claim,
    claim: Claim,
    siblings: Sequence[Claim],
    read_again: ReadAgain,
    out: Difference,
) -> None:
    """Sort a recorded claim that still holds into confirmed, changed or gone."""
    known = _places(recorded)
    validity = replace(
        recorded.validity,
        last=claim.validity.last,
        gone=claim.validity.gone,
        gone_on=claim.validity.gone_on,
    )
    fresh = tuple(o for o in claim.observations if (o.document.key, o.release) not in known)
    out.evidence += len(fresh)
    extended = replace(
        recorded, validity=validity, observations=fresh or recorded.observations[-1:]
    )
    gone = validity.gone
    if gone and gone != recorded.validity.gone:
        says_else = any(o.release == gone for s in siblings for o in s.observations)
        (out.changed if says_else else out.gone).append(extended)
    elif validity != recorded.validity or any(
        (claim.source, o.document.key) in read_again for o in claim.observations
    ):
        out.confirmed.append(extended)


def _successor(recorded: Claim, claims: Sequence[Claim]) -> Claim | None:
    """The claim that rests on the most of the recorded one's evidence, of the same meaning first.

    ``None`` when its documents, read again, state nothing of the kind.
    """
    places = _places(recorded)
    said = said_of(recorded).key()
    best = max(
        claims,
        key=lambda claim: (len(places & _places(claim)), said_of(claim).key() == said),
        default=None,
    )
    return best if best is not None and places & _places(best) else None
