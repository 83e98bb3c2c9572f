"""What code hosts, image registries and files of releases say about published versions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class PublishedRelease:
    """One version that a code host lists.

    **Shapes**: ``commit`` and ``url`` are blank where the list does not say them; ``flagged`` is
    the host's own mark of a prerelease.
    """

    framework: str
    version: str
    line: str
    released_at: datetime
    tag: str
    commit: str = ""
    url: str = ""
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class PublishedImage:
    """One image of a release; ``pushed_at`` is ``None`` where the registry does not say."""

    framework: str
    version: str
    repository: str
    tag: str
    digest: str
    variant: str = ""
    platforms: tuple[str, ...] = ()
    pushed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StatedPin:
    """One requirement that a file of a release states, with its place."""

    framework: str
    version: str
    name: str
    status: str
    value: str
    source: str
    statement: str
    path: str = ""
    url: str = ""
    locator: Mapping[str, Any] = field(default_factory=dict)
    snapshot_sha256: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """What the code host last said about a framework's repository.

    **Shapes**: ``archived`` is ``None`` where it did not say.
    **Dates**: ``seen_at`` is when it said so; a push after that is not known here.
    """

    name: str
    full_name: str
    url: str
    archived: bool | None
    pushed_at: datetime | None
    seen_at: datetime
    default_branch: str = ""
    snapshot_sha256: str = ""

    @property
    def moved(self) -> bool:
        """Whether it goes by another name than the catalogue's."""
        return self.name.casefold() != self.full_name.casefold()
