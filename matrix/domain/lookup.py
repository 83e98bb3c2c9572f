"""Finds the claims that speak about one leg of an asked cell."""

from matrix.domain.entries import Entry
from matrix.domain.levels import MEASURED_KINDS, Axis, Coverage, LegKind
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
    any_model = Axis.MODEL not in asked.places
    primaries = _primaries(asked, kind, subject)
    for by_model in (False, True):
        shelf = store.get((framework, kind, by_model))
        if shelf is None:
            continue
        for entry in _entries_of(asked, shelf, primaries, _second_axis(kind, by_model=by_model)):
            candidate = match(asked, entry)
            if candidate is not None:
                found.append(candidate)
        if any_model and found and not all(c.is_gate_pass for c in found):
            break
    return found


def inherited_candidates(
    asked: Asked, store: Store, kind: LegKind, subject: str, *, upstream: str
) -> list[Candidate]:
    """What the upstream framework states about a leg, marked as inherited.

    Its statements about hardware, backends or quantization do not carry over.
    """
    found = []
    primaries = _primaries(asked, kind, subject)
    for by_model in (False, True):
        shelf = store.get((upstream, kind, by_model), {})
        for entry in _entries_of(asked, shelf, primaries, _second_axis(kind, by_model=by_model)):
            nodes = entry.claim.scope.nodes
            if Axis.HARDWARE in nodes or Axis.BACKEND in nodes:
                continue
            candidate = match(asked, entry, inherited_from=upstream)
            if candidate is not None:
                found.append(candidate)
    return found


def states_leg(asked: Asked, store: Store, kind: LegKind, subject: str, *, framework: str) -> bool:
    """Whether a framework itself had stated legs of this kind by the asked day.

    Of features only statements about the same one, or a wider one, count; what somebody measured
    on one combination is no list.
    """
    wanted = frozenset(asked.features.up(subject)) if kind is LegKind.FEATURE else None
    for by_model in (False, True):
        for primary, bucket in store.get((framework, kind, by_model), {}).items():
            if wanted is not None and primary not in wanted:
                continue
            for entries in bucket.values():
                if any(_states(entry, asked) for entry in entries):
                    return True
    return False


def _states(entry: Entry, asked: Asked) -> bool:
    known = entry.oldest_day <= asked.day and entry.is_known(asked.known_day)
    return known and entry.claim.kind not in MEASURED_KINDS


def _second_axis(kind: LegKind, *, by_model: bool) -> Axis | None:
    """The axis of a shelf's second level; platform statements have none."""
    if kind is LegKind.PLATFORM:
        return None
    return Axis.MODEL if by_model else Axis.HARDWARE


def _entries_of(
    asked: Asked, shelf: Shelf, primaries: tuple[str, ...], axis: Axis | None
) -> list[Entry]:
    """Entries that may speak about the leg at the asked release, each once, in a fixed order."""
    # The nodes of an axis left open are all of interest.
    second = None if axis is None else asked.places.get(axis)
    rank = asked.rank
    lists = _lists(shelf, primaries, second)
    if len(lists) == 1:
        return [entry for entry in lists[0] if rank >= entry.first_rank]
    # A claim that names several nodes is posted under each of them.
    found = [entry for entries in lists for entry in entries if rank >= entry.first_rank]
    return list(dict.fromkeys(found))


def _lists(shelf: Shelf, primaries: tuple[str, ...], second: Place | None) -> list[list[Entry]]:
    """The entries under these nodes, going through whichever is shorter: the shelf or the nodes."""
    if len(primaries) > len(shelf):
        wanted = frozenset(primaries)
        primaries = tuple([slug for slug in shelf if slug in wanted])
    found: list[list[Entry]] = []
    for primary in primaries:
        bucket = shelf.get(primary)
        if bucket is None:
            continue
        if second is None:
            found.extend(bucket.values())
        elif len(bucket) <= len(second.line):
            reach = second.reach
            found += [entries for slug, entries in bucket.items() if slug in reach]
        else:
            found += [bucket[slug] for slug in second.line if slug in bucket]
    return found


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
