"""Which measured throughput answers service-level objectives, and how sure it is.

A run answers for the load that it measured, never for another one. Runs of one load point are
repetitions: their middle one stands for the point, and from three on their spread is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.domain.comparability import LENGTH_TOLERANCE, are_equal
from benchmarks_app.domain.levels import LoadMode, RunClass, RunStatus
from benchmarks_app.domain.resampling import (
    DRAWS,
    FEWEST_SAMPLES,
    MOST_RESAMPLED,
    interval_of,
    make_generator,
)
from benchmarks_app.domain.run_view import RunView, SampledRun
from benchmarks_app.domain.slo import Thresholds, WhyUnknown, attain
from benchmarks_app.domain.summary import succeeded
from matrix.domain.measured import Slo

Floats = NDArray[np.float64]

FEWEST_LIKE_RUNS = 3
# Without a server between client and engine there is nothing whose service could be judged.
_NO_SERVER = frozenset({LoadMode.MICROBENCH, LoadMode.OFFLINE_BATCH})
# With one of these the rates of a run mislead, or are of several loads at once.
MISLEADING = frozenset({
    "absurd_value", "aggregate_over_stages", "all_requests_failed", "cancelled",
    "contradicts_itself", "hosted_api", "mixed_units", "mlperf_invalid", "mock_server",
    "mostly_failed", "negative_value", "published_table", "zero_token_successes",
})  # fmt: skip
# Settings that make another deployment of the same devices.
_DEPLOYMENT = (
    "parallelism.tp", "parallelism.pp", "parallelism.dp", "parallelism.ep", "spec_decoding",
    "quantization.kv_cache",
)  # fmt: skip
# Of reasons why nothing is known, the one that says most to whoever wants to know more.
_MOST_TELLING = ("slo-not-met", "no-samples", "no-column", "other-load", "count-unknown")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run on the asked cell. **Units**: lengths in tokens a request; ``None`` is unknown."""

    view: RunView
    hardware: str
    hardware_count: int | None
    model: str = ""
    quantization: str = ""
    input_tokens: float | None = None
    output_tokens: float | None = None
    notices: frozenset[str] = frozenset()

    @property
    def is_performance(self) -> bool:
        """Whether its numbers may stand for a performance."""
        return is_performance(self.view.run_class, self.view.status, self.notices)

    @property
    def is_serving(self) -> bool:
        """Whether requests went to a server."""
        return self.view.load.mode not in _NO_SERVER and (
            self.view.measured("output_token_throughput") is not None
            or rates_of(self.view).output_tok_s is not None
        )


@dataclass(frozen=True, slots=True)
class Rates:
    """What a run put out. **Units**: tokens per second of the whole deployment."""

    output_tok_s: float | None = None
    total_tok_s: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate held against an SLO; ``why`` is empty where it meets it."""

    candidate: Candidate
    rates: Rates = Rates()
    goodput_req_s: float | None = None
    attained_share: float | None = None
    low_output_tok_s: float | None = None
    high_output_tok_s: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The load point that answers: ``best`` is its middle run, ``like`` all that met the SLO."""

    best: Judged | None = None
    like: tuple[Judged, ...] = ()
    low_output_tok_s: float | None = None
    high_output_tok_s: float | None = None
    interval_of: str = ""
    why_unknown: str = ""
    some_missed: bool = False


def is_performance(run_class: RunClass, status: RunStatus, notices: Iterable[str]) -> bool:
    """Whether a run's numbers may stand for a performance: measured, complete, not misleading."""
    return (
        run_class is RunClass.MEASURED and status is RunStatus.OK and MISLEADING.isdisjoint(notices)
    )


def rates_of(view: RunView) -> Rates:
    """The token rates that a run reports, or what its totals make; unknown where neither is.

    **Units**: tokens per second.
    """
    tokens, seconds = view.tokens, view.tokens.duration_s or 0.0
    output = _value(view, "output_token_throughput")
    if output is None and tokens.output_total is not None and seconds > 0.0:
        output = tokens.output_total / seconds
    total = _value(view, "total_token_throughput")
    incoming = _value(view, "input_token_throughput")
    if total is None and output is not None and incoming is not None:
        total = output + incoming
    if total is None and output is not None and tokens.input_total is not None and seconds > 0.0:
        total = output + tokens.input_total / seconds
    if total is not None and output is not None and total < output:
        # A sum below its part is no sum; nobody knows which of the two is meant.
        total = None
    return Rates(_positive(output), _positive(total))


def _value(view: RunView, metric: str) -> float | None:
    for one in view.measurements:
        if one.metric == metric:
            for stat in ("value", "mean"):
                if stat in one.stats:
                    return one.stats[stat]
    return None


def _positive(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) and value > 0.0 else None


def error_rate_of(run: SampledRun) -> float | None:
    """The share of requests that failed; ``None`` where it is unknown."""
    counts = run.view.counts
    if counts.total:
        if counts.failed is not None:
            return (counts.failed + (counts.incomplete or 0)) / counts.total
        if counts.completed is not None:
            return max(0.0, 1.0 - counts.completed / counts.total)
    good = succeeded(run.samples) if run.samples is not None else None
    if good is None or not good.size or run.samples is None or "ok" not in run.samples.requests:
        return None
    return float(1.0 - good.mean())


def judge(candidate: Candidate, run: SampledRun, slo: Slo) -> Judged:
    """How a run with its samples stands to an SLO."""
    rates = rates_of(run.view)
    if rates.output_tok_s is None:
        return Judged(candidate, why="no-column")
    if slo.error_rate is not None:
        errors = error_rate_of(run)
        if errors is None or errors > slo.error_rate:
            return Judged(candidate, rates, why="no-column" if errors is None else "slo-not-met")
    goodput = share = None
    if slo.asks_latency:
        asked = Thresholds(ttft_ms=slo.ttft_ms, tpot_ms=slo.tpot_ms, e2el_ms=slo.e2el_ms)
        found = attain(run, asked)
        if found.share is None:
            column = found.why_unknown is WhyUnknown.NO_COLUMN
            return Judged(candidate, rates, why="no-column" if column else "no-samples")
        goodput, share = found.goodput, found.share
    low, high = _spread(run, rates.output_tok_s)
    return Judged(
        candidate=candidate,
        rates=rates,
        goodput_req_s=goodput,
        attained_share=share,
        low_output_tok_s=low,
        high_output_tok_s=high,
        why="" if share is None or share >= slo.share else "slo-not-met",
    )


def _spread(run: SampledRun, value: float) -> tuple[float | None, float | None]:
    """The interval of the output rate by resampling requests; unknown for too few.

    In a closed loop a request takes a place for its whole time, so that the rate goes with output
    tokens by seconds; under an offered rate the time is given, and with it only tokens vary.
    """
    samples = run.samples
    good = succeeded(samples) if samples is not None else None
    if samples is None or good is None or "output_tokens" not in samples.requests:
        return None, None
    tokens = samples.requests["output_tokens"]
    seconds = samples.requests.get("e2el_ms")
    closed = run.view.load.mode is LoadMode.CLOSED_LOOP and seconds is not None
    times = seconds if closed and seconds is not None else np.ones(tokens.size)
    known = good & np.isfinite(tokens) & np.isfinite(times) & (times > 0.0)
    if int(known.sum()) < FEWEST_SAMPLES or not tokens[known].sum() > 0.0:
        return None, None
    relative = draw_ratio(tokens[known], times[known], run.view.uid)
    low, high = interval_of(relative)
    if low <= 0.0 or not low < high:
        return None, None
    return min(low * value, value), max(high * value, value)


def draw_ratio(above: Floats, below: Floats, name: str) -> Floats:
    """Bootstrap draws of sum(above) / sum(below), as shares of its value over all pairs.

    **Shapes**: two columns of one length; ``name`` seeds the draws.
    """
    count = above.size
    generator = make_generator("throughput", name)
    ratio = above.sum() / below.sum()
    if count <= MOST_RESAMPLED:
        places = generator.integers(0, count, (DRAWS, count))
        drawn: Floats = above[places].sum(axis=1) / below[places].sum(axis=1) / ratio
        return drawn
    # Of many pairs the ratio of sums is normal for all that can be seen.
    spread = (above - ratio * below).std() / (np.sqrt(count) * above.mean())
    return generator.normal(1.0, spread, DRAWS)


def has_asked_lengths(candidate: Candidate, slo: Slo) -> bool | None:
    """Whether a run's requests had the asked lengths; ``None`` where a length is unknown."""
    answers = [
        None if seen is None else are_equal(seen, float(asked), tolerance=LENGTH_TOLERANCE)
        for seen, asked in (
            (candidate.input_tokens, slo.input_tokens),
            (candidate.output_tokens, slo.output_tokens),
        )
        if asked is not None
    ]
    if False in answers:
        return False
    return None if None in answers else True


def why_not_asked(candidates: Sequence[Candidate], slo: Slo) -> tuple[list[Candidate], str]:
    """The candidates that may answer, and why there are none."""
    if not candidates:
        return [], "no-run"
    kept = [one for one in candidates if one.is_performance]
    if not kept:
        return [], "not-performance"
    kept = [one for one in kept if one.is_serving]
    if not kept:
        return [], "no-serving"
    lengths = [one for one in kept if has_asked_lengths(one, slo) is not False]
    if not lengths:
        return [], "other-load"
    counted = [one for one in lengths if one.hardware_count]
    return (counted, "") if counted else ([], "count-unknown")


def marks_of_misses(missed: Sequence[Candidate], slo: Slo) -> list[str]:
    """What keeps the runs that missed the SLO from being a no: none of them had the asked load."""
    if not missed:
        return []
    alike = [
        one
        for one in missed
        if slo.concurrency is None or one.view.load.max_concurrency == slo.concurrency
    ]
    if not alike:
        return ["other-concurrency"]
    return [] if any(has_asked_lengths(one, slo) for one in alike) else ["length-unknown"]


def best_of(judged: Sequence[Judged]) -> Answer:
    """The load point of the highest output rate among the runs that meet the SLO."""
    points = _points(judged)
    met = [(point, [one for one in point if not one.why]) for point in points]
    met = [(point, good) for point, good in met if good]
    if not met:
        reasons = {one.why for one in judged}
        telling = (code for code in _MOST_TELLING if code in reasons)
        return Answer(why_unknown=next(telling, "no-run"))
    point, good = max(met, key=lambda one: (_middle(one[1]), one[1][0].candidate.view.uid))
    middle = _middle(good)
    best = next(one for one in good if one.rates.output_tok_s == middle)
    like = (best, *(one for one in good if one is not best))
    missed = any(one.why == "slo-not-met" for one in point)
    if len(like) >= FEWEST_LIKE_RUNS:
        values = [_output(one) for one in like]
        return Answer(best, like, min(values), max(values), "runs", some_missed=missed)
    low, high = best.low_output_tok_s, best.high_output_tok_s
    kind = "" if low is None else "requests"
    return Answer(best, like, low, high, kind, some_missed=missed)


def _output(one: Judged) -> float:
    assert one.rates.output_tok_s is not None
    return one.rates.output_tok_s


def _middle(judged: Sequence[Judged]) -> float:
    return median_low([_output(one) for one in judged])


_Point = tuple[object, ...]


def _points(judged: Sequence[Judged]) -> list[list[Judged]]:
    """The runs by load point: same subject, tool and load, lengths equal within tolerance."""
    points: dict[_Point, list[Judged]] = {}
    lengths: Mapping[str, list[float]] = {"input_tokens": [], "output_tokens": []}
    for one in judged:
        view, candidate = one.candidate.view, one.candidate
        key = (
            candidate.hardware,
            candidate.hardware_count,
            candidate.model,
            candidate.quantization,
            view.tool,
            view.load.mode,
            view.load.max_concurrency,
            view.load.request_rate,
            view.load.batch_size,
            *(_like(getattr(candidate, name), seen) for name, seen in lengths.items()),
            *(view.fact(name) for name in _DEPLOYMENT),
        )
        points.setdefault(key, []).append(one)
    return list(points.values())


def _like(length: float | None, seen: list[float]) -> float | None:
    """The first length seen that this one equals within the tolerance of a comparison."""
    if length is None:
        return None
    for one in seen:
        if are_equal(one, length, tolerance=LENGTH_TOLERANCE):
            return one
    seen.append(length)
    return length
