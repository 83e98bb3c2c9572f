"""Releases of one framework: order, nearest names, and which one "latest" is on a date."""

import bisect
import difflib
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from packaging.version import InvalidVersion, Version

from matrix.domain.errors import NotReleasedYet, UnknownVersion

LATEST = "latest"
STABLE_LINE = "stable"
# A post release repairs a stable one and takes its place as the newest.
_LATEST_LINES = frozenset({STABLE_LINE, "post"})
_LEADING_V = re.compile(r"^v(?=\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Release:
    """One published version on a release line.

    **Dates**: ``released_at`` is the publication time (aware, UTC).
    """

    framework: str
    version: str
    released_at: datetime
    line: str = STABLE_LINE
    commit: str | None = None
    tag: str | None = None
    yanked: bool = False

    @property
    def released_on(self) -> date:
        """The UTC day of publication."""
        return self.released_at.date()


def normalise_version(text: str) -> str:
    """The version without blanks, a leading ``v`` and a local part (``0.26.0+rocm723``)."""
    bare = _LEADING_V.sub("", text.strip())
    return bare.split("+", 1)[0].lower()


def _parsed(version: str) -> Version | None:
    try:
        return Version(normalise_version(version))
    except InvalidVersion:
        return None


def order_releases(releases: Iterable[Release], *, scheme: str) -> list[Release]:
    """Releases in their own order: by PEP 440 version, or by date where versions do not compare.

    llama.cpp changed its scheme (``b5308`` → ``v0.5.0``), so ``build-number`` orders by date.
    """
    if scheme in {"pep440", "semver-tag", "semver"}:
        # An unparsable version sorts by date among the rest by taking the key of the newest
        # parsable release published before it.
        known = sorted(releases, key=lambda r: (r.released_at, r.version))
        keyed: list[tuple[Version, datetime, Release]] = []
        newest = Version("0")
        for release in known:
            parsed = _parsed(release.version)
            newest = newest if parsed is None else parsed
            keyed.append((parsed or newest, release.released_at, release))
        return [item[2] for item in sorted(keyed, key=lambda k: (k[0], k[1], k[2].version))]
    return sorted(releases, key=lambda r: (r.released_at, r.version))


@dataclass(frozen=True)
class ReleaseHistory:
    """The ordered releases of one framework; ``rank`` is a position in this order.

    **Shapes**: ``releases`` is ordered by ``order_releases``; ``release_days`` are the ordinals of
    their publication days.
    """

    framework: str
    releases: tuple[Release, ...]
    accepted: str = ""
    _ranks: dict[str, int] = field(init=False, repr=False, compare=False)
    release_days: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _days: list[date] = field(init=False, repr=False, compare=False)
    _latest: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ranks: dict[str, int] = {}
        for rank, release in enumerate(self.releases):
            for name in (release.version, release.tag or release.version):
                ranks.setdefault(normalise_version(name), rank)
        for rank, release in enumerate(self.releases):
            # The exact spelling too, so that the common look-up needs no normalising.
            ranks.setdefault(release.version, rank)
        object.__setattr__(self, "_ranks", ranks)
        kept = [pair for pair in enumerate(self.releases) if not pair[1].yanked]
        # Some projects publish commits or candidates only; the newest of those is their latest.
        lasting = [pair for pair in kept if pair[1].line in _LATEST_LINES] or kept
        stable = sorted((release.released_on, rank) for rank, release in lasting)
        days = tuple(release.released_on.toordinal() for release in self.releases)
        object.__setattr__(self, "release_days", days)
        # Parallel: the publication days, and the highest rank published by each of them.
        object.__setattr__(self, "_days", [day for day, _ in stable])
        highest = itertools.accumulate((rank for _, rank in stable), max)
        object.__setattr__(self, "_latest", list(highest))

    def rank(self, version: str) -> int:
        """The position of a version.

        **Raises**: ``UnknownVersion`` with the nearest known versions.
        """
        found = self.find_rank(version)
        if found is None:
            raise UnknownVersion(
                framework=self.framework,
                value=version,
                nearest=self.nearest(version),
                accepted=self.accepted,
            )
        return found

    def find_rank(self, version: str) -> int | None:
        """The position of a version, or ``None``."""
        found = self._ranks.get(version)
        return self._ranks.get(normalise_version(version)) if found is None else found

    def find(self, version: str) -> Release | None:
        """The release of that version, or ``None``."""
        found = self.find_rank(version)
        return None if found is None else self.releases[found]

    def nearest(self, version: str, *, limit: int = 5) -> tuple[str, ...]:
        """Known versions close to the text: neighbours in order, then similar spellings."""
        parsed = _parsed(version)
        if parsed is not None:
            near = sorted(
                (r.version for r in self.releases if _parsed(r.version) is not None),
                key=lambda v: _distance(_parsed(v), parsed),
            )
            return tuple(near[:limit])
        names = [release.version for release in self.releases]
        return tuple(difflib.get_close_matches(version, names, n=limit, cutoff=0.4))

    def latest_rank(self, *, as_of: date) -> int | None:
        """The newest stable release on a date: the highest of those published by then.

        Of a project without stable releases it is the highest of any kind.

        **Dates**: compares publication days with ``as_of``, both UTC.
        """
        published = bisect.bisect_right(self._days, as_of)
        return self._latest[published - 1] if published else None

    def asked_rank(self, version: str | None, *, as_of: date) -> int | None:
        """The rank of the asked version, or of the newest stable one when none is named.

        **Raises**: ``UnknownVersion``; ``NotReleasedYet`` for a version published after ``as_of``.
        """
        if version is None or version == LATEST:
            return self.latest_rank(as_of=as_of)
        rank = self.rank(version)
        release = self.releases[rank]
        if release.released_on > as_of:
            raise NotReleasedYet(
                framework=self.framework,
                value=release.version,
                released_on=release.released_on.isoformat(),
                as_of=as_of.isoformat(),
            )
        return rank


def _distance(left: Version | None, right: Version) -> tuple[int, ...]:
    if left is None:
        return (10**6,)
    pairs = zip(_padded(left), _padded(right), strict=True)
    return tuple(abs(a - b) for a, b in pairs)


def _padded(version: Version) -> tuple[int, ...]:
    release = (*version.release, 0, 0, 0, 0)[:4]
    return (*release, version.post or 0)


EMPTY_HISTORIES: Mapping[str, ReleaseHistory] = {}
