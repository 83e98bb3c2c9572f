"""What a new reading changes against the claims on record: new, confirmed, changed, gone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from matrix.domain.claims import Claim, Observation
from matrix.domain.versions import ReleaseHistory


@dataclass
class Difference:
    """**Shapes**: ``confirmed`` holds recorded claims extended by the new observations;
    ``changed`` and ``gone`` recorded claims whose end is now known."""

    new: list[Claim] = field(default_factory=list)
    confirmed: list[Claim] = field(default_factory=list)
    changed: list[Claim] = field(default_factory=list)
    gone: list[Claim] = field(default_factory=list)


def compare_claims(
    recorded: Iterable[Claim],
    derived: Iterable[Claim],
    *,
    coverage: Mapping[str, Sequence[int]],
    history: ReleaseHistory,
) -> Difference:
    """The difference between recorded and newly derived claims of the same sources.

    A recorded claim is never removed: where a later release no longer says it or says something
    else, only its end is recorded.
    """
    result = Difference()
    standing: dict[tuple[str, str], list[Claim]] = {}
    for claim in recorded:
        if claim.superseded_at is None and claim.withdrawn_at is None:
            standing.setdefault((claim.source, claim.statement), []).append(claim)
    stated: dict[tuple[str, str], list[Claim]] = {}
    for claim in derived:
        stated.setdefault((claim.source, claim.statement), []).append(claim)
    for key, claims in stated.items():
        _compare_statement(standing.get(key, []), claims, history, result)
    for key, claims in standing.items():
        if key not in stated:
            _note_gone(claims, coverage.get(key[0], ()), history, result)
    return result


def said_of(claim: Claim) -> tuple[object, ...]:
    """What a claim says, without where and when."""
    return (
        frozenset(claim.scope.nodes.items()),
        claim.scope.features,
        frozenset(claim.scope.numbers.items()),
        claim.level,
        claim.kind,
        claim.tier,
        claim.execution,
        claim.note,
        claim.conditions,
    )


def _compare_statement(
    recorded: Sequence[Claim], derived: Sequence[Claim], history: ReleaseHistory, out: Difference
) -> None:
    used: set[str] = set()
    for claim in derived:
        same = [r for r in recorded if said_of(r) == said_of(claim) and r.uid not in used]
        match = next((r for r in same if _joinable(r, claim, recorded, history)), None)
        if match is not None:
            used.add(match.uid)
            out.confirmed.append(_extended(match, claim, history))
            continue
        out.new.append(claim)
        for earlier in recorded:
            if earlier.uid in used or earlier.validity.gone:
                continue
            if history.rank(earlier.validity.last) < history.rank(claim.validity.first):
                used.add(earlier.uid)
                release = history.releases[history.rank(claim.validity.first)]
                ended = replace(earlier.validity, gone=release.version, gone_on=release.released_on)
                out.changed.append(replace(earlier, validity=ended, observations=()))


def _joinable(
    recorded: Claim, derived: Claim, others: Sequence[Claim], history: ReleaseHistory
) -> bool:
    """Whether both are one run: nothing else was said between them."""
    low = min(history.rank(recorded.validity.last), history.rank(derived.validity.last))
    high = max(history.rank(recorded.validity.first), history.rank(derived.validity.first))
    if recorded.validity.gone and history.rank(recorded.validity.gone) <= history.rank(
        derived.validity.first
    ):
        return False
    return not any(
        low < history.rank(o.validity.first) < high for o in others if o.uid != recorded.uid
    )


def _extended(recorded: Claim, derived: Claim, history: ReleaseHistory) -> Claim:
    known = {(o.document.key, o.release) for o in recorded.observations}
    fresh: tuple[Observation, ...] = tuple(
        o for o in derived.observations if (o.document.key, o.release) not in known
    )
    newer = history.rank(derived.validity.last) >= history.rank(recorded.validity.last)
    validity = recorded.validity
    if newer:
        validity = replace(
            validity,
            last=derived.validity.last,
            gone=derived.validity.gone,
            gone_on=derived.validity.gone_on,
        )
    return replace(recorded, validity=validity, observations=fresh)


def _note_gone(
    recorded: Sequence[Claim], covered: Sequence[int], history: ReleaseHistory, out: Difference
) -> None:
    for claim in recorded:
        if claim.validity.gone or claim.validity.open_ended:
            continue
        last = history.rank(claim.validity.last)
        later = next((rank for rank in covered if rank > last), None)
        if later is None:
            continue
        release = history.releases[later]
        ended = replace(claim.validity, gone=release.version, gone_on=release.released_on)
        out.gone.append(replace(claim, validity=ended, observations=()))
