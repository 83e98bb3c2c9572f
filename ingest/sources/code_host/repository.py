"""The repository itself: archived, moved, last push."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.sources.json_answers import flag_at, moment_at, object_of, optional_text, text_at


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What the host says about a repository.

    **Shapes**: ``archived`` is ``None`` where the answer does not say; ``moved_to`` is its present
    name where that is another one than was asked for, else blank.
    """

    full_name: str
    moved_to: str
    archived: bool | None
    default_branch: str
    pushed_at: datetime | None
    url: str


def read_repository(value: Any, *, asked: str, url: str) -> RepositoryState:
    """The state of the repository that was asked for by name.

    **Raises**: ``UnexpectedPage``.
    """
    entry = object_of(value, url=url, what="a repository")
    name = text_at(entry, "full_name", url=url)
    return RepositoryState(
        full_name=name,
        moved_to=name if name.casefold() != asked.casefold() else "",
        archived=flag_at(entry, "archived"),
        default_branch=optional_text(entry, "default_branch"),
        pushed_at=moment_at(entry, "pushed_at", url=url),
        url=optional_text(entry, "html_url"),
    )
