"""Notices of a README about the project itself, and sentences that are none."""

from dataclasses import replace
from datetime import date

import pytest

from ingest.contract import Finding, FindingKind, Page, StatementStatus
from ingest.domain.maintenance_periods import archive_period, is_known, propose_periods
from ingest.sources.maintenance_notices import read_notices
from matrix.catalog_files import read_catalogue
from matrix.domain.catalogue import MaintenancePeriod
from matrix.domain.claims import Locator
from matrix.domain.levels import MaintenanceStatus

VOCABULARY = read_catalogue().vocabulary
STATED = date(2025, 12, 11)


def read(text: str, framework: str = "tgi") -> list[Finding]:
    return list(read_notices(page(text, framework), VOCABULARY).findings)


def page(text: str, framework: str = "tgi") -> Page:
    return Page(framework=framework, version="main", path="README.md", text=text,
                url="https://code.example/readme", commit="c" * 40, stated_on=STATED)  # fmt: skip


def test_a_caution_banner_states_maintenance_mode_with_its_line() -> None:
    text = "<div>\n\n> [!CAUTION]\n> text-generation-inference is now in maintenance mode. Small\n"
    (found,) = read(text)
    assert found.status is StatementStatus.MAINTENANCE
    assert found.locator.line == 4
    assert found.names["framework"] == "tgi"


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("**This repository has been archived** on 1 May.", StatementStatus.REMOVED),
        ("> [!WARNING] This project is no longer actively maintained.", StatementStatus.DEPRECATED),
        ("# Migrated to [the new place](https://new.example/x)", StatementStatus.MOVED),
        ("The repository has moved to [here](https://new.example/y).", StatementStatus.MOVED),
        ("## Deprecated", StatementStatus.DEPRECATED),
    ],
)
def test_each_form_of_notice_is_read(sentence: str, status: StatementStatus) -> None:
    (found,) = read(f"# Engine\n\n{sentence}\n")
    assert found.status is status
    if status is StatementStatus.MOVED:
        assert found.names["moved_to"].startswith("https://new.example/")


@pytest.mark.parametrize(
    "sentence",
    [
        "The `--old` flag is deprecated.",
        "This repository will be archived next year.",
        "If this project is archived, nothing changes.",
        "This project is not deprecated.",
        "Support for vLLM is deprecated.",
        "AutoGPTQ is no longer maintained, so use another library.",
        "```\nthis repository is archived\n```",
        "V0 engine is deprecated; this project moves on.",
        "## Removed from 2.0",
    ],
)
def test_a_sentence_about_something_else_is_no_notice(sentence: str) -> None:
    assert read(f"# Engine\n\n{sentence}\n") == []


def test_prose_far_below_is_no_notice_but_an_alert_there_is() -> None:
    filler = "text\n" * 70
    assert read(f"{filler}This project is archived.\n") == []
    assert len(read(f"{filler}> This project is archived.\n")) == 1


def test_a_notice_proposes_a_period_at_or_before_the_day_of_the_page() -> None:
    text = "> text-generation-inference is now in maintenance mode.\n"
    (proposal,) = propose_periods([(page(text), read(text))])
    period = proposal.period
    assert (period.framework, period.component) == ("tgi", "")
    assert period.status is MaintenanceStatus.MAINTENANCE_MODE
    assert (period.start, period.start_kind) == (STATED, "at-or-before")
    assert period.strength == "maintainer"
    assert period.locator == "README.md, line 1"


def test_the_shipped_catalogue_knows_the_notice_of_tgi_already() -> None:
    text = "> text-generation-inference is now in maintenance mode.\n"
    (proposal,) = propose_periods([(page(text), read(text))])
    assert is_known(proposal.period, read_catalogue().periods)


def test_a_third_party_s_word_does_not_stand_in_for_the_archive_flag() -> None:
    """TGI is archived by a third party's word only; the code host's flag is news."""
    flag = archive_period(
        "tgi", url="https://code.example", seen_on=date(2026, 11, 30), pushed_on=date(2026, 3, 21)
    )
    assert flag.start_kind == "at-or-before"
    assert "2026-03-21" in flag.note
    assert not is_known(flag, read_catalogue().periods)


def test_a_period_that_ended_before_is_no_repetition() -> None:
    text = "> text-generation-inference is now in maintenance mode.\n"
    (proposal,) = propose_periods([(page(text), read(text))])
    ended = MaintenancePeriod(
        framework="tgi", status=MaintenanceStatus.MAINTENANCE_MODE,
        start=date(2020, 1, 1), end=date(2021, 1, 1),
    )  # fmt: skip
    assert not is_known(proposal.period, [ended])


def test_an_undated_page_proposes_nothing() -> None:
    text = "> text-generation-inference is now in maintenance mode.\n"
    undated = Page(framework="tgi", version="main", path="README.md", text=text)
    assert propose_periods([(undated, read(text))]) == []


def table_row(branch: str, statement: str, **names: str) -> Finding:
    return Finding(
        kind=FindingKind.MAINTENANCE, statement=statement, status=StatementStatus.MAINTAINED,
        raw="Maintained", locator=Locator(line=9), names={"branch": branch, **names},
    )  # fmt: skip


def test_a_branch_of_a_table_is_a_part_and_a_feature_branch_is_none() -> None:
    rows = [
        table_row("releases/v0.99.0", "maintenance/branch/releases/v0.99.0"),
        table_row("rfc/a-feature", "maintenance/feature-branch/rfc/a-feature"),
    ]
    (proposal,) = propose_periods([(page("", "vllm-ascend"), rows)])
    assert proposal.period.component == "branch-releases-v0.99.0"
    assert is_known(proposal.period, read_catalogue().periods) is False


def test_a_dated_announcement_starts_on_its_own_day() -> None:
    said = replace(
        table_row("", "maintenance/aws-neuron/nxd-inference/maintenance"),
        status=StatementStatus.MAINTENANCE,
        names={"framework": "aws-neuron-sdk", "component": "nxd-inference",
               "announced": "2026-05-20"},
    )  # fmt: skip
    (proposal,) = propose_periods([(page("", "aws-neuron-sdk"), [said])])
    assert (proposal.period.start, proposal.period.start_kind) == (date(2026, 5, 20), "exact")
    # The catalogue holds that part as a framework of its own.
    assert is_known(proposal.period, read_catalogue().periods)


def test_a_name_that_is_no_slug_is_a_part_of_the_page_s_framework() -> None:
    said = replace(
        table_row("", "maintenance/vllm-fork"),
        status=StatementStatus.DEPRECATED,
        names={"framework": "vLLM fork of HabanaAI"},
    )
    (proposal,) = propose_periods([(page("", "vllm-gaudi"), [said])])
    assert (proposal.period.framework, proposal.period.component) == ("vllm-gaudi", "vllm-fork")
