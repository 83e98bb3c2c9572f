"""A code host polled for real: releases, commits, dates, moves, archive flags and READMEs."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from ingest.domain.feeds import Feed
from ingest.domain.feeds.code_hosts import CODE_HOST_FEEDS
from ingest.models import FeedState, ReviewItem
from ingest.services.polling import FeedFailed, PollResult
from ingest.services.reviewing import accept_items, reject_items
from matrix.convert import load_catalogue
from matrix.domain.levels import MaintenanceStatus
from matrix.models import AuditEntry, MaintenancePeriod, Release, Repository
from tests.ingest.releases.conftest import NOW
from tests.ingest.releases.dated_host import DatedHost, Published, host_feed

Poll = Callable[[Feed], PollResult]
REPO = "org/engine"
HOUR = timedelta(hours=1)


def feed_of(host: DatedHost) -> Feed:
    return host_feed(host.url, "vllm", REPO)


def readme_feed(host: DatedHost) -> Feed:
    base = host.url + "/repos/{repository}"
    return replace(
        feed_of(host),
        name="vllm-readme",
        endpoints=(base + "/commits?path=README.md&per_page=1", base + "/readme"),
    )


def publish(host: DatedHost, *tags: str, **fields: object) -> None:
    """The tags as releases of the last minutes, the last one newest."""
    for number, tag in enumerate(tags):
        moment = host.now - timedelta(minutes=len(tags) - number)
        item = Published(tag=tag, at=moment, **fields)  # type: ignore[arg-type]
        host.published.setdefault(REPO, []).append(item)


def test_a_release_is_on_record_after_one_poll_with_date_and_commit(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.12.0", "v0.13.0")
    assert poll(feed_of(host)).changed is True
    row = Release.objects.get(version="0.13.0")
    item = host.published[REPO][1]
    assert (row.released_at, row.commit, row.tag) == (item.at, item.sha, "v0.13.0")
    assert (row.feed, row.first_seen_at, row.line) == ("vllm-code-host", NOW, "stable")
    history = load_catalogue().histories["vllm"]
    rank = history.latest_rank(as_of=NOW.date())
    assert rank is not None and history.releases[rank].version == "0.13.0"


def test_an_unchanged_host_is_asked_conditionally_and_writes_nothing(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.12.0", "v0.13.0")
    poll(feed_of(host))
    before = (AuditEntry.objects.count(), Release.objects.count(), len(host.asked))
    host.now += HOUR
    assert poll(feed_of(host)).changed is False
    assert host.not_modified == 3
    assert (AuditEntry.objects.count(), Release.objects.count()) == before[:2]
    assert len(host.asked) == before[2] + 3


def test_lists_are_followed_back_to_what_is_known(host: DatedHost, poll: Poll) -> None:
    for number in range(250):
        at = NOW - timedelta(hours=250 - number)
        host.published.setdefault(REPO, []).append(Published(tag=f"v1.0.{number}", at=at))
    poll(feed_of(host))
    assert Release.objects.filter(version__startswith="1.0.").count() == 250
    host.now += HOUR
    publish(host, "v1.0.250")
    asked = len(host.asked)
    poll(feed_of(host))
    assert Release.objects.filter(version="1.0.250").exists()
    assert not any("page=2" in path for path in host.asked[asked:])


def test_a_poll_that_is_cut_off_between_two_pages_is_made_good_by_the_next(
    host: DatedHost, poll: Poll
) -> None:
    for number in range(150):
        at = NOW - timedelta(hours=150 - number)
        host.published.setdefault(REPO, []).append(Published(tag=f"v1.0.{number}", at=at))
    host.special = lambda path, _: (503, {}) if "page=2" in path else None
    with pytest.raises(FeedFailed):
        poll(feed_of(host))
    assert not Release.objects.filter(version__startswith="1.0.").exists()
    host.special = lambda path, _: None
    poll(feed_of(host))
    assert Release.objects.filter(version__startswith="1.0.").count() == 150


def test_a_prerelease_waits_on_its_line_until_its_mark_is_lifted(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.13.0", prerelease=True)
    poll(feed_of(host))
    assert Release.objects.get(version="0.13.0").line == "rc"
    host.published[REPO] = [replace(host.published[REPO][0], prerelease=False)]
    host.now += HOUR
    poll(feed_of(host))
    assert Release.objects.get(version="0.13.0").line == "stable"


@pytest.mark.parametrize("annotated", [False, True])
def test_a_tag_without_release_is_dated_by_its_tagger_or_its_commit(
    host: DatedHost, poll: Poll, annotated: bool
) -> None:
    publish(host, "v0.13.0", "v0.14.0rc1", released=False)
    if annotated:
        host.annotated = {"v0.13.0", "v0.14.0rc1"}
    poll(feed_of(host))
    first, second = host.published[REPO]
    rows = {row.version: row for row in Release.objects.filter(feed="vllm-code-host")}
    assert {v: (r.released_at, r.commit, r.line) for v, r in rows.items()} == {
        "0.13.0": (first.at, first.sha, "stable"),
        "0.14.0rc1": (second.at, second.sha, "rc"),
    }


def test_where_releases_are_published_a_candidate_s_tag_announces_nothing(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.13.0")
    publish(host, "v0.14.0rc1", released=False)
    poll(feed_of(host))
    assert Release.objects.filter(version="0.13.0").exists()
    assert not Release.objects.filter(version="0.14.0rc1").exists()


def test_a_release_that_vanishes_waits_for_a_curator_and_stays_on_record(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.12.0", "v0.13.0")
    poll(feed_of(host))
    host.published[REPO] = host.published[REPO][:1]
    host.now += HOUR
    poll(feed_of(host))
    item = ReviewItem.objects.get()
    assert (item.code, item.version, item.state) == ("release-removed", "0.13.0", "open")
    assert item.snapshot_sha256 and item.old["snapshot"] != item.snapshot_sha256
    assert Release.objects.get(version="0.13.0").removed_on is None
    accept_items([item.pk], actor="curator", now=host.now, reason="withdrawn upstream")
    assert Release.objects.get(version="0.13.0").removed_on == NOW.date()
    history = load_catalogue().histories["vllm"]
    rank = history.latest_rank(as_of=host.now.date())
    assert rank is not None and history.releases[rank].version == "0.12.0"


def test_a_release_that_moved_to_the_next_page_has_not_vanished(
    host: DatedHost, poll: Poll
) -> None:
    for number in range(100):
        at = NOW - timedelta(hours=100 - number)
        host.published.setdefault(REPO, []).append(Published(tag=f"v1.0.{number}", at=at))
    poll(feed_of(host))
    host.now += HOUR
    publish(host, "v1.0.100")
    poll(feed_of(host))
    assert not ReviewItem.objects.exists()


def test_a_tag_that_leads_to_another_commit_waits_for_a_curator(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.12.0")
    Release.objects.filter(version="0.12.0").update(commit="f" * 40)
    poll(feed_of(host))
    item = ReviewItem.objects.get()
    assert (item.code, item.old["commit"]) == ("tag-moved", "f" * 40)
    reject_items([item.pk], actor="curator", now=NOW, reason="ours is right")
    assert Release.objects.get(version="0.12.0").commit == "f" * 40


def test_the_archive_flag_is_a_period_at_once_and_ends_when_it_is_lifted(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.12.0")
    host.about[REPO] = {"archived": True, "pushed_at": "2026-01-20T00:00:00Z"}
    poll(feed_of(host))
    period = MaintenancePeriod.objects.get(shipped=False)
    assert (period.status, period.strength) == ("archived", "official")
    assert (period.start_on, period.start_kind) == (NOW.date(), "at-or-before")
    assert "2026-01-20" in period.note
    assert period.snapshot_sha256
    host.now += HOUR
    poll(feed_of(host))
    host.about[REPO] = {"archived": True, "pushed_at": "2026-01-20T00:00:00Z", "stars": 2}
    poll(feed_of(host))
    assert MaintenancePeriod.objects.filter(shipped=False).count() == 1
    host.now += timedelta(days=3)
    host.about[REPO] = {"archived": False}
    poll(feed_of(host))
    assert MaintenancePeriod.objects.get(shipped=False).end_on == host.now.date()


def test_an_archive_flag_outlives_a_load_of_the_shipped_files(
    host: DatedHost, poll: Poll, folder: object
) -> None:
    from pathlib import Path

    from matrix.catalog_loading import load_shipped

    host.about[REPO] = {"archived": True}
    poll(feed_of(host))
    load_shipped(Path(str(folder)), force=True)
    statuses = {p.status for p in load_catalogue().periods}
    assert statuses == {MaintenanceStatus.ACTIVE, MaintenanceStatus.ARCHIVED}


def test_a_missing_archive_flag_ends_nothing(host: DatedHost, poll: Poll) -> None:
    host.about[REPO] = {"archived": True}
    poll(feed_of(host))
    host.now += HOUR
    host.about[REPO] = {"archived": None}
    poll(feed_of(host))
    assert MaintenancePeriod.objects.get(shipped=False).end_on is None
    assert Repository.objects.get().archived is None


def test_a_moved_repository_is_told_once_and_followed_as_it_answers(
    host: DatedHost, poll: Poll
) -> None:
    publish(host, "v0.13.0")
    host.about[REPO] = {"full_name": "new-org/engine"}
    poll(feed_of(host))
    host.now += HOUR
    host.about[REPO]["stars"] = 9
    poll(feed_of(host))
    item = ReviewItem.objects.get()
    assert (item.code, item.new["repository"]) == ("repository-moved", "new-org/engine")
    assert Release.objects.filter(version="0.13.0").exists()


def test_a_readme_s_notice_waits_for_a_curator_and_becomes_a_dated_period(
    host: DatedHost, poll: Poll
) -> None:
    stated = datetime(2026, 1, 15, 9, tzinfo=UTC)
    host.readmes[REPO] = ("# Engine\n\n> [!CAUTION]\n> vLLM is now in maintenance mode.\n", stated)
    poll(readme_feed(host))
    assert not MaintenancePeriod.objects.filter(shipped=False).exists()
    item = ReviewItem.objects.get()
    assert (item.code, item.path, item.locator["line"]) == ("maintenance-period", "README.md", 4)
    accept_items([item.pk], actor="curator", now=host.now)
    period = MaintenancePeriod.objects.get(shipped=False)
    assert (period.status, period.start_on) == ("maintenance-mode", date(2026, 1, 15))
    assert (period.start_kind, period.strength) == ("at-or-before", "maintainer")
    assert (period.commit, period.locator) == ("c" * 40, "README.md, line 4")
    host.now += HOUR
    host.readmes[REPO] = (host.readmes[REPO][0] + "\nmore\n", stated)
    poll(readme_feed(host))
    assert ReviewItem.objects.count() == 1


def test_a_rejected_notice_keeps_its_reason_and_is_not_asked_again(
    host: DatedHost, poll: Poll
) -> None:
    host.readmes[REPO] = ("> This project is archived.\n", NOW)
    poll(readme_feed(host))
    reject_items([ReviewItem.objects.get().pk], actor="c", now=NOW, reason="about an old part")
    host.readmes[REPO] = ("> This project is archived.\n\nmore\n", NOW)
    host.now += HOUR
    poll(readme_feed(host))
    item = ReviewItem.objects.get()
    assert (item.state, item.reason) == ("rejected", "about an old part")
    assert not MaintenancePeriod.objects.filter(shipped=False).exists()


@pytest.mark.parametrize(
    "answer", [{"message": "rate limited"}, [{"name": "x"}], [{"tag_name": 7}], "text"]
)
def test_an_answer_of_another_shape_is_a_feed_error_and_changes_nothing(
    host: DatedHost, poll: Poll, answer: object
) -> None:
    before = Release.objects.count()
    host.special = lambda path, _: (200, answer) if "/releases" in path else None
    with pytest.raises(FeedFailed):
        poll(feed_of(host))
    state = FeedState.objects.get()
    assert state.error_code == "unusable-answer"
    assert "accepted" in state.error_sentence
    assert Release.objects.count() == before


def test_every_github_repository_has_a_feed_of_its_readme() -> None:
    hosts = {f.framework for f in CODE_HOST_FEEDS if f.name.endswith("-code-host")}
    readmes = {f.framework for f in CODE_HOST_FEEDS if f.name.endswith("-readme")}
    assert hosts - readmes == {"mindie-llm"}
