"""The list of releases of a code host."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.domain.tag_names import FINISHED_LINES, RC, name_tag
from ingest.sources.json_answers import flag_at, list_of, moment_at, optional_text, text_at


@dataclass(frozen=True, slots=True)
class HostRelease:
    """One published release.

    **Shapes**: ``line`` is the tag's, or that of candidates while the host flags a release of a
    finished line as a prerelease (``flagged``).
    **Dates**: ``published_at`` is the host's moment of publication; the moment of creation is the
    commit's and says nothing about it.
    """

    tag: str
    version: str
    line: str
    published_at: datetime
    flagged: bool
    url: str


def read_releases(value: Any, *, framework: str, url: str) -> tuple[HostRelease, ...]:
    """The releases whose tags name a version of the framework; drafts are nobody's release.

    **Raises**: ``UnexpectedPage``.
    """
    found = []
    for entry in list_of(value, url=url, what="releases"):
        tag = text_at(entry, "tag_name", url=url)
        published = moment_at(entry, "published_at", "created_at", url=url)
        if flag_at(entry, "draft") or published is None:
            continue
        named = name_tag(framework, tag, published=published.date())
        if named is None:
            continue
        flagged = flag_at(entry, "prerelease") is True
        found.append(
            HostRelease(
                tag=tag,
                version=named.version,
                line=RC if flagged and named.line in FINISHED_LINES else named.line,
                published_at=published,
                flagged=flagged,
                url=optional_text(entry, "html_url"),
            )
        )
    return tuple(found)
