"""The bar over releases: what the same question answers at each release, as numbers for an SVG."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from matrix.asking import Question
from matrix.domain.versions import STABLE_LINE, Release
from matrix.index import Knowledge
from matrix.mentions import EMPTY, mentions_of
from matrix.pages.links import cell_url
from matrix.pages.words import LEVEL_SIGNS, Sign

MOST_SEGMENTS = 120


@dataclass(frozen=True, slots=True)
class Segment:
    """One release of the bar. **Units**: ``x`` and ``width`` in percent of the bar."""

    version: str
    released_on: date
    sign: Sign
    x: float
    width: float
    url: str
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring releases with the same answer. **Units**: ``middle`` in percent of the bar."""

    sign: Sign
    first: Segment
    last: Segment
    count: int

    @property
    def middle(self) -> float:
        """Where the sign of the run stands."""
        return round((self.first.x + self.last.x + self.last.width) / 2, 3)

    @property
    def shows_sign(self) -> bool:
        """Whether the run is wide enough for its sign."""
        return self.last.x + self.last.width - self.first.x >= 1.8


@dataclass(frozen=True, slots=True)
class Timeline:
    """The bar, its runs for the data table, and how many releases it leaves out."""

    segments: Sequence[Segment]
    runs: Sequence[Run]
    left_out: int


def build_timeline(knowledge: Knowledge, question: Question, *, asked: str | None) -> Timeline:
    """The answers at the framework's releases by the asked day, oldest first."""
    releases, left_out = _shown_releases(knowledge, question, asked)
    width = 100 / max(1, len(releases))
    segments = []
    for position, release in enumerate(releases):
        cell = replace(question.cell, version=release.version)
        verdict = knowledge.index.verdict_for(
            cell, as_of=question.as_of, known_at=question.known_at
        )
        segments.append(
            Segment(
                version=release.version,
                released_on=release.released_on,
                sign=LEVEL_SIGNS[verdict.level],
                x=round(position * width, 3),
                width=round(width, 3),
                url=cell_url(cell, as_of=question.as_of, known_at=question.known_at),
                is_asked=release.version == asked,
            )
        )
    return Timeline(segments=segments, runs=_runs(segments), left_out=left_out)


def _shown_releases(
    knowledge: Knowledge, question: Question, asked: str | None
) -> tuple[list[Release], int]:
    framework = question.cell.framework
    history = knowledge.catalogue.histories[framework]
    known = [r for r in history.releases if r.released_on <= question.as_of]
    observed = mentions_of(knowledge).get(framework, EMPTY).releases
    shown = [r for r in known if r.line == STABLE_LINE or r.version == asked]
    if len(shown) > MOST_SEGMENTS:
        shown = [r for r in known if r.version in observed or r.version == asked]
    # Every verdict takes time, and a narrower bar could not be read.
    if len(shown) > MOST_SEGMENTS:
        step = len(shown) / MOST_SEGMENTS
        kept = {int(number * step) for number in range(MOST_SEGMENTS)} | {len(shown) - 1}
        shown = [r for n, r in enumerate(shown) if n in kept or r.version == asked]
    return shown, len(known) - len(shown)


def _runs(segments: Sequence[Segment]) -> list[Run]:
    runs: list[Run] = []
    for segment in segments:
        if runs and runs[-1].sign is segment.sign:
            runs[-1] = replace(runs[-1], last=segment, count=runs[-1].count + 1)
        else:
            runs.append(Run(sign=segment.sign, first=segment, last=segment, count=1))
    return runs
