"""Builds the postings that the verdict index reads."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Scope
from matrix.domain.entries import ANY_NODE, Entry, PostingPlan, compile_entry, plan_postings
from matrix.domain.levels import Axis, EvidenceKind, LegKind, SupportLevel
from matrix.domain.surroundings import Surroundings


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


# Entries by (framework, leg, primary node), then by hardware node.
Store = dict[tuple[str, LegKind, str], dict[str, list[Entry]]]


class Postings:
    """Claims posted per framework, leg and primary node, and below that per hardware node.

    **Shapes**: ``enumerates`` holds (framework, leg, subject, hardware root) that sources state per
    hardware, ``model_features`` (framework, feature) and ``model_schemes`` (framework, leg,
    hardware root or ``*``) that they state per model; ``limiting`` joint
    statements that refuse a feature together with another; ``left_out`` the
    uids of claims without an observation at a known release.
    """

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.postings: Store = {}
        self.implied: Store = {}
        self.limiting: dict[tuple[str, str], list[Entry]] = {}
        self.enumerates: set[tuple[str, LegKind, str, str]] = set()
        self.model_features: set[tuple[str, str]] = set()
        self.model_schemes: set[tuple[str, LegKind, str]] = set()
        self.claim_count = 0
        self.left_out: list[str] = []
        self._plans: dict[int, tuple[Scope, PostingPlan]] = {}
        self._enumerated: set[tuple[str, int]] = set()
        self._spans: dict[object, set[tuple[int, int]]] = {}

    def add(self, claim: Claim) -> None:
        """Compiles and posts one claim; one without a known release is left out and listed."""
        history = self.around.histories.get(claim.framework)
        entry = compile_entry(claim, history) if history else None
        if entry is None:
            self.left_out.append(claim.uid)
            return
        self.claim_count += 1
        # Keyed by identity: equal scopes are shared by the reader, and the scope is kept alive.
        held = self._plans.get(id(claim.scope))
        if held is None:
            held = (claim.scope, plan_postings(claim.scope))
            self._plans[id(claim.scope)] = held
        plan = held[1]
        self._post(self.postings, entry, plan.postings)
        if len(claim.scope.features) > 1 and claim.level is not SupportLevel.SUPPORTED:
            for feature in claim.scope.features:
                self.limiting.setdefault((claim.framework, feature), []).append(entry)
        key = (claim.framework, id(claim.scope))
        if key not in self._enumerated:
            self._enumerated.add(key)
            self._note_enumeration(claim.framework, plan)
        refuses = claim.level is SupportLevel.UNSUPPORTED
        if not refuses and claim.kind is not EvidenceKind.CAPABILITY_GATE:
            for position, (_, scope, postings) in enumerate(plan.implied):
                self._post_implied(entry, scope, postings, (*key, position))

    def _post(
        self, store: Store, entry: Entry, postings: Iterable[tuple[LegKind, str, str]]
    ) -> None:
        framework = entry.claim.framework
        for leg, primary, second in postings:
            key = (framework, leg, primary)
            bucket = store.get(key)
            if bucket is None:
                bucket = store[key] = {}
            entries = bucket.get(second)
            if entries is None:
                bucket[second] = [entry]
            else:
                entries.append(entry)

    def _post_implied(
        self,
        entry: Entry,
        scope: Scope,
        postings: tuple[tuple[LegKind, str, str], ...],
        key: tuple[str, int, int],
    ) -> None:
        """Posts a reduced copy once per scope and release span; thousands of claims imply one."""
        span = (entry.ranks[0], entry.ranks[-1])
        shared = self._spans.get(key)
        if shared is None:
            nodes = frozenset(scope.nodes.items())
            same = (entry.claim.framework, postings[0][0] if postings else None, nodes)
            shared = self._spans.setdefault(same, set())
            self._spans[key] = shared
        if span in shared:
            return
        shared.add(span)
        reduced = replace(
            entry, scope=scope, nodes=tuple(scope.nodes.items()), numbers=(), implied=True
        )
        self._post(self.implied, reduced, postings)

    def _note_enumeration(self, framework: str, plan: PostingPlan) -> None:
        """Remembers that a framework's sources state a leg per hardware or per model."""
        tree = self.around.trees.tree(Axis.HARDWARE)
        for leg, subject in plan.subjects:
            for slug in plan.hardware:
                self.enumerates.add((framework, leg, subject, tree.up(slug)[-1]))
        if plan.schemes_per_model is not None:
            roots = {tree.up(slug)[-1] for slug in plan.hardware} or {ANY_NODE}
            for root in roots:
                self.model_schemes.add((framework, plan.schemes_per_model, root))
        for feature in plan.features_per_model:
            self.model_features.add((framework, feature))


def post_claims(claims: Iterable[Claim], around: Surroundings) -> Postings:
    """All claims compiled and posted."""
    postings = Postings(around)
    with _collector_paused():
        for claim in claims:
            postings.add(claim)
    return postings
