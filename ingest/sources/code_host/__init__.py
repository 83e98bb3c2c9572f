"""Readers of a code host's REST answers: repository, releases, tags, one tag's object."""

from ingest.sources.code_host.releases import HostRelease, read_releases
from ingest.sources.code_host.repository import RepositoryState, read_repository
from ingest.sources.code_host.tags import (
    HostTag,
    TagObject,
    read_commit_moment,
    read_reference,
    read_tag_object,
    read_tags,
)

__all__ = [
    "HostRelease",
    "HostTag",
    "RepositoryState",
    "TagObject",
    "read_commit_moment",
    "read_reference",
    "read_releases",
    "read_repository",
    "read_tag_object",
    "read_tags",
]
