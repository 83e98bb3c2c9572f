"""Drift alarms: what a changed page does against the last accepted profile of its rule."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from ingest.contract import Page, PageRule, Reading
from ingest.domain.drift import (
    DriftCode,
    PageProfile,
    Thresholds,
    compare_profiles,
    from_plain,
    profile_page,
    to_plain,
)
from ingest.sources import vllm
from matrix.domain.aliases import Vocabulary

PATH = "docs/features/quantization/README.md"
TABLE = """\
| Implementation | Volta | Turing | Ampere | x86 CPU |
| -------------- | ----- | ------ | ------ | ------- |
| AWQ            | ❌    | ✅     | ✅     | ✅      |
| GPTQ           | ✅    | ✅     | ✅     | ✅      |
| GGUF           | ✅    | ✅     | ✅     | ❌      |
| AQLM           | ✅    | ✅     | ✅*    | ❌      |
"""
PAGE = f"""\
# Quantization

## Supported Hardware

{TABLE}
- ✅ says that it runs.
- ❌ says that it does not.
- *Ampere needs a later driver.
"""
RULE = next(rule for rule in vllm.SOURCE.rules if rule.name == "quantization-hardware")


def read(text: str, *, path: str = PATH, rule: PageRule = RULE) -> PageProfile:
    page = Page(framework="vllm", version="0.11.0", path=path, text=text)
    return profile_page(page, rule.name, rule.parse(page, Vocabulary(tables={})))


def alarms(text: str, *, before: str = PAGE) -> Mapping[DriftCode, bool]:
    """The codes of a changed page's alarms, with whether they quarantine."""
    found = compare_profiles(read(before), read(text))
    return {alarm.code: alarm.quarantines for alarm in reversed(found)}


def test_the_same_page_raises_no_alarm() -> None:
    assert compare_profiles(read(PAGE), read(PAGE)) == ()


def test_a_profile_says_what_was_read_table_by_table() -> None:
    profile = read(PAGE)
    (table,) = profile.tables
    assert table.heading == ("quantization", "supported hardware")
    assert table.columns == ("implementation", "volta", "turing", "ampere", "x86 cpu")
    assert (table.rows, table.findings) == (4, 16)
    assert table.statuses == {"supported": 12, "unsupported": 3, "partial": 1}
    assert set(profile.legend) == {"✅", "❌"}
    assert profile.counts["quantization-hardware|compatibility|supported"] == 12
    assert profile.findings == 16


def test_a_stored_profile_compares_like_the_one_it_was_made_from() -> None:
    stored = json.loads(json.dumps(to_plain(read(PAGE))))
    again = from_plain(stored)
    assert again == replace(read(PAGE), lines=frozenset())
    assert compare_profiles(again, read(PAGE)) == ()
    changed = read(PAGE.replace("x86 CPU |", "Abacus |"))
    assert compare_profiles(again, changed) == compare_profiles(read(PAGE), changed)


def test_a_profile_of_another_form_of_storage_is_no_profile() -> None:
    assert from_plain({**to_plain(read(PAGE)), "form": 0}) is None


def test_a_profile_holds_no_sentence_of_the_page() -> None:
    stored = json.dumps(to_plain(read(PAGE)), ensure_ascii=False)
    assert "says that it runs" not in stored
    assert "driver" not in stored


def test_padding_another_mark_and_a_new_row_are_no_alarm() -> None:
    padded = PAGE.replace("❌    |", "❌ |").replace("✅ ", "✅\ufe0e ").replace("- ✅", "* ✅")
    assert alarms(padded) == {}
    more = PAGE.replace("| GPTQ ", "| DeepSpeedFP | ✅ | ✅ | ✅ | ❌ |\n| GPTQ ", 1)
    assert alarms(more) == {}


def test_a_removed_row_is_a_notice_and_many_are_held() -> None:
    rows = TABLE.splitlines(keepends=True)
    less = Thresholds(lost=0.3)
    one = PAGE.replace(rows[4], "")
    found = compare_profiles(read(PAGE), read(one), thresholds=less)
    assert [(a.code, a.quarantines) for a in found] == [(DriftCode.FEWER_ITEMS, False)]
    assert found[0].facts == {"lost": 4, "before": 16}
    assert alarms(PAGE.replace(rows[4] + rows[5], ""))[DriftCode.FEWER_ITEMS] is True


def test_a_renamed_header_is_named_with_its_old_and_new_word() -> None:
    found = compare_profiles(read(PAGE), read(PAGE.replace("x86 CPU |", "Abacus |")))
    renamed = next(alarm for alarm in found if alarm.code is DriftCode.HEADER_RENAMED)
    assert renamed.quarantines
    assert "x86 cpu → abacus" in renamed.sentence
    assert renamed.facts == {"gone": "x86 cpu", "added": "abacus"}


def test_lines_that_still_stand_but_are_not_read_any_more_are_a_loss() -> None:
    """A reader of another table than before loses statements that the page still makes."""
    page = Page(framework="vllm", version="0.11.0", path=PATH, text=PAGE)
    reading = RULE.parse(page, Vocabulary(tables={}))
    short = profile_page(page, RULE.name, replace(reading, findings=reading.findings[:-1]))
    found = compare_profiles(read(PAGE), short)
    assert found[0].code is DriftCode.COVERAGE_MOVED
    assert found[0].quarantines
    assert found[0].facts == {"unread": 1}


def test_an_unchanged_line_that_means_something_else_now_is_held() -> None:
    page = Page(framework="vllm", version="0.11.0", path=PATH, text=PAGE)
    reading = RULE.parse(page, Vocabulary(tables={}))
    first = replace(reading.findings[1], note="another note")
    other = replace(reading, findings=(reading.findings[0], first, *reading.findings[2:]))
    found = compare_profiles(read(PAGE), profile_page(page, RULE.name, other))
    assert [(a.code, a.quarantines) for a in found] == [(DriftCode.READ_DIFFERENTLY, True)]


def test_signs_swapped_at_once_are_an_inversion_and_one_flip_is_a_notice() -> None:
    swapped = PAGE.replace(TABLE, TABLE.translate(str.maketrans("✅❌", "❌✅")))
    assert alarms(swapped)[DriftCode.STATUS_SWING] is True
    flipped = PAGE.replace("| GPTQ           | ✅", "| GPTQ           | ❌")
    assert alarms(flipped) == {DriftCode.STATUS_SWING: False}


@pytest.mark.parametrize(
    "changed",
    [
        PAGE.replace("- ✅ says", "- X says").replace("- ❌", "- ✅").replace("- X", "- ❌"),
        PAGE.replace("says that it runs", "says that it was never tried"),
        PAGE.replace("- ❌ says that it does not.\n", ""),
    ],
    ids=["swapped", "other words", "gone"],
)
def test_a_changed_legend_is_held_although_every_cell_is_read_as_before(changed: str) -> None:
    assert alarms(changed) == {DriftCode.LEGEND_CHANGED: True}


def test_a_sign_that_nothing_maps_is_a_notice_and_many_are_held() -> None:
    one = PAGE.replace("| GPTQ           | ✅", "| GPTQ           | 🦑")
    assert alarms(one) == {DriftCode.SYMBOL_UNKNOWN: False, DriftCode.COVERAGE_MOVED: False}
    assert alarms(PAGE.replace("✅", "🦑"))[DriftCode.COVERAGE_MOVED] is True


def test_a_footnote_mark_without_its_note_is_held() -> None:
    assert alarms(PAGE.replace("- *Ampere needs a later driver.\n", "")).get(
        DriftCode.FOOTNOTE_LOST
    )


def test_a_table_under_another_heading_is_held() -> None:
    assert alarms(PAGE.replace("## Supported", "## Formerly supported")) == {
        DriftCode.TABLE_MOVED: True
    }
    numbered = PAGE.replace("## Supported Hardware", "## Supported Hardware 0.12")
    assert alarms(numbered) == {}


def test_rows_that_do_not_fit_the_header_are_held() -> None:
    broken = PAGE.replace("| GPTQ           | ✅    |", "| GPTQ           | ✅     ")
    assert alarms(broken)[DriftCode.TABLE_IRREGULAR] is True


def test_a_new_table_is_a_notice() -> None:
    assert alarms(PAGE + "\n| Word | Meaning |\n| --- | --- |\n| a | b |\n") == {
        DriftCode.NEW_TABLE: False
    }


def test_a_page_cut_off_at_its_end_is_held_however_little_it_lost() -> None:
    notes = "- All Intel Gaudi quantization support has been migrated to [vLLM-Gaudi](https://x).\n"
    assert alarms(PAGE, before=PAGE + notes)[DriftCode.PAGE_SHORTER] is True


def test_an_area_that_is_gone_is_named() -> None:
    notes = "- All Intel Gaudi quantization support has been migrated to [vLLM-Gaudi](https://x).\n"
    found = compare_profiles(read(PAGE + notes + "\nThe end.\n"), read(PAGE + "\nThe end.\n"))
    lost = next(alarm for alarm in found if alarm.code is DriftCode.AREA_LOST)
    assert lost.facts == {"area": "quantization-moved", "before": 1}


def test_nothing_found_where_something_was_is_held_and_said_alone() -> None:
    contents = "# Quantization\n\n- [Supported Hardware](supported_hardware.md)\n"
    found = compare_profiles(read(PAGE), read(contents))
    assert [(a.code, a.quarantines) for a in found] == [(DriftCode.NOTHING_FOUND, True)]
    assert "16 statements" in found[0].sentence


def test_nothing_found_on_a_page_that_is_new_is_a_notice() -> None:
    contents = "# Quantization\n\n- [Supported Hardware](supported_hardware.md)\n"
    found = compare_profiles(None, read(contents))
    assert [(a.code, a.quarantines) for a in found] == [(DriftCode.NOTHING_FOUND, False)]
    assert compare_profiles(None, read(PAGE)) == ()


def test_a_block_page_is_held_even_when_it_is_the_first() -> None:
    text = (
        "<html><head><title>Just a moment...</title></head><body>Checking your browser before"
        " accessing the site.</body></html>"
    )
    page = Page(framework="vllm", version="0.11.0", path="README.md", text=text)
    rule = next(rule for rule in vllm.SOURCE.rules if rule.name == "images")
    profile = profile_page(page, rule.name, rule.parse(page, Vocabulary(tables={})))
    assert [(a.code, a.quarantines) for a in compare_profiles(None, profile)] == [
        (DriftCode.BLOCK_PAGE, True)
    ]


def test_a_page_at_another_path_is_a_notice() -> None:
    found = compare_profiles(read(PAGE, path="docs/old/README.md"), read(PAGE))
    assert [(a.code, a.quarantines) for a in found] == [(DriftCode.PAGE_MOVED, False)]


def test_a_shrunk_list_that_claims_to_be_complete_is_held() -> None:
    before = replace(read(PAGE), lists={"models": 40})
    for left, held in ((39, False), (30, True)):
        found = compare_profiles(before, replace(read(PAGE), lists={"models": left}))
        assert [(a.code, a.quarantines) for a in found] == [(DriftCode.FEWER_ITEMS, held)]


def test_the_alarms_that_hold_a_page_come_first() -> None:
    text = PAGE.replace("x86 CPU |", "Abacus |") + "\n| A | B |\n| --- | --- |\n| a | b |\n"
    holds = [alarm.quarantines for alarm in compare_profiles(read(PAGE), read(text))]
    assert holds == sorted(holds, reverse=True)
    assert not all(holds)


def test_signs_that_change_places_are_a_swing_although_no_statement_is_the_same() -> None:
    before = replace(read(PAGE), said=(), signs={"✅": 8, "❌": 3})
    now = replace(read(PAGE), said=(), signs={"✅": 3, "❌": 8})
    turned = next(
        alarm for alarm in compare_profiles(before, now) if alarm.code is DriftCode.STATUS_SWING
    )
    assert turned.quarantines
    assert turned.facts == {"turned": 5, "of": 11}


def test_a_page_without_its_headings_is_held() -> None:
    bare = PAGE.replace("# Quantization\n", "").replace("## Supported Hardware\n", "")
    found = compare_profiles(read(PAGE), read(bare))
    assert {"headings": 2} in [alarm.facts for alarm in found if alarm.quarantines]


def test_a_csv_file_counts_as_one_table_with_its_header() -> None:
    page = Page(framework="any", version="1", path="ops.csv", text="op,type\nABS,f16\nADD,f32\n")
    (table,) = profile_page(page, "ops", Reading(findings=())).tables
    assert (table.columns, table.rows) == (("op", "type"), 2)
