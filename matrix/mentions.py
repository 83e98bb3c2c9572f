"""What the claims of each framework name: nodes, releases and sources, once per revision."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from matrix.domain.claims import Claim
from matrix.index import Knowledge


@dataclass(slots=True)
class SourceSeen:
    """One source of a framework. **Dates**: ``newest`` is the newest day that it spoke for."""

    name: str
    claims: int = 0
    newest: date = date.min
    newest_release: str = ""


@dataclass(slots=True)
class Mentions:
    """What the standing claims of one framework name.

    **Shapes**: ``nodes`` counts claims per axis (``feature`` among them) and slug; ``releases``
    are the versions at which anything was observed.
    """

    claims: int = 0
    nodes: dict[str, Counter[str]] = field(default_factory=dict)
    releases: set[str] = field(default_factory=set)
    sources: dict[str, SourceSeen] = field(default_factory=dict)

    @property
    def newest(self) -> date | None:
        """The newest day any source spoke for."""
        return max((s.newest for s in self.sources.values()), default=None)

    def add(self, claim: Claim) -> None:
        """Counts one claim."""
        self.claims += 1
        for axis, nodes in claim.scope.nodes.items():
            self.nodes.setdefault(axis.value, Counter()).update(nodes.include)
        if claim.scope.features:
            self.nodes.setdefault("feature", Counter()).update(claim.scope.features)
        source = self.sources.setdefault(claim.source, SourceSeen(claim.source))
        source.claims += 1
        for seen in claim.observations:
            self.releases.add(seen.release)
            if seen.stated_on > source.newest:
                source.newest, source.newest_release = seen.stated_on, seen.release


EMPTY = Mentions()


# The knowledge itself is kept beside what was found in it, so that its identity stays its own.
_held: tuple[Knowledge, Mapping[str, Mentions]] | None = None


def mentions_of(knowledge: Knowledge) -> Mapping[str, Mentions]:
    """Per framework what its claims name; computed once per knowledge revision."""
    global _held
    held = _held
    if held is not None and held[0] is knowledge:
        return held[1]
    found: dict[str, Mentions] = {}
    for claim in knowledge.index.claims():
        if claim.superseded_at is None and claim.withdrawn_at is None:
            found.setdefault(claim.framework, Mentions()).add(claim)
    _held = (knowledge, found)
    return found
