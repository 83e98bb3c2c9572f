"""At which release and on which day a captured text speaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from matrix.domain.catalogue import Catalogue, Placement
from matrix.domain.versions import Release, ReleaseHistory


@dataclass
class Placer:
    """Finds the release at which a captured label is observed."""

    framework: str
    history: ReleaseHistory
    placements: Mapping[str, Placement]
    by_commit: dict[str, Release] = field(default_factory=dict)

    def place(
        self, label: str, tag: str | None, commit: str, day: date | None
    ) -> tuple[str, date | None]:
        """The release and the day the page speaks for; an empty release when neither is known."""
        for name in (tag, label):
            if name and (release := self.history.find(name)):
                return release.version, day or release.released_on
        if release := self.by_commit.get(commit[:9]):
            return release.version, day or release.released_on
        placement = self.placements.get(label)
        if placement is not None:
            return self._place_by_bracket(placement)
        if day is not None:
            rank = self.history.latest_rank(as_of=day)
            if rank is not None:
                return self.history.releases[rank].version, day
        return "", day

    def _place_by_bracket(self, placement: Placement) -> tuple[str, date | None]:
        """The upper end of the bracket: the first release known to hold the text."""
        day = placement.stated_on
        exact = placement.placed == "exact"
        name = placement.release if exact else placement.before
        release = self.history.find(name) if name else None
        if release is None and day is not None:
            published = [r for r in self.history.releases if r.released_on <= day]
            release = published[-1] if published else None
        if release is None:
            return "", day
        return release.version, max(day, release.released_on) if day else release.released_on


def build_placer(framework: str, catalogue: Catalogue) -> Placer:
    """The placer of one framework's captures."""
    history = catalogue.histories.get(framework) or ReleaseHistory(framework, ())
    return Placer(
        framework=framework,
        history=history,
        placements=_trusted_placements(catalogue, framework),
        by_commit={r.commit[:9]: r for r in history.releases if r.commit},
    )


def _trusted_placements(catalogue: Catalogue, framework: str) -> dict[str, Placement]:
    """Placements by label; text of an open pull request is no statement of any release."""
    return {
        p.label: p
        for p in catalogue.placements
        if p.framework == framework and p.trust != "pull-request"
    }
