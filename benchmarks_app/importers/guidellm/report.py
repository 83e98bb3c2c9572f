"""Reads GuideLLM's JSON and YAML reports of 0.2 to 0.8, one run a benchmark.

**Shapes**: A (0.2, 0.3) each benchmark has args, worker and request_loader; B (0.4) arguments
above the benchmarks, B1 (0.5, 0.6) with metadata, C (0.7, 0.8) with a specification instead.
**Dates**: seconds since 1970, so their zone is known.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from benchmarks_app.contract import Counts, Fact, FileReading, FileRole, Notice, RunReading, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.importers.guidellm.distributions import (
    NEW_SOURCES,
    OLD_SOURCES,
    RATES,
    read_distributions,
)
from benchmarks_app.importers.guidellm.runs import Parts, build_run
from benchmarks_app.importers.guidellm.samples import (
    count_failures,
    holds_texts,
    read_samples,
    request_groups,
)
from benchmarks_app.importers.guidellm.settings import (
    TOOL,
    Settings,
    read_arguments,
    read_data,
    read_model,
    read_specification,
    read_strategy,
    read_tokenizer,
    withhold_backend,
)
from benchmarks_app.importers.taking import non_finite_notices
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.private import part_private
from matrix.domain.phrases import Phrase

# Seconds since 1970 of 2020 and 2100; anything else in such a field is no date.
_DATES = (1_577_836_800, 4_102_444_800)


def read_report(value: Mapping[str, object], form: str) -> FileReading:
    """The runs of one report."""
    report = Fields(value)
    metadata = report.child("metadata")
    version = metadata.text("guidellm_version")
    facts = {"tool.name": Fact(TOOL)}
    notices: tuple[Notice, ...] = (Notice("tool_version_unknown"),)
    if version:
        facts["tool.version"] = Fact(version, pointer=metadata.place("guidellm_version"))
        notices = ()
    settings = _settings(report)
    runs = []
    for index, one in enumerate(report.children("benchmarks")):
        family = _family(report, one)
        mine = {**facts, "schema_variant": Fact(family, pointer=one.pointer)}
        shared = replace(settings, facts={**mine, **settings.facts})
        runs.append(_read_benchmark(one, index, shared, notices))
    if not runs:
        raise ResultError(
            code="no-runs",
            what=Phrase("The benchmarks are no list of objects"),
            place="$.benchmarks",
            accepted=Phrase("one object a benchmark"),
        )
    places = tuple(run.pointer for run in runs)
    rest = {k: v for k, v in report.rest().items() if not k.startswith(places)}
    unmapped, private = part_private(rest)
    withheld = tuple(place for place in report.withheld() if not place.startswith(places))
    return FileReading(
        format=form, tool=TOOL, role=FileRole.RUNS, runs=tuple(runs), unmapped=unmapped,
        withheld=(*withheld, *private),
    )  # fmt: skip


def _family(report: Fields, benchmark: Fields) -> str:
    if "run_stats" in benchmark:
        return "A(0.2-0.3)"
    if isinstance(report.peek("config"), dict):
        return "C(0.7-0.8)"
    return "B1(0.5-0.6)" if "metadata" in report else "B(0.4)"


def _settings(report: Fields) -> Settings:
    if isinstance(report.peek("config"), dict):
        return read_specification(report.child("config").child("spec"))
    return read_arguments(report.child("args")) if "args" in report else Settings()


def _read_benchmark(
    one: Fields, index: int, shared: Settings, notices: tuple[Notice, ...]
) -> RunReading:
    old = "run_stats" in one
    config = one.child("args" if old else "config")
    own = _old_settings(one, config) if old else _new_settings(config)
    settings = _merged(own, shared)
    base = own.load if old else shared.load
    load = read_strategy(config.child("strategy"), base, config.peek("profile"))
    metrics = one.child("metrics")
    totals = one.child("request_totals") if old else metrics.child("request_totals")
    counts = _counts(totals)
    objects = _successful(metrics) if counts.completed != 0 else {}
    tokens = Tokens(
        input_total=_sum(objects, "prompt_token_count"),
        output_total=_sum(objects, "output_token_count"),
        duration_s=one.number("duration"),
    )
    load = replace(
        load,
        isl_mean=_mean(objects, "prompt_token_count"),
        osl_mean=_mean(objects, "output_token_count"),
    )
    groups = request_groups(one.peek("requests"))
    texts = (Notice("contains_prompts_or_outputs"),) if holds_texts(groups) else ()
    one.withhold("requests", "request_samples")
    distributions = read_distributions(objects, OLD_SOURCES if old else NEW_SOURCES)
    run = build_run(
        Parts(
            index=index,
            pointer=one.pointer,
            counts=counts,
            distributions=distributions,
            facts={**settings.facts, **_dates(one)},
            load=load,
            tokens=tokens,
            notices=(*settings.notices, *texts, *notices, *non_finite_notices(one)),
            samples=read_samples(groups, counts),
            failures=count_failures(groups),
            identity=(one if old else config).text("id_") or "",
        )
    )
    unmapped, private = part_private(one.rest())
    return replace(run, unmapped=unmapped, withheld=(*one.withheld(), *private))


def _merged(own: Settings, shared: Settings) -> Settings:
    """The settings of a benchmark over those of its report; a model it does not name stays."""
    if "model.id" in own.facts or "model.id" not in shared.facts:
        return Settings({**shared.facts, **own.facts}, notices=own.notices)
    return Settings({**own.facts, **shared.facts}, notices=shared.notices)


def _old_settings(one: Fields, args: Fields) -> Settings:
    """The settings of 0.2 and 0.3, which stand in each benchmark."""
    worker, loader = one.child("worker"), one.child("request_loader")
    withhold_backend(worker)
    facts, notices = read_model(worker, "backend_model")
    backend = worker.text("backend_type")
    if backend:
        facts["client.backend"] = Fact(backend, pointer=worker.place("backend_type"))
    facts |= read_tokenizer(loader, "processor")
    data = read_data(loader, "data")
    warmup = args.number("warmup_number")
    load = replace(
        data.load,
        num_prompts=args.integer("max_number"),
        duration_target_s=args.number("max_duration"),
        warmup=f"{warmup:g} requests" if warmup else None,
    )
    return Settings({**facts, **data.facts}, load, notices)


def _new_settings(config: Fields) -> Settings:
    backend = config.child("backend")
    withhold_backend(backend)
    facts, notices = read_model(backend, "model")
    # The data stand here as a printed list, which may hold prompts.
    requests = config.child("requests")
    stated = requests.peek("data")
    if isinstance(stated, str) and "prompt_tokens" not in stated:
        requests.withhold("data")
    return Settings(facts, notices=notices)


def _counts(totals: Fields) -> Counts:
    return Counts(
        total=totals.integer("total"),
        completed=totals.integer("successful"),
        failed=totals.integer("errored"),
        incomplete=totals.integer("incomplete"),
    )


def _successful(metrics: Fields) -> dict[str, Fields]:
    """The distributions of successful requests by key."""
    keys = {one.key for one in (*NEW_SOURCES, *OLD_SOURCES)} | {one.key for one in RATES}
    keys |= {"prompt_token_count", "output_token_count"}
    return {
        key: metrics.child(key).child("successful")
        for key in sorted(keys)
        if isinstance(metrics.peek(key), dict)
    }


def _sum(objects: Mapping[str, Fields], key: str) -> int | None:
    """A sum of tokens; the tool sums weights, which leaves a trace of rounding."""
    one = objects.get(key)
    value = one.number("total_sum") if one else None
    if value is None or abs(value - round(value)) > 1e-6 * max(1.0, abs(value)):
        return None
    return round(value)


def _mean(objects: Mapping[str, Fields], key: str) -> float | None:
    one = objects.get(key)
    return one.number("mean") if one and one.peek("count") != 0 else None


def _dates(one: Fields) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    for fact, name in (("run.started_at", "start_time"), ("run.finished_at", "end_time")):
        value = one.peek(name)
        if isinstance(value, (int, float)) and _DATES[0] < value < _DATES[1]:
            one.take(name)
            moment = datetime.fromtimestamp(value, UTC).isoformat()
            found[fact] = Fact(moment, pointer=one.place(name))
    return found
