"""What was measured, for the apps further in: the functions that the settings name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from django.urls import reverse

from benchmarks_app.contract import Measurement
from benchmarks_app.domain.levels import RunClass, RunStatus
from benchmarks_app.domain.metrics import METRICS, Unit
from benchmarks_app.domain.throughput import (
    Answer,
    best_of,
    has_asked_lengths,
    is_performance,
    marks_of_misses,
    why_not_asked,
)
from benchmarks_app.models import Measurement as MeasurementRow
from benchmarks_app.models import Run, SampleSet
from benchmarks_app.pages.distance import distance_words
from benchmarks_app.pages.run_words import load_words
from benchmarks_app.queries.cell_runs import CellRun, judge_runs, runs_on_cell
from benchmarks_app.queries.near_runs import runs_near
from benchmarks_app.queries.run_list import HEADLINES
from benchmarks_app.queries.runs import measurements_of
from matrix.domain.coordinates import Cell
from matrix.domain.measured import MeasuredRun, Slo, SloThroughput
from matrix.index import current_knowledge

REFERENCE = "benchmarks:run:"
PEAK_MEMORY = "peak_gpu_memory"
MOST_PEAKS = 200
STATS = ("value", "mean", "p50", "p90", "p95", "p99")
_UNIT_NAMES: Mapping[Unit, str] = {
    Unit.BYTES: "bytes",
    Unit.MILLISECONDS: "ms",
    Unit.SECONDS: "s",
    Unit.REQUESTS_PER_SECOND: "req_s",
    Unit.TOKENS_PER_SECOND: "tok_s",
    Unit.TOKENS_PER_SECOND_PER_GPU: "tok_s_per_gpu",
    Unit.TOKENS_PER_SECOND_PER_USER: "tok_s_per_user",
}


def runs_of_cell(
    cell: Cell,
    *,
    version: str | None,
    most: int = 8,
    known_at: datetime | None = None,
    as_of: date | None = None,
) -> Sequence[MeasuredRun]:
    """Runs on the cell first, then near ones. **Queries**: 4; 0 for a cell that names too little.

    ``version`` is the release asked about; without one no run is on the cell itself.
    """
    catalogue = current_knowledge().catalogue
    asked = version or cell.version or ""
    near = runs_near(cell, catalogue, version=asked, most=most, known_at=known_at, as_of=as_of)
    values = _values([one.run for one in near])
    return [
        replace(value, is_exact=one.is_exact, distance=distance_words(one))
        for one, value in zip(near, values, strict=True)
    ]


def throughput_of_cell(
    cell: Cell,
    slo: Slo,
    *,
    version: str | None,
    known_at: datetime | None = None,
    as_of: date | None = None,
) -> SloThroughput:
    """The best throughput that runs on the cell itself reached while meeting the SLO.

    ``version`` is the release asked about; without one nothing was measured on the cell.
    **Queries**: 1 to 5. **Raises**: ``InvalidValue`` for a limit that is no latency.
    """
    catalogue = current_knowledge().catalogue
    asked = version or cell.version or ""
    found = runs_on_cell(cell, catalogue, version=asked, known_at=known_at, as_of=as_of)
    kept, why = why_not_asked([one.candidate for one in found], slo)
    if why:
        return SloThroughput(why_unknown=why)
    by_uid = {one.candidate.view.uid: one for one in found}
    able = [by_uid[candidate.view.uid] for candidate in kept]
    judged = judge_runs(able, slo)
    answer = best_of(judged)
    if answer.best is None:
        missed = [one.candidate for one in judged if one.why == "slo-not-met"]
        return SloThroughput(
            why_unknown=answer.why_unknown, marks=tuple(marks_of_misses(missed, slo))
        )
    best = answer.best
    runs = [by_uid[one.candidate.view.uid].run for one in answer.like]
    return SloThroughput(
        output_tok_s=best.rates.output_tok_s,
        total_tok_s=best.rates.total_tok_s,
        goodput_req_s=best.goodput_req_s,
        attained_share=best.attained_share,
        low_output_tok_s=answer.low_output_tok_s,
        high_output_tok_s=answer.high_output_tok_s,
        interval_of=answer.interval_of,
        hardware=best.candidate.hardware,
        hardware_count=best.candidate.hardware_count,
        runs=tuple(replace(one, is_exact=True) for one in _values(runs)),
        marks=tuple(_marks(by_uid[best.candidate.view.uid], answer, cell, slo)),
    )


def runs_of_references(references: Sequence[str]) -> Sequence[MeasuredRun]:
    """The public runs of references, in their order, as they stand now. **Queries**: 3."""
    uids = [one.removeprefix(REFERENCE) for one in references if one.startswith(REFERENCE)]
    rows = {run.uid: run for run in Run.objects.public().filter(uid__in=uids)}
    return _values([rows[uid] for uid in dict.fromkeys(uids) if uid in rows])


def runs_with_peak_memory() -> Sequence[MeasuredRun]:
    """Public runs that state the peak of their device memory, newest first. **Queries**: 3."""
    stated = MeasurementRow.objects.filter(metric=PEAK_MEMORY).values("run_id")
    newest = Run.objects.public().filter(pk__in=stated).order_by("-published_at", "pk")
    return _values(list(newest[:MOST_PEAKS]))


def _marks(best: CellRun, answer: Answer, cell: Cell, slo: Slo) -> list[str]:
    load = best.candidate.view.load
    marks = {
        "load-own-terms": not slo.asks_latency,
        "length-unknown": has_asked_lengths(best.candidate, slo) is None,
        "other-concurrency": slo.concurrency is not None
        and load.max_concurrency != slo.concurrency,
        "features-not-stated": bool(cell.features),
        "some-runs-missed": answer.some_missed,
    }
    return [code for code, holds in marks.items() if holds]


def _values(runs: Sequence[Run]) -> list[MeasuredRun]:
    """The runs as values, with what says most of each. **Queries**: 2, none for no run."""
    if not runs:
        return []
    ids = [run.pk for run in runs]
    measured = measurements_of(ids)
    sampled = set(SampleSet.objects.filter(run_id__in=ids).values_list("run_id", flat=True))
    return [_value(run, measured.get(run.pk, ()), has_samples=run.pk in sampled) for run in runs]


def _value(run: Run, measurements: Sequence[Measurement], *, has_samples: bool) -> MeasuredRun:
    codes = [str(notice.get("code")) for notice in run.notices]
    return MeasuredRun(
        reference=f"{REFERENCE}{run.uid}",
        digest=run.digest,
        label=run.label or run.uid,
        url=reverse("benchmark-run", args=[run.uid]),
        framework=run.framework,
        version=run.framework_version,
        model=run.model,
        quantization=run.quantization,
        hardware=run.hardware,
        hardware_count=run.hardware_count or None,
        run_class=run.run_class,
        status=run.status,
        is_performance=is_performance(RunClass(run.run_class), RunStatus(run.status), codes),
        is_exact=False,
        measured_on=run.measured_on or (run.measured_at.date() if run.measured_at else None),
        published_on=run.published_at.date() if run.published_at else None,
        load=", ".join(load_words(run)),
        grade=run.grade,
        metrics=_metrics(measurements),
        has_samples=has_samples,
        state=run.state,
    )


def _metrics(measurements: Sequence[Measurement]) -> dict[str, float]:
    """The values that say most, by name with statistic and unit; the first of a name stays."""
    found: dict[str, float] = {}
    for one in measurements:
        metric = METRICS.get(one.metric)
        if metric is None or metric.unit not in _UNIT_NAMES:
            continue
        if one.metric not in (*HEADLINES, PEAK_MEMORY):
            continue
        for stat in STATS:
            if stat in one.stats:
                name = one.metric if stat == "value" else f"{one.metric}_{stat}"
                found.setdefault(f"{name}_{_UNIT_NAMES[metric.unit]}", one.stats[stat])
    return found
