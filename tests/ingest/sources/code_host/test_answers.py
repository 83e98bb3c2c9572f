"""Answers of a code host, in the shape that it documents."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.code_host import (
    read_commit_moment,
    read_reference,
    read_releases,
    read_repository,
    read_tag_object,
    read_tags,
)

URL = "https://api.code.example/x"


def release(tag: str, **fields: Any) -> dict[str, Any]:
    return {
        "tag_name": tag, "target_commitish": "main", "name": tag, "draft": False,
        "prerelease": False, "created_at": "2025-01-01T00:00:00Z",
        "published_at": "2025-01-02T03:04:05Z", "html_url": f"https://code.example/{tag}",
        "assets": [], **fields,
    }  # fmt: skip


def test_a_release_has_the_day_of_its_publication_not_of_its_commit() -> None:
    (found,) = read_releases([release("v0.11.0")], framework="vllm", url=URL)
    assert (found.version, found.line, found.tag) == ("0.11.0", "stable", "v0.11.0")
    assert found.published_at == datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tag", "line"),
    [("v0.11.0rc2", "rc"), ("v0.5.4.post3", "post"), ("v1.0.0.dev5", "dev"), ("v1.2.3-rc1", "rc")],
)
def test_the_tag_says_on_which_line_a_release_is(tag: str, line: str) -> None:
    (found,) = read_releases([release(tag)], framework="vllm", url=URL)
    assert found.line == line


def test_a_flagged_prerelease_is_no_stable_release_yet() -> None:
    (found,) = read_releases([release("v0.30.0", prerelease=True)], framework="ollama", url=URL)
    assert (found.version, found.line, found.flagged) == ("0.30.0", "rc", True)


def test_drafts_and_tags_of_something_else_are_left_out() -> None:
    answer = [release("v1.0.0", draft=True, published_at=None), release("ciflow/trunk/9")]
    assert read_releases(answer, framework="pytorch", url=URL) == ()


@pytest.mark.parametrize(
    "answer", [{}, "text", [1], [{"name": "x"}], [release("v1.0.0", published_at="soon")]]
)
def test_a_list_of_another_shape_is_refused(answer: object) -> None:
    with pytest.raises(UnexpectedPage):
        read_releases(answer, framework="vllm", url=URL)


REPOSITORY = {
    "full_name": "huggingface/text-generation-inference", "archived": True,
    "default_branch": "main", "pushed_at": "2026-03-20T10:00:00Z", "html_url": "https://c.example",
}  # fmt: skip


def test_a_repository_says_whether_it_is_archived_and_when_it_was_pushed() -> None:
    name = "huggingface/text-generation-inference"
    found = read_repository(REPOSITORY, asked=name, url=URL)
    assert found.archived is True
    assert found.pushed_at is not None and found.pushed_at.date() == date(2026, 3, 20)
    assert found.moved_to == ""


def test_another_full_name_is_a_move_and_another_spelling_is_none() -> None:
    assert read_repository(REPOSITORY, asked="old/engine", url=URL).moved_to != ""
    name = "HuggingFace/Text-Generation-Inference"
    assert read_repository(REPOSITORY, asked=name, url=URL).moved_to == ""


def test_a_missing_archive_flag_is_unknown_and_not_no() -> None:
    found = read_repository({"full_name": "a/b"}, asked="a/b", url=URL)
    assert found.archived is None
    assert found.pushed_at is None


def test_tags_carry_their_commit_and_no_date() -> None:
    answer = [
        {"name": "v0.11.0", "commit": {"sha": "a" * 40}, "node_id": "x"},
        {"name": "nightly", "commit": {"sha": "b" * 40}},
    ]
    (found,) = read_tags(answer, framework="vllm", url=URL)
    assert (found.tag, found.version, found.commit) == ("v0.11.0", "0.11.0", "a" * 40)


def test_an_annotated_tag_is_followed_to_its_commit_and_moment() -> None:
    reference = read_reference({"object": {"type": "tag", "sha": "1" * 40}}, url=URL)
    assert (reference.kind, reference.sha) == ("tag", "1" * 40)
    tag = read_tag_object(
        {"tag": "v1", "tagger": {"date": "2025-02-03T00:00:00+02:00"},
         "object": {"type": "commit", "sha": "2" * 40}},
        url=URL,
    )  # fmt: skip
    assert (tag.kind, tag.sha) == ("commit", "2" * 40)
    assert tag.made_at == datetime(2025, 2, 2, 22, tzinfo=UTC)


def test_a_commit_has_the_moment_of_its_committer() -> None:
    answer = {"sha": "2" * 40, "commit": {"committer": {"date": "2025-02-03T00:00:00Z"}}}
    assert read_commit_moment(answer, url=URL) == datetime(2025, 2, 3, tzinfo=UTC)
    with pytest.raises(UnexpectedPage):
        read_commit_moment({"commit": {"committer": {}}}, url=URL)
