"""Finds what cannot be true in a run: negative and absurd values, contradictions, mixed units.

What is found is said and kept as it is; nothing is corrected or capped.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import pairwise

import numpy as np

from benchmarks_app.contract import Measurement, Notice, RunReading
from benchmarks_app.domain.metrics import METRICS, Unit

# The greatest value of a unit that anything measured here can have.
GREATEST: Mapping[Unit, float] = {
    Unit.MILLISECONDS: 86_400_000.0,  # one day
    Unit.SECONDS: 30 * 86_400.0,
    Unit.REQUESTS_PER_SECOND: 1e9,
    Unit.TOKENS_PER_SECOND: 1e9,
    Unit.TOKENS_PER_SECOND_PER_GPU: 1e9,
    Unit.TOKENS_PER_SECOND_PER_USER: 1e9,
    Unit.REQUESTS: 1e9,
    Unit.BYTES: 1e15,
    Unit.WATTS: 1e7,
    Unit.JOULES: 1e13,
    Unit.TOKENS: 1e9,
    Unit.FRACTION: 1.0 + 1e-9,
}
# Rates and totals of one file may be counted a little differently.
TOLERATED_SHARE = 0.05
_MOST_COUNTED = 10**12  # Requests or tokens of one run.
_ROUNDING = 1e-3  # Forms with few digits put a mean beside a greatest value that it rounds to.
# Its p99 belongs to the slow tail, so its percentiles fall.
_FALLING = frozenset({"output_token_throughput_per_user/inverse-tpot-of-percentile"})
_LATENCY_COLUMNS = ("ttft_ms", "e2el_ms", "tpot_ms", "itl_ms", "queue_ms")
# Around a factor of 1000 between two ways to one number lies a mix-up of ms and s.
_MIX_UP = (500.0, 2000.0)


def flags_of(run: RunReading) -> tuple[Notice, ...]:
    """What a reader must know of impossible or contradictory numbers, each once.

    Notices that the run carries already are left out; details name the place ("ttft.p99").
    """
    seen = {(one.code, one.detail) for one in run.notices}
    codes = {one.code for one in run.notices}
    found: dict[tuple[str, str], Notice] = {}
    for one in _all_flags(run):
        key = (one.code, one.detail)
        # How many successes had no token is counted by importers in their own way.
        if key not in seen and not (one.code == "zero_token_successes" and one.code in codes):
            found.setdefault(key, one)
    return tuple(found.values())


def _all_flags(run: RunReading) -> Iterator[Notice]:
    for one in run.metrics:
        yield from _flag_values(one)
        yield from _flag_order(one)
    yield from _flag_totals(run)
    yield from _flag_counts(run)
    yield from _flag_latencies(run)
    yield from _flag_rates(run)
    yield from _flag_samples(run)


def _flag_values(one: Measurement) -> Iterator[Notice]:
    metric = METRICS.get(one.metric)
    for stat, value in one.stats.items():
        place = f"{one.metric}.{stat}"
        if value < 0.0:
            yield Notice("negative_value", place, one.pointer)
        elif metric and stat not in ("count", "sum") and value > GREATEST[metric.unit]:
            yield Notice("absurd_value", place, one.pointer)


def _flag_order(one: Measurement) -> Iterator[Notice]:
    if one.definition in _FALLING:
        return
    ranks = sorted(
        (float(stat[1:]), value)
        for stat, value in one.stats.items()
        if stat[:1] == "p" and stat[1:2].isdigit()
    )
    ladder = [("min", one.stats.get("min")), *((f"p{r:g}", v) for r, v in ranks)]
    ladder.append(("max", one.stats.get("max")))
    known = [(name, value) for name, value in ladder if value is not None]
    for (low, below), (high, above) in pairwise(known):
        if _is_above(below, above):
            yield Notice("contradicts_itself", f"{one.metric}.{low}>{high}", one.pointer)
    mean, low_end, high_end = (one.stats.get(name) for name in ("mean", "min", "max"))
    if mean is not None and high_end is not None and _is_above(mean, high_end):
        yield Notice("contradicts_itself", f"{one.metric}.mean>max", one.pointer)
    if mean is not None and low_end is not None and _is_above(low_end, mean):
        yield Notice("contradicts_itself", f"{one.metric}.min>mean", one.pointer)


def _is_above(value: float, limit: float) -> bool:
    """Whether a value is above another by more than rounding explains."""
    return value > limit + max(_ROUNDING * abs(limit), 0.005)


def _flag_totals(run: RunReading) -> Iterator[Notice]:
    for group, values in (("requests", run.requests), ("tokens", run.tokens)):
        for field in fields(values):
            value = getattr(values, field.name)
            if value is None:
                continue
            if value < 0:
                yield Notice("negative_value", f"{group}.{field.name}")
            elif value > (GREATEST[Unit.SECONDS] if field.name == "duration_s" else _MOST_COUNTED):
                yield Notice("absurd_value", f"{group}.{field.name}")


def _flag_counts(run: RunReading) -> Iterator[Notice]:
    total = run.requests.total
    ends = (run.requests.completed, run.requests.failed, run.requests.incomplete)
    known = [one for one in ends if one is not None]
    if total is not None and known:
        ended = sum(known)
        if ended > total or (len(known) == len(ends) and ended < total):
            yield Notice("contradicts_itself", f"requests.total={total},ended={ended}")
    if run.requests.failed is not None and run.failures:
        named = sum(run.failures.values())
        if named > run.requests.failed:
            yield Notice("contradicts_itself", f"failures={named},failed={run.requests.failed}")


def _mean(run: RunReading, metric: str) -> float | None:
    for one in run.metrics:
        if one.metric == metric:
            value = one.stats.get("mean", one.stats.get("value"))
            if value is not None and value > 0.0:
                return value
    return None


def _flag_latencies(run: RunReading) -> Iterator[Notice]:
    ttft, e2el, tpot = (_mean(run, name) for name in ("ttft", "e2el", "tpot"))
    if ttft is not None and e2el is not None and _is_above(ttft, e2el):
        code = "mixed_units" if ttft / e2el > 100.0 else "contradicts_itself"
        yield Notice(code, "ttft.mean>e2el.mean")
    length = run.load.osl_mean
    tokens, completed = run.tokens.output_total, run.requests.completed
    if length is None and tokens and completed and 0 < tokens < _MOST_COUNTED and completed > 0:
        length = tokens / completed
    if ttft is not None and e2el is not None and tpot is not None and length and length > 1.0:
        # Means of products are no products of means, but never apart by a thousand.
        ratio = e2el / (ttft + tpot * (length - 1.0))
        if _is_mix_up(ratio):
            yield Notice("mixed_units", "e2el.mean,ttft.mean,tpot.mean")
    duration = run.tokens.duration_s
    if e2el is not None and duration is not None and duration > 0.0:
        ratio = e2el / (duration * 1000.0)
        if ratio > 2.0:
            code = "mixed_units" if ratio > 100.0 else "contradicts_itself"
            yield Notice(code, "e2el.mean>duration_s")


def _is_mix_up(ratio: float) -> bool:
    low, high = _MIX_UP
    if not ratio > 0.0:
        return False
    return low <= ratio <= high or low <= 1.0 / ratio <= high


def _flag_rates(run: RunReading) -> Iterator[Notice]:
    """Totals by the duration against the rates that the file states."""
    duration = run.tokens.duration_s
    if not duration or duration < 0.0:
        return
    tokens = run.tokens
    both = None
    if tokens.input_total is not None and tokens.output_total is not None:
        both = tokens.input_total + tokens.output_total
    for metric, total in (
        ("request_throughput", run.requests.completed),
        ("output_token_throughput", tokens.output_total),
        ("input_token_throughput", tokens.input_total),
        ("total_token_throughput", both),
    ):
        stated = next((one for one in run.metrics if one.metric == metric), None)
        if stated is None or stated.definition.endswith("/all"):
            continue
        if not total or not 0 < total < _MOST_COUNTED:
            continue
        value = stated.stats.get("value", stated.stats.get("mean"))
        if value is None or value <= 0.0:
            continue
        ratio = value * duration / total
        if _is_mix_up(ratio):
            yield Notice("mixed_units", f"{metric},duration_s", stated.pointer)
        elif abs(ratio - 1.0) > TOLERATED_SHARE:
            # Some tools take the mean over a window and the totals over the whole run.
            near = 0.5 <= ratio <= 2.0
            code = "rates_counted_differently" if near else "contradicts_itself"
            yield Notice(code, f"{metric} x {ratio:.2f}", stated.pointer)


def _flag_samples(run: RunReading) -> Iterator[Notice]:
    if run.samples is None:
        return
    columns = {**run.samples.requests, **run.samples.pooled}
    for name, values in columns.items():
        known = values[np.isfinite(values)]
        if not known.size:
            continue
        if float(known.min()) < 0.0:
            yield Notice("negative_value", f"samples.{name}")
        if name in _LATENCY_COLUMNS and float(known.max()) > GREATEST[Unit.MILLISECONDS]:
            yield Notice("absurd_value", f"samples.{name}")
    ok, output = columns.get("ok"), columns.get("output_tokens")
    if ok is not None and output is not None and ok.size == output.size:
        empty = int(((ok == 1.0) & (output == 0.0)).sum())
        if empty:
            yield Notice("zero_token_successes", str(empty))
    ttft, e2el = columns.get("ttft_ms"), columns.get("e2el_ms")
    if ttft is not None and e2el is not None and ttft.size == e2el.size:
        good = np.ones(ttft.size, dtype=np.bool_) if ok is None else ok == 1.0
        late = int((good & (ttft > e2el * (1.0 + _ROUNDING) + 0.005)).sum())
        if late:
            yield Notice("contradicts_itself", f"samples.ttft_ms>e2el_ms:{late}")
