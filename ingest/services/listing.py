"""What a poll asks for: versions of a framework, and the files of a version that rules read."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.contract import Source
from ingest.domain.feeds.feed import Feed
from ingest.services.outcomes import matching_rules
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.domain.versions import Release, ReleaseHistory


class UnusableListing(Exception):
    """A listing of files that cannot be used; the poll fails and nothing changes."""

    code = "unusable-listing"
    hopeless = True

    def __init__(self, url: str, seen: str) -> None:
        self.facts = {"url": url, "seen": seen}
        super().__init__(
            f"The listing at {url} is {seen}; accepted: an object whose tree lists every file."
        )


@dataclass(frozen=True, slots=True)
class Target:
    """One version to take: its label, and the reference under which its files lie."""

    label: str
    ref: str
    tag: str = ""
    commit: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of a listing and the name that git gives to its content."""

    path: str
    blob: str


def target_of(feed: Feed, release: Release) -> Target | None:
    """What to fetch for a release; ``None`` for one without commit and tag."""
    tag, commit = release.tag or "", release.commit or ""
    if not tag and not commit:
        return None
    label = feed.label.format_map({"version": release.version, "tag": tag or release.version})
    return Target(label=label, ref=commit or tag, tag=tag, commit=commit, version=release.version)


def releases_to_poll(feed: Feed, history: ReleaseHistory, done: Iterable[str]) -> list[Release]:
    """Releases newer than the newest one taken, and that one again: its tag may have moved.

    Before anything was taken it is the newest release alone; the others are a back-fill.
    """
    counted = [r for r in history.releases if counts(feed, r)]
    if not counted:
        return []
    ranks = [rank for version in done if (rank := history.find_rank(version)) is not None]
    if not ranks:
        return counted[-1:]
    newest = max(ranks)
    return [r for r in counted if history.rank(r.version) >= newest]


def releases_between(
    feed: Feed, history: ReleaseHistory, *, since: str, until: str
) -> list[Release]:
    """The releases of a span, oldest first, both ends included.

    **Raises**: ``UnknownVersion`` for an end that is no known release and no beginning of one,
    ``InvalidValue`` for a span that ends before it begins.
    """
    counted = [r for r in history.releases if counts(feed, r)]
    first = _first_rank(history, since) if since else 0
    last = _last_rank(history, until) if until else len(history.releases)
    if last < first:
        raise InvalidValue(
            name="until", value=until, accepted=Phrase("a release from {since} on", since=since)
        )
    return [r for r in counted if first <= history.rank(r.version) <= last]


def _first_rank(history: ReleaseHistory, since: str) -> int:
    """The rank of a version, or of the first that begins with it ("0.6" → 0.6.0)."""
    exact = history.find_rank(since)
    if exact is not None:
        return exact
    bare = since.lstrip("v")
    for rank, release in enumerate(history.releases):
        if release.version.startswith(f"{bare}."):
            return rank
    return history.rank(since)


def _last_rank(history: ReleaseHistory, until: str) -> int:
    """The rank of a version, or of the last that begins with it ("0.6" → 0.6.6)."""
    exact = history.find_rank(until)
    if exact is not None:
        return exact
    bare = until.lstrip("v")
    begun = [r for r, one in enumerate(history.releases) if one.version.startswith(f"{bare}.")]
    return begun[-1] if begun else history.rank(until)


def counts(feed: Feed, release: Release) -> bool:
    """Whether a release is on a line that the feed follows and still published."""
    return release.line in feed.lines and not release.yanked


def files_in(listing: bytes, *, url: str, sources: Sequence[Source]) -> list[ListedFile]:
    """The files of a tree listing that some rule of the sources reads, by path.

    **Raises**: ``UnusableListing``.
    """
    tree = _tree(listing, url=url)
    found = []
    for entry in tree:
        if not isinstance(entry, dict) or entry.get("type") != "blob":
            continue
        path, blob = str(entry.get("path", "")), str(entry.get("sha", ""))
        if path and matching_rules(sources, path):
            found.append(ListedFile(path=path, blob=blob))
    return sorted(found, key=lambda file: file.path)


def _tree(listing: bytes, *, url: str) -> Sequence[Any]:
    try:
        value = json.loads(listing)
    except ValueError as error:
        raise UnusableListing(url, f"no JSON ({error})") from error
    if not isinstance(value, dict) or not isinstance(value.get("tree"), list):
        raise UnusableListing(url, "without a tree")
    if value.get("truncated"):
        raise UnusableListing(url, "cut off by the server")
    return list(value["tree"])


def commit_in(answer: bytes, *, url: str) -> tuple[str, str]:
    """Hash and moment of the newest commit of a branch.

    **Raises**: ``UnusableListing``.
    """
    try:
        value = json.loads(answer)
        sha = str(value["sha"])
        moment = str(value["commit"]["committer"]["date"])
    except (ValueError, KeyError, TypeError) as error:
        raise UnusableListing(url, f"no commit ({error})") from error
    return sha, moment
