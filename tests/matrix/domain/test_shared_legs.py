"""Cells of one grid that share legs get the verdicts that each would get alone."""

import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from matrix.domain.coordinates import Cell
from matrix.domain.index import ClaimIndex
from matrix.domain.sharing import MOST_LEGS, SharedLegs
from matrix.domain.verdicts import Candidate, Verdict
from tests.builders import TODAY, VERSIONS, cell, claim, index_of, released_on, scope
from tests.matrix.domain.asking import NO, YES
from tests.matrix.domain.random_worlds import random_cell, random_claim, random_claims


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this test alone, the same in every run."""
    return random.Random(request.node.name)


def told(candidates: Iterable[Candidate]) -> list[object]:
    """All that a candidate tells a reader."""
    return [
        (
            c.claim.uid,
            c.coverage,
            c.rank,
            c.specificity,
            c.age,
            c.observation.release,
            c.implied,
            c.inherited_from,
            c.conditions,
            c.depends_on,
        )
        for c in candidates
    ]


def everything(verdict: Verdict) -> object:
    """All that a verdict tells a reader."""
    legs = [
        (
            leg.kind,
            leg.subject,
            leg.level,
            leg.rule,
            leg.unknown_reason,
            leg.conflicting,
            told(leg.deciding),
            told(leg.contradicting),
            told(leg.others),
            told(leg.gates),
        )
        for leg in verdict.legs
    ]
    return verdict.cell, verdict.level, verdict.version, verdict.assumed, verdict.limits, legs


def same_cells(index: ClaimIndex, cells: Iterable[Cell], days: Iterable[date]) -> int:
    """Asks each cell on each day alone and shared; returns how many legs were shared."""
    shared = SharedLegs()
    legs = 0
    for day in days:
        for asked in cells:
            alone = index.verdict_for(asked, as_of=day)
            together = index.verdict_for(asked, as_of=day, shared=shared)
            assert everything(together) == everything(alone)
            legs += len(alone.legs)
    return legs - len(shared.legs)


def test_shared_legs_change_no_verdict(draw: random.Random) -> None:
    saved = 0
    for _ in range(60):
        index = index_of(*random_claims(draw))
        version = draw.choice(VERSIONS)
        cells = [replace(random_cell(draw), version=version) for _ in range(25)]
        saved += same_cells(index, cells, [TODAY, released_on(version)])
    assert saved > 500


def test_shared_legs_change_no_verdict_of_a_plug_in(draw: random.Random) -> None:
    for _ in range(40):
        claims = [random_claim(draw, n) for n in range(6)]
        claims += [random_claim(draw, 10 + n, framework="vllm-ascend") for n in range(3)]
        cells = [random_cell(draw) for _ in range(15)]
        own = [replace(asked, framework="vllm-ascend") for asked in cells]
        same_cells(index_of(*claims), [*cells, *own], [TODAY])


def test_a_glance_shows_what_the_verdict_says(draw: random.Random) -> None:
    seen = set()
    for _ in range(60):
        index = index_of(*random_claims(draw))
        shared = SharedLegs()
        version = draw.choice(VERSIONS)
        for asked in [replace(random_cell(draw), version=version) for _ in range(25)]:
            for day in (TODAY, released_on(version)):
                verdict = index.verdict_for(asked, as_of=day)
                glance = index.glance_at(asked, as_of=day, shared=shared)
                assert glance == (verdict.level, verdict.conflicting, verdict.stale)
                seen.add(glance)
    assert len(seen) > 5


def test_before_the_first_release_a_glance_is_unknown() -> None:
    asked = cell(hardware="nvidia-t4", version=None)
    day = date(1999, 1, 1)
    glance = index_of().glance_at(asked, as_of=day, shared=SharedLegs())
    verdict = index_of().verdict_for(asked, as_of=day)
    assert verdict.version is None
    assert glance == (verdict.level, verdict.conflicting, verdict.stale)


def test_features_that_no_statement_names_together_share_their_legs() -> None:
    index = index_of(claim(YES, about=scope(features=["lora"])))
    shared = SharedLegs()
    for other in ("eagle", "prefix-caching"):
        index.verdict_for(cell(features=["lora", other]), as_of=TODAY, shared=shared)
    assert sum(leg.subject == "lora" for leg in shared.legs.values()) == 1


def test_a_feature_that_a_statement_names_together_with_another_has_a_leg_for_each() -> None:
    index = index_of(
        claim(YES, about=scope(features=["lora"])),
        claim(NO, about=scope(features=["lora", "eagle"])),
    )
    shared = SharedLegs()
    levels = [
        index.verdict_for(cell(features=["lora", other]), as_of=TODAY, shared=shared).legs[0].level
        for other in ("prefix-caching", "eagle")
    ]
    subjects = [leg.subject for leg in shared.legs.values()]
    assert subjects.count("lora") == 2
    assert NO not in levels[:1]


def test_cells_with_any_features_share_legs_only_where_nothing_changes(draw: random.Random) -> None:
    features = ("lora", "speculative-decoding", "eagle", "prefix-caching")
    for _ in range(60):
        claims = []
        for number in range(6):
            stated = random_claim(draw, number)
            joint = frozenset(draw.sample(features, draw.randint(1, 3)))
            claims.append(replace(stated, scope=replace(stated.scope, features=joint)))
        index = index_of(*claims)
        cells = [
            replace(random_cell(draw), version=None, features=frozenset(asked))
            for asked in (draw.sample(features, draw.randint(0, 3)) for _ in range(25))
        ]
        same_cells(index, cells, [TODAY])


def test_devices_that_no_statement_tells_apart_share_a_model_leg() -> None:
    index = index_of(claim(YES, about=scope(model="llamaforcausallm")))
    shared = SharedLegs()
    for device in ("nvidia-t4", "nvidia-a100", "nvidia-v100"):
        asked = cell(model="llama-3", hardware=device)
        index.verdict_for(asked, as_of=TODAY, shared=shared)
    assert sum(leg.kind == "model" for leg in shared.legs.values()) == 1


def test_devices_that_a_statement_tells_apart_do_not_share_a_leg() -> None:
    index = index_of(
        claim(YES, about=scope(quantization="awq", hardware="nvidia-turing")),
        claim(NO, about=scope(quantization="awq", hardware="nvidia-volta")),
    )
    shared = SharedLegs()
    levels = [
        index.verdict_for(
            cell(quantization="awq", hardware=device), as_of=TODAY, shared=shared
        ).level
        for device in ("nvidia-t4", "nvidia-v100")
    ]
    assert levels == [YES, NO]


def test_a_long_batch_keeps_a_bounded_number_of_legs() -> None:
    shared = SharedLegs()
    leg = index_of().verdict_for(cell(hardware="nvidia-t4"), as_of=TODAY).legs[0]
    for number in range(MOST_LEGS + 10):
        assert shared.keep(number, leg) is leg
    assert len(shared.legs) == 10


def test_a_joint_refusal_that_was_withdrawn_limits_nothing_any_more() -> None:
    refused = claim(NO, about=scope(features=["lora", "eagle"]))
    withdrawn = claim(
        NO,
        about=scope(features=["lora", "prefix-caching"]),
        withdrawn_at=datetime(2025, 12, 1, tzinfo=UTC),
    )
    index = index_of(refused, withdrawn)
    now = index.verdict_for(cell(features=["lora"]), as_of=TODAY)
    before = index.verdict_for(cell(features=["lora"]), as_of=TODAY, known_at=date(2025, 11, 1))
    assert now.limits == (refused,)
    assert {c.uid for c in before.limits} == {refused.uid, withdrawn.uid}
