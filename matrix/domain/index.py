"""An immutable index of claims that answers verdicts without a database.

Claims are posted per framework, leg and primary node, and below that per hardware node, so the
cost of a verdict depends on how many claims speak about its nodes, not on how many there are.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from matrix.domain.claims import Claim
from matrix.domain.coordinates import (
    Cell,
)
from matrix.domain.entries import (
    ANY_NODE,
    MODEL_MARK,
    NOT_PER_MODEL,
    Entry,
)
from matrix.domain.facets import Facet, decide_by_facets
from matrix.domain.levels import (
    Axis,
    Coverage,
    LegKind,
    SupportLevel,
    UnknownReason,
)
from matrix.domain.matching import Asked, match, prepare
from matrix.domain.postings import Store, post_claims
from matrix.domain.surroundings import Surroundings, complete_cell
from matrix.domain.verdicts import (
    Candidate,
    LegResult,
    Rule,
    Verdict,
    combine_legs,
    decide_leg,
)

UNQUANTIZED = "none"
# Axes that a cell may have got by assumption; a run need not name them to speak for the whole cell.
_ASSUMABLE = frozenset({Axis.BACKEND, Axis.CONTAINER})


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
        self.enumerates = built.enumerates
        self.model_features = built.model_features
        self.model_schemes = built.model_schemes
        self.claim_count = built.claim_count
        self.left_out = built.left_out

    # -- asking -----------------------------------------------------------------------------

    def verdict_for(self, cell: Cell, *, as_of: date, known_at: date | None = None) -> Verdict:
        """The verdict of a cell at a date."""
        cell, assumed = complete_cell(cell, self.around)
        history = self.around.histories[cell.framework]
        rank = history.asked_rank(cell.version, as_of=as_of)
        if rank is None:
            empty = LegResult(
                kind=LegKind.PLATFORM,
                subject=cell.framework,
                level=SupportLevel.UNKNOWN,
                rule=Rule.NO_CLAIM,
                unknown_reason=UnknownReason.NEVER_INVESTIGATED,
            )
            verdict = combine_legs(cell, as_of=as_of, version=None, legs=[empty])
            return replace(verdict, revision=self.revision)
        release = history.releases[rank]
        asked = prepare(
            cell,
            self.around.trees,
            rank=rank,
            day=as_of.toordinal(),
            known_day=known_at.toordinal() if known_at else None,
            release_day=release.released_on.toordinal(),
        )
        legs = self._legs(asked)
        verdict = combine_legs(cell, as_of=as_of, version=release.version, legs=legs)
        limits = self._limits(asked) if verdict.level is not SupportLevel.UNSUPPORTED else ()
        return replace(verdict, assumed=assumed, limits=limits, revision=self.revision)

    def _legs(self, asked: Asked) -> list[LegResult]:
        cell = asked.cell
        legs = []
        if Axis.HARDWARE in cell.nodes or Axis.BACKEND in cell.nodes:
            legs.append(self._leg(asked, LegKind.PLATFORM, self._platform_subject(cell)))
        if model := cell.nodes.get(Axis.MODEL):
            legs.append(self._leg(asked, LegKind.MODEL, model))
        if scheme := cell.nodes.get(Axis.QUANTIZATION):
            leg = self._leg(asked, LegKind.QUANTIZATION, scheme)
            if not (leg.level is SupportLevel.UNKNOWN and self._is_unquantized(scheme) and legs):
                legs.append(leg)
        if dtype := cell.nodes.get(Axis.KV_DTYPE):
            legs.append(self._leg(asked, LegKind.KV_DTYPE, dtype))
        legs.extend(self._leg(asked, LegKind.FEATURE, feature) for feature in sorted(cell.features))
        return self._fill_by_whole_cell(asked, legs)

    def _platform_subject(self, cell: Cell) -> str:
        return cell.nodes.get(Axis.HARDWARE) or cell.nodes.get(Axis.BACKEND) or ANY_NODE

    def _is_unquantized(self, scheme: str) -> bool:
        return self.around.trees.tree(Axis.QUANTIZATION).up(scheme)[-1] == UNQUANTIZED

    def _leg(self, asked: Asked, kind: LegKind, subject: str) -> LegResult:
        framework = asked.cell.framework
        found = self._candidates(asked, self.postings, kind, subject, framework=framework)
        if not any(_settles(candidate) for candidate in found):
            # Implied statements are many and only ever say yes: they are asked where no direct
            # yes stands, either to answer or to show that they contradict a no.
            found += self._candidates(asked, self.implied, kind, subject, framework=framework)
        if not found:
            return decide_leg(kind, subject, self._inherited(asked, kind, subject))
        return decide_by_facets(kind, subject, found, self._needed_facets(asked, kind, subject))

    def _needed_facets(self, asked: Asked, kind: LegKind, subject: str) -> list[Facet]:
        """What a yes about this leg must name; see ``matrix.domain.facets``."""
        needed = []
        hardware = asked.up.get(Axis.HARDWARE)
        if hardware and kind is not LegKind.PLATFORM:
            scheme = kind is LegKind.QUANTIZATION and not self._is_unquantized(subject)
            if scheme or self._enumerated(asked.cell.framework, kind, subject, hardware[-1]):
                needed.append(Facet.HARDWARE)
        if Axis.MODEL in asked.cell.nodes and self._stated_per_model(asked, kind, subject):
            needed.append(Facet.MODEL)
        return needed

    def _stated_per_model(self, asked: Asked, kind: LegKind, subject: str) -> bool:
        """Whether the sources of the framework state this leg model by model."""
        framework = asked.cell.framework
        if kind is LegKind.FEATURE:
            return (framework, subject) in self.model_features
        if kind is LegKind.QUANTIZATION and self._is_unquantized(subject):
            return False
        root = asked.up.get(Axis.HARDWARE, (ANY_NODE,))[-1]
        return any((framework, kind, name) in self.model_schemes for name in (ANY_NODE, root))

    def _enumerated(self, framework: str, kind: LegKind, subject: str, root: str) -> bool:
        if kind is not LegKind.FEATURE:
            return (framework, kind, ANY_NODE, root) in self.enumerates
        return any(
            (framework, kind, name, root) in self.enumerates
            for name in self.around.trees.features.up(subject)
        )

    def _candidates(
        self, asked: Asked, store: Store, kind: LegKind, subject: str, *, framework: str
    ) -> list[Candidate]:
        """Candidates of a leg.

        Where the cell names no model, statements about single models are heard only when nothing
        speaks about the leg without them: an exception for one model is not a condition on all.
        """
        found: dict[int, Candidate] = {}
        for per_model in (False, True):
            for entry in self._entries(
                asked, store, kind, subject, framework=framework, per_model=per_model
            ):
                if id(entry) not in found:
                    candidate = match(asked, entry)
                    if candidate is not None:
                        found[id(entry)] = candidate
            if Axis.MODEL not in asked.cell.nodes and any(
                not c.is_gate_pass for c in found.values()
            ):
                break
        return list(found.values())

    def _entries(
        self,
        asked: Asked,
        store: Store,
        kind: LegKind,
        subject: str,
        *,
        framework: str,
        per_model: bool,
    ) -> Iterable[Entry]:
        seconds = self._seconds(asked, kind, per_model=per_model)
        for primary in self._primaries(kind, subject, asked):
            bucket = store.get((framework, kind, primary))
            if not bucket:
                continue
            if seconds is None:
                for second, entries in bucket.items():
                    if second.startswith(MODEL_MARK) is per_model:
                        yield from entries
            elif len(seconds) < len(bucket):
                for second in seconds:
                    yield from bucket.get(second, ())
            else:
                for second, entries in bucket.items():
                    if second in seconds:
                        yield from entries

    def _seconds(self, asked: Asked, kind: LegKind, *, per_model: bool) -> frozenset[str] | None:
        """The second-level keys that can speak about the cell; ``None`` for all of them."""
        axis = Axis.MODEL if per_model else Axis.HARDWARE
        if axis not in asked.cell.nodes or kind in {LegKind.PLATFORM, LegKind.MODEL}:
            return None if not (per_model and kind in NOT_PER_MODEL) else frozenset()
        nodes = asked.above[axis] | asked.below[axis]
        if per_model:
            return frozenset(MODEL_MARK + slug for slug in nodes)
        return nodes | {ANY_NODE}

    def _primaries(self, kind: LegKind, subject: str, asked: Asked) -> Iterable[str]:
        trees = self.around.trees
        if kind is LegKind.FEATURE:
            return (*trees.features.up(subject), *trees.features.down(subject))
        if kind is LegKind.PLATFORM:
            names: list[str] = [ANY_NODE]
            for axis in (Axis.HARDWARE, Axis.BACKEND):
                if slug := asked.cell.nodes.get(axis):
                    names.extend((*asked.up[axis], *trees.tree(axis).down(slug)))
            return names
        axis = {
            LegKind.MODEL: Axis.MODEL,
            LegKind.QUANTIZATION: Axis.QUANTIZATION,
            LegKind.KV_DTYPE: Axis.KV_DTYPE,
        }[kind]
        return (ANY_NODE, *asked.up[axis], *trees.tree(axis).down(subject))

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
        found = []
        entries = (
            entry
            for per_model in (False, True)
            for entry in self._entries(
                there, self.postings, kind, subject, framework=own.parent, per_model=per_model
            )
        )
        for entry in entries:
            if Axis.HARDWARE in entry.scope.nodes or Axis.BACKEND in entry.scope.nodes:
                continue
            candidate = match(there, entry, inherited_from=own.parent)
            if candidate is not None:
                found.append(candidate)
        return found

    def _fill_by_whole_cell(self, asked: Asked, legs: list[LegResult]) -> list[LegResult]:
        """Rule "whole cell": a run or test that names every node of the cell fills every leg."""
        whole = [
            c
            for leg in legs
            for c in leg.deciding
            if c.claim.outcome != "unstated"
            and c.claim.level is SupportLevel.SUPPORTED
            and c.coverage is Coverage.YES
            and set(asked.cell.nodes) - _ASSUMABLE <= set(c.claim.scope.nodes)
            and asked.cell.features <= c.claim.scope.features
        ]
        if not whole:
            return legs
        best = whole[0]
        return [
            replace(
                leg,
                level=SupportLevel.SUPPORTED if not best.conditions else SupportLevel.CONDITIONAL,
                rule=Rule.WHOLE_CELL,
                deciding=(best,),
                unknown_reason=None,
            )
            if leg.level is SupportLevel.UNKNOWN
            else leg
            for leg in legs
        ]

    def _limits(self, asked: Asked) -> tuple[Claim, ...]:
        """Joint statements that say no to an asked feature together with one that is not asked.

        They do not change the level: the cell does not use the other feature.
        """
        found: dict[str, Claim] = {}
        for feature in asked.cell.features:
            for entry in self.limiting.get((asked.cell.framework, feature), ()):
                if entry.observation_at(asked.rank, asked.day) is not None:
                    found.setdefault(entry.claim.uid, entry.claim)
        return tuple(found[uid] for uid in sorted(found))


def _settles(candidate: Candidate) -> bool:
    """Whether a direct candidate is a plain yes that implied statements could not change."""
    if candidate.coverage is not Coverage.YES or candidate.negative:
        return False
    return not candidate.is_gate_pass and not candidate.is_stale
