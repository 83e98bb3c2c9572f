"""The order of releases, the newest one on a day, and the nearest names of an unknown one."""

from datetime import UTC, date, datetime

import pytest

from matrix.domain.errors import NotReleasedYet, UnknownVersion
from matrix.domain.versions import Release, ReleaseHistory, normalise_version, order_releases


def release(version: str, day: str, *, line: str = "stable", **changes: object) -> Release:
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return Release(framework="vllm", version=version, released_at=moment, line=line, **changes)  # type: ignore[arg-type]


def history(*releases: Release, scheme: str = "pep440") -> ReleaseHistory:
    return ReleaseHistory("vllm", tuple(order_releases(releases, scheme=scheme)))


def versions(found: ReleaseHistory) -> list[str]:
    return [release.version for release in found.releases]


def test_pep440_versions_stand_in_their_own_order_and_not_by_date() -> None:
    found = history(
        release("0.10.0", "2025-08-01"),
        release("0.9.2", "2025-07-07"),
        release("0.9.2.post1", "2025-09-01"),
        release("0.10.0rc1", "2025-07-20", line="rc"),
    )
    assert versions(found) == ["0.9.2", "0.9.2.post1", "0.10.0rc1", "0.10.0"]


def test_build_numbers_stand_by_date_because_the_scheme_changed() -> None:
    found = history(
        release("v0.5.0", "2026-06-01"),
        release("b5308", "2025-05-08"),
        release("b10000", "2026-04-01"),
        scheme="build-number",
    )
    assert versions(found) == ["b5308", "b10000", "v0.5.0"]


def test_a_version_that_is_none_stands_after_the_newest_release_before_it() -> None:
    found = history(
        release("1.0.0", "2025-01-01"),
        release("nightly-image", "2025-02-01"),
        release("1.1.0", "2025-03-01"),
    )
    assert versions(found) == ["1.0.0", "nightly-image", "1.1.0"]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("v0.11.0", "0.11.0"),
        (" 0.11.0 ", "0.11.0"),
        ("0.26.0+rocm723", "0.26.0"),
        ("vicuna", "vicuna"),
    ],
)
def test_a_version_is_compared_without_its_decoration(written: str, plain: str) -> None:
    assert normalise_version(written) == plain


def test_a_tag_and_a_version_name_the_same_release() -> None:
    found = history(release("0.11.0", "2025-10-01", tag="v0.11.0"))
    assert found.rank("v0.11.0") == found.rank("0.11.0") == 0


class TestLatest:
    FOUND = history(
        release("0.8.0", "2025-03-01"),
        release("0.8.1", "2025-03-20", yanked=True),
        release("0.8.0.post1", "2025-04-01", line="post"),
        release("0.9.0rc1", "2025-04-10", line="rc"),
        release("0.7.4", "2025-04-20"),
        release("0.9.0", "2025-05-01"),
    )

    def latest(self, day: str) -> str | None:
        rank = self.FOUND.latest_rank(as_of=date.fromisoformat(day))
        return None if rank is None else self.FOUND.releases[rank].version

    def test_before_the_first_release_there_is_none(self) -> None:
        assert self.latest("2025-02-28") is None

    def test_it_counts_from_the_day_of_publication_on(self) -> None:
        assert self.latest("2025-03-01") == "0.8.0"

    def test_a_withdrawn_release_never_counts(self) -> None:
        assert self.latest("2025-03-25") == "0.8.0"

    def test_a_post_release_takes_the_place_of_the_one_it_repairs(self) -> None:
        assert self.latest("2025-04-01") == "0.8.0.post1"

    def test_a_release_candidate_never_counts(self) -> None:
        assert self.latest("2025-04-15") == "0.8.0.post1"

    def test_a_later_fix_of_an_older_line_is_not_the_newest(self) -> None:
        assert self.latest("2025-04-25") == "0.8.0.post1"
        assert self.latest("2025-05-01") == "0.9.0"


class TestAsked:
    FOUND = history(release("0.8.0", "2025-03-01"), release("0.9.0", "2025-05-01"))

    @pytest.mark.parametrize("word", [None, "latest"])
    def test_no_version_and_latest_mean_the_newest_on_that_day(self, word: str | None) -> None:
        assert self.FOUND.asked_rank(word, as_of=date(2025, 4, 1)) == 0

    def test_a_release_after_the_asked_day_is_refused_with_its_date(self) -> None:
        with pytest.raises(NotReleasedYet) as caught:
            self.FOUND.asked_rank("0.9.0", as_of=date(2025, 4, 30))
        assert caught.value.facts["released_on"] == "2025-05-01"

    def test_an_unknown_version_is_refused_with_its_neighbours(self) -> None:
        with pytest.raises(UnknownVersion) as caught:
            self.FOUND.asked_rank("0.8.3", as_of=date(2026, 1, 1))
        assert caught.value.facts["nearest"] == ["0.8.0", "0.9.0"]


def test_neighbours_of_a_version_come_nearest_first() -> None:
    found = history(*(release(v, "2025-01-01") for v in ("0.1.0", "0.10.0", "0.11.1", "1.11.0")))
    assert found.nearest("0.11.0", limit=2) == ("0.11.1", "0.10.0")


def test_neighbours_of_a_text_that_is_no_version_are_similar_spellings() -> None:
    found = history(release("b5308", "2025-05-08"), release("b9999", "2026-04-01"))
    assert found.nearest("b5380")[0] == "b5308"
    assert found.nearest("something else") == ()


def test_of_a_project_that_publishes_commits_only_the_newest_commit_is_its_latest() -> None:
    found = history(
        release("main-1111111", "2025-03-01", line="commit"),
        release("main-2222222", "2025-06-01", line="commit"),
    )
    assert found.latest_rank(as_of=date(2025, 4, 1)) == 0
    assert found.latest_rank(as_of=date(2025, 7, 1)) == 1
    assert found.latest_rank(as_of=date(2025, 1, 1)) is None
