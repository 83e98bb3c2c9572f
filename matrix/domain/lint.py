"""The data rules over claims and the catalogue together: every breach, none repaired.

**Source**: docs/data-guidelines.md.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import date

from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue
from matrix.domain.catalogue_lint import catalogue_breaches
from matrix.domain.claims import Claim, claim_breaches
from matrix.domain.coordinates import NodeSet, Scope, Trees
from matrix.domain.data_rules import Breach, DataRule
from matrix.domain.phrases import Phrase
from matrix.domain.trees import Tree
from matrix.domain.versions import ReleaseHistory

# A page may run ahead of the release it is captured for, but not by more than this; beyond it the
# capture was placed at a wrong release.
EVIDENCE_BEFORE_RELEASE_DAYS = 400

Found = Iterator[tuple[DataRule, str]]


def lint_knowledge(catalogue: Catalogue, claims: Iterable[Claim], *, today: date) -> list[Breach]:
    """Every breach of the data rules in a catalogue and its claims."""
    breaches = list(catalogue_breaches(catalogue))
    if any(breach.rule is DataRule.SOUND_TREE for breach in breaches):
        # Without sound trees nothing can be said about scopes.
        return breaches
    held = list(claims)
    for claim in held:
        breaches += (
            _breach(claim, rule, what) for rule, what in breaches_of(claim, catalogue, today=today)
        )
    return breaches + list(overlaps(held, catalogue.histories))


def breaches_of(claim: Claim, catalogue: Catalogue, *, today: date) -> Found:
    """What breaks a rule in one claim, its scope and its release range."""
    yield from claim_breaches(claim, today=today)
    yield from scope_breaches(claim.scope, catalogue.trees)
    history = catalogue.histories.get(claim.framework)
    if history is None:
        yield (
            DataRule.KNOWN_NODES,
            Phrase(
                "the framework {framework!r} is not in the catalogue", framework=claim.framework
            ),
        )
    else:
        yield from range_breaches(claim, history)


def scope_breaches(scope: Scope, trees: Trees) -> Found:
    """Nodes that the catalogue does not hold, and exclusions that exclude nothing."""
    for axis, nodes in sorted(scope.nodes.items()):
        if axis not in AREA_OF_AXIS:
            continue
        tree = trees.tree(axis)
        for slug in sorted(nodes.include | nodes.exclude):
            if slug not in tree:
                yield (
                    DataRule.KNOWN_NODES,
                    Phrase(
                        "{axis} names {slug!r}, which is not in the catalogue", axis=axis, slug=slug
                    ),
                )
        for slug in _outside(nodes, tree):
            included = ", ".join(sorted(nodes.include))
            yield (
                DataRule.EXCLUDE_WITHIN_INCLUDE,
                Phrase(
                    "{axis} excludes {slug!r}, which does not lie below {included}",
                    axis=axis,
                    slug=slug,
                    included=included,
                ),
            )
    for slug in sorted(scope.features):
        if slug not in trees.features:
            yield (
                DataRule.KNOWN_NODES,
                Phrase("feature names {slug!r}, which is not in the catalogue", slug=slug),
            )


def _outside(nodes: NodeSet, tree: Tree) -> list[str]:
    if not nodes.include:
        return []
    return [
        slug
        for slug in sorted(nodes.exclude)
        if slug in tree and nodes.include.isdisjoint(tree.up(slug)[1:])
    ]


def range_breaches(claim: Claim, history: ReleaseHistory) -> Found:
    """Releases that do not exist, a range in the wrong order, and evidence outside of it."""
    validity = claim.validity
    ends = {
        "first": validity.first,
        "last": validity.last,
        "after": validity.after,
        "gone": validity.gone,
    }
    ranks: dict[str, int] = {}
    for name, version in ends.items():
        if not version:
            continue
        rank = history.find_rank(version)
        if rank is None:
            yield DataRule.KNOWN_RELEASES, _no_release(name, version, history)
        else:
            ranks[name] = rank
    yield from _order_breaches(ranks, validity_texts=ends)
    for seen in claim.observations:
        release = history.find(seen.release)
        if release is None:
            yield DataRule.KNOWN_RELEASES, _no_release("an observation", seen.release, history)
            continue
        rank = history.rank(seen.release)
        if rank < ranks.get("first", rank) or rank > ranks.get("last", rank):
            yield (
                DataRule.RANGE_HOLDS_OBSERVATIONS,
                Phrase(
                    "seen at {release}, outside of {first} to {last}",
                    release=seen.release,
                    first=validity.first,
                    last=validity.last,
                ),
            )
        early = (release.released_on - seen.stated_on).days
        if early > EVIDENCE_BEFORE_RELEASE_DAYS:
            yield (
                DataRule.EVIDENCE_NEAR_RELEASE,
                Phrase(
                    "the observation at {release} is dated {stated_on}, {early} days "
                    "before that release; accepted: up to {most_days}",
                    release=seen.release,
                    stated_on=seen.stated_on,
                    early=early,
                    most_days=EVIDENCE_BEFORE_RELEASE_DAYS,
                ),
            )


def _no_release(name: str, version: str, history: ReleaseHistory) -> str:
    nearest = ", ".join(history.nearest(version, limit=3))
    return Phrase(
        "{name} is {version!r}, which is no release of {framework}; nearest: {nearest}",
        name=name,
        version=version,
        framework=history.framework,
        nearest=nearest,
    )


def _order_breaches(ranks: Mapping[str, int], *, validity_texts: Mapping[str, str]) -> Found:
    # Each pair of ends that must stand in this order; only the first two may be the same release.
    for earlier, later, may_be_same in (
        ("first", "last", True),
        ("after", "first", False),
        ("last", "gone", False),
    ):
        if earlier not in ranks or later not in ranks:
            continue
        low, high = ranks[earlier], ranks[later]
        if low > high or (low == high and not may_be_same):
            yield (
                DataRule.RANGE_HOLDS_OBSERVATIONS,
                Phrase(
                    "{earlier} {low} does not lie before {later} {high}",
                    earlier=earlier,
                    low=validity_texts[earlier],
                    later=later,
                    high=validity_texts[later],
                ),
            )


def overlaps(claims: Iterable[Claim], histories: Mapping[str, ReleaseHistory]) -> Iterator[Breach]:
    """Claims by which one source says the same of the same scope twice, or two things at once.

    Ended claims (superseded, withdrawn) overlap nothing.
    """
    by_subject: dict[Hashable, list[tuple[int, int, Claim]]] = {}
    for claim in claims:
        if claim.superseded_at is not None or claim.withdrawn_at is not None:
            continue
        span = _span(claim, histories.get(claim.framework))
        if span is not None:
            by_subject.setdefault(_subject(claim), []).append((*span, claim))
    for found in by_subject.values():
        found.sort(key=lambda item: (item[0], item[1], item[2].uid))
        reach, owner = -1, None
        for first, last, claim in found:
            if owner is not None and first <= reach:
                yield _breach(
                    claim,
                    DataRule.NO_OVERLAP,
                    Phrase(
                        "stated from {first} on ({level}), while {other} states it up to {last} "
                        "({other_level})",
                        first=claim.validity.first,
                        level=claim.level,
                        other=owner.uid,
                        last=owner.validity.last,
                        other_level=owner.level,
                    ),
                )
            if last > reach:
                reach, owner = last, claim


def _subject(claim: Claim) -> Hashable:
    scope = claim.scope
    return (
        claim.framework,
        claim.source,
        claim.statement,
        claim.kind,
        frozenset(scope.nodes.items()),
        scope.features,
        frozenset(scope.numbers.items()),
        claim.conditions,
    )


def _span(claim: Claim, history: ReleaseHistory | None) -> tuple[int, int] | None:
    if history is None:
        return None
    ranks = [history.find_rank(o.release) for o in claim.observations]
    known = [rank for rank in ranks if rank is not None]
    return (min(known), max(known)) if known else None


def _breach(claim: Claim, rule: DataRule, what: str) -> Breach:
    return Breach(
        rule=rule, group=claim.source, where=f"{claim.source} {claim.statement} {claim.uid}",
        what=what,
    )  # fmt: skip
