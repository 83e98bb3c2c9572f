"""Automatic checks, findings and changes of dossiers, on candidates made by hand."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from matrix.domain.dossier_changes import ClaimNow, RunNow, changes_between_assessments
from matrix.domain.dossier_checks import (
    CheckQuestion,
    hold_to_objectives,
    read_threshold,
    run_check,
)
from matrix.domain.dossier_findings import find_risks_and_gaps
from matrix.domain.dossiers import GAP_CODES, RISK_CODES, CandidateAssessment, Waiver
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import MaintenanceStatus, SupportLevel
from matrix.domain.measured import Slo
from matrix.domain.memory.values import Fit, FitLevel
from matrix.domain.pinned import (
    PinnedCost,
    PinnedFeature,
    PinnedMaintenance,
    PinnedMemory,
    PinnedRun,
    PinnedThroughput,
    PinnedVerdict,
    SloCheck,
)
from matrix.domain.scorecard import Scorecard
from tests.matrix.dossier_rows import DAY, TURING_CLAIM, candidate, content

RUN = PinnedRun(
    reference="benchmarks:run:1",
    digest="d1",
    label="run",
    url="/benchmarks/runs/1/",
    framework="vllm",
    version="0.6.0",
    model="m",
    quantization="awq",
    hardware="nvidia-t4",
    hardware_count=1,
    run_class="server",
    status="ok",
    is_performance=True,
    is_exact=True,
    metrics={"ttft_p95_ms": 700.0, "tpot_p95_ms": 40.0},
)


def answer(code: str, one: CandidateAssessment, **threshold: Any) -> bool | None:
    """What a check says of a candidate."""
    return run_check(code, CheckQuestion(one, threshold, "USD", DAY)).passes


@pytest.mark.parametrize(
    ("level", "at_least", "passes"),
    [
        ("supported", "conditional", True),
        ("conditional", "conditional", True),
        ("partial", "conditional", False),
        ("partial", "partial", True),
        ("conditional", "supported", False),
        ("unsupported", "partial", False),
        ("unknown", "partial", None),
    ],
)
def test_a_verdict_passes_at_its_level_and_an_unknown_neither(
    level: str, at_least: str, passes: bool | None
) -> None:
    one = candidate(verdict=PinnedVerdict(SupportLevel(level)))
    assert answer("verdict", one, at_least=at_least) is passes


@pytest.mark.parametrize(
    ("level", "at_least", "passes"),
    [
        ("fits", "fits", True),
        ("tight", "fits", False),
        ("tight", "tight", True),
        ("exceeds", "tight", False),
        ("does-not-fit", "tight", False),
        ("unknown", "tight", None),
    ],
)
def test_a_fit_passes_at_its_level_and_an_unknown_neither(
    level: str, at_least: str, passes: bool | None
) -> None:
    one = candidate(memory=PinnedMemory(fit=Fit(FitLevel(level))))
    assert answer("memory-fit", one, at_least=at_least) is passes


def test_what_is_not_known_passes_no_check_and_fails_none() -> None:
    bare = CandidateAssessment(key="1", name="x", words=())
    thresholds: dict[str, dict[str, Any]] = {
        "metric": {"metric": "ttft_p95_ms", "at_most": 1},
        "feature": {"feature": "lora"},
        "cost": {"at_most": 1},
        "release-age": {"at_most_days": 1},
        "evidence-age": {"at_most_days": 1},
    }
    for code in ("verdict", "memory-fit", "maintenance", "slo", *thresholds):
        assert answer(code, bare, **thresholds.get(code, {})) is None, code
        asked = replace(bare, problem="'x' is no known model.")
        assert answer(code, asked, **thresholds.get(code, {})) is None, code


def test_maintenance_metric_cost_slo_and_age_are_held_to_their_limits() -> None:
    one = candidate(
        maintenance=PinnedMaintenance(
            MaintenanceStatus.MAINTENANCE_MODE, last_release_on=date(2026, 1, 1)
        ),
        runs=(replace(RUN, is_exact=False, metrics={"ttft_p95_ms": 1.0}), RUN),
        cost=PinnedCost(output="2.50", currency="USD"),
        throughput=PinnedThroughput(output_tok_s=10.0),
        slo_checks=(SloCheck("ttft_p95_ms", 800.0),),
        verdict=PinnedVerdict(
            SupportLevel.SUPPORTED, claims=(replace(TURING_CLAIM, stated_on=date(2025, 12, 31)),)
        ),
    )
    assert answer("maintenance", one, accept=["active"]) is False
    assert answer("maintenance", one, accept=["active", "maintenance-mode"]) is True
    assert answer("metric", one, metric="ttft_p95_ms", at_most=700.0) is True
    assert answer("metric", one, metric="ttft_p95_ms", at_most=699.0) is False
    assert answer("metric", one, metric="output_tok_s", at_least=1.0) is None
    assert answer("cost", one, at_most=2.5) is True
    assert answer("cost", one, at_most=2.49) is False
    assert answer("slo", one) is True
    missed = replace(one, throughput=PinnedThroughput(why_unknown="slo-not-met"))
    assert answer("slo", missed) is False
    assert answer("release-age", one, at_most_days=9) is True
    assert answer("release-age", one, at_most_days=8) is False
    assert answer("evidence-age", one, at_most_days=10) is True
    assert answer("evidence-age", one, at_most_days=9) is False


@pytest.mark.parametrize(
    ("found", "passes"),
    [
        (PinnedThroughput(output_tok_s=10.0, marks=("features-not-stated",)), True),
        (PinnedThroughput(output_tok_s=10.0, marks=("other-concurrency",)), None),
        (PinnedThroughput(output_tok_s=10.0, marks=("length-unknown",)), None),
        (PinnedThroughput(output_tok_s=10.0, marks=("some-runs-missed",)), None),
        (PinnedThroughput(why_unknown="slo-not-met"), False),
        (PinnedThroughput(why_unknown="slo-not-met", marks=("other-concurrency",)), None),
        (PinnedThroughput(why_unknown="no-samples"), None),
    ],
)
def test_objectives_are_met_or_missed_only_under_the_load_that_is_needed(
    found: PinnedThroughput, passes: bool | None
) -> None:
    one = candidate(throughput=found, slo_checks=(SloCheck("ttft_p95_ms", 800.0),))
    assert answer("slo", one) is passes


def test_a_need_without_objectives_is_met_by_no_run() -> None:
    one = candidate(throughput=PinnedThroughput(output_tok_s=10.0, marks=("load-own-terms",)))
    assert answer("slo", one) is None


def test_a_cost_of_a_demonstration_or_without_a_named_currency_passes_no_limit() -> None:
    one = candidate(cost=PinnedCost(output="1", currency="CNY"))
    unnamed = CheckQuestion(one, {"at_most": 5}, "", DAY)
    assert run_check("cost", unnamed).passes is None
    shown = candidate(cost=PinnedCost(output="1", currency="USD", price_is_demonstration=True))
    assert answer("cost", shown, at_most=5) is None


def test_evidence_without_a_date_may_be_the_oldest() -> None:
    dated = replace(TURING_CLAIM, stated_on=date(2025, 12, 31))
    both = PinnedVerdict(
        SupportLevel.SUPPORTED, claims=(dated, replace(TURING_CLAIM, uid="x", stated_on=None))
    )
    assert answer("evidence-age", candidate(verdict=both), at_most_days=10) is None
    assert answer("evidence-age", candidate(verdict=both), at_most_days=9) is False


def test_objectives_are_not_held_against_runs_of_another_load() -> None:
    slo = Slo(ttft_ms=800, share=0.95)
    other = replace(RUN, reference="benchmarks:run:2", metrics={"ttft_p95_ms": 1.0})
    far = candidate(runs=(RUN,), throughput=PinnedThroughput(why_unknown="other-load"))
    more = candidate(runs=(RUN,), throughput=PinnedThroughput(marks=("other-concurrency",)))
    for one in (far, more):
        assert [c.passes for c in hold_to_objectives(one, slo)] == [None]
    rests = PinnedThroughput(output_tok_s=1.0, runs=(RUN.reference,))
    held = hold_to_objectives(candidate(runs=(other, RUN), throughput=rests), slo)
    assert [(c.run, c.value) for c in held] == [(RUN.reference, 700.0)]


def test_thresholds_have_defaults_and_errors_name_the_member() -> None:
    assert read_threshold("verdict", {}) == {"at_least": "conditional"}
    assert read_threshold("maintenance", {}) == {"accept": ["active"]}
    assert read_threshold("metric", {"metric": "ttft_p95_ms", "at_most": 5}) == {
        "metric": "ttft_p95_ms", "at_most": 5.0,
    }  # fmt: skip
    for code, plain, name in (
        ("verdict", {"at_most": 1}, "threshold.at_most"),
        ("cost", {"at_most": -1}, "threshold.at_most"),
        ("cost", {"at_most": True}, "threshold.at_most"),
        ("release-age", {"at_most_days": 0.5}, "threshold.at_most_days"),
        ("memory-fit", [], "threshold"),
    ):
        with pytest.raises(InvalidValue) as caught:
            read_threshold(code, plain)
        assert caught.value.facts["parameter"] == name


def test_objectives_are_held_against_the_percentile_of_their_share() -> None:
    slo = Slo(ttft_ms=800, tpot_ms=30, e2el_ms=9000, share=0.95, error_rate=0.01)
    found = {c.metric: (c.value, c.passes) for c in hold_to_objectives(candidate(runs=(RUN,)), slo)}
    assert found == {
        "ttft_p95_ms": (700.0, True),
        "tpot_p95_ms": (40.0, False),
        "e2el_p95_ms": (None, None),
        "error_rate": (None, None),
    }
    near = candidate(runs=(replace(RUN, is_exact=False),))
    assert {c.passes for c in hold_to_objectives(near, slo)} == {None}
    published = candidate(runs=(replace(RUN, is_performance=False),))
    assert {c.passes for c in hold_to_objectives(published, slo)} == {None}


def findings(one: CandidateAssessment, *waivers: Waiver) -> dict[str, Any]:
    """The codes that are found of a candidate, with their facts."""
    found = find_risks_and_gaps([one], Scorecard(), waivers=waivers, as_of=DAY)
    for finding in found:
        codes = RISK_CODES if finding.kind.value == "risk" else GAP_CODES
        assert finding.code in codes
    return {finding.code: finding.facts for finding in found}


def test_an_ended_project_and_stale_conflicting_evidence_are_risks() -> None:
    one = candidate(
        maintenance=PinnedMaintenance(
            MaintenanceStatus.MAINTENANCE_MODE,
            start_on=date(2025, 12, 11),
            last_release="0.7.0",
            last_release_on=date(2025, 6, 1),
            releases_after=2,
        ),
        verdict=PinnedVerdict(
            SupportLevel.CONDITIONAL,
            tier="experimental",
            conflicting=True,
            stale=True,
            recheck_on=date(2026, 1, 9),
            conditions=("flag --x is set",),
            claims=(TURING_CLAIM,),
        ),
        features=(PinnedFeature("lora", "LoRA", SupportLevel.UNSUPPORTED),),
        runs=(replace(RUN, is_performance=False),),
    )
    found = findings(one)
    assert found["not-maintained"]["status"] == "maintenance-mode"
    assert found["newer-release"]["releases_after"] == 2
    assert found["no-recent-release"]["days"] == 223
    others = {
        "conditional", "conflicting-sources", "stale-evidence", "recheck-due", "unofficial-tier",
        "feature-refused", "published-numbers-only",
    }  # fmt: skip
    assert others <= set(found)


def test_what_nobody_knows_is_a_gap_and_never_a_risk() -> None:
    one = candidate(
        verdict=PinnedVerdict(SupportLevel.UNKNOWN, unknown_reason="source-silent"),
        features=(PinnedFeature("lora", "LoRA", SupportLevel.UNKNOWN),),
        model="", quantization="awq", hardware="nvidia-turing",
    )  # fmt: skip
    found = find_risks_and_gaps([one], Scorecard(), waivers=(), as_of=DAY)
    assert {f.kind.value for f in found} == {"gap"}
    assert {"unknown-verdict", "unknown-maintenance", "memory-unknown", "no-run", "no-price",
            "feature-unstated", "nothing-asked"} <= {f.code for f in found}  # fmt: skip
    asked = replace(one, problem="'x' is no known model.")
    assert list(findings(asked)) == ["unanswerable"]


def test_a_waiver_is_overdue_from_the_day_after() -> None:
    waiver = Waiver("1", "2", "why", "plan", DAY, "ada", datetime(2026, 1, 1, tzinfo=UTC))
    assert "waiver-overdue" not in findings(candidate(), waiver)
    late = replace(waiver, remove_by=date(2026, 1, 9))
    assert findings(candidate(), late)["waiver-overdue"]["criterion"] == "2"


def test_every_kind_of_difference_is_told_with_before_and_after() -> None:
    before = content(candidates=(candidate(runs=(RUN, replace(RUN, reference="r2"))),))
    now = candidate(
        version="0.7.0",
        verdict=PinnedVerdict(SupportLevel.UNSUPPORTED, conditions=("flag --x is set",)),
        maintenance=PinnedMaintenance(MaintenanceStatus.ARCHIVED, last_release="0.9.0"),
        memory=PinnedMemory(fit=Fit(FitLevel.TIGHT)),
        cost=PinnedCost(output="1", price_uid="p"),
        runs=(replace(RUN, reference="r3"),),
    )
    waiver = Waiver("1", "", "why", "plan", DAY, "ada", datetime(2026, 1, 1, tzinfo=UTC))
    after = replace(before, candidates=(now,), ruleset="2", as_of=date(2026, 2, 1))
    found = changes_between_assessments(
        replace(before, waivers=(waiver,)),
        after,
        claims={"turing": ClaimNow("superseded", reason="better", by="other")},
        runs={RUN.reference: RunNow(digest="d2", state="published")},
    )
    kinds = [one.kind for one in found]
    assert kinds == [
        "ruleset", "version", "verdict", "conditions", "maintenance", "new-release", "memory",
        "price", "cost", "new-run", "claim-superseded", "run-changed", "run-gone",
        "waiver-overdue",
    ]  # fmt: skip
    verdict = found[kinds.index("verdict")]
    assert (verdict.before, verdict.after, verdict.candidate) == ("supported", "unsupported", "1")


def test_the_same_content_has_no_changes() -> None:
    same = content()
    assert (
        changes_between_assessments(same, same, claims={"turing": ClaimNow("standing")}, runs={})
        == ()
    )
