"""Domestic accelerators: what the claims say about each vendor, stack by stack.

Everything here is computed from claims, releases and maintenance periods; nothing is typed in but
the list of vendors.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from matrix.domain.catalogue import Catalogue, Node, strings_of
from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell
from matrix.domain.levels import (
    MEASURED_KINDS,
    STRENGTH,
    WEAKEST_FIRST,
    Axis,
    EvidenceKind,
    SupportLevel,
)
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import RECHECK_AFTER_DAYS
from matrix.domain.versions import Release
from matrix.following import Following, upstream_followed
from matrix.index import Knowledge
from matrix.queries import maintenance_on, with_axis
from matrix.queries.remembered import RememberedFor

# Vendors from China in the catalogue; the catalogue itself does not say where a vendor sits.
DOMESTIC_VENDORS = (
    "ascend",
    "cambricon",
    "moore-threads",
    "hygon",
    "kunlun",
    "metax",
    "enflame",
    "iluvatar",
    "spacemit",
)
COUNTED_AXES = ("model", "quantization", "feature")
_NO = SupportLevel.UNSUPPORTED


@dataclass(frozen=True, slots=True)
class AxisCount:
    """How what claims name together with the vendor's hardware stands, node by node.

    **Shapes**: ``levels`` counts the best verdict of each node on any hardware it is named with;
    ``elsewhere`` counts nodes that the framework's claims name, but never with this vendor: of
    them nothing is known here. ``conflicts`` are (node, hardware) whose sources contradict.
    """

    axis: str
    levels: Mapping[SupportLevel, int]
    elsewhere: int = 0
    conflicts: Sequence[tuple[str, str]] = ()

    @property
    def total(self) -> int:
        """All nodes that are named with the vendor."""
        return sum(self.levels.values())


@dataclass(frozen=True, slots=True)
class Stack:
    """One framework on the hardware of one vendor.

    **Dates**: ``newest_on`` is the newest day for which a document spoke.
    """

    node: Node
    maintenance: Mapping[str, object]
    newest: Release | None
    following: Following | None
    claims: int
    devices: Sequence[str]
    counts: Sequence[AxisCount]
    strongest: EvidenceKind | None
    measured: int
    newest_on: date | None
    is_due: bool

    @property
    def conflicts(self) -> int:
        """Cells whose sources contradict, of those that were counted."""
        return sum(len(count.conflicts) for count in self.counts)


@dataclass(frozen=True, slots=True)
class Vendor:
    """One vendor: its stacks, most claims first, and what nothing speaks about."""

    node: Node
    stacks: Sequence[Stack]
    devices: Sequence[str]
    unnamed_devices: Sequence[str]
    claims: int


@dataclass(slots=True)
class _Said:
    """What the claims of one framework say of one vendor.

    **Shapes**: ``rows`` holds per axis and node the hardware that it is named with,
    ``everywhere`` per axis what the framework's claims name on any hardware.
    """

    claims: int = 0
    named: Counter[str] = field(default_factory=Counter)
    kinds: Counter[EvidenceKind] = field(default_factory=Counter)
    rows: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    everywhere: Mapping[str, set[str]] = field(default_factory=dict)
    newest_on: date = date.min


# The days asked last; every day that anyone might ask would be too much to hold.
_MOST_DAYS = 8
_remembered: RememberedFor[dict[date, Sequence[Vendor]]] = RememberedFor()


def domestic_vendors(knowledge: Knowledge, *, as_of: date) -> Sequence[Vendor]:
    """The domestic vendors of the catalogue on a day; worked out once per revision and day.

    **Queries**: none.
    """
    days = _remembered.get(knowledge, "days", dict)
    found = days.get(as_of)
    if found is None:
        found = _vendors(knowledge, as_of)
        for oldest in list(days)[: len(days) - _MOST_DAYS + 1]:
            days.pop(oldest, None)
        days[as_of] = found
    return found


def _vendors(knowledge: Knowledge, as_of: date) -> list[Vendor]:
    catalogue = knowledge.catalogue
    area = catalogue.area("hardware")
    roots = [slug for slug in DOMESTIC_VENDORS if slug in area]
    said = _read_claims(knowledge, roots, as_of)
    shared = SharedLegs()
    found = []
    for root in roots:
        here = {slug: said[root, slug] for slug in _stacks_of(catalogue, root, said)}
        for slug, one in here.items():
            one.everywhere = said.everywhere.get(slug, {})
        stacks = [_stack(knowledge, root, slug, said=here[slug], as_of=as_of, shared=shared)
                  for slug in here]  # fmt: skip
        stacks.sort(key=lambda s: (-s.claims, s.node.slug))
        found.append(_vendor(catalogue, root, stacks))
    return found


def _read_claims(knowledge: Knowledge, roots: Sequence[str], as_of: date) -> "_SaidOf":
    """What the standing claims, as far as they were stated by that day, say of each vendor."""
    tree = knowledge.catalogue.trees.tree(Axis.HARDWARE)
    vendor_of = {slug: root for root in roots for slug in tree.down(root)}
    vendor_of |= {root: root for root in roots}
    found = _SaidOf()
    for claim in knowledge.index.claims():
        if claim.superseded_at is not None or claim.withdrawn_at is not None:
            continue
        days = [o.stated_on for o in claim.observations if o.stated_on <= as_of]
        if not days:
            continue
        everywhere = found.everywhere.setdefault(claim.framework, {})
        for axis, nodes in _named_by(claim):
            everywhere.setdefault(axis, set()).update(nodes)
        hardware = claim.scope.nodes.get(Axis.HARDWARE)
        named = [slug for slug in hardware.include if slug in vendor_of] if hardware else []
        if named:
            _add(found, claim, named, vendor_of, newest=max(days))
    return found


class _SaidOf(dict[tuple[str, str], _Said]):
    """By vendor and framework; nothing was said of those that are absent.

    **Shapes**: ``everywhere`` holds what claims of a framework name on any hardware, by axis.
    """

    def __init__(self) -> None:
        super().__init__()
        self.everywhere: dict[str, dict[str, set[str]]] = {}

    def __missing__(self, key: tuple[str, str]) -> _Said:
        return _Said()


def _add(
    found: _SaidOf,
    claim: Claim,
    named: Iterable[str],
    vendor_of: Mapping[str, str],
    *,
    newest: date,
) -> None:
    by_root: dict[str, list[str]] = {}
    for slug in named:
        by_root.setdefault(vendor_of[slug], []).append(slug)
    for root, slugs in by_root.items():
        said = found.setdefault((root, claim.framework), _Said())
        said.claims += 1
        said.named.update(slugs)
        # A gate that lets pass proves nothing, so it is no evidence to be called the strongest.
        if claim.kind is not EvidenceKind.CAPABILITY_GATE or claim.level is _NO:
            said.kinds[claim.kind] += 1
        said.newest_on = max(said.newest_on, newest)
        for axis, nodes in _named_by(claim):
            rows = said.rows.setdefault(axis, {})
            for node in nodes:
                rows.setdefault(node, set()).update(slugs)


def _named_by(claim: Claim) -> Iterator[tuple[str, Iterable[str]]]:
    for axis in (Axis.MODEL, Axis.QUANTIZATION):
        if nodes := claim.scope.nodes.get(axis):
            yield axis.value, nodes.include
    yield "feature", claim.scope.features


def _stacks_of(catalogue: Catalogue, root: str, said: _SaidOf) -> list[str]:
    """Frameworks that claims name with the vendor, or whose back ends drive its hardware only."""
    own = {
        slug
        for slug, node in catalogue.area("backend").items()
        if strings_of(node.facts.get("hardware_roots")) == [root]
    }
    return [
        slug
        for slug, node in catalogue.area("framework").items()
        if (root, slug) in said or own & set(strings_of(node.facts.get("backends")))
    ]


def _vendor(catalogue: Catalogue, root: str, stacks: Sequence[Stack]) -> Vendor:
    area, tree = catalogue.area("hardware"), catalogue.trees.tree(Axis.HARDWARE)
    below = [slug for slug in area if slug != root and tree.up(slug)[-1] == root]
    named = {slug for stack in stacks for slug in stack.devices}
    # A statement about an architecture speaks about its boards as well.
    covered = {slug for slug in below if named & (set(tree.up(slug)) - {root})}
    covered |= {above for slug in named for above in tree.up(slug)}
    return Vendor(
        node=area[root],
        stacks=stacks,
        devices=[slug for slug in below if slug in named],
        unnamed_devices=[slug for slug in below if slug not in covered],
        claims=sum(stack.claims for stack in stacks),
    )


def _stack(
    knowledge: Knowledge, root: str, slug: str, *, said: _Said, as_of: date, shared: SharedLegs
) -> Stack:
    catalogue = knowledge.catalogue
    history = catalogue.histories[slug]
    rank = history.latest_rank(as_of=as_of)
    strongest = max(said.kinds, key=lambda kind: STRENGTH[kind], default=None)
    newest_on = said.newest_on if said.claims else None
    return Stack(
        node=catalogue.area("framework")[slug],
        maintenance=maintenance_on(catalogue, slug, as_of=as_of),
        newest=None if rank is None else history.releases[rank],
        following=upstream_followed(catalogue, slug, as_of=as_of),
        claims=said.claims,
        devices=sorted(set(said.named) - {root}),
        counts=[
            _count(knowledge, slug, said, axis=axis, as_of=as_of, shared=shared)
            for axis in COUNTED_AXES
        ]
        if said.claims
        else [],
        strongest=strongest,
        measured=sum(said.kinds[kind] for kind in MEASURED_KINDS),
        newest_on=newest_on,
        is_due=newest_on is not None and (as_of - newest_on).days >= RECHECK_AFTER_DAYS,
    )


def _count(
    knowledge: Knowledge, slug: str, said: _Said, *, axis: str, as_of: date, shared: SharedLegs
) -> AxisCount:
    """The best verdict of each node over the hardware that claims name together with it."""
    base = Cell(framework=slug)
    rows = said.rows.get(axis, {})
    levels: Counter[SupportLevel] = Counter(dict.fromkeys(SupportLevel, 0))
    conflicts: list[tuple[str, str]] = []
    for row, columns in sorted(rows.items()):
        best = 0
        for column in sorted(columns):
            cell = with_axis(with_axis(base, "hardware", column), axis, row)
            glance = knowledge.index.glance_at(cell, as_of=as_of, shared=shared)
            best = max(best, _ORDER[glance.level])
            if glance.conflicting and (not conflicts or conflicts[-1][0] != row):
                conflicts.append((row, column))
        levels[WEAKEST_FIRST[best]] += 1
    everywhere = said.everywhere.get(axis, set())
    return AxisCount(
        axis=axis,
        levels=dict(levels),
        elsewhere=sum(name not in rows for name in everywhere),
        conflicts=conflicts,
    )


# A "no" on one device and nothing about the others is no "no" of the vendor.
_ORDER = {level: position for position, level in enumerate(WEAKEST_FIRST)}
