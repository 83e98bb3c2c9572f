"""From readings to claims: spans, gaps, ends, release notes, and what makes no claim."""

import pytest

from ingest.contract import FindingKind, StatementStatus
from ingest.domain.derive import PageReading, coverage_of, derive_claims, unknown_releases
from matrix.domain.claims import Claim, Locator, problems_of
from matrix.domain.levels import ConditionKind, Execution, SupportLevel, Tier
from tests.builders import TODAY, history_of, released_on, scope
from tests.ingest.domain.stating import finding, page, reading, spans

HISTORY = history_of()
NO = StatementStatus.UNSUPPORTED


def derive(*readings: PageReading) -> list[Claim]:
    return derive_claims(readings, framework="vllm", history=HISTORY)


def test_one_statement_of_consecutive_releases_is_one_claim_with_their_observations() -> None:
    claims = derive(*(reading(v, finding()) for v in ("0.2.0", "0.4.0", "0.5.0")))
    assert spans(claims) == ["supported at-or-before 0.2.0..0.5.0"]
    assert [o.release for o in claims[0].observations] == ["0.2.0", "0.4.0", "0.5.0"]
    assert [o.stated_on for o in claims[0].observations] == [
        released_on(v) for v in ("0.2.0", "0.4.0", "0.5.0")
    ]
    assert problems_of(claims[0], today=TODAY) == []


def test_the_order_of_reading_does_not_matter() -> None:
    versions = ("0.5.0", "0.2.0", "0.4.0")
    claims = derive(*(reading(v, finding()) for v in versions))
    assert spans(claims) == ["supported at-or-before 0.2.0..0.5.0"]


def test_a_statement_first_missed_then_made_starts_between_the_two_releases() -> None:
    claims = derive(reading("0.2.0"), reading("0.5.0", finding()))
    assert spans(claims) == ["supported between 0.5.0..0.5.0 after 0.2.0"]


def test_a_dropped_row_ends_the_claim_and_is_no_no() -> None:
    claims = derive(reading("0.2.0", finding()), reading("0.5.0"))
    assert spans(claims) == ["supported at-or-before 0.2.0..0.2.0 gone 0.5.0"]
    assert claims[0].validity.gone_on == released_on("0.5.0")


def test_a_release_that_the_rule_did_not_read_neither_ends_nor_splits() -> None:
    claims = derive(
        reading("0.2.0", finding()),
        reading("0.3.0", rule="another-rule"),
        reading("0.4.0", finding()),
    )
    assert spans(claims) == ["supported at-or-before 0.2.0..0.4.0"]


def test_a_row_that_comes_back_is_a_claim_of_its_own() -> None:
    claims = derive(reading("0.2.0", finding()), reading("0.3.0"), reading("0.4.0", finding()))
    assert spans(claims) == [
        "supported at-or-before 0.2.0..0.2.0 gone 0.3.0",
        "supported between 0.4.0..0.4.0 after 0.3.0",
    ]


def test_another_word_ends_the_claim_and_begins_a_new_one() -> None:
    claims = derive(
        reading("0.2.0", finding(NO)),
        reading("0.3.0", finding()),
        reading("0.4.0", finding()),
    )
    assert spans(claims) == [
        "unsupported at-or-before 0.2.0..0.2.0 gone 0.3.0",
        "supported between 0.3.0..0.4.0 after 0.2.0",
    ]


def test_a_changed_note_is_another_word() -> None:
    claims = derive(reading("0.2.0", finding(note="a")), reading("0.3.0", finding(note="b")))
    assert [(c.note, c.validity.gone) for c in claims] == [("a", "0.3.0"), ("b", "")]


def test_several_pages_of_one_rule_in_one_release_are_read_together() -> None:
    claims = derive(
        reading("0.2.0", finding(), path="docs/a.md"),
        reading("0.2.0", finding(statement="other"), path="docs/b.md"),
        reading("0.3.0", finding(), path="docs/b.md"),
        reading("0.3.0", path="docs/a.md"),
    )
    assert spans(claims) == [
        "supported at-or-before 0.2.0..0.3.0",
        "supported at-or-before 0.2.0..0.2.0 gone 0.3.0",
    ]


def test_two_pages_of_one_release_that_say_the_same_are_two_observations() -> None:
    claims = derive(
        reading("0.2.0", finding(), path="docs/a.md"), reading("0.2.0", finding(), path="docs/b.md")
    )
    assert len(claims) == 1
    assert [o.document.path for o in claims[0].observations] == ["docs/a.md", "docs/b.md"]


def test_a_page_that_says_the_same_twice_is_one_observation() -> None:
    claims = derive(reading("0.2.0", finding(), finding()))
    assert [len(c.observations) for c in claims] == [1]


def test_release_notes_speak_about_the_release_they_name() -> None:
    note = finding(StatementStatus.REMOVED, release="0.3.0")
    claims = derive(reading("0.6.0", note), reading("0.7.0"))
    assert spans(claims) == ["unsupported exact 0.3.0..0.3.0 open-ended"]
    assert claims[0].observations[0].stated_on == released_on("0.3.0")
    assert claims[0].observations[0].document.version == "0.6.0"


def test_a_known_issue_of_a_named_release_is_not_open_ended() -> None:
    note = finding(StatementStatus.KNOWN_ISSUES, release="0.3.0")
    assert spans(derive(reading("0.6.0", note))) == ["partial exact 0.3.0..0.3.0"]


def test_support_added_after_a_removal_ends_the_removal() -> None:
    claims = derive(
        reading(
            "0.9.0",
            finding(StatementStatus.REMOVED, release="0.3.0"),
            finding(release="0.8.0", open_ended=True),
        )
    )
    assert spans(claims) == [
        "unsupported exact 0.3.0..0.3.0 gone 0.8.0 open-ended",
        "supported exact 0.8.0..0.8.0 open-ended",
    ]


def test_a_release_that_the_catalogue_does_not_know_makes_no_claim_and_is_counted() -> None:
    told = reading("0.6.0", finding(release="9.9.9"))
    assert derive(told) == []
    assert unknown_releases([told], HISTORY) == {"9.9.9": 1}


def test_a_page_that_states_since_when_dates_the_claim_back() -> None:
    claims = derive(reading("0.2.0"), reading("0.6.0", finding(since="0.4.0")))
    assert spans(claims) == ["supported exact 0.4.0..0.6.0"]


def test_a_since_later_than_the_page_is_not_believed() -> None:
    claims = derive(reading("0.6.0", finding(since="0.9.0")))
    assert spans(claims) == ["supported at-or-before 0.6.0..0.6.0"]


@pytest.mark.parametrize(
    "status",
    [
        StatementStatus.UNKNOWN,
        StatementStatus.UNTESTED,
        StatementStatus.NOT_STATED,
        StatementStatus.NOT_APPLICABLE,
        StatementStatus.INHERITS,
        StatementStatus.MIXED,
        StatementStatus.INFORMAL_NAME,
        StatementStatus.VALUE,
        StatementStatus.RANGE,
        StatementStatus.NONE,
        StatementStatus.STALE,
        StatementStatus.LEGEND,
    ],
)
def test_a_status_that_says_nothing_of_support_makes_no_claim(status: StatementStatus) -> None:
    assert derive(reading("0.2.0", finding(status))) == []


def test_a_finding_with_an_unknown_name_waits_for_review() -> None:
    assert derive(reading("0.2.0", finding(scope=None))) == []


def test_a_finding_without_any_axis_makes_no_claim() -> None:
    assert derive(reading("0.2.0", finding(scope=scope()))) == []


def test_a_value_finding_makes_no_claim() -> None:
    assert derive(reading("0.2.0", finding(kind=FindingKind.REQUIREMENT))) == []


def test_a_page_without_release_or_date_states_nothing() -> None:
    unplaced = reading("0.2.0", finding(), release="")
    assert derive(unplaced) == []
    assert coverage_of([unplaced], HISTORY) == {}


@pytest.mark.parametrize(
    ("status", "level", "tier"),
    [
        (StatementStatus.PARTIAL, SupportLevel.PARTIAL, Tier.OFFICIAL),
        (StatementStatus.KNOWN_ISSUES, SupportLevel.PARTIAL, Tier.OFFICIAL),
        (StatementStatus.WORK_IN_PROGRESS, SupportLevel.PARTIAL, Tier.EXPERIMENTAL),
        (StatementStatus.PLANNED, SupportLevel.UNSUPPORTED, Tier.PLANNED),
        (StatementStatus.DELAYED, SupportLevel.UNSUPPORTED, Tier.PLANNED),
        (StatementStatus.EXPERIMENTAL, SupportLevel.SUPPORTED, Tier.EXPERIMENTAL),
        (StatementStatus.DEPRECATED, SupportLevel.SUPPORTED, Tier.DEPRECATED),
        (StatementStatus.VIA_PLUGIN, SupportLevel.SUPPORTED, Tier.UNOFFICIAL),
    ],
)
def test_a_status_becomes_a_level_and_a_tier(
    status: StatementStatus, level: SupportLevel, tier: Tier
) -> None:
    (claim,) = derive(reading("0.2.0", finding(status)))
    assert (claim.level, claim.tier) == (level, tier)
    assert problems_of(claim, today=TODAY) == []


def test_a_partial_finding_without_a_note_gets_our_own() -> None:
    (bare,) = derive(reading("0.2.0", finding(StatementStatus.PARTIAL)))
    (told,) = derive(reading("0.2.0", finding(StatementStatus.PARTIAL, note="decode only")))
    assert (bare.note, told.note) == ("partial by the page's own legend", "decode only")


def test_support_by_a_plugin_is_a_condition() -> None:
    (claim,) = derive(reading("0.2.0", finding(StatementStatus.VIA_PLUGIN, value="vllm-x")))
    assert [(c.kind, c.name) for c in claim.conditions] == [(ConditionKind.PLUGIN, "vllm-x")]


def test_running_without_acceleration_is_plain_processor_code() -> None:
    (claim,) = derive(reading("0.2.0", finding(StatementStatus.NO_ACCELERATION)))
    assert claim.execution is Execution.CPU_FALLBACK


def test_footnotes_of_a_page_do_not_ship() -> None:
    (claim,) = derive(reading("0.2.0", finding(footnotes=("words of the page",))))
    assert "words of the page" not in repr(claim)


def test_a_sign_ships_as_written_and_a_sentence_does_not() -> None:
    (sign,) = derive(reading("0.2.0", finding(raw="✅")))
    (sentence,) = derive(reading("0.2.0", finding(raw="x" * 41)))
    assert sign.observations[0].raw == "✅"
    assert sentence.observations[0].raw == ""


def test_a_fragment_of_prose_does_not_ship() -> None:
    prose = finding(raw="works on T4", locator=Locator(line=7))
    (claim,) = derive(reading("0.2.0", prose))
    assert claim.observations[0].raw == ""


def test_documents_carry_url_release_date_and_hash() -> None:
    (claim,) = derive(reading("0.2.0", finding()))
    document = claim.observations[0].document
    assert document.key == "vllm:0.2.0:docs/page.md"
    assert document.url == page("0.2.0").url
    assert (document.version, document.stated_on) == ("0.2.0", released_on("0.2.0"))
    assert document.sha256 == "00"
