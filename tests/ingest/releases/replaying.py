"""Plays the real release dates of the catalogue to a code host, and polls it as time goes by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ingest.domain.feeds.code_hosts import CODE_HOST_FEEDS
from ingest.domain.tag_names import name_tag
from ingest.fetching.policy import FetchPolicy
from ingest.fetching.session import FetchSession
from ingest.services.polling import poll_feed
from matrix.domain.catalogue import Catalogue
from matrix.domain.versions import Release
from matrix.models import Framework
from matrix.models import Release as ReleaseRow
from tests.ingest.releases.dated_host import DatedHost, Published, host_feed

_EPOCH = datetime(2020, 1, 1, 0, 17, tzinfo=UTC)
# A commit without a tag was never published by a code host.
_UNPUBLISHED = ("commit",)


@dataclass
class Replay:
    """What the replay of one framework gave.

    **Units**: ``lags`` from publication to the poll after which the release was on record.
    """

    framework: str
    cadence: timedelta
    lags: dict[str, timedelta] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    polls: int = 0
    idle_polls: int = 0
    idle_not_modified: int = 0

    @property
    def late(self) -> list[str]:
        """Releases that a poll after their publication did not see."""
        return [version for version, lag in self.lags.items() if lag > self.cadence]


def publications(framework: str, releases: Iterable[Release]) -> list[tuple[Release, Published]]:
    """What a code host would have listed, by date; untagged rows of an index get the usual tag."""
    found = []
    for release in sorted(releases, key=lambda r: r.released_at):
        tag = release.tag or f"v{release.version}"
        if release.line in _UNPUBLISHED or name_tag(framework, tag) is None:
            continue
        found.append((release, Published(tag=tag, at=release.released_at)))
    return found


def cadence_of(framework: str) -> timedelta:
    """The cadence of the framework's real feed, that of daily ones for a framework without."""
    name = f"{framework}-code-host"
    found = [feed.cadence for feed in CODE_HOST_FEEDS if feed.name == name]
    return found[0] if found else timedelta(days=1)


def add_frameworks(catalogue: Catalogue) -> None:
    """Rows of the frameworks and nothing else, as before anything was known."""
    Framework.objects.bulk_create(
        Framework(slug=node.slug, name=node.name, kind=node.kind,
                  facts={"version_scheme": node.facts.get("version_scheme", "pep440")})
        for node in catalogue.area("framework").values()
    )  # fmt: skip


def replay(host: DatedHost, framework: str, listed: Sequence[tuple[Release, Published]]) -> Replay:
    """Polls at the cadence; of the polls between publications only some are made, to see that
    nothing is asked in full or written then."""
    cadence = cadence_of(framework)
    repository = f"replay/{framework}"
    host.published[repository] = [published for _, published in listed]
    feed = host_feed(host.url, framework, repository, cadence=cadence)
    session = FetchSession(
        policy=FetchPolicy(loopback=True, idle_seconds=30.0), clock=lambda: host.now
    )
    found = Replay(framework=framework, cadence=cadence)
    wanted = {release.version: release for release, _ in listed}
    moments = sorted({_next_poll(published.at, cadence) for _, published in listed})
    for number, moment in enumerate(moments):
        host.now = moment
        poll_feed(feed, fetcher=session.fetch, now=moment)
        found.polls += 1
        _note_seen(found, wanted, moment)
        following = moments[number + 1] if number + 1 < len(moments) else None
        if number % 25 == 0 and (following is None or moment + cadence < following):
            _poll_idle(found, host, feed_now=moment + cadence, poll=lambda now: poll_feed(
                feed, fetcher=session.fetch, now=now).changed)  # fmt: skip
    found.missed = sorted(set(wanted) - set(found.lags))
    return found


def _poll_idle(found: Replay, host: DatedHost, *, feed_now: datetime, poll: object) -> None:
    assert callable(poll)
    host.now = feed_now
    before = host.not_modified
    changed = poll(feed_now)
    found.idle_polls += 1
    found.idle_not_modified += (not changed) and host.not_modified > before


def _next_poll(moment: datetime, cadence: timedelta) -> datetime:
    """The first poll of the grid at or after a moment."""
    return _EPOCH + -(-(moment - _EPOCH) // cadence) * cadence


def _note_seen(found: Replay, wanted: dict[str, Release], moment: datetime) -> None:
    """Notes what is on record now and was not before, and whether its date and line are right."""
    rows = ReleaseRow.objects.filter(framework__slug=found.framework)
    for version, released_at, line in rows.values_list("version", "released_at", "line"):
        release = wanted.get(version)
        if release is None:
            if f"{version}: not in the catalogue" not in found.wrong:
                found.wrong.append(f"{version}: not in the catalogue")
        elif version not in found.lags:
            found.lags[version] = moment - release.released_at
            if (released_at, line) != (release.released_at, release.line):
                found.wrong.append(f"{version}: {released_at} {line}")
