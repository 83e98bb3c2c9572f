"""Which upstream release a plug-in or fork follows on a day, and how far that is behind."""

from dataclasses import dataclass
from datetime import date

from matrix.domain.catalogue import Catalogue
from matrix.domain.versions import ReleaseHistory

_STABLE_LINES = frozenset({"stable", "post"})


@dataclass(frozen=True, slots=True)
class Following:
    """Which upstream release a stack follows, and how far that is behind.

    **Shapes**: ``version`` is the stack's newest release for which the pairing is known, and
    ``is_newest`` whether that is its newest at all. **Units**: whole days between the publication
    of the followed release and of the upstream's newest stable one; stable releases in between.
    """

    upstream: str
    version: str
    is_newest: bool
    follows: str
    follows_on: date | None
    newest: str
    newest_on: date
    days_behind: int | None
    releases_behind: int | None


def upstream_followed(catalogue: Catalogue, slug: str, *, as_of: date) -> Following | None:
    """Which upstream release the stack follows on a day; ``None`` for an engine of its own."""
    parent = catalogue.area("framework")[slug].parent
    upstream = catalogue.histories.get(parent) if parent else None
    latest = upstream.latest_rank(as_of=as_of) if upstream else None
    if parent is None or upstream is None or latest is None:
        return None
    history = catalogue.histories[slug]
    pairs = catalogue.upstreams.get(slug, {})
    own = history.latest_rank(as_of=as_of)
    paired = [
        rank
        for rank, release in enumerate(history.releases)
        if release.version in pairs and release.released_on <= as_of and not release.yanked
    ]
    newest = upstream.releases[latest]
    if not paired:
        return Following(
            parent, "", False, "", None, newest.version, newest.released_on, None, None
        )
    rank = own if own in paired else paired[-1]
    release = history.releases[rank]
    follows = pairs[release.version]
    position = upstream.find_rank(follows)
    return Following(
        upstream=parent,
        version=release.version,
        is_newest=rank == own,
        follows=follows,
        follows_on=None if position is None else upstream.releases[position].released_on,
        newest=newest.version,
        newest_on=newest.released_on,
        days_behind=None
        if position is None
        else max(0, (newest.released_on - upstream.releases[position].released_on).days),
        releases_behind=None
        if position is None
        else _stable_between(upstream, position, latest, as_of=as_of),
    )


def _stable_between(history: ReleaseHistory, after: int, up_to: int, *, as_of: date) -> int:
    """Stable releases above one position, up to and with another one."""
    return sum(
        release.line in _STABLE_LINES and not release.yanked and release.released_on <= as_of
        for release in history.releases[after + 1 : up_to + 1]
    )
