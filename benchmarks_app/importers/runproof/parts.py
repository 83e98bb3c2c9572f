"""Reads the load, the metrics and the samples of a run in Runproof's own JSON."""

from collections.abc import Callable, Iterable

from benchmarks_app.contract import Floats, Load, Measurement, Samples
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.domain.metrics import METRICS, PERCENTILE_METHODS, STATS, is_stat
from benchmarks_app.importers.runproof.values import (
    choose,
    take_column,
    take_count,
    take_flag,
    take_number,
    take_object,
    take_objects,
    take_text,
    wrong_type,
)
from benchmarks_app.importers.taking import Scalar, take_settings
from benchmarks_app.reading.fields import Fields
from matrix.domain.phrases import Phrase

REQUEST_COLUMNS = (
    "ok", "ttft_ms", "e2el_ms", "tpot_ms", "input_tokens", "output_tokens", "start_s",
)  # fmt: skip
POOLED_COLUMNS = ("itl_ms",)


def read_load(fields: Fields) -> Load:
    """The load; settings without a name of their own stand in ``extra``."""
    mode = take_text(fields, "mode")
    if mode is not None:
        known = tuple(one.value for one in LoadMode)
        mode = choose(mode, known, place=fields.place("mode"), kind="load mode")
    inner = take_object(fields, "extra")
    extra: dict[str, Scalar] = take_settings(inner, tuple(inner.value))
    return Load(
        mode=LoadMode(mode) if mode else None,
        request_rate=take_number(fields, "request_rate"),
        request_rate_unbounded=take_flag(fields, "request_rate_unbounded"),
        burstiness=take_number(fields, "burstiness"),
        max_concurrency=take_count(fields, "max_concurrency"),
        num_prompts=take_count(fields, "num_prompts"),
        batch_size=take_count(fields, "batch_size"),
        isl_target=take_number(fields, "isl_target"),
        isl_mean=take_number(fields, "isl_mean"),
        osl_target=take_number(fields, "osl_target"),
        osl_mean=take_number(fields, "osl_mean"),
        range_ratio=take_number(fields, "range_ratio"),
        duration_target_s=take_number(fields, "duration_target_s"),
        n_prompt=take_count(fields, "n_prompt"),
        n_gen=take_count(fields, "n_gen"),
        n_depth=take_count(fields, "n_depth"),
        n_batch=take_count(fields, "n_batch"),
        n_ubatch=take_count(fields, "n_ubatch"),
        n_gpu_layers=take_count(fields, "n_gpu_layers"),
        max_batch_size=take_count(fields, "max_batch_size"),
        max_num_tokens=take_count(fields, "max_num_tokens"),
        warmup=take_text(fields, "warmup"),
        ignore_eos=take_flag(fields, "ignore_eos"),
        slo=take_text(fields, "slo"),
        extra=extra,
    )


def read_metrics(run: Fields) -> tuple[Measurement, ...]:
    """The measurements, each metric with its definition.

    **Raises**: ``ResultError`` for names that are not known, another unit, or the same twice.
    """
    found: list[Measurement] = []
    seen: set[tuple[str, str, str]] = set()
    for one in take_objects(run, "metrics"):
        measurement = _measurement(one)
        key = (measurement.metric, measurement.definition, measurement.basis)
        if key in seen:
            raise ResultError(
                code="repeated-metric",
                what=Phrase(
                    "The metric {definition} stands twice", definition=measurement.definition
                ),
                place=one.pointer,
                accepted=Phrase("each metric, definition and basis once"),
            )
        seen.add(key)
        if measurement.stats:
            found.append(measurement)
    return tuple(found)


def read_samples(fields: Fields) -> Samples | None:
    """The single values, or ``None`` where there are none.

    **Raises**: ``ResultError`` for columns that are not known or differ in length.
    """
    requests = _columns(take_object(fields, "requests"), REQUEST_COLUMNS, "column of requests")
    pooled = _columns(take_object(fields, "pooled"), POOLED_COLUMNS, "pooled column")
    repeats = _columns(take_object(fields, "repeats"), METRICS, "metric")
    lengths = {name: column.size for name, column in requests.items()}
    if len(set(lengths.values())) > 1:
        raise ResultError(
            code="uneven-columns",
            what=Phrase(
                "The columns of requests differ in length ({lengths})",
                lengths=", ".join(f"{name} {size}" for name, size in lengths.items()),
            ),
            place=fields.place("requests"),
            accepted=Phrase("one entry for each request in every column, null where it is unknown"),
        )
    if not requests and not pooled and not repeats:
        return None
    return Samples(requests=requests, pooled=pooled, repeats=repeats)


def _measurement(fields: Fields) -> Measurement:
    name = _required(fields, "metric", take_text, ", ".join(list(METRICS)[:6]) + " and others")
    metric = METRICS[choose(name, METRICS, place=fields.place("metric"), kind="metric")]
    stated = _required(fields, "definition", take_text, ", ".join(metric.definitions))
    definition = choose(
        stated, metric.definitions, place=fields.place("definition"), kind="definition"
    )
    unit = take_text(fields, "unit")
    if unit is not None and unit != metric.unit.value:
        raise wrong_type(
            fields.place("unit"),
            unit,
            Phrase("{value}, the unit of {name}", value=metric.unit.value, name=name),
        )
    method = take_text(fields, "percentile_method")
    if method is not None:
        place = fields.place("percentile_method")
        method = choose(method, PERCENTILE_METHODS, place=place, kind="percentile method")
    stats: dict[str, float] = {}
    inner = take_object(fields, "stats")
    for stat in inner.value:
        if not is_stat(stat):
            choose(stat, STATS, place=inner.place(stat), kind="statistic")
        value = take_number(inner, stat)
        if value is not None:
            stats[stat] = value
    basis = take_text(fields, "basis") or ""
    return Measurement(name, definition, stats, inner.pointer, basis, method or "unknown")


def _required(
    fields: Fields, name: str, take: Callable[[Fields, str], str | None], accepted: str
) -> str:
    value = take(fields, name)
    if value is None:
        raise ResultError(
            code="missing-key",
            what=Phrase("The key {name!r} is missing", name=name),
            place=fields.pointer,
            accepted=accepted,
        )
    return value


def _columns(fields: Fields, known: Iterable[str], kind: str) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for name in fields.value:
        choose(name, known, place=fields.place(name), kind=kind)
        if fields.peek(name) is None:
            fields.take(name)
            continue
        found[name] = take_column(fields, name)
    return found
