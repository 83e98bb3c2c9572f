"""Each data rule, shown by its breach; the rules in prose stand in docs/data-guidelines.md."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from matrix.domain.catalogue import CatalogSource, Catalogue, MaintenancePeriod, Node
from matrix.domain.claims import Claim, Document, Locator, Validity
from matrix.domain.data_rules import DataRule
from matrix.domain.levels import Axis, EndpointKind, MaintenanceStatus, SupportLevel
from matrix.domain.lint import lint_knowledge
from tests.builders import HARDWARE, QUANTIZATION, VERSIONS, claim, history_of, released_on, scope

GUIDELINES = Path(__file__).parents[3] / "docs" / "data-guidelines.md"
TODAY = date(2026, 1, 10)
AWQ = scope(quantization="awq", hardware="nvidia-turing")


def node(area: str, slug: str, parent: str | None = None, **changes: object) -> Node:
    built = Node(area=area, slug=slug, name=slug, kind="device", parent=parent, sources=("page",))
    return replace(built, **changes)  # type: ignore[arg-type]


def by_slug(nodes: Iterable[Node]) -> Mapping[str, Node]:
    return {node.slug: node for node in nodes}


SOUND = Catalogue(
    nodes={
        "framework": by_slug([node("framework", "vllm", kind="engine")]),
        "hardware": by_slug(node("hardware", s, p) for s, p in HARDWARE.parents.items()),
        "quantization": by_slug(
            node("quantization", s, p, kind="scheme") for s, p in QUANTIZATION.parents.items()
        ),
    },
    sources={"page": CatalogSource(key="page", title="Page", url="https://example.org")},
    releases={"vllm": history_of().releases},
)


def changed(old: Node, **changes: object) -> Catalogue:
    """The sound catalogue with one node changed or added."""
    area = {**SOUND.area(old.area), old.slug: replace(old, **changes)}  # type: ignore[arg-type]
    return replace(SOUND, nodes={**SOUND.nodes, old.area: area})


def seen_on(day: date, **changes: object) -> Claim:
    """A sound claim whose observation is dated otherwise."""
    held = claim("supported", about=AWQ, **changes)  # type: ignore[arg-type]
    return replace(held, observations=(replace(held.observations[0], stated_on=day),))


def with_validity(**changes: object) -> Claim:
    held = claim("supported", about=AWQ, seen=["0.4.0", "0.6.0"])
    return replace(held, validity=replace(held.validity, **changes))  # type: ignore[arg-type]


YES = claim("supported", about=AWQ, uid="yes")
NO = claim("unsupported", about=AWQ, uid="no")
UNPLACED_NO = replace(NO, observations=(replace(NO.observations[0], locator=Locator()),))
NAMELESS = replace(
    YES, observations=(replace(YES.observations[0], document=Document(key="page", url="")),)
)
TAKEN_BEFORE = replace(
    YES,
    observations=(
        replace(
            YES.observations[0],
            document=replace(
                YES.observations[0].document, retrieved_at=datetime(2025, 1, 1, tzinfo=UTC)
            ),
        ),
    ),
)
T4 = SOUND.area("hardware")["nvidia-t4"]
TURING = SOUND.area("hardware")["nvidia-turing"]
PERIOD = MaintenancePeriod(
    framework="vllm", status=MaintenanceStatus.ACTIVE, start=date(2025, 5, 1), end=date(2025, 4, 1)
)

BAD_CLAIMS: list[tuple[DataRule, list[Claim]]] = [
    (DataRule.CLAIM_LEVEL, [replace(YES, level=SupportLevel.CONDITIONAL)]),
    (DataRule.CLAIM_LEVEL, [replace(YES, level=SupportLevel.UNKNOWN)]),
    (DataRule.PARTIAL_HAS_NOTE, [replace(YES, level=SupportLevel.PARTIAL, note="  ")]),
    (DataRule.EVIDENCE, [replace(YES, observations=())]),
    (DataRule.EVIDENCE, [NAMELESS]),
    (DataRule.EVIDENCE, [replace(YES, source="")]),
    (DataRule.NO_HAS_LOCATOR, [UNPLACED_NO]),
    (DataRule.SHORT_NOTE, [replace(YES, note="x" * 201)]),
    (DataRule.TYPED_RANGE, [with_validity(first_kind=EndpointKind.BETWEEN)]),
    (DataRule.TYPED_RANGE, [with_validity(gone="0.8.0")]),
    (DataRule.TYPED_RANGE, [with_validity(gone_on=TODAY)]),
    (DataRule.TYPED_RANGE, [replace(YES, validity=Validity(first="", last="0.6.0"))]),
    (DataRule.DATED, [seen_on(TODAY + timedelta(days=1))]),
    (DataRule.DATED, [TAKEN_BEFORE]),
    (DataRule.KNOWN_NODES, [claim("supported", about=scope(hardware="nvidia-h900"))]),
    (DataRule.KNOWN_NODES, [claim("supported", about=scope(features=["teleportation"]))]),
    (DataRule.KNOWN_NODES, [replace(YES, framework="vlllm")]),
    (
        DataRule.EXCLUDE_WITHIN_INCLUDE,
        [
            claim(
                "supported",
                about=scope(hardware="nvidia-turing", exclude={Axis.HARDWARE: ["nvidia-v100"]}),
            )
        ],
    ),
    (
        DataRule.EXCLUDE_WITHIN_INCLUDE,
        [
            claim(
                "supported",
                about=scope(hardware="nvidia-turing", exclude={Axis.HARDWARE: ["nvidia-turing"]}),
            )
        ],
    ),
    (DataRule.KNOWN_RELEASES, [with_validity(first="0.4.7")]),
    (DataRule.KNOWN_RELEASES, [with_validity(after="0.3.7")]),
    (DataRule.KNOWN_RELEASES, [with_validity(gone="0.9.7", gone_on=TODAY)]),
    (DataRule.RANGE_HOLDS_OBSERVATIONS, [with_validity(first="0.5.0")]),
    (DataRule.RANGE_HOLDS_OBSERVATIONS, [with_validity(last="0.5.0")]),
    (DataRule.RANGE_HOLDS_OBSERVATIONS, [with_validity(gone="0.6.0", gone_on=TODAY)]),
    (
        DataRule.RANGE_HOLDS_OBSERVATIONS,
        [with_validity(first_kind=EndpointKind.BETWEEN, after="0.4.0")],
    ),
    (DataRule.EVIDENCE_NEAR_RELEASE, [seen_on(released_on("0.6.0") - timedelta(days=401))]),
    (DataRule.NO_OVERLAP, [YES, NO]),
    (DataRule.NO_OVERLAP, [YES, replace(YES, uid="twice", note="again")]),
    (
        DataRule.NO_OVERLAP,
        [
            claim("supported", about=AWQ, seen=["0.4.0", "0.8.0"], uid="a"),
            claim("unsupported", about=AWQ, seen=["0.6.0"], uid="b"),
        ],
    ),
]

BAD_CATALOGUES: list[tuple[DataRule, Catalogue]] = [
    (DataRule.SOUND_TREE, changed(T4, parent="nvidia-pascal")),
    (DataRule.SOUND_TREE, changed(TURING, parent="nvidia-t4")),
    (DataRule.ONE_OWNER_PER_NAME, changed(T4, aliases=("NVIDIA V100",))),
    (DataRule.ONE_OWNER_PER_NAME, replace(SOUND, splits={"hardware": {"nvidia t4": ("amd",)}})),
    (DataRule.CATALOGUE_SOURCE, changed(T4, sources=())),
    (DataRule.CATALOGUE_SOURCE, changed(T4, sources=("a page that is not listed",))),
    (DataRule.UNITS, changed(T4, facts={"memory": 16})),
    (DataRule.NOT_WIDER_THAN_PARENT, changed(T4, kind="vendor")),
    (DataRule.NAMED_NODES_EXIST, replace(SOUND, splits={"hardware": {"any": ("nvidia-h900",)}})),
    (DataRule.NAMED_NODES_EXIST, replace(SOUND, ambiguous={"hardware": {"x": ("nvidia-h9",)}})),
    (
        DataRule.NAMED_NODES_EXIST,
        changed(node("model", "org--m", kind="checkpoint"), facts={"quantization": "awq-w9a9"}),
    ),
    (
        DataRule.RELEASES_AND_PERIODS,
        replace(SOUND, releases={"vllm": (*history_of().releases, history_of().releases[0])}),
    ),
    (DataRule.RELEASES_AND_PERIODS, replace(SOUND, releases={"other": history_of().releases})),
    (DataRule.RELEASES_AND_PERIODS, replace(SOUND, periods=(PERIOD,))),
    (
        DataRule.RELEASES_AND_PERIODS,
        replace(SOUND, periods=(replace(PERIOD, framework="other", end=None),)),
    ),
]


def rules(catalogue: Catalogue, claims: Iterable[Claim] = ()) -> list[DataRule]:
    return [breach.rule for breach in lint_knowledge(catalogue, claims, today=TODAY)]


def test_sound_knowledge_has_no_breach() -> None:
    held = [YES, claim("unsupported", about=scope(hardware="nvidia-volta"), seen=VERSIONS)]
    assert rules(SOUND, held) == []


@pytest.mark.parametrize(("rule", "claims"), BAD_CLAIMS)
def test_a_breach_of_a_claim_rule_is_found(rule: DataRule, claims: list[Claim]) -> None:
    assert set(rules(SOUND, claims)) == {rule}


@pytest.mark.parametrize(("rule", "catalogue"), BAD_CATALOGUES)
def test_a_breach_of_a_catalogue_rule_is_found(rule: DataRule, catalogue: Catalogue) -> None:
    assert set(rules(catalogue)) == {rule}


def test_every_rule_is_shown_by_a_breach() -> None:
    assert {rule for rule, _ in (*BAD_CLAIMS, *BAD_CATALOGUES)} == set(DataRule)


def test_every_rule_stands_in_the_guidelines_once_and_in_order() -> None:
    text = GUIDELINES.read_text(encoding="utf-8")
    numbers = re.findall(r"^\*\*(D\d+)\b", text, flags=re.MULTILINE)
    assert numbers == [rule.value for rule in DataRule]


class TestNarrowing:
    """A child never claims more than its parent states."""

    @pytest.mark.parametrize(
        ("area", "key", "above", "below"),
        [
            ("hardware", "compute_capability", "7.5", "8.0"),
            ("hardware", "gfx_target", "gfx906", "gfx908"),
            ("quantization", "weight_bits", 4, 8),
            ("quantization", "activation_bits", 16, 8),
        ],
    )
    def test_a_fact_of_the_parent_binds_what_lies_below(
        self, area: str, key: str, above: object, below: object
    ) -> None:
        top, low = ("nvidia-turing", "nvidia-t4") if area == "hardware" else ("awq", "awq-w4a16")
        nodes = dict(SOUND.area(area))
        nodes[top] = replace(nodes[top], facts={key: above})  # type: ignore[dict-item]
        for value, expected in ((below, [DataRule.NOT_WIDER_THAN_PARENT]), (above, [])):
            nodes[low] = replace(nodes[low], facts={key: value})  # type: ignore[dict-item]
            found = replace(SOUND, nodes={**SOUND.nodes, area: nodes})
            assert rules(found) == expected

    def test_a_parent_that_states_nothing_binds_nothing(self) -> None:
        assert rules(changed(T4, facts={"compute_capability": "7.5"})) == []


class TestOverlap:
    def test_a_claim_that_ends_before_the_next_begins_does_not_overlap(self) -> None:
        earlier = claim("supported", about=AWQ, seen=["0.3.0", "0.4.0"], gone="0.5.0", uid="a")
        later = claim("unsupported", about=AWQ, seen=["0.5.0", "0.6.0"], uid="b")
        assert rules(SOUND, [earlier, later]) == []

    def test_a_withdrawn_claim_overlaps_nothing(self) -> None:
        ended = replace(NO, withdrawn_at=datetime(2025, 12, 1, tzinfo=UTC))
        assert rules(SOUND, [YES, ended]) == []

    @pytest.mark.parametrize("change", [{"statement": "other"}, {"source": "test:other"}])
    def test_another_statement_or_source_may_speak_at_the_same_release(
        self, change: dict[str, str]
    ) -> None:
        assert rules(SOUND, [YES, replace(NO, **change)]) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "key",
    [
        "memory_bytes", "memory_bandwidth_bytes_per_s", "tdp_w", "weight_bits", "num_layers",
        "parameters_total", "head_dim", "kv_lora_rank", "vocab_size", "max_context_tokens",
        "bits_per_weight",
    ],
)  # fmt: skip
def test_a_number_whose_key_ends_in_its_unit_passes(key: str) -> None:
    assert rules(changed(T4, facts={key: 1})) == []


@pytest.mark.parametrize("key", ["memory", "bandwidth", "speed_fast", "layers", "size_of_cache"])
def test_a_number_without_a_unit_is_a_breach(key: str) -> None:
    assert rules(changed(T4, facts={key: 1})) == [DataRule.UNITS]


def test_a_flag_and_a_word_need_no_unit() -> None:
    assert rules(changed(T4, facts={"series": True, "memory": "16 GB"})) == []
