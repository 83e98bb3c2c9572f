"""An immutable index of claims that answers verdicts without a database.

Claims are posted per framework, leg and primary node, and below that per hardware node, so the
cost of a verdict depends on how many claims speak about its nodes, not on how many there are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from matrix.domain.claims import Claim
from matrix.domain.coordinates import (
    Cell,
    Condition,
    Scope,
    covers_features,
    covers_node,
)
from matrix.domain.entries import (
    ANY_NODE,
    Entry,
    compile_entry,
    implied_scopes,
    legs_of,
    primary_nodes,
    specificity_of,
)
from matrix.domain.levels import Axis, Coverage, LegKind, SupportLevel, UnknownReason
from matrix.domain.surroundings import Surroundings, complete_cell
from matrix.domain.verdicts import (
    AgeKind,
    Candidate,
    LegResult,
    Rule,
    Verdict,
    combine_legs,
    decide_leg,
)

_Postings = dict[tuple[str, LegKind, str], dict[str, list[Entry]]]
UNQUANTIZED = "none"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A cell prepared for look-up."""

    cell: Cell
    rank: int
    day: int
    known_day: int | None
    up: Mapping[Axis, tuple[str, ...]]
    release_day: int


class ClaimIndex:
    """The claims of one knowledge revision, compiled.

    **Raises** on ``verdict_for``: ``UnknownVersion``, ``NotReleasedYet``.
    """

    def __init__(
        self, claims: Iterable[Claim], surroundings: Surroundings, *, revision: int = 0
    ) -> None:
        self.around = surroundings
        self.revision = revision
        self.claim_count = 0
        self.left_out: list[str] = []
        self._postings: _Postings = {}
        self._enumerates: set[tuple[str, LegKind, str, str]] = set()
        self._model_features: set[tuple[str, str]] = set()
        self._implied_seen: dict[object, list[tuple[int, int]]] = {}
        for claim in claims:
            self._add(claim)
        self._implied_seen = {}

    # -- building ---------------------------------------------------------------------------

    def _add(self, claim: Claim) -> None:
        history = self.around.histories.get(claim.framework)
        entry = compile_entry(claim, history) if history else None
        if entry is None:
            self.left_out.append(claim.uid)
            return
        self.claim_count += 1
        for leg in legs_of(claim.scope):
            self._post(leg, entry)
            self._note_enumeration(leg, claim.framework, claim.scope)
        if claim.kind != "capability-gate":
            for leg, scope in implied_scopes(claim):
                self._post_implied(leg, scope, entry)

    def _post(self, leg: LegKind, entry: Entry) -> None:
        hardware = entry.scope.nodes.get(Axis.HARDWARE)
        seconds: Iterable[str] = (ANY_NODE,)
        if leg is not LegKind.PLATFORM and hardware and hardware.include:
            seconds = hardware.include
        for primary in primary_nodes(leg, entry.scope):
            bucket = self._postings.setdefault((entry.claim.framework, leg, primary), {})
            for second in seconds:
                bucket.setdefault(second, []).append(entry)

    def _post_implied(self, leg: LegKind, scope: Scope, entry: Entry) -> None:
        """Posts a reduced copy once per scope and release span; thousands of claims imply one."""
        key = (
            entry.claim.framework,
            leg,
            entry.claim.level,
            frozenset(scope.nodes.items()),
        )
        span = (entry.ranks[0], entry.ranks[-1])
        known = self._implied_seen.setdefault(key, [])
        if any(low <= span[0] and span[1] <= high for low, high in known):
            return
        known.append(span)
        reduced = replace(
            entry, scope=scope, nodes=tuple(scope.nodes.items()), numbers=(), implied=True
        )
        self._post(leg, reduced)

    def _note_enumeration(self, leg: LegKind, framework: str, scope: Scope) -> None:
        """Remembers that a framework's sources state this leg per hardware or per model."""
        hardware = scope.nodes.get(Axis.HARDWARE)
        subjects: Iterable[str] = scope.features if leg is LegKind.FEATURE else (ANY_NODE,)
        tree = self.around.trees.tree(Axis.HARDWARE)
        for subject in subjects:
            if hardware:
                for slug in hardware.include:
                    root = tree.up(slug)[-1]
                    self._enumerates.add((framework, leg, subject, root))
            if leg is LegKind.FEATURE and Axis.MODEL in scope.nodes:
                self._model_features.add((framework, subject))

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
        asked = _Asked(
            cell=cell,
            rank=rank,
            day=as_of.toordinal(),
            known_day=known_at.toordinal() if known_at else None,
            up=self._ups(cell),
            release_day=release.released_on.toordinal(),
        )
        legs = self._legs(asked)
        verdict = combine_legs(cell, as_of=as_of, version=release.version, legs=legs)
        limits = self._limits(asked) if verdict.level is not SupportLevel.UNSUPPORTED else ()
        return replace(verdict, assumed=assumed, limits=limits, revision=self.revision)

    def _ups(self, cell: Cell) -> dict[Axis, tuple[str, ...]]:
        return {axis: self.around.trees.tree(axis).up(slug) for axis, slug in cell.nodes.items()}

    def _legs(self, asked: _Asked) -> list[LegResult]:
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

    def _leg(self, asked: _Asked, kind: LegKind, subject: str) -> LegResult:
        found = self._candidates(asked, kind, subject, framework=asked.cell.framework)
        speaking, general = self._split_general(asked, kind, subject, found)
        if not speaking and not general:
            speaking = self._inherited(asked, kind, subject)
        result = decide_leg(kind, subject, speaking)
        if result.level is SupportLevel.UNKNOWN and general:
            reason = result.unknown_reason
            if reason is UnknownReason.NEVER_INVESTIGATED:
                reason = UnknownReason.SOURCE_SILENT
            return replace(result, others=(*result.others, *general), unknown_reason=reason)
        return result

    def _split_general(
        self, asked: _Asked, kind: LegKind, subject: str, found: list[Candidate]
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Rule "speaks for the hardware": a yes that names no hardware is not enough where the
        sources of the framework state this leg per hardware (quantization: always), nor is one
        that names no model where they state the feature per model. A "no" is always heard."""
        hardware = asked.up.get(Axis.HARDWARE)
        need_hardware = (
            bool(hardware)
            and kind is not LegKind.PLATFORM
            and (
                (kind is LegKind.QUANTIZATION and not self._is_unquantized(subject))
                or self._enumerated(asked.cell.framework, kind, subject, (hardware or ("",))[-1])
            )
        )
        need_model = (
            kind is LegKind.FEATURE
            and Axis.MODEL in asked.cell.nodes
            and (asked.cell.framework, subject) in self._model_features
        )
        if not need_hardware and not need_model:
            return found, []
        speaking, general = [], []
        names_hardware = names_model = False
        for candidate in found:
            nodes = candidate.claim.scope.nodes
            here = Axis.HARDWARE in nodes or Axis.BACKEND in nodes
            model = Axis.MODEL in nodes
            names_hardware |= here and not candidate.is_gate_pass
            names_model |= model
            heard = candidate.negative or candidate.is_gate_pass
            if heard or (here if need_hardware else True) or (need_model and model):
                speaking.append(candidate)
            else:
                general.append(candidate)
        missing = (need_hardware and not names_hardware) or (need_model and not names_model)
        if missing:
            refusing = [c for c in speaking if c.negative or c.is_gate_pass]
            return refusing, [c for c in found if c not in refusing]
        return speaking, general

    def _enumerated(self, framework: str, kind: LegKind, subject: str, root: str) -> bool:
        if kind is not LegKind.FEATURE:
            return (framework, kind, ANY_NODE, root) in self._enumerates
        return any(
            (framework, kind, name, root) in self._enumerates
            for name in self.around.trees.features.up(subject)
        )

    def _candidates(
        self, asked: _Asked, kind: LegKind, subject: str, *, framework: str
    ) -> list[Candidate]:
        found: dict[int, Candidate] = {}
        for entry in self._entries(framework, kind, subject, asked):
            if id(entry) in found:
                continue
            candidate = self._candidate(asked, entry)
            if candidate is not None:
                found[id(entry)] = candidate
        return list(found.values())

    def _entries(
        self, framework: str, kind: LegKind, subject: str, asked: _Asked
    ) -> Iterable[Entry]:
        primaries = self._primaries(kind, subject, asked)
        hardware_tree = self.around.trees.tree(Axis.HARDWARE)
        slug = asked.cell.nodes.get(Axis.HARDWARE)
        for primary in primaries:
            bucket = self._postings.get((framework, kind, primary))
            if not bucket:
                continue
            if slug is None or kind is LegKind.PLATFORM:
                for entries in bucket.values():
                    yield from entries
                continue
            yield from bucket.get(ANY_NODE, ())
            for second in asked.up[Axis.HARDWARE]:
                yield from bucket.get(second, ())
            below = hardware_tree.down(slug)
            if below:
                for second, entries in bucket.items():
                    if second in below:
                        yield from entries

    def _primaries(self, kind: LegKind, subject: str, asked: _Asked) -> Iterable[str]:
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

    def _candidate(
        self, asked: _Asked, entry: Entry, *, inherited_from: str = ""
    ) -> Candidate | None:
        if asked.known_day is not None:
            if not entry.known_at(asked.known_day):
                return None
        elif entry.known_until <= date.max.toordinal() - 1:
            return None
        seen = entry.observation_at(asked.rank, asked.day)
        if seen is None:
            return None
        coverage, open_axes = self._coverage(asked, entry)
        if coverage is Coverage.NO:
            return None
        rank, age, observation = seen
        conditions = _unmet(entry.claim, asked.cell)
        if conditions is None:
            return None
        if conditions:
            coverage = min(coverage, Coverage.DEPENDS)
        if age.kind is not AgeKind.OBSERVED:
            days = max(0, asked.release_day - observation.stated_on.toordinal())
            age = replace(age, days=days)
        return Candidate(
            claim=entry.claim,
            coverage=coverage,
            rank=rank,
            specificity=specificity_of(entry, asked.up, self.around.trees),
            age=age,
            observation=observation,
            implied=entry.implied,
            inherited_from=inherited_from,
            conditions=conditions,
            depends_on=open_axes,
        )

    def _coverage(self, asked: _Asked, entry: Entry) -> tuple[Coverage, tuple[str, ...]]:
        cell = asked.cell
        trees = self.around.trees
        result = Coverage.YES
        open_axes: list[str] = []
        if entry.scope.features:
            result = covers_features(entry.scope.features, cell.features, trees.features)
            if result is Coverage.NO:
                return result, ()
            if result is Coverage.DEPENDS:
                open_axes.append("feature: " + ", ".join(sorted(entry.scope.features)))
        for axis, nodes in entry.nodes:
            part = covers_node(nodes, cell.nodes.get(axis), trees.tree(axis))
            if part is Coverage.NO:
                return part, ()
            if part is Coverage.DEPENDS:
                result = part
                names = sorted(nodes.include) or ["not " + n for n in sorted(nodes.exclude)]
                open_axes.append(f"{axis.value}: {', '.join(names)}")
        for number, span in entry.numbers:
            value = cell.numbers.get(number)
            if value is None:
                result = Coverage.DEPENDS
                open_axes.append(f"{number.value}: {_span_text(span.minimum, span.maximum)}")
            elif not span.contains(value):
                return Coverage.NO, ()
        return result, tuple(open_axes)

    def _inherited(self, asked: _Asked, kind: LegKind, subject: str) -> list[Candidate]:
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
        for entry in self._entries(own.parent, kind, subject, there):
            if Axis.HARDWARE in entry.scope.nodes or Axis.BACKEND in entry.scope.nodes:
                continue
            candidate = self._candidate(there, entry, inherited_from=own.parent)
            if candidate is not None:
                found.append(candidate)
        return found

    def _fill_by_whole_cell(self, asked: _Asked, legs: list[LegResult]) -> list[LegResult]:
        """Rule "whole cell": a run or test that names every node of the cell fills every leg."""
        whole = [
            c
            for leg in legs
            for c in leg.deciding
            if c.claim.outcome != "unstated"
            and c.claim.level is SupportLevel.SUPPORTED
            and c.coverage is Coverage.YES
            and set(asked.cell.nodes) - {Axis.BACKEND} <= set(c.claim.scope.nodes)
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

    def _limits(self, asked: _Asked) -> tuple[Claim, ...]:
        """Joint statements that say no to an asked feature together with one that is not asked.

        They do not change the level: the cell does not use the other feature.
        """
        found: dict[str, Claim] = {}
        for feature in asked.cell.features:
            for entry in self._entries(asked.cell.framework, LegKind.FEATURE, feature, asked):
                if len(entry.scope.features) < 2 or entry.claim.level is SupportLevel.SUPPORTED:
                    continue
                if entry.observation_at(asked.rank, asked.day) is None:
                    continue
                found.setdefault(entry.claim.uid, entry.claim)
        return tuple(found[uid] for uid in sorted(found))


def _unmet(claim: Claim, cell: Cell) -> tuple[Condition, ...] | None:
    """Conditions the cell leaves open; ``None`` when its settings contradict one."""
    if not claim.conditions:
        return ()
    unmet = []
    for condition in claim.conditions:
        given = cell.settings.get(condition.name)
        if given is None:
            unmet.append(condition)
        elif not _holds(condition, given):
            return None
    return tuple(unmet)


def _holds(condition: Condition, given: str) -> bool:
    if condition.op == "=":
        return given == condition.value
    if condition.op == "!=":
        return given != condition.value
    if condition.op == "unset":
        return given in {"", "0", "false"}
    return given not in {"0", "false"}


def _span_text(minimum: float | None, maximum: float | None) -> str:
    low = "" if minimum is None else f"{minimum:g} ≤ "
    high = "" if maximum is None else f" ≤ {maximum:g}"
    return f"{low}n{high}"
