"""Releases, images, pins and repositories as code hosts and registries state them."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from matrix.catalog_loading import load_shipped
from matrix.convert import load_catalogue
from matrix.domain.errors import InvalidValue
from matrix.domain.published import (
    PublishedImage,
    PublishedRelease,
    RepositoryFacts,
    StatedPin,
)
from matrix.models import AuditEntry, KnowledgeRevision, Release, ReleaseImage, ReleasePin
from matrix.releasing import (
    mark_removed,
    record_images,
    record_pins,
    record_releases,
    record_repository,
)
from tests.matrix.shipped_folder import write_catalogue

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
NEW = PublishedRelease(
    framework="vllm", version="0.13.0", line="stable", tag="v0.13.0",
    released_at=datetime(2026, 2, 1, 11, tzinfo=UTC), url="https://code.example/v0.13.0",
)  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    load_shipped(write_catalogue(tmp_path))
    return tmp_path


def record(*releases: PublishedRelease) -> tuple[str, ...]:
    return record_releases(releases, framework="vllm", feed="vllm-code-host", now=NOW).new


def revision() -> int:
    return KnowledgeRevision.objects.get().number


def test_a_new_release_is_the_latest_at_once_and_audited() -> None:
    before = revision()
    assert record(NEW) == ("0.13.0",)
    history = load_catalogue().histories["vllm"]
    rank = history.latest_rank(as_of=NOW.date())
    assert rank is not None and history.releases[rank].version == "0.13.0"
    assert revision() == before + 1
    assert AuditEntry.objects.filter(action="record-releases").count() == 1


def test_the_same_list_again_writes_nothing() -> None:
    record(NEW)
    before = (revision(), AuditEntry.objects.count())
    assert record(NEW) == ()
    assert (revision(), AuditEntry.objects.count()) == before


def test_a_known_release_is_completed_and_keeps_its_shipped_date() -> None:
    row = Release.objects.get(version="0.12.0")
    seen = replace(NEW, version="0.12.0", tag="v0.12.0", commit="a" * 40)
    changes = record_releases([seen], framework="vllm", feed="f", now=NOW)
    assert (changes.new, changes.completed) == ((), ("0.12.0",))
    after = Release.objects.get(version="0.12.0")
    assert (after.commit, after.released_at) == ("a" * 40, row.released_at)


def test_a_load_of_the_shipped_files_keeps_fetched_releases_and_completed_commits(
    folder: Path,
) -> None:
    record(NEW, replace(NEW, version="0.12.0", tag="v0.12.0", commit="a" * 40))
    load_shipped(folder, force=True)
    assert Release.objects.filter(version="0.13.0").exists()
    assert Release.objects.get(version="0.12.0").commit == "a" * 40


def test_a_tag_that_leads_elsewhere_changes_nothing_and_is_told() -> None:
    record(replace(NEW, commit="a" * 40))
    again = record_releases([replace(NEW, commit="b" * 40)], framework="vllm", feed="f", now=NOW)
    assert [(tag.recorded[0], tag.seen[0]) for tag in again.moved] == [("a", "b")]
    assert Release.objects.get(version="0.13.0").commit == "a" * 40


def test_a_short_commit_of_the_catalogue_is_no_other_commit() -> None:
    Release.objects.filter(version="0.12.0").update(commit="a" * 9)
    seen = replace(NEW, version="0.12.0", tag="v0.12.0", commit="a" * 40)
    changes = record_releases([seen], framework="vllm", feed="f", now=NOW)
    assert changes.moved == ()
    assert Release.objects.get(version="0.12.0").commit == "a" * 40


def test_a_prerelease_becomes_stable_when_its_mark_is_lifted() -> None:
    record(replace(NEW, line="rc", flagged=True))
    history = load_catalogue().histories["vllm"]
    rank = history.latest_rank(as_of=NOW.date())
    assert rank is not None and history.releases[rank].version == "0.12.0"
    record(NEW)
    assert Release.objects.get(version="0.13.0").line == "stable"


def test_a_shipped_stable_release_is_not_demoted_by_a_mark() -> None:
    record(replace(NEW, version="0.12.0", tag="v0.12.0", line="rc", flagged=True))
    assert Release.objects.get(version="0.12.0").line == "stable"


def test_a_removed_release_stays_on_record_and_is_not_the_latest() -> None:
    record(NEW)
    mark_removed("vllm", "0.13.0", on=date(2026, 2, 2), actor="curator", reason="gone")
    history = load_catalogue().histories["vllm"]
    rank = history.latest_rank(as_of=date(2026, 2, 3))
    assert rank is not None and history.releases[rank].version == "0.12.0"
    assert Release.objects.filter(version="0.13.0").exists()
    with pytest.raises(InvalidValue):
        mark_removed("vllm", "9.9.9", on=date(2026, 2, 2), actor="curator")


def image(digest: str, version: str = "0.12.0", tag: str = "v0.12.0") -> PublishedImage:
    return PublishedImage(framework="vllm", version=version, repository="org/engine", tag=tag,
                          digest=digest, platforms=("linux/amd64",))  # fmt: skip


def images(*found: PublishedImage) -> int:
    return record_images(found, framework="vllm", feed="f", now=NOW)


def test_an_image_is_recorded_once_for_each_digest_of_its_tag() -> None:
    assert images(image("sha256:1")) == 1
    assert images(image("sha256:1")) == 0
    assert images(image("sha256:2")) == 1
    assert ReleaseImage.objects.filter(tag="v0.12.0").count() == 2


def test_an_image_without_digest_or_release_is_left_out() -> None:
    assert images(image(""), image("sha256:3", version="9.9.9")) == 0


def test_a_pin_is_recorded_once_and_only_for_a_release() -> None:
    pin = StatedPin(framework="vllm", version="0.12.0", name="torch", status="pinned",
                    value="torch==2.9.0", source="vllm-code", statement="pins/torch")  # fmt: skip
    assert record_pins([pin, pin, replace(pin, version="main")]) == 1
    assert record_pins([pin]) == 0
    assert ReleasePin.objects.get().value == "torch==2.9.0"


FACTS = RepositoryFacts(
    name="org/engine", full_name="org/engine", url="https://code.example", archived=False,
    pushed_at=NOW, seen_at=NOW, default_branch="main",
)  # fmt: skip


def test_a_push_alone_needs_no_new_index() -> None:
    assert record_repository(FACTS, framework="vllm", feed="f") is True
    before = revision()
    later = replace(FACTS, pushed_at=NOW + timedelta(days=1), seen_at=NOW + timedelta(days=1))
    assert record_repository(later, framework="vllm", feed="f") is False
    assert revision() == before
    assert load_catalogue().repositories["vllm"].pushed_at == NOW + timedelta(days=1)
    monthly = replace(later, pushed_at=NOW + timedelta(days=40))
    record_repository(monthly, framework="vllm", feed="f")
    assert revision() == before + 1


def test_an_archive_flag_is_a_change() -> None:
    record_repository(FACTS, framework="vllm", feed="f")
    assert record_repository(replace(FACTS, archived=True), framework="vllm", feed="f") is True
