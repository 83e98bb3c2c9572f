"""Builds the postings that the verdict index reads."""

import gc
import itertools
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Scope
from matrix.domain.entries import Entry, compile_entry
from matrix.domain.levels import Axis, EvidenceKind, LegKind, SupportLevel
from matrix.domain.plans import Posting, PostingPlan, plan_postings
from matrix.domain.surroundings import Surroundings
from matrix.domain.trees import ANY_NODE


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pauses cyclic garbage collection: a build makes millions of objects and no garbage, and
    every collection would walk all of them again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # What was built lives as long as the process: later collections need not walk it.
            gc.freeze()
            gc.enable()


# Stands beside hardware roots for "model by model".
PER_MODEL = "model:"
# First-level node, second-level node, entries.
Shelf = dict[str, dict[str, list[Entry]]]
# Shelves by (framework, leg, whether the second level is a model).
Store = dict[tuple[str, LegKind, bool], Shelf]


class Postings:
    """Claims posted per framework, leg and primary node, and below that per hardware node.

    **Shapes**: ``stated_per`` says which legs sources state hardware by hardware or model by model:
    (framework, leg, subject, hardware root or ``PER_MODEL``) to the days since when, as pairs of
    the valid and the recorded clock; ``limiting`` holds joint statements that refuse a feature
    together with another; ``named`` the nodes that statements about a leg name on each axis;
    ``left_out`` the uids of claims without an observation at a known release.
    """

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.postings: Store = {}
        self.implied: Store = {}
        self.limiting: dict[tuple[str, str], list[Entry]] = {}
        self.stated_per: dict[tuple[str, LegKind, str, str], set[tuple[int, int]]] = {}
        self.named: dict[tuple[str, LegKind], dict[Axis, set[str]]] = {}
        self.claim_count = 0
        self.left_out: list[str] = []
        self._plans: dict[int, tuple[Scope, PostingPlan]] = {}
        self._equal: dict[Hashable, PostingPlan] = {}
        self._noted: dict[tuple[str, int], set[tuple[int, int]]] = {}
        self._spans: dict[Hashable, dict[Hashable, Entry]] = {}

    def add(self, claim: Claim) -> None:
        """Compiles and posts one claim; one without a known release is left out and listed."""
        framework, scope = claim.framework, claim.scope
        history = self.around.histories.get(framework)
        # Keyed by identity: equal scopes are shared by the reader, and the scope is kept alive.
        held = self._plans.get(id(scope))
        if held is None:
            held = self._plans[id(scope)] = (scope, self._plan(scope))
        plan = held[1]
        entry = compile_entry(claim, plan.reach, history) if history else None
        if entry is None:
            self.left_out.append(claim.uid)
            return
        self.claim_count += 1
        self._post(self.postings, framework, entry, plan.postings)
        if len(scope.features) > 1 and claim.level is not SupportLevel.SUPPORTED:
            for feature in scope.features:
                self.limiting.setdefault((framework, feature), []).append(entry)
        key = (framework, id(plan))
        noted = self._noted.get(key)
        if noted is None:
            noted = self._noted[key] = set()
            self._note_names(framework, plan)
        since = (entry.oldest_day, entry.known_from)
        if since not in noted:
            noted.add(since)
            self._note_enumeration(framework, plan, since)
        plain_yes = claim.level is SupportLevel.SUPPORTED
        if plan.implied and plain_yes and claim.kind is not EvidenceKind.CAPABILITY_GATE:
            self._post_implied(entry, plan)

    def _plan(self, scope: Scope) -> PostingPlan:
        """One plan for all equal scopes."""
        said_of = (
            frozenset(scope.nodes.items()),
            scope.features,
            frozenset(scope.numbers.items()),
        )
        plan = self._equal.get(said_of)
        if plan is None:
            # Its number stands for the scope where statements about the same are compared.
            number = len(self._equal)
            plan = plan_postings(scope, self.around.trees.features, said_of=number)
            self._equal[said_of] = plan
        return plan

    def _post(
        self, store: Store, framework: str, entry: Entry, postings: Iterable[Posting]
    ) -> None:
        for leg, by_model, primary, second in postings:
            key = (framework, leg, by_model)
            shelf = store.get(key)
            if shelf is None:
                shelf = store[key] = {}
            bucket = shelf.get(primary)
            if bucket is None:
                shelf[primary] = {second: [entry]}
                continue
            entries = bucket.get(second)
            if entries is None:
                bucket[second] = [entry]
            else:
                entries.append(entry)

    def _post_implied(self, entry: Entry, plan: PostingPlan) -> None:
        """Posts reduced copies once per scope and release span; thousands of claims imply one."""
        framework = entry.claim.framework
        span = _clock_of(entry)
        for position, (reach, postings) in enumerate(plan.implied):
            key = (framework, id(plan), position)
            shared = self._spans.get(key)
            if shared is None:
                leg = postings[0][0] if postings else None
                same = (framework, leg, frozenset(reach.nodes))
                shared = self._spans.setdefault(same, {})
                self._spans[key] = shared
            standing = shared.get(span)
            if standing is None:
                reduced = replace(entry, reach=reach, implied=True)
                shared[span] = reduced
                self._post(self.implied, framework, reduced, postings)
            elif entry.claim.uid < standing.claim.uid:
                # Whichever claim arrives first, the same one is cited.
                standing.claim, standing.reach = entry.claim, reach
                standing.ranks, standing.days = entry.ranks, entry.days

    def _note_names(self, framework: str, plan: PostingPlan) -> None:
        """Remembers which nodes statements about a leg name: no other node changes the leg."""
        for leg, axis, slugs in plan.restricts:
            named = self.named.setdefault((framework, leg), {})
            named.setdefault(axis, set()).update(slugs)

    def named_with_upstream(self) -> dict[tuple[str, LegKind], dict[Axis, frozenset[str]]]:
        """Per framework and leg the nodes that its own and its upstream's statements name."""
        found: dict[tuple[str, LegKind], dict[Axis, frozenset[str]]] = {}
        for framework in self.around.histories:
            own = self.around.frameworks.get(framework)
            speaking = {framework, own.parent or framework} if own else {framework}
            for name, kind in itertools.product(speaking, LegKind):
                total = found.setdefault((framework, kind), {})
                for axis, slugs in self.named.get((name, kind), {}).items():
                    total[axis] = total.get(axis, frozenset()) | slugs
        return found

    def _note_enumeration(self, framework: str, plan: PostingPlan, since: tuple[int, int]) -> None:
        """Remembers that a framework's sources state a leg per hardware or per model."""
        tree = self.around.trees.tree(Axis.HARDWARE)
        roots = {tree.up(slug)[-1] for slug in plan.hardware}
        keys = [(framework, leg, subject, root) for leg, subject in plan.subjects for root in roots]
        if plan.schemes_per_model is not None:
            leg = plan.schemes_per_model
            keys += [(framework, leg, root, PER_MODEL) for root in roots or {ANY_NODE}]
        keys += [
            (framework, LegKind.FEATURE, feature, PER_MODEL) for feature in plan.features_per_model
        ]
        for key in keys:
            self.stated_per.setdefault(key, set()).add(since)


def _clock_of(entry: Entry) -> Hashable:
    """Since and until when an entry is seen and known: entries that agree may stand in for each
    other as evidence of what they imply."""
    return (
        (entry.ranks[0], entry.ranks[-1], entry.days[0], entry.days[-1]),
        (entry.gone_rank, entry.gone_day, entry.known_from, entry.known_until),
        entry.claim.kind,
        entry.claim.conditions,
    )


def post_claims(claims: Iterable[Claim], around: Surroundings) -> Postings:
    """All claims compiled and posted."""
    postings = Postings(around)
    with _collector_paused():
        for claim in claims:
            postings.add(claim)
    return postings
