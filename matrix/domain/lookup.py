"""Finds the claims that speak about one leg of an asked cell."""

from collections.abc import Iterator

from matrix.domain.entries import Entry
from matrix.domain.levels import Axis, Coverage, LegKind
from matrix.domain.matching import Asked, match
from matrix.domain.postings import Shelf, Store
from matrix.domain.trees import ANY_NODE, Place
from matrix.domain.verdict_values import Candidate

_OWN_AXIS = {
    LegKind.MODEL: Axis.MODEL,
    LegKind.QUANTIZATION: Axis.QUANTIZATION,
    LegKind.KV_DTYPE: Axis.KV_DTYPE,
}


def candidates_of(
    asked: Asked, store: Store, kind: LegKind, subject: str, *, framework: str
) -> list[Candidate]:
    """Candidates of a leg from the claims of a framework.

    Where the cell names no model, statements about single models are heard only when nothing
    speaks about the leg without them: an exception for one model is not a condition on all.
    """
    found: list[Candidate] = []
    for by_model in (False, True):
        for entry in entries_of(
            asked, store, kind, subject, framework=framework, by_model=by_model
        ):
            candidate = match(asked, entry)
            if candidate is not None:
                found.append(candidate)
        if Axis.MODEL not in asked.places and not all(c.is_gate_pass for c in found):
            break
    return found


def inherited_candidates(
    asked: Asked, store: Store, kind: LegKind, subject: str, *, upstream: str
) -> list[Candidate]:
    """What the upstream framework states about a leg, marked as inherited.

    Its statements about hardware, backends or quantization do not carry over.
    """
    found = []
    for by_model in (False, True):
        for entry in entries_of(asked, store, kind, subject, framework=upstream, by_model=by_model):
            nodes = entry.claim.scope.nodes
            if Axis.HARDWARE in nodes or Axis.BACKEND in nodes:
                continue
            candidate = match(asked, entry, inherited_from=upstream)
            if candidate is not None:
                found.append(candidate)
    return found


def entries_of(
    asked: Asked, store: Store, kind: LegKind, subject: str, *, framework: str, by_model: bool
) -> Iterator[Entry]:
    """Entries that may speak about the leg at the asked release, each once, in a fixed order."""
    shelf = store.get((framework, kind, by_model))
    if shelf is None:
        return
    # Platform statements have no second level; the nodes of an axis left open are all of interest.
    axis = Axis.MODEL if by_model else Axis.HARDWARE
    second = None if kind is LegKind.PLATFORM else asked.places.get(axis)
    rank = asked.rank
    seen: set[Entry] = set()
    for entries in _lists(shelf, _primaries(asked, kind, subject), second):
        for entry in entries:
            if rank >= entry.first_rank and entry not in seen:
                seen.add(entry)
                yield entry


def _lists(shelf: Shelf, primaries: tuple[str, ...], second: Place | None) -> Iterator[list[Entry]]:
    """The entries under these nodes, going through whichever is shorter: the shelf or the nodes."""
    if len(primaries) > len(shelf):
        wanted = frozenset(primaries)
        primaries = tuple([slug for slug in shelf if slug in wanted])
    for primary in primaries:
        bucket = shelf.get(primary)
        if bucket is None:
            continue
        if second is None:
            yield from bucket.values()
        elif len(bucket) <= len(second.line):
            for slug, entries in bucket.items():
                if slug in second.reach:
                    yield entries
        else:
            for slug in second.line:
                if slug in bucket:
                    yield bucket[slug]


def _primaries(asked: Asked, kind: LegKind, subject: str) -> tuple[str, ...]:
    """The nodes under which statements about a leg are posted."""
    if kind is LegKind.FEATURE:
        return asked.features.place(subject).line
    if kind is not LegKind.PLATFORM:
        return asked.places[_OWN_AXIS[kind]].line
    hardware = asked.places.get(Axis.HARDWARE)
    backend = asked.places.get(Axis.BACKEND)
    if hardware is None or backend is None:
        place = hardware or backend
        return (ANY_NODE,) if place is None else place.line
    return (*hardware.line, *backend.line[1:])


def settles(candidate: Candidate) -> bool:
    """Whether a direct candidate is a plain yes that implied statements could not change."""
    if candidate.coverage is not Coverage.YES or candidate.negative:
        return False
    return not candidate.is_gate_pass and not candidate.is_stale
