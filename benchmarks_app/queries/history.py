"""Histories: one metric of a cell over dates or releases, parted where runs do not compare."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from benchmarks_app.contract import Fact
from benchmarks_app.domain.comparability import LENGTH_TOLERANCE, are_equal
from benchmarks_app.domain.levels import RunState, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.provenance import is_known
from benchmarks_app.domain.regression import History, HistoryPoint, detect_steps
from benchmarks_app.models import ChangeMark, Measurement, Run

MOST_RUNS = 2_000
MOST_SERIES = 12
# Runs whose numbers describe what was asked for.
COUNTED_STATUSES = (RunStatus.OK.value, RunStatus.PARTIAL.value)
# What must be equal for two runs to be points of one series, besides definition and method.
SERIES_FIELDS = (
    "framework", "model", "quantization", "hardware", "hardware_count", "backend", "tool",
    "run_class", "load_mode", "max_concurrency", "request_rate", "input_tokens", "output_tokens",
)  # fmt: skip
# And what else forbids a ratio or changes the load, under the names of compared variables. Two
# runs with contexts filled differently before are no history of each other.
CONDITIONS: Mapping[str, str] = {
    "load.batch_size": "load__batch_size",
    "load.n_depth": "load__n_depth",
    "load.burstiness": "load__burstiness",
    "load.ignore_eos": "load__ignore_eos",
    "load.streaming": "facts__load.streaming__value",
    "load.dataset": "facts__load.dataset__value",
    "tokenizer.id": "facts__tokenizer.id__value",
    "quantization.kv_cache": "facts__quantization.kv_cache__value",
    "kv_cache.type_k": "facts__kv_cache.type_k__value",
    "kv_cache.type_v": "facts__kv_cache.type_v__value",
    "spec_decoding": "facts__spec_decoding__value",
    "setting.n_batch": "load__n_batch",
    "setting.n_ubatch": "load__n_ubatch",
    "setting.n_gpu_layers": "load__n_gpu_layers",
    "setting.n_threads": "load__extra__n_threads",
    "setting.flash_attn": "load__extra__flash_attn",
}
# Measured mean lengths differ a little from run to run of the same load.
_LENGTHS = frozenset({"input_tokens", "output_tokens"})


class Along(StrEnum):
    """What a history runs along."""

    DATE = "date"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark that a person set: earlier values are no measure for those from this run on."""

    pk: int
    run_uid: str
    reason: str
    made_by: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a series, its value in the metric's canonical unit.

    **Dates**: ``measured_on`` is the day of the measurement, ``None`` where it is unknown.
    """

    uid: str
    label: str
    value: float
    version: str
    measured_on: date | None
    marked: bool


@dataclass(frozen=True, slots=True)
class Series:
    """Points in their order, with the steps found in them.

    **Shapes**: ``same`` maps ``SERIES_FIELDS`` and ``CONDITIONS`` to the values that all points
    share, ``None`` where no run of it states one; ``undated``
    are runs left out of a history along dates because nobody says when they were measured.
    """

    key: str
    metric: str
    stat: str
    definition: str
    method: str
    same: Mapping[str, object]
    points: Sequence[Point]
    undated: Sequence[str]
    marks: Sequence[Mark]
    steps: History


Rank = Callable[[str, str], tuple[int, str]]


@dataclass(frozen=True, slots=True)
class _Value:
    run: Run
    value: float


def metric_series(
    runs: QuerySet[Run], *, metric: str, stat: str, along: Along = Along.DATE, rank: Rank
) -> list[Series]:
    """The series of a metric over the selected standing runs, longest first.

    ``rank`` orders a framework's versions. Of a run that has a statistic reported and made again,
    the reported one counts, because most runs have that one alone and both differ by method.
    **Queries**: 3, whatever the number of runs; at most the 2,000 newest are looked at.
    **Raises**: ``KeyError`` for an unknown metric.
    """
    METRICS[metric]  # An unknown metric is an error, not an empty history.
    found = _newest(runs)
    groups = _grouped(found, metric=metric, stat=stat)
    named = {key: _key_of(key, metric, stat) for key in groups}
    marks = _marks_of(named.values())
    series = [
        _series(
            named[key],
            key,
            values,
            metric=metric,
            stat=stat,
            marks=marks.get(named[key], ()),
            along=along,
            rank=rank,
        )
        for key, values in groups.items()
    ]
    series.sort(key=lambda one: (-len(one.points), one.key))
    return series[:MOST_SERIES]


def _newest(runs: QuerySet[Run]) -> dict[int, Run]:
    wanted = runs.filter(state=RunState.PUBLISHED.value, status__in=COUNTED_STATUSES)
    fields = ("uid", "label", "framework_version", "measured_on", "measured_at", *SERIES_FIELDS)
    stated = {_attribute(name): KT(path) for name, path in CONDITIONS.items()}
    rows = wanted.order_by("-published_at", "-id").only(*fields).annotate(**stated)[:MOST_RUNS]
    return {run.pk: run for run in rows}


def _attribute(condition: str) -> str:
    """Under which name a selected run holds a condition."""
    return f"with_{condition.replace('.', '_')}"


def _conditions_of(run: Run) -> Iterator[str | None]:
    """What the run states of each condition, in their order; ``None`` is unknown."""
    for name in CONDITIONS:
        text = getattr(run, _attribute(name))
        yield text if text is not None and is_known(Fact(text)) else None


_Group = tuple[object, ...]


def _grouped(runs: Mapping[int, Run], *, metric: str, stat: str) -> dict[_Group, list[_Value]]:
    rows = Measurement.objects.filter(run_id__in=list(runs), metric=metric, stat=stat)
    best: dict[tuple[int, str, str], tuple[int, float, str]] = {}
    for run_id, definition, basis, origin, method, value in rows.values_list(
        "run_id", "definition", "basis", "origin", "percentile_method", "value"
    ):
        key = (run_id, definition, basis)
        order = 0 if origin == "reported" else 1
        if key not in best or order < best[key][0]:
            best[key] = (order, value, method if stat[:1] == "p" else "")
    groups: dict[_Group, list[_Value]] = {}
    lengths: dict[str, list[float]] = {name: [] for name in _LENGTHS}
    # Oldest first, so that a later run never moves an earlier one into another series.
    for (run_id, definition, basis), (_order, value, method) in sorted(best.items()):
        run = runs[run_id]
        shared = tuple(
            _like(getattr(run, name), lengths[name]) if name in _LENGTHS else getattr(run, name)
            for name in SERIES_FIELDS
        )
        group = (definition, basis, method, *shared, *_conditions_of(run))
        groups.setdefault(group, []).append(_Value(run, value))
    return groups


def _like(length: float | None, seen: list[float]) -> float | None:
    """The first length seen that this one equals within the tolerance of a comparison."""
    if length is None:
        return None
    for one in seen:
        if are_equal(one, length, tolerance=LENGTH_TOLERANCE):
            return one
    seen.append(length)
    return length


def _key_of(group: _Group, metric: str, stat: str) -> str:
    text = json.dumps([metric, stat, *group], separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _marks_of(keys: Iterable[str]) -> dict[str, list[Mark]]:
    rows = ChangeMark.objects.filter(series__in=list(keys), removed_at__isnull=True)
    found: dict[str, list[Mark]] = {}
    for row in rows:
        mark = Mark(row.pk, row.run_uid, row.reason, row.made_by, row.made_at)
        found.setdefault(row.series, []).append(mark)
    return found


def _series(
    key: str,
    group: _Group,
    values: Sequence[_Value],
    *,
    metric: str,
    stat: str,
    marks: Sequence[Mark],
    along: Along,
    rank: Rank,
) -> Series:
    marked = {mark.run_uid for mark in marks}
    framework = str(group[3])
    dated = [one for one in values if along is Along.RELEASE or _day_of(one.run) is not None]

    def place(one: _Value) -> tuple[object, ...]:
        time = _time_of(one.run)
        if along is Along.RELEASE:
            return (rank(framework, one.run.framework_version), time, one.run.pk)
        return (time, one.run.pk)

    points = [
        Point(
            uid=one.run.uid,
            label=one.run.label or one.run.uid,
            value=one.value,
            version=one.run.framework_version,
            measured_on=_day_of(one.run),
            marked=one.run.uid in marked,
        )
        for one in sorted(dated, key=place)
    ]
    steps = detect_steps(metric, [HistoryPoint(one.uid, one.value, one.marked) for one in points])
    return Series(
        key=key,
        metric=metric,
        stat=stat,
        definition=str(group[0]),
        method=str(group[2]),
        same=dict(zip((*SERIES_FIELDS, *CONDITIONS), group[3:], strict=True)),
        points=points,
        undated=[one.run.label or one.run.uid for one in values if one not in dated],
        marks=marks,
        steps=steps,
    )


def _day_of(run: Run) -> date | None:
    return run.measured_on or (run.measured_at.date() if run.measured_at else None)


def _time_of(run: Run) -> datetime:
    if run.measured_at:
        return run.measured_at
    day = _day_of(run) or date.min
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
