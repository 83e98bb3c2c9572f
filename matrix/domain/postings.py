"""Builds the postings that the verdict index reads."""

import gc
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from matrix.domain.claims import Claim
from matrix.domain.entries import Entry, Reach, compile_entry
from matrix.domain.levels import EvidenceKind, LegKind, SupportLevel
from matrix.domain.plans import Posting, PostingPlan, plan_postings
from matrix.domain.surroundings import Surroundings
from matrix.domain.verdict_values import SWITCHES


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


# Sources that go through hardware, models or features one by one. What somebody says of a single
# combination does not make the whole leg a list.
_LISTING_KINDS = frozenset(
    {
        EvidenceKind.DOCUMENTATION,
        EvidenceKind.CI,
        EvidenceKind.SOURCE_CODE,
        EvidenceKind.CAPABILITY_GATE,
    }
)
# First-level node, second-level node, entries.
Shelf = dict[str, dict[str, list[Entry]]]
# Shelves by (framework, leg, whether the second level is a model).
Store = dict[tuple[str, LegKind, bool], Shelf]


@dataclass(slots=True, eq=False)
class _Desk:
    """Where the claims of one framework about one scope go; found once, used by each of them.

    **Shapes**: ``lists`` are the postings' lists of entries; ``implied`` are reduced scopes, each
    with its lists and the entries that stand for it by their clocks; ``since`` the pairs of days
    (valid and recorded clock) already noted.
    """

    plan: PostingPlan
    lists: list[list[Entry]]
    implied: list[tuple[Reach, list[list[Entry]], dict[Hashable, Entry]]]
    since: set[tuple[int, int]]


class Postings:
    """Claims posted per framework, leg and primary node, and below that per hardware node.

    **Shapes**: ``stated_per`` says which legs sources state hardware by hardware or model by model:
    (framework, leg, subject, hardware root or ``PER_MODEL``) to the days since when, as pairs of
    the valid and the recorded clock; ``limiting`` holds joint statements that refuse a feature
    together with another; ``left_out`` the uids of claims without an observation at a known
    release.
    """

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.postings: Store = {}
        self.implied: Store = {}
        self.limiting: dict[tuple[str, str], list[Entry]] = {}
        self.stated_per: dict[tuple[str, LegKind, str, str], set[tuple[int, int]]] = {}
        self.claim_count = 0
        self.left_out: list[str] = []
        # Keyed by identity: equal scopes are shared by the reader, and plans keep them alive.
        self._plans: dict[int, PostingPlan] = {}
        self._desks: dict[tuple[str, int], _Desk] = {}
        self._spans: dict[Hashable, dict[Hashable, Entry]] = {}

    def add(self, claim: Claim) -> None:
        """Compiles and posts one claim; one without a known release is left out and listed."""
        framework, scope = claim.framework, claim.scope
        plan = self._plans.get(id(scope))
        if plan is None:
            plan = self._plans[id(scope)] = plan_postings(scope, self.around.trees)
        history = self.around.histories.get(framework)
        entry = compile_entry(claim, plan.reach, history) if history else None
        if entry is None:
            self.left_out.append(claim.uid)
            return
        self.claim_count += 1
        key = (framework, id(scope))
        desk = self._desks.get(key)
        if desk is None:
            desk = self._desks[key] = self._desk(framework, plan)
        for entries in desk.lists:
            entries.append(entry)
        level = claim.level
        if len(scope.features) > 1 and level is not SupportLevel.SUPPORTED:
            for feature in scope.features:
                self.limiting.setdefault((framework, feature), []).append(entry)
        if plan.stated_per and claim.kind in _LISTING_KINDS:
            self._note_stated_per(framework, desk, (entry.oldest_day, entry.known_from))
        plain_yes = level is SupportLevel.SUPPORTED
        if desk.implied and plain_yes and claim.kind is not EvidenceKind.CAPABILITY_GATE:
            _post_implied(entry, desk)

    def _desk(self, framework: str, plan: PostingPlan) -> _Desk:
        implied = []
        for reach, postings in plan.implied:
            # Equal reduced scopes of different scopes share what stands for them.
            key = (framework, postings[0][0] if postings else None, frozenset(reach.nodes))
            standing = self._spans.get(key)
            if standing is None:
                standing = self._spans[key] = {}
            implied.append((reach, _lists(self.implied, framework, postings), standing))
        return _Desk(plan, _lists(self.postings, framework, plan.postings), implied, set())

    def _note_stated_per(self, framework: str, desk: _Desk, since: tuple[int, int]) -> None:
        """Remembers since when a framework's sources state a leg per hardware or per model."""
        if since in desk.since:
            return
        desk.since.add(since)
        for leg, subject, per in desk.plan.stated_per:
            self.stated_per.setdefault((framework, leg, subject, per), set()).add(since)


def _lists(store: Store, framework: str, postings: Iterable[Posting]) -> list[list[Entry]]:
    """The lists of entries under these postings, made where there are none."""
    found = []
    for leg, by_model, primary, second in postings:
        key = (framework, leg, by_model)
        shelf = store.get(key)
        if shelf is None:
            shelf = store[key] = {}
        bucket = shelf.get(primary)
        if bucket is None:
            bucket = shelf[primary] = {}
        entries = bucket.get(second)
        if entries is None:
            entries = bucket[second] = []
        found.append(entries)
    return found


def _post_implied(entry: Entry, desk: _Desk) -> None:
    """Posts reduced copies once per scope and release span; thousands of claims imply one."""
    span = _clock_of(entry)
    for reach, lists, standing in desk.implied:
        held = standing.get(span)
        if held is None:
            reduced = _reduced(entry, reach)
            standing[span] = reduced
            for entries in lists:
                entries.append(reduced)
        elif (entry.newest_day, entry.claim.uid) < (held.newest_day, held.claim.uid):
            # Whichever claim arrives first, the same one is cited: the one that was said first.
            held.claim, held.reach = entry.claim, reach
            held.ranks, held.days = entry.ranks, entry.days
            held.oldest_day, held.newest_day = entry.oldest_day, entry.newest_day


def _reduced(entry: Entry, reach: Reach) -> Entry:
    """A copy that speaks about less; written out, for ``replace`` takes five times as long."""
    return Entry(
        entry.claim,
        reach,
        entry.ranks,
        entry.days,
        entry.first_rank,
        entry.gone_rank,
        entry.gone_day,
        entry.oldest_day,
        entry.newest_day,
        entry.known_from,
        entry.known_until,
        implied=True,
    )


def _clock_of(entry: Entry) -> Hashable:
    """Since and until when an entry is seen and known: entries that agree may stand in for each
    other as evidence of what they imply.

    Of two that were seen once, at the same release, the one said first stands for both.
    """
    claim = entry.claim
    return (
        (entry.ranks[0], entry.ranks[-1], entry.first_rank, claim.validity.open_ended),
        (entry.days[0], entry.days[-1]) if len(entry.days) > 1 else None,
        (entry.gone_rank, entry.gone_day, entry.known_from, entry.known_until),
        claim.kind,
        tuple([c for c in claim.conditions if c.kind not in SWITCHES]) if claim.conditions else (),
    )


def post_claims(claims: Iterable[Claim], around: Surroundings) -> Postings:
    """All claims compiled and posted."""
    postings = Postings(around)
    with _collector_paused():
        for claim in claims:
            postings.add(claim)
    return postings
