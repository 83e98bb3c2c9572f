"""Reads GuideLLM's 0.1 reports, which hold single results and no statistics.

The tool computed what it printed from these results with numpy; the same is done here.
**Units**: seconds since 1970, decode times in seconds.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Floats,
    Load,
    Measurement,
    Notice,
    RunReading,
    Samples,
    Tokens,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.importers.guidellm.distributions import Distributions
from benchmarks_app.importers.guidellm.runs import Parts, build_run
from benchmarks_app.importers.guidellm.settings import (
    TOOL,
    Settings,
    read_model,
    read_tokenizer,
)
from benchmarks_app.reading.fields import Fields, is_number
from benchmarks_app.reading.private import part_private
from matrix.domain.phrases import Phrase

_MODES = {
    "synchronous": LoadMode.CLOSED_LOOP,
    "throughput": LoadMode.BURST,
    "asynchronous": LoadMode.OPEN_LOOP,
}
_GREATEST = 1e300
_LEVELS = (1, 5, 10, 50, 90, 95, 99)


def is_first_report(benchmark: Mapping[str, object]) -> bool:
    """Whether a benchmark is one of 0.1."""
    lists = all(isinstance(benchmark.get(key), list) for key in ("results", "errors"))
    mode = benchmark.get("mode")
    known = isinstance(mode, str) and mode in _MODES
    return lists and known and "concurrencies" in benchmark


def read_first_report(value: Mapping[str, object], form: str) -> FileReading:
    """The runs of a report of 0.1."""
    report = Fields(value)
    settings = _settings(report.child("args"))
    runs = []
    for index, one in enumerate(report.children("benchmarks")):
        if not is_first_report(one.value):
            raise ResultError(
                code="broken-report",
                what=Phrase("The benchmark lacks results, errors or its mode"),
                place=one.pointer,
                accepted=Phrase("a benchmark as GuideLLM 0.1 writes it"),
            )
        runs.append(_read_benchmark(one, index, settings))
    unmapped, private = part_private(report.rest())
    return FileReading(
        format=form, tool=TOOL, role=FileRole.RUNS, runs=tuple(runs), unmapped=unmapped,
        withheld=(*report.withheld(), *private),
    )  # fmt: skip


def _settings(args: Fields) -> Settings:
    args.withhold("target", "data", "api_key")
    facts, notices = read_model(args, "model")
    facts |= read_tokenizer(args, "tokenizer")
    backend = args.text("backend_type")
    if backend:
        facts["client.backend"] = Fact(backend, pointer=args.place("backend_type"))
    facts |= {"tool.name": Fact(TOOL), "schema_variant": Fact("0.1")}
    return Settings(facts, notices=(*notices, Notice("tool_version_unknown")))


def _read_benchmark(one: Fields, index: int, settings: Settings) -> RunReading:
    results, errors = _objects(one.peek("results")), _objects(one.peek("errors"))
    one.withhold("results", "errors")
    one.take("concurrencies")
    mode = _MODES.get(one.text("mode") or "")
    rate = one.number("rate")
    load = Load(
        mode=mode,
        request_rate=rate if mode is LoadMode.OPEN_LOOP else None,
        request_rate_unbounded=True if mode is LoadMode.BURST else None,
        max_concurrency=1 if mode is LoadMode.CLOSED_LOOP else None,
        isl_mean=_mean_of(results, "prompt_token_count"),
        osl_mean=_mean_of(results, "output_token_count"),
    )
    samples = _samples(results, len(errors)) if results else None
    started = _column(results, "start_time")
    ended = _column(results, "end_time")
    known = results and not np.isnan([started[0], ended[-1]]).any()
    duration = float(ended[-1] - started[0]) if known else None
    metrics = _metrics(samples, len(results), duration, one.pointer) if samples else ()
    return build_run(
        Parts(
            index=index,
            pointer=one.pointer,
            counts=Counts(
                total=len(results) + len(errors), completed=len(results), failed=len(errors)
            ),
            distributions=Distributions(metrics, zeros_dropped=False, median_for_p50=False),
            facts=settings.facts,
            load=load,
            tokens=Tokens(duration_s=duration),
            notices=(*settings.notices, Notice("no_date")),
            samples=samples,
        )
    )


def _objects(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _column(results: Sequence[Mapping[str, object]], name: str) -> Floats:
    values = (result.get(name) for result in results)
    plain = [float(value) if is_number(value) else float("nan") for value in values]
    found = np.array(plain, dtype=np.float64)
    # Nothing that lasts or counts comes near this; what does would have no end after scaling.
    found[np.abs(found) > _GREATEST] = np.nan
    return found


def _mean_of(results: Sequence[Mapping[str, object]], name: str) -> float | None:
    values = _column(results, name)
    return float(np.nanmean(values)) if values.size and not np.isnan(values).all() else None


def _samples(results: Sequence[Mapping[str, object]], failed: int) -> Samples:
    started = _column(results, "start_time")
    columns = {
        "ttft_ms": _column(results, "first_token_time") * 1000,
        "e2el_ms": (_column(results, "end_time") - started) * 1000,
        "input_tokens": _column(results, "prompt_token_count"),
        "output_tokens": _column(results, "output_token_count"),
        "start_s": started - started[0],
    }
    missing = np.full(failed, np.nan)
    requests = {
        name: np.concatenate([values, missing])
        for name, values in columns.items()
        if not np.isnan(values).all()
    }
    requests["ok"] = np.concatenate([np.ones(len(results)), np.zeros(failed)])
    gaps = [_gaps(result) for result in results]
    pooled = np.concatenate(gaps) * 1000
    return Samples(requests=requests, pooled={"itl_ms": pooled} if pooled.size else {})


def _gaps(result: Mapping[str, object]) -> Floats:
    times = result.get("decode_times")
    values = times.get("data") if isinstance(times, dict) else None
    if not isinstance(values, list):
        return np.empty(0)
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
    return found[np.abs(found) < _GREATEST] if found.ndim == 1 else np.empty(0)


def _metrics(
    samples: Samples, completed: int, duration: float | None, pointer: str
) -> tuple[Measurement, ...]:
    """The statistics as the tool computes them from the results."""
    sources = (
        ("ttft", "ttft/first-output", samples.requests.get("ttft_ms")),
        ("e2el", "e2el/client", samples.requests.get("e2el_ms")),
        ("itl", "itl/chunk", samples.pooled.get("itl_ms")),
    )
    place = f"{pointer}.results"
    found = [
        Measurement(metric, definition, _stats(values), place, percentile_method="linear")
        for metric, definition, values in sources
        if values is not None and not np.isnan(values).all()
    ]
    output = samples.requests.get("output_tokens")
    if duration and duration > 0:
        rates = [("request_throughput", float(completed))]
        if output is not None:
            rates.append(("output_token_throughput", float(np.nansum(output))))
        found += [
            Measurement(metric, f"{metric}/successful", {"value": total / duration}, place)
            for metric, total in rates
        ]
    return tuple(found)


def _stats(values: Floats) -> dict[str, float]:
    known = values[np.isfinite(values)]
    levels = np.percentile(known, _LEVELS)
    return {
        "mean": float(known.mean()),
        "std": float(known.std()),
        "min": float(known.min()),
        "max": float(known.max()),
        "count": float(known.size),
        **{f"p{level}": float(value) for level, value in zip(_LEVELS, levels, strict=True)},
    }
