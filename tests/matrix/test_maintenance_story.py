"""The maintenance status of a framework on any day, what it rests on, and silence."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.catalogue import Catalogue, MaintenancePeriod
from matrix.domain.levels import MaintenanceStatus
from matrix.domain.published import RepositoryFacts
from matrix.domain.versions import Release
from matrix.queries import MaintenanceStory, maintenance_story
from matrix.queries.maintenance import SILENCE_DAYS

SHIPPED = read_catalogue()
NOTICE = date(2025, 12, 11)
LAST_RELEASE = date(2025, 12, 18)
ARCHIVED_SAID = date(2026, 3, 21)
TODAY = date(2026, 11, 30)


def tgi(day: date) -> MaintenanceStory:
    return maintenance_story(SHIPPED, "tgi", as_of=day)


def days(first: date, last: date) -> Iterable[date]:
    return (first + timedelta(days=n) for n in range((last - first).days + 1))


def test_tgi_is_active_on_every_day_before_its_notice() -> None:
    assert {tgi(day).status for day in days(date(2025, 9, 1), NOTICE - timedelta(days=1))} == {
        MaintenanceStatus.ACTIVE
    }


def test_tgi_is_in_maintenance_mode_from_the_commit_of_its_readme_on() -> None:
    """The notice is the maintainers' word; every later day has the same, whatever others say."""
    for day in days(NOTICE, TODAY):
        story = tgi(day)
        assert story.status is MaintenanceStatus.MAINTENANCE_MODE, day
        assert story.period is not None
        assert (story.period.strength, story.period.start) == ("maintainer", NOTICE)
        assert not story.is_later(story.period)


def test_the_last_release_of_tgi_came_after_its_notice() -> None:
    history = SHIPPED.histories["tgi"]
    rank = history.latest_rank(as_of=LAST_RELEASE)
    assert rank is not None and history.releases[rank].version == "3.3.7"
    before = history.latest_rank(as_of=LAST_RELEASE - timedelta(days=1))
    assert before is not None and history.releases[before].version == "3.3.6"
    silence = tgi(TODAY).silence
    assert silence is not None
    assert (silence.released_on, silence.days) == (LAST_RELEASE, (TODAY - LAST_RELEASE).days)
    assert silence.is_long


def test_that_tgi_was_archived_is_a_third_party_s_word_and_shown_as_such() -> None:
    assert tgi(ARCHIVED_SAID - timedelta(days=1)).others == ()
    story = tgi(ARCHIVED_SAID)
    (other,) = story.others
    assert (other.status, other.strength) == (MaintenanceStatus.ARCHIVED, "third-party")
    assert story.is_later(other)
    assert not tgi(TODAY).is_later(other)


def catalogue_of(
    *periods: MaintenancePeriod, pushed: date | None = None, released: date = date(2025, 1, 1)
) -> Catalogue:
    at = datetime.combine(released, datetime.min.time(), tzinfo=UTC)
    repository = RepositoryFacts(
        name="o/e", full_name="o/e", url="", archived=False,
        pushed_at=datetime.combine(pushed, datetime.min.time(), tzinfo=UTC) if pushed else None,
        seen_at=datetime(2026, 1, 10, tzinfo=UTC),
    )  # fmt: skip
    return Catalogue(
        nodes={},
        releases={"e": (Release(framework="e", version="1.0", released_at=at),)},
        periods=periods,
        repositories={"e": repository} if pushed else {},
    )


def period(status: MaintenanceStatus, strength: str, start: date) -> MaintenancePeriod:
    return MaintenancePeriod(framework="e", status=status, start=start, strength=strength)


def test_the_code_host_s_own_mark_goes_before_an_older_notice() -> None:
    known = catalogue_of(
        period(MaintenanceStatus.MAINTENANCE_MODE, "maintainer", date(2025, 1, 1)),
        period(MaintenanceStatus.ARCHIVED, "official", date(2025, 6, 1)),
        period(MaintenanceStatus.ACTIVE, "silence", date(2025, 7, 1)),
    )
    story = maintenance_story(known, "e", as_of=date(2026, 1, 1))
    assert story.status is MaintenanceStatus.ARCHIVED
    assert [other.strength for other in story.others] == ["maintainer", "silence"]


def test_silence_is_counted_from_the_last_release_or_push_and_changes_no_status() -> None:
    known = catalogue_of(pushed=date(2025, 3, 1))
    story = maintenance_story(known, "e", as_of=date(2025, 3, 1) + timedelta(days=SILENCE_DAYS))
    assert story.status is MaintenanceStatus.UNKNOWN
    assert story.silence is not None
    assert (story.silence.since, story.silence.is_long) == (date(2025, 3, 1), True)
    earlier = maintenance_story(known, "e", as_of=date(2025, 3, 2)).silence
    assert earlier is not None and not earlier.is_long


def test_a_push_after_the_day_says_nothing_about_it() -> None:
    silence = maintenance_story(
        catalogue_of(pushed=date(2026, 1, 9)), "e", as_of=date(2025, 2, 1)
    ).silence
    assert silence is not None
    assert (silence.pushed_on, silence.days) == (None, 31)


def test_a_code_host_that_was_never_asked_leaves_pushes_unknown() -> None:
    silence = maintenance_story(catalogue_of(), "e", as_of=date(2026, 1, 1)).silence
    assert silence is not None
    assert (silence.pushed_on, silence.asked_on) == (None, None)


@pytest.mark.parametrize("day", [date(2024, 12, 31), date(2000, 1, 1)])
def test_before_anything_was_heard_there_is_no_silence(day: date) -> None:
    assert maintenance_story(catalogue_of(), "e", as_of=day).silence is None
