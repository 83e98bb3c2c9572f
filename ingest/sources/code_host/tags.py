"""Tags and what they point to: a commit, or an object of their own with a date."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from ingest.domain.tag_names import name_tag
from ingest.sources.json_answers import list_of, moment_at, object_of, text_at, unexpected


@dataclass(frozen=True, slots=True)
class HostTag:
    """One tag of the list with the commit that it leads to; the list has no dates."""

    tag: str
    version: str
    line: str
    commit: str


@dataclass(frozen=True, slots=True)
class TagObject:
    """What a reference or a tag object points to. **Dates**: ``made_at`` is the tagger's."""

    kind: str
    sha: str
    made_at: datetime | None = None


def read_tags(value: Any, *, framework: str, url: str) -> tuple[HostTag, ...]:
    """The tags that name a version of the framework.

    **Raises**: ``UnexpectedPage``.
    """
    found = []
    for entry in list_of(value, url=url, what="tags"):
        tag = text_at(entry, "name", url=url)
        commit = object_of(entry.get("commit"), url=url, what="the commit of a tag")
        # Where a day decides the line, the release list says it: a date as early as can be here.
        named = name_tag(framework, tag, published=date.min)
        if named is not None:
            sha = text_at(commit, "sha", url=url)
            found.append(HostTag(tag=tag, version=named.version, line=named.line, commit=sha))
    return tuple(found)


def read_reference(value: Any, *, url: str) -> TagObject:
    """What a reference points to: a commit, or a tag object that has to be asked for.

    **Raises**: ``UnexpectedPage``.
    """
    return _target(object_of(value, url=url, what="a reference"), url=url)


def read_tag_object(value: Any, *, url: str) -> TagObject:
    """What an annotated tag points to, with the moment at which it was made.

    **Raises**: ``UnexpectedPage``.
    """
    entry = object_of(value, url=url, what="a tag object")
    tagger = entry.get("tagger")
    made = moment_at(tagger, "date", url=url) if isinstance(tagger, dict) else None
    target = _target(entry, url=url)
    return TagObject(kind=target.kind, sha=target.sha, made_at=made)


def read_commit_moment(value: Any, *, url: str) -> datetime:
    """The moment of a commit, by its committer.

    **Raises**: ``UnexpectedPage``.
    """
    entry = object_of(value, url=url, what="a commit")
    commit = object_of(entry.get("commit"), url=url, what="a commit")
    committer = object_of(commit.get("committer"), url=url, what="a committer")
    moment = moment_at(committer, "date", url=url)
    if moment is None:
        raise unexpected(url, "the date of a committer", sorted(committer))
    return moment


def _target(entry: Any, *, url: str) -> TagObject:
    target = object_of(entry.get("object"), url=url, what="the object of a tag")
    return TagObject(kind=text_at(target, "type", url=url), sha=text_at(target, "sha", url=url))
