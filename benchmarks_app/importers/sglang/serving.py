"""Reads ``sglang.bench_serving``: one object a run, appended to one file.

**Source**: rows of December 2024 (medians alone) to 0.5.23 (2026). The file names neither model
nor date, and says how many requests failed only with its details.
"""

from benchmarks_app.contract import Counts, Fact, Load, Measurement, Notice, RunReading, Tokens
from benchmarks_app.domain.levels import RunStatus
from benchmarks_app.importers.serving_arrays import RequestArrays, read_arrays, withhold_texts
from benchmarks_app.importers.serving_stats import (
    Latencies,
    load_mode,
    read_latencies,
    read_rate,
    read_values,
)
from benchmarks_app.importers.sglang.server_info import server_facts
from benchmarks_app.reading.fields import Fields, is_number
from matrix.domain.redaction import mask_text

TOOL_NAME = "sglang.bench_serving"
_RATES = (
    ("request_throughput", "request_throughput/successful"),
    ("input_throughput", "input_token_throughput/successful"),
    ("output_throughput", "output_token_throughput/successful"),
    ("total_throughput", "total_token_throughput/successful"),
    ("request_goodput", "goodput/successful"),
    ("concurrency", "achieved_concurrency/mean-in-flight"),
    ("accept_length", "accept_length/reported"),
    ("max_output_tokens_per_s", "peak_output_token_throughput/one-second"),
    ("max_concurrent_requests", "peak_concurrency/one-second"),
)
# The client draws lengths itself for these alone.
_RANDOM_DATASETS = ("random", "random-ids", "random-image", "image")


def read_serving_run(value: object, *, index: int, pointer: str) -> RunReading:
    """One run of ``sglang.bench_serving``."""
    fields = Fields(value, pointer)
    completed = fields.integer("completed")
    tokens = Tokens(
        input_total=fields.integer("total_input_tokens"),
        output_total=fields.integer("total_output_tokens"),
        output_total_retokenized=fields.integer("total_output_tokens_retokenized"),
        duration_s=fields.number("duration"),
    )
    arrays = read_arrays(fields, completed=completed)
    latencies = _latencies(fields)
    facts, about_model = _facts(fields)
    counts = _counts(completed, arrays)
    status, notices = _judge(counts, arrays, tokens, latencies)
    if "model.id" not in facts:
        notices.append(Notice("no_model"))
    notices.append(Notice("no_date"))
    if counts.total is None:
        notices.append(Notice("total_requests_unknown"))
    metrics: tuple[Measurement, ...] = (*latencies.measurements, *read_values(fields, _RATES))
    load = _load(fields, counts, tokens)
    withhold_texts(fields)
    notices += [Notice("non_finite_value", one, pointer=one) for one in fields.all_non_finite()]
    return RunReading(
        index=index,
        status=status,
        pointer=pointer,
        facts=facts,
        load=load,
        requests=counts,
        tokens=tokens,
        metrics=metrics,
        samples=arrays.samples,
        failures=arrays.failures,
        notices=(*notices, *about_model),
        unmapped=fields.rest(),
        withheld=fields.withheld(),
    )


def _latencies(fields: Fields) -> Latencies:
    """The gaps are split over tokens where several tokens come at once and are counted."""
    several = is_number(fields.peek("accept_length"))
    names = {
        "ttft": "ttft/first-output",
        "tpot": "tpot/request",
        "itl": "itl/token" if several else "itl/chunk",
        "e2e_latency": "e2el/client",
    }
    return read_latencies(fields, names)


def _facts(fields: Fields) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    facts = {"tool.name": Fact(TOOL_NAME)}
    for key, name in (
        ("backend", "client.backend"),
        ("dataset_name", "load.dataset"),
        ("tag", "user_meta.tag"),
    ):
        text = fields.text(key)
        if text:
            facts[name] = Fact(mask_text(text).text, pointer=fields.place(key))
    about_server, notices = server_facts(fields)
    facts.update(about_server)
    return facts, notices


def _counts(completed: int | None, arrays: RequestArrays) -> Counts:
    """Totals come from the details; without them a failure leaves no trace."""
    if arrays.failed is None or arrays.recorded is None or completed is None:
        return Counts(completed=completed)
    failed = arrays.recorded - completed
    if failed < 0:
        failed = arrays.failed
    return Counts(total=arrays.recorded, completed=completed, failed=failed)


def _judge(
    counts: Counts, arrays: RequestArrays, tokens: Tokens, latencies: Latencies
) -> tuple[RunStatus, list[Notice]]:
    notices = []
    completed, failed = counts.completed, counts.failed
    empty = arrays.zero_token_successes
    if empty is None:
        empty = completed if completed and tokens.output_total == 0 else 0
    all_failed = completed == 0
    if completed is None:
        notices.append(Notice("no_request_count"))
    elif all_failed:
        notices.append(Notice("all_requests_failed"))
    elif failed and completed is not None and failed > completed:
        notices.append(Notice("mostly_failed"))
    if empty:
        notices.append(Notice("zero_token_successes", str(empty)))
    if latencies.zero_means_missing:
        notices.append(Notice("latency_zero_means_missing"))
    if arrays.has_texts:
        notices.append(Notice("contains_prompts_or_outputs"))
    if all_failed or (empty and empty == completed):
        return RunStatus.FAILED, notices
    if empty or completed is None or completed < 0:
        return RunStatus.SUSPECT, notices
    return (RunStatus.PARTIAL if failed else RunStatus.OK), notices


def _load(fields: Fields, counts: Counts, tokens: Tokens) -> Load:
    rate = read_rate(fields)
    concurrency = fields.integer("max_concurrency")
    drawn = fields.peek("dataset_name") in _RANDOM_DATASETS
    extra: dict[str, str | int | float | bool] = {}
    for key in ("sharegpt_output_len", "total_input_text_tokens", "total_input_vision_tokens"):
        number = fields.number(key)
        if number is not None:
            extra[key] = number
    means: tuple[float | None, float | None] = (None, None)
    if not drawn and counts.completed:
        # The random lengths stand there as defaults; what was sent had these means.
        extra["random_lengths_apply"] = False
        means = (_mean(tokens.input_total, counts), _mean(tokens.output_total, counts))
    return Load(
        mode=load_mode(rate, concurrency),
        request_rate=rate.value,
        request_rate_unbounded=rate.unbounded,
        max_concurrency=concurrency,
        num_prompts=counts.total,
        isl_target=fields.number("random_input_len"),
        osl_target=fields.number("random_output_len"),
        isl_mean=means[0],
        osl_mean=means[1],
        range_ratio=fields.number("random_range_ratio"),
        extra=extra,
    )


def _mean(tokens: int | None, counts: Counts) -> float | None:
    return tokens / counts.completed if tokens is not None and counts.completed else None
