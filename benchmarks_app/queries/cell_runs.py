"""Runs on a cell itself as the rules of throughput take them, with their samples one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from benchmarks_app.contract import Samples
from benchmarks_app.domain.run_view import SampledRun
from benchmarks_app.domain.sample_codec import decode
from benchmarks_app.domain.throughput import Candidate, Judged, judge
from benchmarks_app.models import Run, SampleSet
from benchmarks_app.queries.near_runs import AXES, other_numbers
from benchmarks_app.queries.runs import measurements_of, run_view
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis
from matrix.domain.measured import Slo

MOST_CANDIDATES = 100
# A cell without one of these is a group of deployments, none of which has "the" throughput.
NEEDED = (Axis.MODEL, Axis.HARDWARE)


@dataclass(frozen=True, slots=True)
class CellRun:
    """A run on a cell and what the rules see of it."""

    run: Run
    candidate: Candidate


def runs_on_cell(
    cell: Cell,
    catalogue: Catalogue,
    *,
    version: str,
    known_at: datetime | None = None,
    as_of: date | None = None,
) -> list[CellRun]:
    """Standing runs on the cell itself, newest first: its nodes or below, its release, its count.

    With ``as_of`` those that were measured by that day.

    **Queries**: 2; none for a cell without model, hardware or release.
    """
    if not version or any(axis not in cell.nodes for axis in NEEDED):
        return []
    standing = Run.objects.standing(known_at).measured_by(as_of)
    rows = standing.filter(framework=cell.framework, framework_version=version)
    for axis in AXES:
        if axis in cell.nodes:
            slug = cell.nodes[axis]
            inside = {slug, *catalogue.trees.tree(axis).down(slug)}
            rows = rows.filter(**{f"{axis.value}__in": sorted(inside)})
    # A run of unknown count stays among them: its reason to be of no use is told.
    newest = rows.defer("unmapped", "withheld", "command", "failures", "missing")
    found = list(newest.order_by("-published_at", "-id")[:MOST_CANDIDATES])
    measured = measurements_of(run.pk for run in found)
    candidates = [CellRun(run, _candidate(run, measured.get(run.pk, ()))) for run in found]
    return [one for one in candidates if not other_numbers(one.run, cell)]


def _candidate(run: Run, measurements: Sequence[object]) -> Candidate:
    return Candidate(
        view=run_view(run, measurements),  # type: ignore[arg-type]
        hardware=run.hardware,
        hardware_count=run.hardware_count or None,
        model=run.model,
        quantization=run.quantization,
        input_tokens=run.input_tokens,
        output_tokens=run.output_tokens,
        notices=frozenset(str(notice.get("code")) for notice in run.notices),
    )


def judge_runs(runs: Sequence[CellRun], slo: Slo) -> list[Judged]:
    """How each run stands to the SLO. Samples are held one run at a time. **Queries**: 1."""
    by_id = {one.run.pk: one for one in runs}
    judged = {}
    for run_id, samples in _samples_of(by_id):
        one = by_id[run_id]
        judged[run_id] = judge(one.candidate, SampledRun(one.candidate.view, samples), slo)
    return [
        judged.get(one.run.pk) or judge(one.candidate, SampledRun(one.candidate.view), slo)
        for one in runs
    ]


def _samples_of(run_ids: Sequence[int] | dict[int, CellRun]) -> Iterator[tuple[int, Samples]]:
    rows = SampleSet.objects.filter(run_id__in=list(run_ids)).values_list("run_id", "encoded")
    for run_id, encoded in rows.iterator(chunk_size=1):
        yield run_id, decode(bytes(encoded))
