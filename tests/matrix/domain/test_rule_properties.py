"""What holds for every world, tried on a few hundred random ones."""

import random
from dataclasses import replace

import pytest

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell, covers
from matrix.domain.entries import legs_of
from matrix.domain.levels import Axis, Coverage, EvidenceKind, LegKind, SupportLevel
from matrix.domain.surroundings import complete_cell
from matrix.domain.verdicts import CARRY_LIMIT_DAYS, LegResult, Verdict
from tests.builders import TREES, VERSIONS, index_of, released_on, scope, surroundings
from tests.matrix.domain.asking import NO, ask
from tests.matrix.domain.random_worlds import (
    known_by,
    random_cell,
    random_claim,
    random_claims,
)

WORLDS = 250
LAST_DAY = released_on(VERSIONS[-1])


def answer(verdict: Verdict) -> object:
    """What a reader acts on: level, reason, and the claims that decide, by leg."""
    legs = [
        (leg.kind, leg.subject, leg.level, sorted(c.claim.uid for c in leg.deciding))
        for leg in verdict.legs
    ]
    return verdict.level, verdict.unknown_reason, legs


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this test alone, the same in every run."""
    return random.Random(request.node.name)


def test_the_order_in_which_claims_arrive_changes_nothing(draw: random.Random) -> None:
    for _ in range(WORLDS):
        claims, asked = random_claims(draw), random_cell(draw)
        shuffled = draw.sample(claims, len(claims))
        assert answer(ask(index_of(*claims), asked)) == answer(ask(index_of(*shuffled), asked))


def test_claims_of_another_framework_change_nothing(draw: random.Random) -> None:
    for _ in range(WORLDS):
        claims, asked = random_claims(draw), random_cell(draw)
        others = [random_claim(draw, 100 + n, framework="vllm-ascend") for n in range(5)]
        before, after = ask(index_of(*claims), asked), ask(index_of(*claims, *others), asked)
        assert answer(before) == answer(after)


def test_a_no_about_a_feature_that_is_not_asked_changes_nothing(draw: random.Random) -> None:
    for _ in range(WORLDS):
        claims, asked = random_claims(draw), random_cell(draw)
        asked = replace(asked, features=asked.features - {"prefix-caching"})
        other = scope(features=["prefix-caching"], hardware="nvidia")
        before = ask(index_of(*claims), asked)
        unrelated = replace(random_claim(draw, 100), scope=other, level=SupportLevel.UNSUPPORTED)
        assert answer(ask(index_of(*claims, unrelated), asked)) == answer(before)


def test_what_is_stated_after_the_asked_day_changes_nothing(draw: random.Random) -> None:
    for _ in range(WORLDS):
        claims, asked = random_claims(draw), random_cell(draw)
        assert asked.version is not None
        day = draw.choice(VERSIONS[VERSIONS.index(asked.version) :])
        all_of_them = ask(index_of(*claims), asked, released_on(day))
        known_then = ask(index_of(*known_by(claims, day)), asked, released_on(day))
        assert answer(all_of_them) == answer(known_then)


def test_supported_never_stands_on_a_leg_whose_own_claims_all_say_no(draw: random.Random) -> None:
    refused = 0
    for _ in range(WORLDS):
        claims, asked = random_claims(draw), random_cell(draw)
        verdict = ask(index_of(*claims), asked)
        for leg in verdict.legs:
            own = [c for c in claims if speaks_for(c, leg, asked)]
            if own and all(c.level is SupportLevel.UNSUPPORTED for c in own):
                refused += 1
                assert verdict.level is not SupportLevel.SUPPORTED, (asked, leg)
    assert refused > 10


def test_supported_always_names_a_yes_for_every_leg(draw: random.Random) -> None:
    for verdict in verdicts_of(SupportLevel.SUPPORTED, draw):
        for leg in verdict.legs:
            levels = {c.claim.level for c in leg.deciding}
            assert levels == {SupportLevel.SUPPORTED}
            assert all(c.claim.kind is not EvidenceKind.CAPABILITY_GATE for c in leg.deciding)


def test_an_unsupported_verdict_always_names_a_claim_that_says_no(draw: random.Random) -> None:
    for verdict in verdicts_of(SupportLevel.UNSUPPORTED, draw):
        assert any(c.claim.level == NO for c in verdict.deciding)


def test_a_verdict_is_never_better_than_its_weakest_leg(draw: random.Random) -> None:
    for _ in range(WORLDS):
        verdict = ask(index_of(*random_claims(draw)), random_cell(draw))
        levels = {leg.level for leg in verdict.legs}
        if SupportLevel.UNSUPPORTED in levels:
            assert verdict.level is SupportLevel.UNSUPPORTED
        elif SupportLevel.UNKNOWN in levels:
            assert verdict.level is SupportLevel.UNKNOWN
            assert verdict.unknown_reason is not None
        else:
            assert verdict.level in levels


def verdicts_of(level: SupportLevel, draw: random.Random, *, wanted: int = 15) -> list[Verdict]:
    """Verdicts of that level from random worlds, so that a test never passes on none."""
    found: list[Verdict] = []
    for _ in range(20 * WORLDS):
        verdict = ask(index_of(*random_claims(draw)), random_cell(draw))
        if verdict.level is level:
            found.append(verdict)
        if len(found) == wanted:
            return found
    raise AssertionError(f"only {len(found)} worlds gave {level}")


def speaks_for(held: Claim, leg: LegResult, asked: Cell) -> bool:
    """Whether a claim is about exactly this leg and covers the cell, worked out anew and slowly."""
    full, _ = complete_cell(asked, surroundings())
    if legs_of(held.scope)[0] is not leg.kind or covers(held.scope, full, TREES) != Coverage.YES:
        return False
    if leg.kind is LegKind.FEATURE and not held.scope.features & set(
        TREES.features.up(leg.subject)
    ):
        return False
    if held.conditions or (held.kind is EvidenceKind.CAPABILITY_GATE and held.level != NO):
        return False
    if Axis.MODEL in held.scope.nodes and Axis.MODEL not in asked.nodes:
        return False
    rank = VERSIONS.index(asked.version or "")
    seen = [VERSIONS.index(o.release) for o in held.observations]
    gone = held.validity.gone
    fresh = [r for r in seen if r <= rank and 30 * (rank - r) <= CARRY_LIMIT_DAYS]
    return bool(fresh) and not (gone and VERSIONS.index(gone) <= rank)
