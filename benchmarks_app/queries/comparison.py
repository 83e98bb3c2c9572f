"""Compares chosen runs: what they have in common, their values against a baseline, their SLOs."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks_app.domain.comparability import (
    Barrier,
    ComparedVariable,
    barriers_of_pair,
    compare_fingerprints,
)
from benchmarks_app.domain.comparison import ComparisonRow, compare_runs, wanted_of
from benchmarks_app.domain.open_settings import compare_settings
from benchmarks_app.domain.run_view import SampledRun
from benchmarks_app.domain.slo import Attainment, Thresholds, attain
from benchmarks_app.models import Run
from benchmarks_app.queries.chosen import content_digest
from benchmarks_app.queries.runs import sampled_runs
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

RANKS = ("p50", "p90", "p95", "p99")
# Twice as many would move the ends of an interval by less than a hundredth of its width.
DRAWS = 1000
# What changes along a load curve; a comparison may declare that this is what it is about.
LOAD_VARIABLES = (
    "load.max_concurrency", "load.request_rate", "load.request_rate_unbounded", "load.batch_size",
    "load.burstiness",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Between:
    """What stands between a run and the baseline for one metric."""

    metric: str
    uid: str
    barrier: Barrier


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs beside each other.

    **Shapes**: ``runs``, ``sampled`` and the cells of each row are in one order; ``baseline`` is
    an index into it. ``attainments`` is empty where no threshold was asked for.
    """

    runs: Sequence[Run]
    sampled: Sequence[SampledRun]
    baseline: int
    varied: tuple[str, ...]
    variables: Sequence[ComparedVariable]
    between: Sequence[Between]
    rows: Sequence[ComparisonRow]
    attainments: Sequence[Attainment]
    digest: str

    def value(self, metric: str, stat: str, number: int) -> float | None:
        """One run's value of a statistic; ``None`` where it has none."""
        for row in self.rows:
            if row.metric == metric and row.stat == stat:
                return row.cells[number].value
        return None


def build_comparison(
    runs: Sequence[Run],
    *,
    baseline: str = "",
    thresholds: Thresholds | None = None,
    share: float = 0.95,
    load_varies: bool = False,
) -> Comparison:
    """The comparison of two or more runs.

    **Units**: ``share`` from 0 to 1. **Queries**: 2, whatever the number of runs and samples.
    **Raises**: ``InvalidValue`` for a baseline that is none of the runs.
    """
    place = _place_of(baseline, runs)
    varied = LOAD_VARIABLES if load_varies else ()
    sampled = sampled_runs(runs)
    views = [one.view for one in sampled]
    wanted = wanted_of(sampled, ranks=RANKS)
    rows = compare_runs(sampled, wanted=wanted, baseline=place, varied=varied, draws=DRAWS)
    asked = thresholds or Thresholds()
    return Comparison(
        runs=runs,
        sampled=sampled,
        baseline=place,
        varied=varied,
        variables=(*compare_fingerprints(views, varied=varied), *compare_settings(views)),
        between=_between(sampled, place, varied, list(dict.fromkeys(m for m, _stat in wanted))),
        rows=rows,
        attainments=(
            [attain(one, asked, rank=share * 100.0) for one in sampled] if asked.asked else ()
        ),
        digest=content_digest(runs),
    )


def _place_of(baseline: str, runs: Sequence[Run]) -> int:
    if not baseline:
        return 0
    for number, run in enumerate(runs):
        if run.uid == baseline:
            return number
    raise InvalidValue(
        name="baseline",
        value=baseline[:40],
        accepted=Phrase("the identifier of one of the compared runs"),
    )


def _between(
    sampled: Sequence[SampledRun], place: int, varied: Sequence[str], metrics: Sequence[str]
) -> list[Between]:
    views = [one.view for one in sampled]
    others = [view for number, view in enumerate(views) if number != place]
    pairs = [
        (view.uid, barriers_of_pair(metrics, views[place], view, varied=varied)) for view in others
    ]
    return [
        Between(metric, uid, barrier)
        for metric in metrics
        for uid, between in pairs
        for barrier in between[metric]
    ]
