"""What would have to be otherwise for a better answer: asked of the same index, never invented."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from matrix.checking.asking import CheckQuestion
from matrix.domain.catalogue import Catalogue
from matrix.domain.check_outcomes import POSITIVE_LEVELS, Change, ChangeKind, is_better
from matrix.domain.coordinates import Cell, Condition
from matrix.domain.levels import WEAKEST_FIRST, Axis, SupportLevel
from matrix.domain.memory.values import FailurePoint, FitLevel, MemoryEstimate
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import Verdict
from matrix.domain.whole_cell import UNQUANTIZED
from matrix.index import Knowledge
from matrix.mentions import EMPTY, mentions_of
from matrix.queries.answers import condition_text
from matrix.queries.remembered import RememberedFor

# A larger answer would be a second matrix; the matrix itself shows all of it.
MOST_NODES = 120
MOST_RELEASES = 60
MOST_OBSERVED = 8
MOST_SIBLINGS = 40
MOST_SHOWN_SIBLINGS = 4

# Schemes to try for the unquantized model, one of each container that people meet most. Whether a
# checkpoint in that scheme exists is not said.
USUAL_SCHEMES = ("awq-w4a16", "gptq-w4a16", "fp8-w8a8", "int8-w8a8", "gguf-q4-k-m", "gguf-q8-0")

# What unquantized weights take: two bytes each.
UNQUANTIZED_MEMORY = "bf16"

_STRONGEST_FIRST = tuple(reversed(WEAKEST_FIRST))
# A fit that leaves nothing to wish for, or about which nothing can be said.
_ENOUGH = frozenset({FitLevel.FITS, FitLevel.UNKNOWN})
_NO_ROOM = frozenset({FitLevel.EXCEEDS, FitLevel.DOES_NOT_FIT})
# The fit of a model in a scheme under the framework's engine, ``None`` where none is estimated.
LevelAt = Callable[[str, str], FitLevel | None]


def find_changes(
    knowledge: Knowledge,
    question: CheckQuestion,
    verdict: Verdict,
    *,
    estimate: MemoryEstimate | None,
    level_at: LevelAt,
    shared: SharedLegs,
) -> tuple[Change, ...]:
    """The changes that lead to a better verdict or fit, each an answer of the index itself.

    **Shapes**: in the order of ``ChangeKind``; empty where nothing better is known.
    """
    search = _Search(knowledge, question, verdict, shared)
    found: list[Change] = []
    lacks_room = estimate is not None and estimate.fit.level not in _ENOUGH
    if verdict.level not in (SupportLevel.SUPPORTED, SupportLevel.CONDITIONAL):
        found += _conditions(verdict)
        found += search.releases()
        found += search.hardware()
        found += search.features()
    if lacks_room or verdict.level not in (SupportLevel.SUPPORTED, SupportLevel.CONDITIONAL):
        found += search.quantizations(level_at, lacks_room=lacks_room)
    if estimate is not None and lacks_room:
        found += _load_changes(question, estimate)
    return tuple(found)


class _Search:
    """Asks the index for the same cell with one thing otherwise."""

    def __init__(
        self, knowledge: Knowledge, question: CheckQuestion, verdict: Verdict, shared: SharedLegs
    ) -> None:
        self._knowledge = knowledge
        self._question = question
        self._verdict = verdict
        self._shared = shared
        self._asked = question.of(verdict.cell.framework).cell
        self._mentions = mentions_of(knowledge).get(verdict.cell.framework, EMPTY)

    def _level(self, cell: Cell) -> SupportLevel:
        question = self._question
        return self._knowledge.index.glance_at(
            cell, as_of=question.as_of, known_at=question.known_at, shared=self._shared
        ).level

    def _change(
        self,
        kind: ChangeKind,
        values: tuple[str, ...],
        cell: Cell,
        *,
        fit: FitLevel | None = None,
        earlier: bool = False,
    ) -> Change:
        """The change with the claims that decide there and not here."""
        there = self._knowledge.index.verdict_for(
            cell, as_of=self._question.as_of, known_at=self._question.known_at, shared=self._shared
        )
        here = {candidate.claim.uid for candidate in self._verdict.deciding}
        claims = [c.claim.uid for c in there.deciding if c.claim.uid not in here]
        return Change(
            kind=kind,
            values=values,
            level=there.level,
            cell=cell,
            claims=tuple(claims[:3]),
            fit=fit,
            earlier=earlier,
        )

    def releases(self) -> list[Change]:
        """The nearest later release with a better verdict, else the newest earlier one."""
        history = self._knowledge.catalogue.histories[self._asked.framework]
        asked = self._verdict.version
        if asked is None:
            return []
        rank = history.rank(asked)
        lasting = [
            (position, release.version)
            for position, release in enumerate(history.releases)
            if release.released_on <= self._question.as_of
            and not release.yanked
            and release.line in ("stable", "post")
        ]
        later = [version for position, version in lasting if position > rank]
        for version in later[:MOST_RELEASES]:
            if self._is_better_at(version):
                cell = replace(self._asked, version=version)
                return [self._change(ChangeKind.RELEASE, (version,), cell)]
        before = [version for position, version in reversed(lasting) if position < rank]
        version = self._newest_better(before)
        if not version:
            return []
        cell = replace(self._asked, version=version)
        return [self._change(ChangeKind.RELEASE, (version,), cell, earlier=True)]

    def _is_better_at(self, version: str) -> bool:
        return is_better(self._level(replace(self._asked, version=version)), self._verdict.level)

    def _newest_better(self, newest_first: Sequence[str]) -> str:
        """The newest of some releases with a better verdict; empty for none.

        Statements are observed at few releases, and the answer seldom changes between them: those
        are asked first, then the ones after a hit.
        """
        seen = [p for p, version in enumerate(newest_first) if version in self._mentions.releases]
        hit = next((p for p in seen[:MOST_OBSERVED] if self._is_better_at(newest_first[p])), None)
        if hit is None:
            return ""
        newer = max((p for p in seen if p < hit), default=-1)
        for position in range(hit - 1, newer, -1):
            if not self._is_better_at(newest_first[position]):
                break
            hit = position
        return newest_first[hit]

    def hardware(self) -> list[Change]:
        """Families and architectures of the same vendor with a better verdict, by level."""
        asked = self._asked.nodes.get(Axis.HARDWARE)
        if asked is None:
            return []
        by_level: dict[SupportLevel, list[str]] = {}
        for slug in self._better_hardware(asked):
            by_level.setdefault(self._level(self._on(slug)), []).append(slug)
        found = []
        for level in _STRONGEST_FIRST:
            slugs = by_level.get(level)
            if slugs:
                cell = self._on(slugs[0])
                found.append(self._change(ChangeKind.HARDWARE, tuple(slugs), cell))
        return found

    def _on(self, hardware: str) -> Cell:
        return replace(self._asked, nodes={**self._asked.nodes, Axis.HARDWARE: hardware})

    def _better_hardware(self, asked: str) -> list[str]:
        """Architectures beside the asked one with a better verdict; a family where all have it.

        Only those are asked that a statement of the framework names, by themselves, by their
        family or by a device: about the others the sources say no more than about the asked one.
        """
        tree = self._knowledge.catalogue.trees.tree(Axis.HARDWARE)
        nodes = self._knowledge.catalogue.area("hardware")
        path = tree.up(asked)
        named: Mapping[str, int] = self._mentions.nodes.get(Axis.HARDWARE.value, {})
        wanted = [
            slug
            for slug in sorted(tree.down(path[-1]))
            if nodes[slug].kind == "architecture"
            and slug not in path
            and slug not in tree.down(asked)
            and any(name in named for name in (*tree.up(slug)[:-1], *tree.down(slug)))
        ]
        better = [
            slug
            for slug in wanted[:MOST_NODES]
            if is_better(self._level(self._on(slug)), self._verdict.level)
        ]
        whole = self._whole_families(better, asked)
        kept = [slug for slug in better if whole.isdisjoint(tree.up(slug))]
        catalogue = self._knowledge.catalogue
        return sorted([*whole, *kept], key=lambda slug: _generation(catalogue, slug))

    def _whole_families(self, better: Sequence[str], asked: str) -> set[str]:
        """Families that are better as a whole."""
        tree = self._knowledge.catalogue.trees.tree(Axis.HARDWARE)
        nodes = self._knowledge.catalogue.area("hardware")
        families = {
            name
            for slug in better
            for name in tree.up(slug)[1:]
            if nodes[name].kind == "family" and asked not in tree.down(name)
        }
        return {
            family
            for family in families
            if is_better(self._level(self._on(family)), self._verdict.level)
        }

    def features(self) -> list[Change]:
        """The same without one of the asked features, else without all of them."""
        asked = self._asked.features
        single = [frozenset({name}) for name in sorted(asked)]
        for left_out in (*single, *([asked] if len(asked) > 1 else [])):
            cell = replace(self._asked, features=asked - left_out)
            if is_better(self._level(cell), self._verdict.level):
                return [self._change(ChangeKind.FEATURES, tuple(sorted(left_out)), cell)]
        return []

    def quantizations(self, level_at: LevelAt, *, lacks_room: bool) -> list[Change]:
        """Other schemes of the same model with a better verdict, or with room where it lacks."""
        found = []
        for values, cell in self._other_schemes():
            level = self._level(cell)
            better = is_better(level, self._verdict.level)
            if not better and not (lacks_room and level in POSITIVE_LEVELS):
                continue
            scheme = UNQUANTIZED_MEMORY if values[1] == UNQUANTIZED else values[1]
            fit = level_at(values[0], scheme)
            if fit in _NO_ROOM or (lacks_room and not better and fit is not FitLevel.FITS):
                continue
            found.append(self._change(ChangeKind.QUANTIZATION, values, cell, fit=fit))
        found.sort(key=_best_change_first)
        return found[:MOST_SHOWN_SIBLINGS]

    def _other_schemes(self) -> Iterator[tuple[tuple[str, str], Cell]]:
        """(model, scheme) pairs with their cells: stored siblings, then usual schemes."""
        model = self._asked.nodes.get(Axis.MODEL)
        if model is None:
            return
        area = self._knowledge.catalogue.area("model")
        stored = self._knowledge.catalogue.surroundings.model_quantization
        base = str(area[model].facts.get("base") or model)
        siblings = _made_from(self._knowledge.catalogue).get(base, ())
        asked = self._question.scheme
        nodes: dict[Axis, str] = dict(self._asked.nodes)
        nodes.pop(Axis.QUANTIZATION, None)
        known = [slug for slug in siblings if slug in stored][:MOST_SIBLINGS]
        for slug in known:
            if slug != model and stored[slug] != asked:
                cell = replace(self._asked, nodes={**nodes, Axis.MODEL: slug})
                yield (slug, stored[slug]), cell
        if asked != UNQUANTIZED and base in area and base not in stored:
            plain = {**nodes, Axis.MODEL: base, Axis.QUANTIZATION: UNQUANTIZED}
            yield (base, UNQUANTIZED), replace(self._asked, nodes=plain)
        tree = self._knowledge.catalogue.trees.tree(Axis.QUANTIZATION)
        covered = {asked, *(stored[slug] for slug in known)}
        for scheme in USUAL_SCHEMES:
            if scheme in tree and covered.isdisjoint(tree.up(scheme)):
                other = {**nodes, Axis.MODEL: base, Axis.QUANTIZATION: scheme}
                yield (base, scheme), replace(self._asked, nodes=other)


_bases: RememberedFor[Mapping[str, Sequence[str]]] = RememberedFor()


def _made_from(catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    """The checkpoints that were made from each base, by the base's slug."""
    return _bases.get(catalogue, "bases", lambda: _by_base(catalogue))


def _by_base(catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for slug, node in catalogue.area("model").items():
        if base := node.facts.get("base"):
            found.setdefault(str(base), []).append(slug)
    return found


def _best_change_first(change: Change) -> tuple[int, int]:
    level = change.level or SupportLevel.UNKNOWN
    return _FIT_ORDER.get(change.fit, 3), _STRONGEST_FIRST.index(level)


_FIT_ORDER: Mapping[FitLevel | None, int] = {
    FitLevel.FITS: 0,
    None: 1,
    FitLevel.UNKNOWN: 1,
    FitLevel.TIGHT: 2,
}


def _generation(catalogue: Catalogue, slug: str) -> tuple[int, float, str]:
    """Compute capability of the first architecture below or at a node, else its name."""
    tree = catalogue.trees.tree(Axis.HARDWARE)
    nodes = catalogue.area("hardware")
    for name in (slug, *sorted(tree.down(slug))):
        stated = str(nodes[name].facts.get("compute_capability", ""))
        if stated.replace(".", "", 1).isdigit():
            return 0, float(stated), slug
    return 1, 0.0, slug


def _conditions(verdict: Verdict) -> list[Change]:
    """Yeses under conditions that speak about a leg without deciding it."""
    found: dict[str, Change] = {}
    for leg in verdict.legs:
        if leg.level not in (SupportLevel.UNSUPPORTED, SupportLevel.UNKNOWN):
            continue
        for candidate in leg.contradicting:
            texts = _texts(candidate.conditions) + candidate.depends_on
            if candidate.negative or not texts:
                continue
            uid = candidate.claim.uid
            level = candidate.claim.level
            found.setdefault(uid, Change(ChangeKind.CONDITION, texts, level=level, claims=(uid,)))
    return list(found.values())


def _texts(conditions: Sequence[Condition]) -> tuple[str, ...]:
    return tuple(condition_text(condition) for condition in conditions)


def _load_changes(question: CheckQuestion, estimate: MemoryEstimate) -> list[Change]:
    """More devices, a shorter context or fewer sequences, as the estimate itself says."""
    fit, request = estimate.fit, estimate.request
    found = []
    needed = fit.devices_needed
    if needed is not None and needed > question.count:
        found.append(Change(ChangeKind.DEVICES, (str(needed),)))
    if fit.points.get(FailurePoint.LOAD) is FitLevel.DOES_NOT_FIT:
        return found
    context = fit.largest_context_tokens
    if context is not None and 0 < context < request.context_tokens:
        found.append(Change(ChangeKind.CONTEXT, (str(context),)))
    sequences = fit.largest_sequences
    if sequences is not None and 0 < sequences < request.sequences:
        found.append(Change(ChangeKind.SEQUENCES, (str(sequences),)))
    return found
