"""An immutable index of claims that answers verdicts without a database.

Claims are posted per framework, leg and primary node, and below that per hardware node, so the
cost of a verdict depends on how many claims speak about its nodes, not on how many there are.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell
from matrix.domain.facets import Facet, decide_by_facets
from matrix.domain.levels import (
    MEASURED_KINDS,
    Axis,
    Coverage,
    LegKind,
    SupportLevel,
    UnknownReason,
)
from matrix.domain.lookup import candidates_of, inherited_candidates, settles, states_leg
from matrix.domain.matching import Asked, prepare
from matrix.domain.plans import PER_FEATURE, PER_MODEL
from matrix.domain.postings import post_claims
from matrix.domain.sharing import Glance, Named, SharedLegs, named_nodes
from matrix.domain.surroundings import Surroundings, complete_cell
from matrix.domain.trees import ANY_NODE
from matrix.domain.verdicts import (
    Candidate,
    LegResult,
    Rule,
    Verdict,
    decide_leg,
    weakest_level,
)
from matrix.domain.whole_cell import UNQUANTIZED, fill_by_whole_cell, is_open

_LEG_OF_AXIS = (
    (Axis.MODEL, LegKind.MODEL),
    (Axis.QUANTIZATION, LegKind.QUANTIZATION),
    (Axis.KV_DTYPE, LegKind.KV_DTYPE),
)


class ClaimIndex:
    """The claims of one knowledge revision, compiled.

    **Raises** on ``verdict_for``: ``UnknownVersion``, ``NotReleasedYet``.
    """

    def __init__(
        self, claims: Iterable[Claim], surroundings: Surroundings, *, revision: int = 0
    ) -> None:
        self.around = surroundings
        self.revision = revision
        built = post_claims(claims, surroundings)
        self.postings = built.postings
        self.implied = built.implied
        self.limiting = built.limiting
        self.stated_per = built.stated_per
        self._named: dict[tuple[str, LegKind], Named] = {}
        self.claim_count = built.claim_count
        self.left_out = built.left_out

    # -- asking -----------------------------------------------------------------------------

    def claims(self) -> Iterator[Claim]:
        """The indexed claims, each once."""
        seen: set[str] = set()
        for shelf in self.postings.values():
            for bucket in shelf.values():
                for entries in bucket.values():
                    for entry in entries:
                        if entry.claim.uid not in seen:
                            seen.add(entry.claim.uid)
                            yield entry.claim

    def verdict_for(
        self,
        cell: Cell,
        *,
        as_of: date,
        known_at: date | None = None,
        shared: SharedLegs | None = None,
    ) -> Verdict:
        """The verdict of a cell at a date.

        ``shared`` holds what the cells of one grid, list or batch have in common: give the same
        one to each call. It changes the time only, never the verdict.
        """
        cell, assumed = complete_cell(cell, self.around)
        asked = self._asked(cell, as_of=as_of, known_at=known_at, shared=shared)
        if asked is None:
            return Verdict(
                cell=cell,
                as_of=as_of,
                version=None,
                level=SupportLevel.UNKNOWN,
                legs=(_nothing_released(cell.framework),),
                revision=self.revision,
            )
        legs = self._legs(asked, shared)
        level = weakest_level(legs)
        return Verdict(
            cell=cell,
            as_of=as_of,
            version=self.around.histories[cell.framework].releases[asked.rank].version,
            level=level,
            legs=tuple(legs),
            assumed=assumed,
            limits=self._limits(asked) if level is not SupportLevel.UNSUPPORTED else (),
            revision=self.revision,
        )

    def glance_at(
        self, cell: Cell, *, as_of: date, known_at: date | None = None, shared: SharedLegs
    ) -> Glance:
        """What a grid shows of the verdict that ``verdict_for`` gives; in a third of the time."""
        full, _ = complete_cell(cell, self.around)
        asked = self._asked(full, as_of=as_of, known_at=known_at, shared=shared)
        if asked is None:
            return Glance(SupportLevel.UNKNOWN, conflicting=False, stale=False)
        legs = tuple(self._legs(asked, shared))
        glance = shared.glances.get(legs)
        if glance is None:
            verdict = Verdict(full, as_of, None, weakest_level(legs), legs)
            glance = Glance(verdict.level, verdict.conflicting, verdict.stale)
            shared.glances[legs] = glance
        return glance

    def _asked(
        self, cell: Cell, *, as_of: date, known_at: date | None, shared: SharedLegs | None
    ) -> Asked | None:
        """The completed cell prepared for look-up; ``None`` before the first release."""
        key = cell.framework, cell.version, as_of
        if shared is not None and key in shared.ranks:
            rank = shared.ranks[key]
        else:
            rank = self.around.histories[cell.framework].asked_rank(cell.version, as_of=as_of)
            if shared is not None:
                shared.ranks[key] = rank
        if rank is None:
            return None
        return prepare(
            cell,
            self.around,
            rank=rank,
            day=as_of.toordinal(),
            known_day=known_at.toordinal() if known_at else None,
        )

    def _legs(self, asked: Asked, shared: SharedLegs | None) -> list[LegResult]:
        cell = asked.cell
        legs: list[LegResult] = []
        for kind, subject in _subjects(cell):
            leg = self._leg(asked, kind, subject, shared)
            needed = not legs or kind is not LegKind.QUANTIZATION
            if needed or not self._goes_without(asked, subject):
                legs.append(leg)
            elif leg.level is not SupportLevel.UNKNOWN:
                legs.append(_without_measured_parts(leg))
        if len(cell.features) > 1:
            legs.extend(self._unstated_pairs(asked))
        if not any(map(is_open, legs)):
            return legs
        return fill_by_whole_cell(cell, legs, self.around)

    def _unstated_pairs(self, asked: Asked) -> Iterator[LegResult]:
        """An unknown leg for each pair of asked features whose joint use no source states.

        Only where sources state both features pair by pair: there, two separate yeses do not say
        that they work together.
        """
        per_pair = [f for f in sorted(asked.cell.features) if self._stated_per_pair(asked, f)]
        for one, other in itertools.combinations(per_pair, 2):
            found = candidates_of(
                asked, self.postings, LegKind.FEATURE, one, framework=asked.cell.framework
            )
            above = frozenset(self.around.trees.features.up(other))
            if not any(_speaks_jointly(c, above) for c in found):
                yield LegResult(
                    kind=LegKind.FEATURE,
                    subject=f"{one} + {other}",
                    level=SupportLevel.UNKNOWN,
                    rule=Rule.NO_CLAIM,
                    unknown_reason=UnknownReason.SOURCE_SILENT,
                )

    def _stated_per_pair(self, asked: Asked, feature: str) -> bool:
        names = self.around.trees.features.up(feature)
        return any(self._is_stated_per(asked, LegKind.FEATURE, name, PER_FEATURE) for name in names)

    def _goes_without(self, asked: Asked, scheme: str) -> bool:
        """Whether a scheme needs no statement of its own: weights as they were published do not,
        a named 16- or 32-bit type only where the hardware is known to compute with it."""
        if scheme == UNQUANTIZED:
            return True
        hardware = asked.places.get(Axis.HARDWARE)
        if hardware is None or not self._is_unquantized(scheme):
            return hardware is None and self._is_unquantized(scheme)
        native = self.around.native_formats
        formats = next((native[slug] for slug in hardware.up if slug in native), frozenset())
        return scheme in formats

    def _is_unquantized(self, scheme: str) -> bool:
        return self.around.trees.tree(Axis.QUANTIZATION).up(scheme)[-1] == UNQUANTIZED

    def _leg(
        self, asked: Asked, kind: LegKind, subject: str, shared: SharedLegs | None
    ) -> LegResult:
        if shared is None:
            return self._decide(asked, kind, subject)
        key = shared.key_of(asked, kind, subject, self._named_by(asked.cell.framework, kind))
        leg = shared.legs.get(key)
        if leg is None:
            leg = shared.keep(key, self._decide(asked, kind, subject))
        return leg

    def _named_by(self, framework: str, kind: LegKind) -> Named:
        named = self._named.get((framework, kind))
        if named is None:
            own = self.around.frameworks.get(framework)
            speaking = {framework, own.parent or framework} if own else {framework}
            named = named_nodes((self.postings, self.implied), speaking, kind)
            self._named[framework, kind] = named
        return named

    def _decide(self, asked: Asked, kind: LegKind, subject: str) -> LegResult:
        framework = asked.cell.framework
        found = candidates_of(asked, self.postings, kind, subject, framework=framework)
        if not any(settles(candidate) for candidate in found):
            # Implied statements are many and only ever say yes: they are asked where no direct
            # yes stands, either to answer or to show that they contradict a no.
            found += candidates_of(asked, self.implied, kind, subject, framework=framework)
        if not found:
            return self._decide_inherited(asked, kind, subject)
        return decide_by_facets(kind, subject, found, self._needed_facets(asked, kind, subject))

    def _needed_facets(self, asked: Asked, kind: LegKind, subject: str) -> list[Facet]:
        """What a yes about this leg must name; see ``matrix.domain.facets``."""
        needed = []
        hardware = asked.places.get(Axis.HARDWARE)
        if hardware is not None and kind is not LegKind.PLATFORM:
            scheme = kind is LegKind.QUANTIZATION and not self._is_unquantized(subject)
            if scheme or self._stated_per_hardware(asked, kind, subject, hardware.up[-1]):
                needed.append(Facet.HARDWARE)
        if Axis.MODEL in asked.cell.nodes and self._stated_per_model(asked, kind, subject):
            needed.append(Facet.MODEL)
        return needed

    def _stated_per_model(self, asked: Asked, kind: LegKind, subject: str) -> bool:
        """Whether the sources of the framework state this leg model by model."""
        if kind is LegKind.FEATURE:
            return self._is_stated_per(asked, kind, subject, PER_MODEL)
        if kind is LegKind.QUANTIZATION and self._is_unquantized(subject):
            return False
        hardware = asked.places.get(Axis.HARDWARE)
        root = ANY_NODE if hardware is None else hardware.up[-1]
        return any(self._is_stated_per(asked, kind, n, PER_MODEL) for n in (ANY_NODE, root))

    def _stated_per_hardware(self, asked: Asked, kind: LegKind, subject: str, root: str) -> bool:
        """Whether the sources state this leg hardware by hardware for the asked vendor."""
        if kind is not LegKind.FEATURE:
            return self._is_stated_per(asked, kind, ANY_NODE, root)
        names = self.around.trees.features.up(subject)
        return any(self._is_stated_per(asked, kind, name, root) for name in names)

    def _is_stated_per(self, asked: Asked, kind: LegKind, subject: str, per: str) -> bool:
        since = self.stated_per.get((asked.cell.framework, kind, subject, per))
        if not since:
            return False
        if asked.known_day is None:
            return any(day <= asked.day for day, _ in since)
        return any(day <= asked.day and known <= asked.known_day for day, known in since)

    def _decide_inherited(self, asked: Asked, kind: LegKind, subject: str) -> LegResult:
        """A leg about which the framework itself says nothing, by what its upstream says.

        A plug-in that lists models, or states this feature, would have named what it can do: there
        a yes of the upstream is none for it. A no is heard. A yes that was stated for the hardware
        of the upstream holds on other hardware under that reserve only.
        """
        inherited = self._inherited(asked, kind, subject)
        own = asked.cell.framework
        listed = bool(inherited) and states_leg(asked, self.postings, kind, subject, framework=own)
        if not listed:
            leg = decide_leg(kind, subject, inherited)
            reserve = bool(inherited) and self.around.frameworks[own].on_other_hardware
            if reserve and leg.level is SupportLevel.SUPPORTED:
                return replace(leg, level=SupportLevel.CONDITIONAL)
            return leg
        leg = decide_leg(kind, subject, [c for c in inherited if c.negative])
        if leg.level is not SupportLevel.UNKNOWN:
            return leg
        return replace(leg, unknown_reason=UnknownReason.NOT_LISTED)

    def _inherited(self, asked: Asked, kind: LegKind, subject: str) -> list[Candidate]:
        """What a plug-in does not say itself, from the upstream release it names; marked.

        Statements of the upstream about hardware, backends or quantization do not carry over.
        """
        own = self.around.frameworks.get(asked.cell.framework)
        if own is None or not own.inherits or not own.parent:
            return []
        if kind not in {LegKind.MODEL, LegKind.FEATURE}:
            return []
        version = self.around.histories[own.slug].releases[asked.rank].version
        upstream = own.upstream.get(version)
        history = self.around.histories.get(own.parent)
        release = history.find(upstream) if history and upstream else None
        if history is None or release is None:
            return []
        there = replace(
            asked,
            rank=history.rank(release.version),
            release_day=release.released_on.toordinal(),
        )
        return inherited_candidates(there, self.postings, kind, subject, upstream=own.parent)

    def _limits(self, asked: Asked) -> tuple[Claim, ...]:
        """Joint statements that say no to an asked feature together with one that is not asked.

        They do not change the level: the cell does not use the other feature.
        """
        found: dict[str, Claim] = {}
        for feature in asked.cell.features:
            for entry in self.limiting.get((asked.cell.framework, feature), ()):
                if not entry.is_known(asked.known_day):
                    continue
                seen = entry.observation_at(asked.rank, asked.day, release_day=asked.release_day)
                if seen is not None:
                    found.setdefault(entry.claim.uid, entry.claim)
        return tuple(found[uid] for uid in sorted(found))


def _speaks_jointly(candidate: Candidate, above: frozenset[str]) -> bool:
    """Whether a candidate states the joint use with a feature, given with its ancestors."""
    stated = candidate.claim.scope.features
    whole = candidate.coverage is Coverage.YES and not candidate.is_gate_pass
    return whole and len(stated) > 1 and not stated.isdisjoint(above)


def _subjects(cell: Cell) -> Iterator[tuple[LegKind, str]]:
    """The legs of a cell, in order, each with what it is about."""
    nodes = cell.nodes
    if platform := nodes.get(Axis.HARDWARE) or nodes.get(Axis.BACKEND):
        yield LegKind.PLATFORM, platform
    for axis, kind in _LEG_OF_AXIS:
        if slug := nodes.get(axis):
            yield kind, slug
    for feature in sorted(cell.features):
        yield LegKind.FEATURE, feature


def _without_measured_parts(leg: LegResult) -> LegResult:
    """The leg of a scheme that needs no statement, unmoved by yeses measured on a part.

    That it ran on one card says nothing against several; the measurement stays visible.
    """
    said = (*leg.deciding, *leg.contradicting)
    if leg.rule is not Rule.DEPENDS or not all(
        c.claim.kind in MEASURED_KINDS and not c.negative and not c.conditions for c in said
    ):
        return leg
    return replace(
        leg,
        level=SupportLevel.SUPPORTED,
        rule=Rule.UNQUANTIZED,
        deciding=(),
        others=(*leg.deciding, *leg.others),
    )


def _nothing_released(framework: str) -> LegResult:
    return LegResult(
        kind=LegKind.PLATFORM,
        subject=framework,
        level=SupportLevel.UNKNOWN,
        rule=Rule.NO_CLAIM,
        unknown_reason=UnknownReason.NEVER_INVESTIGATED,
    )
