"""Version words of questions."""

from datetime import UTC, date, datetime

import pytest

from matrix.domain.versions import Release, ReleaseHistory, order_releases
from matrix.questions.changes import Change
from matrix.questions.releases import find_release

_DAYS = {
    "0.5.4": date(2024, 8, 5),
    "0.5.5": date(2024, 8, 23),
    "0.6.0": date(2024, 9, 4),
    "0.6.1": date(2024, 9, 11),
    "0.6.1.post2": date(2024, 9, 13),
    "0.6.2": date(2024, 9, 25),
    "0.6.3": date(2024, 10, 14),
    "0.7.0rc1": date(2025, 1, 10),
    "0.7.0.dev2025010700": date(2025, 1, 7),
    "0.7.0": date(2025, 1, 27),
}


def _line(version: str) -> str:
    return next((name for name in ("post", "rc", "dev") if name in version), "stable")


def _history(days: dict[str, date], *, scheme: str = "pep440") -> ReleaseHistory:
    releases = [
        Release(
            framework="vllm",
            version=version,
            released_at=datetime.combine(day, datetime.min.time(), tzinfo=UTC),
            line=_line(version),
        )
        for version, day in days.items()
    ]
    return ReleaseHistory("vllm", tuple(order_releases(releases, scheme=scheme)))


HISTORY = _history(_DAYS)
BUILDS = _history(
    {"b3500": date(2024, 8, 1), "b3512": date(2024, 8, 3), "b4667": date(2025, 2, 8)},
    scheme="build-number",
)


@pytest.mark.parametrize(
    ("text", "as_of", "version"),
    [
        ("0.6.2 (2024-09)", date(2024, 10, 1), "0.6.2"),
        ("v0.6.2", date(2024, 10, 1), "0.6.2"),
        ("0.6.x (2024-10)", date(2024, 10, 20), "0.6.3"),
        ("0.6.x", date(2024, 9, 12), "0.6.1"),
        ("0.6 (2024-09)", date(2024, 9, 12), "0.6.1"),
        ("0.5.x / 0.6.1.post2 (2024-09)", date(2024, 9, 17), "0.6.1.post2"),
        ("0.5.5 – 0.6.3 (2024-08 … 2024-10)", date(2024, 9, 12), "0.5.5"),
        ("<0.6.0 (2024-09)", date(2024, 9, 30), "0.5.5"),
        ("<=0.6.0", date(2024, 12, 1), "0.6.0"),
        ("0.6.0 or earlier", date(2024, 12, 1), "0.6.0"),
        ("0.7.0 dev (2025-01-20)", date(2025, 1, 20), "0.7.0.dev2025010700"),
        ("0.6.3 dev (2024-10-01)", date(2024, 10, 1), "0.6.3"),
        ("0.7.0.dev (2025-01)", date(2025, 1, 20), "0.7.0.dev2025010700"),
        ("0.7.0rc1", date(2025, 1, 20), "0.7.0rc1"),
        ("main/nightly between 0.5.4 and 0.5.5", date(2024, 8, 19), "0.5.4"),
        ("0.6.2+rocm723", date(2024, 12, 1), "0.6.2"),
        ("after PR #8434 (0.6.2, 2024-09)", date(2024, 12, 1), "0.6.2"),
    ],
)
def test_version_words_name_a_release(text: str, as_of: date, version: str) -> None:
    assert find_release(text, history=HISTORY, as_of=as_of).version == version


@pytest.mark.parametrize(
    "text",
    ["2024-10", "2024-10-20", "latest pip (2024-10-20)", "before PR #8434", "CUDA 12.8", None, ""],
)
def test_dates_and_versions_of_other_things_name_no_release(text: str | None) -> None:
    assert find_release(text, history=HISTORY, as_of=date(2024, 10, 20)).version is None


def test_after_a_change_without_a_version_the_first_release_that_can_hold_it_is_asked() -> None:
    day = date(2024, 10, 20)
    later = [r for r in HISTORY.releases if r.released_on > day and r.line in {"stable", "post"}]
    first = min(later, key=lambda release: release.released_on)
    asked = find_release("after PR #8434", history=HISTORY, as_of=day)
    assert (asked.version, asked.as_of, asked.after_change) == (
        first.version,
        first.released_on,
        True,
    )


def test_a_release_after_the_asked_day_moves_the_day_and_says_so() -> None:
    asked = find_release("0.6.2", history=HISTORY, as_of=date(2024, 9, 17))
    assert asked.as_of == date(2024, 9, 25)
    assert "0.6.2 was released on 2024-09-25" in asked.notes[0]


def test_an_unrecorded_patch_is_answered_by_the_one_before_and_says_so() -> None:
    asked = find_release("0.6.9", history=HISTORY, as_of=date(2025, 6, 1))
    # 0.6.9 lies before the release candidate of the next line.
    assert asked.version == "0.6.3"
    assert "nearest at or before is 0.6.3" in asked.notes[0]


@pytest.mark.parametrize(
    ("text", "version"),
    [("b3512+ (2024-08-02)", "b3512"), ("b3600 (2024-08)", "b3512"), ("build 4667", "b4667")],
)
def test_build_numbers_name_the_nearest_build_at_or_before(text: str, version: str) -> None:
    assert find_release(text, history=BUILDS, as_of=date(2025, 3, 1)).version == version


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("after PR #8434 (0.6.2)", True),
        ("0.6.2 (PR #8434)", True),
        ("before PR #8434 (0.6.2)", False),
        ("0.6.2", False),
    ],
)
def test_words_that_place_the_question_after_a_change_are_heard(text: str, after: bool) -> None:
    asked = find_release(text, history=HISTORY, as_of=date(2024, 12, 1))
    assert asked.after_change is after


def test_a_fork_is_a_restriction() -> None:
    asked = find_release("ROCm fork, 2024-10-21", history=HISTORY, as_of=date(2024, 10, 21))
    assert asked.restrictions == ("version variant 'fork'",)


def test_a_change_that_a_claim_dates_is_asked_at_the_release_that_first_holds_it() -> None:
    changes = {(HISTORY.framework, "8434"): Change(first="0.6.2", before="0.6.1.post2")}
    day = date(2024, 9, 1)
    after = find_release("after PR #8434", history=HISTORY, as_of=day, changes=changes)
    before = find_release("before PR #8434", history=HISTORY, as_of=day, changes=changes)
    other = find_release("before PR #99999", history=HISTORY, as_of=day, changes=changes)
    assert after.version == "0.6.2"
    assert after.as_of == HISTORY.releases[HISTORY.rank("0.6.2")].released_on
    expected = HISTORY.find("0.6.1.post2")
    assert before.version == (expected.version if expected else None)
    assert other.version is None


def test_a_version_of_the_sentence_counts_where_the_field_names_none() -> None:
    day = date(2024, 12, 1)
    asked = find_release(
        "late 2024", history=HISTORY, as_of=day, sentence="Does it run from 0.6.2 on?"
    )
    stated = find_release(
        "0.6.0", history=HISTORY, as_of=day, sentence="Does it run from 0.6.2 on?"
    )
    assert (asked.version, stated.version) == ("0.6.2", "0.6.0")


def test_a_name_that_no_version_scheme_reads_is_found_as_it_stands() -> None:
    moment = datetime(2026, 6, 1, tzinfo=UTC)
    names = ("0.14.0-b8", "0.14.0-b8.3.1")
    releases = tuple(
        Release(framework="llm-scaler-vllm", version=n, released_at=moment) for n in names
    )
    history = ReleaseHistory("llm-scaler-vllm", releases)
    asked = find_release("0.14.0-b8.3.1 (2026)", history=history, as_of=date(2026, 7, 1))
    assert asked.version == "0.14.0-b8.3.1"
