"""Finds runs of other uploads that new files tell again, in the same form or in another."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks_app.contract import Counts, Measurement, RunReading, Tokens
from benchmarks_app.domain.levels import RunState, RunStatus
from benchmarks_app.domain.merging import CandidateRun
from benchmarks_app.domain.sameness import are_one_run
from benchmarks_app.models import Measurement as MeasurementRow
from benchmarks_app.models import Run, Upload
from benchmarks_app.services.declaring import load_of
from benchmarks_app.services.run_rows import REPORTED, RunRows
from benchmarks_app.services.stated_facts import facts_from_plain

_DATES = ("run.started_at", "run.finished_at", "run.started_at_local", "run.finished_at_local")
_ENDED = (RunState.WITHDRAWN.value, RunState.REPLACED.value)
# So many equal numbers are no chance, even without a date.
_PROVING_VALUES = 4
# A number of so many digits is looked for; a rounder one stands in too many runs.
_TELLING_DIGITS = 6
_MOST_CANDIDATES = 500


def find_same_runs(upload: Upload, built: Sequence[RunRows]) -> dict[str, str]:
    """The uid of the run of another upload that each of ``built`` tells again, by its own uid.

    Ended runs do not count: whoever sends one again wants it judged again. **Queries**: 2 to 4.
    """
    wanted = [one for one in built if _proves(one.candidate)]
    by_digest = _by_digest(upload, [one.run.digest for one in wanted])
    found = {
        one.run.uid: by_digest[one.run.digest] for one in wanted if one.run.digest in by_digest
    }
    rest = [one for one in wanted if one.run.uid not in found]
    return found | _in_another_form(upload, rest)


def _by_digest(upload: Upload, digests: Sequence[str]) -> dict[str, str]:
    rows = Run.objects.filter(digest__in=digests).exclude(state__in=_ENDED)
    return dict(rows.exclude(upload=upload).order_by("-pk").values_list("digest", "uid"))


def _proves(candidate: CandidateRun) -> bool:
    """Whether an equal run proves to be the same one: a bare failure repeats itself."""
    run = candidate.run
    values = sum(len(one.stats) for one in run.metrics)
    dated = any(name in run.facts for name in _DATES)
    return bool(run.identity) or (dated and values > 0) or values >= _PROVING_VALUES


def _in_another_form(upload: Upload, built: Sequence[RunRows]) -> dict[str, str]:
    """JSON sent yesterday and CSV today: they share numbers of many digits to the last one."""
    telling = {one.run.uid: _telling_value(one.candidate.run) for one in built}
    places = {value: uid for uid, value in telling.items() if value is not None}
    if not places:
        return {}
    rows = MeasurementRow.objects.filter(
        metric__in={metric for metric, _stat, _value in places},
        stat__in={stat for _metric, stat, _value in places},
        value__in=[value for _metric, _stat, value in places],
        origin=REPORTED,
    ).exclude(run__upload=upload)
    pairs = rows.exclude(run__state__in=_ENDED).values_list("metric", "stat", "value", "run_id")
    near: dict[str, list[int]] = {}
    for metric, stat, value, run_id in pairs[:_MOST_CANDIDATES]:
        uid = places.get((metric, stat, value))
        if uid is not None:
            near.setdefault(uid, []).append(run_id)
    if not near:
        return {}
    stored = _stored(run_id for ids in near.values() for run_id in ids)
    by_uid = {one.run.uid: one for one in built}
    return {
        uid: stored[run_id][0].uid
        for uid, ids in near.items()
        for run_id in ids[:1]
        if _are_one(by_uid[uid], *stored[run_id])
    }


def _telling_value(run: RunReading) -> tuple[str, str, float] | None:
    """The first number of many digits, with its metric and statistic."""
    for one in run.metrics:
        for stat, value in sorted(one.stats.items()):
            digits = len(f"{abs(value):.15g}".replace(".", "").strip("0"))
            if stat not in ("count", "sum") and digits >= _TELLING_DIGITS:
                return one.metric, stat, value
    return None


def _stored(ids: Iterator[int]) -> Mapping[int, tuple[Run, RunReading]]:
    rows = Run.objects.filter(pk__in=set(ids)).prefetch_related("measurements")
    return {row.pk: (row, _reading_of(row)) for row in rows}


def _reading_of(run: Run) -> RunReading:
    """A stored run as its files told it, as far as comparing needs it."""
    stats: dict[tuple[str, str, str], dict[str, float]] = {}
    for one in run.measurements.all():
        if one.origin == REPORTED:
            stats.setdefault((one.metric, one.definition, one.basis), {})[one.stat] = one.value
    return RunReading(
        index=run.number,
        status=RunStatus(run.status),
        facts=facts_from_plain(run.facts).facts,
        load=load_of(run),
        requests=Counts(**run.requests),
        tokens=Tokens(**run.tokens),
        metrics=tuple(
            Measurement(metric, definition, found, basis=basis)
            for (metric, definition, basis), found in stats.items()
        ),
    )


def _are_one(new: RunRows, row: Run, stored: RunReading) -> bool:
    if row.tool != new.run.tool:
        return False
    # What was masked or declared when it was stored is no statement of the file.
    told = facts_from_plain(new.run.facts).facts
    mine = RunReading(
        index=stored.index,
        status=new.candidate.run.status,
        facts=told,
        load=new.candidate.run.load,
        requests=new.candidate.run.requests,
        tokens=new.candidate.run.tokens,
        metrics=new.candidate.run.metrics,
    )
    return are_one_run(stored, mine, same_form=row.format == new.run.format)
