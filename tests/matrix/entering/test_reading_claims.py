"""A claim as people write it: names, ranges, conditions, evidence, and every problem at once."""

from datetime import date
from typing import Any

import pytest

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Condition, NodeSet, NumberRange
from matrix.domain.levels import (
    Axis,
    ConditionKind,
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    NumberAxis,
    Outcome,
    SupportLevel,
    Tier,
)
from matrix.entering.claims import ClaimReader
from matrix.entering.problems import BrokenEntry
from matrix.entering.wording import claim_sentence
from tests.matrix.entering.entered_world import evidence, line


def problems(reader: ClaimReader, given: dict[str, Any]) -> dict[str, str]:
    """The problems of a line by field."""
    with pytest.raises(BrokenEntry) as caught:
        reader.read(given)
    return {problem.field: problem.what for problem in caught.value.problems}


def test_names_and_aliases_become_slugs(reader: ClaimReader) -> None:
    claim = reader.read(line(scope={"quantization": "AWQ", "hardware": ["Tesla T4", "turing"]}))
    assert claim.framework == "vllm"
    assert claim.scope.nodes[Axis.HARDWARE] == NodeSet(
        include=frozenset({"nvidia-t4", "nvidia-turing"})
    )
    assert claim.level is SupportLevel.SUPPORTED
    assert claim.kind is EvidenceKind.MAINTAINER


def test_what_a_user_reports_is_unofficial_unless_the_line_says_otherwise(
    reader: ClaimReader,
) -> None:
    assert reader.read(line(kind="user-report")).tier is Tier.UNOFFICIAL
    assert reader.read(line(kind="user-report", tier="official")).tier is Tier.OFFICIAL
    assert reader.read(line(kind="maintainer")).tier is Tier.OFFICIAL


def test_an_axis_said_in_full_is_named_without_nodes(reader: ClaimReader) -> None:
    claim = reader.read(line(scope={"quantization": "AWQ", "model": "*"}))
    assert claim.scope.nodes[Axis.MODEL] == NodeSet()
    assert "model any" in claim_sentence(claim)
    assert "every one" in problems(reader, line(scope={"model": {}}))["scope.model"]


def test_what_is_not_said_is_not_made_up(reader: ClaimReader) -> None:
    claim = reader.read(line(scope=None))
    assert claim.scope.nodes == {}
    assert claim.scope.features == frozenset()
    assert (claim.execution, claim.outcome, claim.limit) == (
        Execution.UNSTATED, Outcome.UNSTATED, None,
    )  # fmt: skip
    assert claim.validity.first_kind is EndpointKind.AT_OR_BEFORE
    assert not claim.validity.open_ended


def test_an_excluded_node_lies_below_an_included_one(reader: ClaimReader) -> None:
    scope = {"hardware": {"include": "NVIDIA", "exclude": ["Tesla T4"]}}
    claim = reader.read(line(scope=scope))
    assert claim.scope.nodes[Axis.HARDWARE].exclude == frozenset({"nvidia-t4"})
    wrong = {"hardware": {"include": "Tesla T4", "exclude": ["NVIDIA"]}}
    assert "does not lie below nvidia-t4 (D9)" in problems(reader, line(scope=wrong))["scope"]


def test_a_word_for_several_nodes_covers_all_of_them_or_is_refused(reader: ClaimReader) -> None:
    claim = reader.read(line(scope={"hardware": "Turing boards"}))
    assert claim.scope.nodes[Axis.HARDWARE].include == frozenset({"nvidia-t4"})
    found = problems(reader, line(scope={"hardware": "RTX"}))
    assert found == {
        "scope.hardware": "is 'RTX', which means several; accepted: nvidia-turing, nvidia-t4"
    }


def test_a_kv_type_is_read_below_the_kv_schemes(reader: ClaimReader) -> None:
    claim = reader.read(line(scope={"kv_dtype": "fp8"}))
    assert claim.scope.nodes[Axis.KV_DTYPE].include == frozenset({"kv-fp8"})


@pytest.mark.parametrize(
    ("written", "low", "high"),
    [
        (2, 2, 2),
        ("2", 2, 2),
        (">=2", 2, None),
        ("<= 8", None, 8),
        ("2-8", 2, 8),
        ({"min": 2}, 2, None),
        ({"max": 4}, None, 4),
    ],
)
def test_numbers_are_ranges(
    reader: ClaimReader, written: Any, low: int | None, high: int | None
) -> None:
    claim = reader.read(line(scope={"tp": written}))
    assert claim.scope.numbers == {NumberAxis.TENSOR_PARALLEL: NumberRange(low, high)}


@pytest.mark.parametrize(
    "written", [0, -1, True, "two", "8-2", ">=", [], [2], {}, {"min": 4, "max": 2}, "0", 2.5]
)
def test_a_number_of_another_form_is_refused(reader: ClaimReader, written: Any) -> None:
    assert "scope.tp" in problems(reader, line(scope={"tp": written}))


def test_features_are_read_by_any_name(reader: ClaimReader) -> None:
    claim = reader.read(line(scope={"features": ["low-rank adapters", "Speculative Decoding"]}))
    assert claim.scope.features == frozenset({"lora", "speculative-decoding"})


def test_all_problems_are_listed_by_field_at_once(reader: ClaimReader) -> None:
    found = problems(
        reader,
        line(
            scope={"hardware": "Tesla T5", "quantisation": "AWQ"},
            level="conditional",
            kind="docz",
            last="0.99.0",
            execution="fast",
            evidence=evidence(url="ftp://x", stated_on="2030-01-01", lines=3),
            colour="red",
        ),
    )
    assert set(found) == {
        "scope.hardware", "scope.quantisation", "level", "kind", "last", "execution",
        "evidence.url", "evidence.stated_on", "evidence.lines", "colour",
    }  # fmt: skip
    assert "'Tesla T5'" in found["scope.hardware"]
    assert "nearest: T4" in found["scope.hardware"]
    assert "nearest: quantization" in found["scope.quantisation"]
    assert "nearest: line" in found["evidence.lines"]
    assert "nearest: 0.12.0" in found["last"]
    assert "2026-01-10" in found["evidence.stated_on"]


@pytest.mark.parametrize(
    ("field", "value"), [("framework", None), ("statement", None), ("level", None), ("kind", None),
                         ("evidence", None), ("evidence", []), ("statement", "   ")],
)  # fmt: skip
def test_what_must_be_said_is_asked_for(reader: ClaimReader, field: str, value: Any) -> None:
    assert field in problems(reader, line(**{field: value}))


def test_an_unknown_framework_names_the_nearest(reader: ClaimReader) -> None:
    found = problems(reader, line(framework="vlm"))
    assert found == {"framework": "is 'vlm'; accepted: a known framework; nearest: vLLM"}


def test_a_partial_needs_a_note_and_a_no_needs_a_place(reader: ClaimReader) -> None:
    assert "(D2)" in problems(reader, line(level="partial"))["note"]
    assert "(D5)" in problems(reader, line(note="x" * 201))["note"]
    nowhere = line(level="no", evidence=evidence(comment=None))
    assert "(D4)" in problems(reader, nowhere)["evidence"]
    assert reader.read(line(level="no", limit="artefact")).limit is Limit.ARTEFACT


@pytest.mark.parametrize("outcome", ["out-of-memory", "fails"])
def test_what_failed_is_no_yes(reader: ClaimReader, outcome: str) -> None:
    found = problems(reader, line(outcome=outcome))
    assert f'is {outcome} beside "yes"' in found["outcome"]
    assert reader.read(line(outcome=outcome, level="no")).outcome.value == outcome


class TestReleases:
    def test_a_given_first_release_is_exact_and_one_after_another_is_between(
        self, reader: ClaimReader
    ) -> None:
        exact = reader.read(line(first="0.3.0")).validity
        assert (exact.first, exact.first_kind, exact.last) == (
            "0.3.0", EndpointKind.EXACT, "0.4.0",
        )  # fmt: skip
        between = reader.read(line(first="0.3.0", after="0.2.0")).validity
        assert (between.first_kind, between.after) == (EndpointKind.BETWEEN, "0.2.0")

    def test_the_ends_are_those_of_the_observations_in_release_order(
        self, reader: ClaimReader
    ) -> None:
        seen = [
            evidence(release="0.10.0", stated_on="2025-11-01"),
            evidence(release="0.9.0", stated_on="2025-11-02"),
        ]
        claim = reader.read(line(evidence=seen))
        assert (claim.validity.first, claim.validity.last) == ("0.9.0", "0.10.0")
        assert [o.release for o in claim.observations] == ["0.9.0", "0.10.0"]

    def test_a_day_is_no_release_unless_the_line_says_so(self, reader: ClaimReader) -> None:
        by_day = line(first="2025-03-20", evidence=evidence(release=None))
        found = problems(reader, by_day)
        assert '"release_by_date": true' in found["first"]
        claim = reader.read(by_day | {"release_by_date": True})
        # 0.3.0 is of 2025-03-16, 0.4.0 of 2025-04-15; the thread is of 2025-05-02.
        assert (claim.validity.first, claim.observations[0].release) == ("0.3.0", "0.4.0")

    def test_a_day_before_the_first_release_is_refused(self, reader: ClaimReader) -> None:
        found = problems(reader, line(first="2024-03-20", release_by_date=True))
        assert "no stable release of vllm is known by 2024-03-20" in found["first"]

    def test_the_release_of_evidence_is_its_version_else_the_first(
        self, reader: ClaimReader
    ) -> None:
        page = evidence(release=None, version="v0.4.0")
        assert reader.read(line(evidence=page)).observations[0].release == "0.4.0"
        thread = line(first="0.3.0", evidence=evidence(release=None))
        assert reader.read(thread).observations[0].release == "0.3.0"
        missing = problems(reader, line(evidence=evidence(release=None)))
        assert "is missing" in missing["evidence.release"]

    def test_an_end_without_a_day_ends_on_the_day_of_its_release(self, reader: ClaimReader) -> None:
        validity = reader.read(line(gone="0.5.0")).validity
        assert (validity.gone, validity.gone_on) == ("0.5.0", date(2025, 5, 15))

    def test_a_range_in_the_wrong_order_is_refused(self, reader: ClaimReader) -> None:
        assert "(D11)" in problems(reader, line(first="0.5.0"))["first"]
        assert "(D11)" in problems(reader, line(gone="0.4.0"))["first"]


class TestConditions:
    def test_conditions_are_data(self, reader: ClaimReader) -> None:
        given = [
            {"kind": "driver", "name": "nvidia", "op": ">=", "value": 570},
            {"kind": "flag", "name": "--enforce-eager"},
            {"kind": "package", "name": "torch", "value": "2.6"},
        ]
        assert reader.read(line(conditions=given)).conditions == (
            Condition(ConditionKind.DRIVER, "nvidia", ">=", "570"),
            Condition(ConditionKind.FLAG, "--enforce-eager"),
            Condition(ConditionKind.PACKAGE, "torch", "=", "2.6"),
        )

    def test_settings_are_flags_and_variables(self, reader: ClaimReader) -> None:
        settings = {"--enforce-eager": True, "VLLM_USE_V1": "0", "--enable-lora": False}
        assert reader.read(line(settings=settings)).conditions == (
            Condition(ConditionKind.FLAG, "--enforce-eager"),
            Condition(ConditionKind.ENV, "VLLM_USE_V1", "=", "0"),
            Condition(ConditionKind.FLAG, "--enable-lora", "unset"),
        )
        assert "settings.driver" in problems(reader, line(settings={"driver": "570"}))

    @pytest.mark.parametrize(
        ("condition", "field"),
        [
            ({"kind": "driver"}, "conditions[0].name"),
            ({"kind": "drivers", "name": "nvidia"}, "conditions[0].kind"),
            ({"kind": "driver", "name": "nvidia", "op": "~"}, "conditions[0].op"),
            ({"kind": "driver", "name": "nvidia", "op": ">="}, "conditions[0].value"),
            ({"kind": "flag", "name": "-x", "op": "set", "value": "1"}, "conditions[0].value"),
            ({"kind": "flag", "name": "-x", "link": "javascript:1"}, "conditions[0].link"),
            ("driver >= 570", "conditions[0]"),
        ],
    )
    def test_a_broken_condition_is_named(
        self, reader: ClaimReader, condition: Any, field: str
    ) -> None:
        assert field in problems(reader, line(conditions=[condition]))


class TestEvidence:
    def test_the_place_is_read_flat_or_as_an_object(self, reader: ClaimReader) -> None:
        flat = reader.read(line(evidence=evidence(comment=None, line=3, heading="Notes")))
        nested = evidence(comment=None, locator={"line": 3, "heading": ["Notes"]})
        assert reader.read(line(evidence=nested)) == flat
        both = evidence(locator={"line": 3})
        assert "stands beside comment" in problems(reader, line(evidence=both))["evidence.locator"]

    def test_a_comment_is_a_place(self, reader: ClaimReader) -> None:
        assert reader.read(line()).observations[0].locator.path == ("comment", "first")

    def test_one_claim_rests_on_one_kind_of_evidence(self, reader: ClaimReader) -> None:
        two = [evidence(kind="docs"), evidence(kind="user", comment="8")]
        found = problems(reader, line(kind=None, evidence=two))
        assert "one kind a claim" in found["evidence[1].kind"]
        one = reader.read(line(kind=None, evidence=evidence(kind="docs")))
        assert one.kind is EvidenceKind.DOCUMENTATION

    def test_the_same_document_at_the_same_release_is_written_once(
        self, reader: ClaimReader
    ) -> None:
        found = problems(reader, line(evidence=[evidence(), evidence()]))
        assert "write it once" in found["evidence[1]"]

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("url", "javascript:alert(1)"),
            ("url", "https://"),
            ("url", "https://exa mple.org/"),
            ("url", "https://[::1"),
            ("commit", "main"),
            ("sha256", "abc"),
            ("stated_on", "2025-02-30"),
            ("stated_on", "yesterday"),
            ("stated_on", "2021-12-31"),
            ("line", 0),
            ("line", "x"),
            ("raw", "x" * 201),
            ("title", "a\u0000b"),
            ("title", "\ud800"),
            ("heading", {"a": 1}),
        ],
    )
    def test_a_broken_field_is_named(self, reader: ClaimReader, field: str, value: Any) -> None:
        assert f"evidence.{field}" in problems(reader, line(evidence=evidence(**{field: value})))


def test_the_identifier_tells_any_two_different_lines_apart(reader: ClaimReader) -> None:
    lines = [
        line(),
        line(level="no"),
        line(outcome="starts"),
        line(open_ended=True),
        line(note="only so"),
        line(evidence=evidence(comment="8")),
        line(evidence=evidence(stated_on="2025-05-03")),
    ]
    assert len({reader.read(each).uid for each in lines}) == len(lines)
    other_person = reader.read(line(by="somebody"))
    assert other_person.uid == reader.read(line()).uid
    assert other_person.parser == "person:somebody"


def test_a_claim_reads_as_a_sentence(reader: ClaimReader) -> None:
    claim: Claim = reader.read(
        line(
            scope={"hardware": {"include": "NVIDIA", "exclude": "Tesla T4"}, "tp": ">=2"},
            conditions=[{"kind": "driver", "name": "nvidia", "op": ">=", "value": "570"}],
            open_ended=True,
        )
    )
    assert claim_sentence(claim) == (
        "vllm: supported; hardware nvidia but not nvidia-t4, tensor_parallel >= 2; "
        "in 0.4.0, maybe earlier, seen at 0.4.0, and from there on; if driver nvidia >= 570 "
        "(maintainer-statement, curation)"
    )
