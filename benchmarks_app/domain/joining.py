"""Joins what a second file tells of a run to the run: the run's own file wins, gaps are filled."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TypeVar

from benchmarks_app.contract import (
    Counts,
    Fact,
    Load,
    Measurement,
    Notice,
    RunReading,
    Samples,
    Tokens,
)
from benchmarks_app.domain.levels import Origin, RunStatus
from benchmarks_app.domain.sameness import Number, StatKey, contradictions

_Values = TypeVar("_Values", Counts, Tokens, Load)

# What a notice says of a form of the file, not of the run: a fuller form makes it untrue.
_FORM_NOTICES = frozenset(
    {"rounded_values", "means_only", "no_median", "no_p50_key_use_median", "needs_sibling",
     "values_are_strings_with_units", "tool_version_unknown", "load_only_in_filename",
     "one_run_spread_over_records", "latency_in_seconds", "no_date", "no_model",
     "no_request_count", "total_requests_unknown"}
)  # fmt: skip
# A run that one form calls worse is worse: forms without error counts do not know it.
_BY_BADNESS = (
    RunStatus.OK,
    RunStatus.PARTIAL,
    RunStatus.SUSPECT,
    RunStatus.CANCELLED,
    RunStatus.INVALID,
    RunStatus.FAILED,
)
_DATES = ("run.started_at", "run.finished_at", "run.started_at_local", "run.finished_at_local")


def rank_form(run: RunReading, numbers: Mapping[StatKey, Number]) -> tuple[bool, int, int]:
    """How much a form tells: samples before digits of its numbers before facts."""
    return run.samples is not None, sum(one.digits for one in numbers.values()), len(run.facts)


def join_sibling(
    run: RunReading, told: RunReading, *, name: str, duplicate: bool
) -> tuple[RunReading, list[str]]:
    """The run with what ``told`` from the file ``name`` adds, and the metrics that it gained.

    A gained metric is named "ttft", a statistic added to a metric "ttft.p90". Facts keep that they
    come from a sibling; where both state one differently the run's own stays and a notice says
    so. Notices of a duplicate form about its form alone are left out.
    """
    metrics, gained = _join_metrics(run.metrics, told.metrics)
    joined = replace(
        run,
        status=max(run.status, told.status, key=_BY_BADNESS.index),
        facts={**_as_sibling(told.facts), **run.facts},
        load=_join_load(run.load, told.load),
        requests=_fill(run.requests, told.requests),
        tokens=_fill(run.tokens, told.tokens),
        metrics=metrics,
        samples=_join_samples(run.samples, told.samples),
        failures=run.failures or told.failures,
        notices=_join_notices(run, told, name=name, duplicate=duplicate),
        unmapped={**run.unmapped, **{f"{name}: {k}": v for k, v in told.unmapped.items()}},
        withheld=(*run.withheld, *(f"{name}: {place}" for place in told.withheld)),
        identity=run.identity or told.identity,
        command=run.command or told.command,
        complements=run.complements and told.complements,
    )
    return joined, gained


def complete_run(run: RunReading) -> RunReading:
    """The run without notices of what its siblings supplied after all."""
    settled = set()
    if "model.id" in run.facts:
        settled |= {"no_model"}
    if any(name in run.facts for name in _DATES):
        settled |= {"no_date"}
    if run.requests.total is not None:
        settled |= {"total_requests_unknown", "no_request_count"}
    if "tool.version" in run.facts:
        settled |= {"tool_version_unknown"}
    kept = tuple(one for one in run.notices if one.code not in settled)
    return run if len(kept) == len(run.notices) else replace(run, notices=kept)


def _as_sibling(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    return {
        name: replace(fact, origin=Origin.SIBLING) if fact.origin is Origin.FILE else fact
        for name, fact in facts.items()
    }


def _fill(own: _Values, other: _Values) -> _Values:
    """The own values with the other's where the own are unknown."""
    missing = {
        one.name: getattr(other, one.name)
        for one in fields(own)
        if getattr(own, one.name) is None and getattr(other, one.name) is not None
    }
    return replace(own, **missing) if missing else own


def _join_load(own: Load, other: Load) -> Load:
    # A rate and the word that there is none exclude each other.
    if own.request_rate is not None and own.request_rate_unbounded is None:
        other = replace(other, request_rate_unbounded=None)
    elif own.request_rate_unbounded:
        other = replace(other, request_rate=None)
    filled = _fill(own, other)
    return replace(filled, extra={**other.extra, **own.extra}) if other.extra else filled


def _join_metrics(
    own: tuple[Measurement, ...], other: tuple[Measurement, ...]
) -> tuple[tuple[Measurement, ...], list[str]]:
    found = {(one.metric, one.definition, one.basis): one for one in own}
    gained = []
    for one in other:
        key = (one.metric, one.definition, one.basis)
        mine = found.get(key)
        if mine is None:
            found[key] = one
            gained.append(one.metric)
            continue
        methods = {mine.percentile_method, one.percentile_method} - {"unknown"}
        added = {
            stat: value
            for stat, value in one.stats.items()
            # Percentiles of another method would stand beside ours as if they were of one.
            if stat not in mine.stats and (len(methods) < 2 or not _is_percentile(stat))
        }
        if added:
            found[key] = replace(
                mine,
                stats={**mine.stats, **added},
                percentile_method=next(iter(methods)) if len(methods) == 1 else
                mine.percentile_method,
            )  # fmt: skip
            gained += [f"{one.metric}.{stat}" for stat in added]
    return tuple(found.values()), gained


def _is_percentile(stat: str) -> bool:
    return stat[:1] == "p" and stat[1:2].isdigit()


def _join_samples(own: Samples | None, other: Samples | None) -> Samples | None:
    if own is None or other is None:
        return own or other
    # Requests of two files need not stand in one order: their columns are never mixed.
    return Samples(
        requests=own.requests or other.requests,
        pooled=own.pooled or other.pooled,
        repeats={**other.repeats, **own.repeats},
    )


def _join_notices(
    run: RunReading, told: RunReading, *, name: str, duplicate: bool
) -> tuple[Notice, ...]:
    kept = {(one.code, one.detail): one for one in run.notices if one.code != "needs_sibling"}
    for one in told.notices:
        if one.code == "needs_sibling" or (duplicate and one.code in _FORM_NOTICES):
            continue
        kept.setdefault((one.code, one.detail), one)
    for fact in contradictions(run.facts, told.facts):
        pointer = f"{name}: {told.facts[fact].pointer}".rstrip(": ")
        kept.setdefault(("contradicts_itself", fact), Notice("contradicts_itself", fact, pointer))
    return tuple(kept.values())
