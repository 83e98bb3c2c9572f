"""Every code of a dossier has its words, and the figures read as people write them."""

import re
from datetime import date
from typing import Any

import pytest

from matrix.domain.catalogue import Catalogue
from matrix.domain.dossier_changes import CHANGE_KINDS
from matrix.domain.dossiers import GAP_CODES, RISK_CODES, Effort, Finding, FindingKind
from matrix.domain.pinned import PinnedCost, PinnedMemory, PinnedThroughput, SloCheck
from matrix.domain.scorecard import (
    CHECKS,
    CheckResult,
    Outcome,
    Ranking,
    Scorecard,
    Standing,
    WeightMove,
)
from matrix.pages.dossiers.change_words import change_lines
from matrix.pages.dossiers.check_words import check_answer
from matrix.pages.dossiers.figures import (
    cost_lines,
    effort_lines,
    fit_view,
    slo_lines,
    throughput_lines,
)
from matrix.pages.dossiers.finding_words import FINDING_SENTENCES, finding_sentence, is_serious
from matrix.pages.dossiers.form_base import problem_sentence
from matrix.pages.dossiers.scoring import sensitivity_sentences
from matrix.pages.dossiers.words import (
    CHECK_WORDS,
    OUTCOME_SIGNS,
    STANDING_SIGNS,
    check_sentence,
    metric_value,
    score_word,
    split_metric,
)


def test_every_finding_outcome_standing_and_check_has_its_words() -> None:
    assert {*RISK_CODES, *GAP_CODES} <= set(FINDING_SENTENCES)
    assert set(OUTCOME_SIGNS) == set(Outcome)
    assert set(STANDING_SIGNS) == set(Standing)
    assert set(CHECK_WORDS) == set(CHECKS)
    icons = [sign.icon for sign in OUTCOME_SIGNS.values()]
    assert len(set(icons)) == len(icons)


@pytest.mark.parametrize("code", [*RISK_CODES, *GAP_CODES])
def test_a_finding_without_facts_is_still_a_sentence(code: str) -> None:
    sentence = finding_sentence(Finding(FindingKind.RISK, code), names={})
    assert sentence
    assert "%(" not in sentence
    assert "None" not in sentence


def test_a_finding_says_its_facts_in_words() -> None:
    def said(code: str, **facts: Any) -> str:
        return finding_sentence(
            Finding(FindingKind.RISK, code, "1", facts), names={"1": "It runs", "h100": "H100"}
        )

    assert said("does-not-fit", needed_low_bytes=20 * 2**30, usable_bytes=15 * 2**30) == (
        "It needs at least 20.0 GiB on a device that gives 15.0 GiB."
    )
    assert said("slo-missed", metric="ttft_p95_ms", value=912.4, limit=800.0) == (
        "Measured time to first token, P95 is 912 ms; the objective is 800 ms."
    )
    assert said("not-maintained", status="maintenance-mode", start_on="2025-12-11") == (
        "Maintenance status “maintenance mode” since 2025-12-11."
    )
    assert "It runs" in said("open-knock-out", criterion="1")
    assert "H100" in said("no-price", hardware="h100")
    assert said("partial", notes=["weights only."]) == "It works in part only: weights only."


def test_a_finding_of_an_unknown_code_is_shown_with_its_facts() -> None:
    found = Finding(FindingKind.GAP, "new-thing", facts={"days": 3})
    assert finding_sentence(found, names={}) == "new thing: days 3"


def test_an_archived_project_is_serious_and_maintenance_mode_alone_is_not() -> None:
    def of(status: str) -> bool:
        return is_serious(Finding(FindingKind.RISK, "not-maintained", facts={"status": status}))

    assert of("archived")
    assert not of("maintenance-mode")


@pytest.mark.parametrize("kind", CHANGE_KINDS)
def test_every_change_is_a_sentence(kind: str) -> None:
    change = {
        "kind": kind, "candidate": "1", "before": None, "after": None,
        "facts": {"claim": "c1", "label": "a run", "name": "LoRA", "claims": ["c2"],
                  "remove_by": "2027-01-01", "removal_plan": "measure"},
    }  # fmt: skip
    line = change_lines([change], names={"1": "vLLM"})[0]
    assert line.candidate == "vLLM"
    assert line.sentence
    assert not re.match(rf"{kind}:", line.sentence)
    assert "%(" not in line.sentence


def test_a_verdict_that_turned_needs_care_and_a_new_run_does_not() -> None:
    turned = {"kind": "verdict", "before": "supported", "after": "unsupported"}
    lines = change_lines([turned, {"kind": "new-run", "facts": {"label": "x"}}], names={})
    assert [line.needs_care for line in lines] == [True, False]
    assert lines[0].sentence == "The verdict turned from “supported” to “unsupported”."


@pytest.mark.parametrize("check", list(CHECKS))
def test_an_unknown_answer_of_a_check_says_why_and_never_yes(check: str) -> None:
    facts: dict[str, Any] = {"why": "no-run"}
    if check == "maintenance":
        facts = {"status": "unknown"}
    answer = check_answer(check, CheckResult(None, facts))
    assert "unknown" in answer
    assert check_sentence(check, {"at_least": "fits", "at_most": 5, "at_most_days": 9})


def test_a_metric_is_named_with_its_statistic_and_unit() -> None:
    assert split_metric("ttft_p95_ms") == ("time to first token, P95", "ms")
    assert split_metric("output_throughput_tok_s") == ("output throughput", "tok/s")
    assert metric_value("peak_vram_bytes", 3 * 2**30) == "3.0 GiB"
    assert metric_value("error_rate", 0.001) == "0.1 %"


def test_what_was_not_measured_stays_open() -> None:
    line = slo_lines([SloCheck("ttft_p95_ms", 800.0)])[0]
    assert line.sign.value == "open"
    assert "not measured" in line.sentence
    missed = slo_lines([SloCheck("ttft_p95_ms", 800.0, 900.0, False, "r")])[0]
    assert missed.sign.value == "fail"


def test_without_a_throughput_there_is_no_figure_of_cost() -> None:
    assert throughput_lines(PinnedThroughput(why_unknown="no-run")) == [
        "unknown: no run of this combination"
    ]
    assert cost_lines(PinnedCost(currency="USD", why_unknown="no-price")) == [
        "unknown: no price of this hardware is recorded"
    ]
    priced = PinnedCost(
        currency="USD", output="0.41", output_low="0.38", output_high="0.44",
        price_per_hour="20", price_effective_on=date(2026, 11, 1), price_is_demonstration=True,
    )  # fmt: skip
    said = " / ".join(cost_lines(priced))
    assert "0.41 USD per million output tokens" in said
    assert "between 0.38 and 0.44 USD" in said
    assert "a price of 2026-11-01" in said
    assert "the price is a demonstration" in said


def test_effort_that_nobody_stated_is_not_zero() -> None:
    values = dict(effort_lines(Effort(conversion_steps=0)))
    assert values["conversion steps"] == "0"
    assert values["person-days to adopt"] == "not stated"


def test_an_estimate_that_is_not_there_is_unknown_with_its_reason() -> None:
    view = fit_view(PinnedMemory(why_unknown="no-shape"), catalogue=Catalogue({}))
    assert view.sign.value == "unknown"
    assert view.short == "the shape of the model is not known"
    assert view.picture is None


def test_open_points_make_the_score_a_range() -> None:
    assert score_word(Ranking("1", 1, Standing.IN, 41.25, 56.25, open_scores=1)) == (
        "41.2 to 56.2 %"
    )
    assert score_word(Ranking("1", 1, Standing.IN, 41.25, 41.25)) == "41.2 %"


def test_sensitivity_names_the_weight_and_the_other_order() -> None:
    firm = WeightMove("1", 10, ("1", "2"), changes_leader=False, changes_order=False)
    turned = WeightMove("1", -10, ("2", "1"), changes_leader=True, changes_order=True)
    names = {"1": "vLLM", "2": "SGLang"}
    assert sensitivity_sentences(Scorecard(moves=(firm,)), candidates=names) == [
        "The order stays the same when any one weight moves by 10 points."
    ]
    said = sensitivity_sentences(Scorecard(moves=(firm, turned)), candidates=names)
    assert said[0] == "The first place depends on the weights."
    assert said[1].endswith("10 points lighter the order is: SGLang, vLLM.")
    assert "cannot be told" in sensitivity_sentences(Scorecard(), candidates=names)[0]
    unscored = Scorecard(
        moves=(firm,), ranking=(Ranking("1", 1, Standing.IN, 0, 50, open_scores=1),)
    )
    assert sensitivity_sentences(unscored, candidates=names)[1:] == [
        "Scores that are open count as 0 points in this."
    ]


def test_a_problem_beside_its_field_names_value_and_what_is_accepted() -> None:
    assert problem_sentence({"field": "x", "value": "", "accepted": "a day", "message": "m"}) == (
        "Nothing is given; accepted: a day."
    )
    assert problem_sentence({"field": "x", "value": "y", "accepted": "", "message": "m"}) == "m"
