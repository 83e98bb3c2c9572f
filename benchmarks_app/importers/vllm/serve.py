"""Reads what ``vllm bench serve`` and its forks save: one object a run.

**Source**: result files of about 0.6.3 (2024) to 0.32.0 (2026), and the seconds variant of a fork.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from benchmarks_app.contract import Counts, Fact, Load, Measurement, Notice, RunReading, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.model_identity import model_facts, tokenizer_fact
from benchmarks_app.importers.serving_arrays import RequestArrays, read_arrays, withhold_texts
from benchmarks_app.importers.serving_stats import (
    Latencies,
    load_mode,
    read_latencies,
    read_rate,
    read_values,
    summarise_list,
)
from benchmarks_app.importers.vllm.extras import extra_facts
from benchmarks_app.reading.fields import Fields

TOOL_NAME = "vllm bench serve"
LATENCIES = {
    "ttft": "ttft/first-chunk",
    "tpot": "tpot/request",
    "itl": "itl/chunk",
    "e2el": "e2el/client",
}
RATES = (
    ("request_throughput", "request_throughput/successful"),
    ("output_throughput", "output_token_throughput/successful"),
    ("input_throughput", "input_token_throughput/successful"),
    ("total_token_throughput", "total_token_throughput/successful"),
    ("request_goodput", "goodput/successful"),
    # A fork wrote the colon of its console line into the key.
    ("request_goodput:", "goodput/successful"),
    ("max_output_tokens_per_s", "peak_output_token_throughput/one-second"),
    # Requests seen within one second, which is more than were in flight at once.
    ("max_concurrent_requests", "peak_concurrency/one-second"),
    ("spec_decode_acceptance_length", "accept_length/reported"),
)
# Settings that are no field of a load by themselves.
_SETTINGS = (
    "best_of", "use_beam_search", "logprobs", "ramp_up_strategy", "ramp_up_start_rps",
    "ramp_up_end_rps",
)  # fmt: skip
_DATE = re.compile(r"\d{8}-\d{6}")


@dataclass(frozen=True, slots=True)
class _Ended:
    """How the requests ended, and what to say of it."""

    counts: Counts
    status: RunStatus
    notices: tuple[Notice, ...]


def read_serve_run(
    value: object, *, index: int, pointer: str, in_seconds: bool = False
) -> RunReading:
    """One run. ``in_seconds`` is the variant whose latencies have no ``_ms`` and are seconds."""
    fields = Fields(value, pointer)
    completed = fields.integer("completed")
    stated_failed = fields.integer("failed")
    prompts = fields.integer("num_prompts")
    tokens = Tokens(
        input_total=fields.integer("total_input_tokens"),
        output_total=fields.integer("total_output_tokens"),
        duration_s=fields.number("duration"),
    )
    arrays = read_arrays(fields, completed=completed)
    suffix, scale = ("", 1000.0) if in_seconds else ("_ms", 1.0)
    latencies = read_latencies(fields, LATENCIES, suffix=suffix, scale=scale)
    counts = _counts(completed, stated_failed, prompts, arrays)
    ended = _judge(
        counts, arrays, tokens, latencies, derived=stated_failed is None and not in_seconds
    )
    if in_seconds:
        ended = replace(ended, notices=(*ended.notices, Notice("seconds_without_suffix")))
    facts, about_model = _read_facts(fields, in_seconds=in_seconds)
    load = _read_load(fields, prompts)
    metrics = _metrics(fields, latencies)
    unknown_total = () if counts.total is not None else (Notice("total_requests_unknown"),)
    if fields.peek("good_completed") is None:
        fields.take("good_completed")
    if fields.peek("rtfx") == 0:
        fields.take("rtfx")  # The real-time factor of audio, zero where there was none.
    facts.update(extra_facts(fields))
    withhold_texts(fields)
    # A run that shows no number of what it did is not taken for one that went well.
    bare = ended.status is RunStatus.OK and not metrics
    return RunReading(
        index=index,
        status=RunStatus.SUSPECT if bare else ended.status,
        pointer=pointer,
        facts=facts,
        load=load,
        requests=ended.counts,
        tokens=tokens,
        metrics=metrics,
        samples=arrays.samples,
        failures=arrays.failures,
        notices=(*ended.notices, *about_model, *unknown_total, *_non_finite(fields)),
        unmapped=fields.rest(),
        withheld=fields.withheld(),
    )


def _metrics(fields: Fields, latencies: Latencies) -> tuple[Measurement, ...]:
    waits = summarise_list(fields, "queue_times", "queue_time/client", 1000.0)
    found = (*latencies.measurements, *read_values(fields, RATES))
    return found if waits is None else (*found, waits)


def _judge(
    counts: Counts, arrays: RequestArrays, tokens: Tokens, latencies: Latencies, *, derived: bool
) -> _Ended:
    """Status and notices; ``derived`` says that the file does not count failures itself."""
    completed, failed = counts.completed, counts.failed
    empty = _zero_token_successes(completed, arrays, tokens)
    all_failed = completed == 0
    nothing = all_failed or bool(empty and empty == completed)
    contradiction = failed is None and counts.total is not None and completed is not None
    all_include_zeros = any(one.metric == "ttft" for one in latencies.measurements)
    said = (
        (all_failed, "all_requests_failed", ""),
        (completed is None, "no_request_count", ""),
        (bool(completed and failed and failed > completed), "mostly_failed", ""),
        (derived and failed is not None, "failed_count_derived", ""),
        (contradiction, "contradicts_itself", f"completed {completed} of {counts.total}"),
        (bool(empty), "zero_token_successes", str(empty)),
        (bool(empty) and all_include_zeros, "latency_stats_include_zero_ttft", ""),
        (latencies.zero_means_missing, "latency_zero_means_missing", ""),
        (arrays.has_texts, "contains_prompts_or_outputs", ""),
    )
    notices = tuple(Notice(code, detail) for holds, code, detail in said if holds)
    if nothing:
        status = RunStatus.FAILED
    elif empty or contradiction or completed is None or completed < 0:
        status = RunStatus.SUSPECT
    else:
        status = RunStatus.PARTIAL if failed else RunStatus.OK
    return _Ended(counts, status, notices)


def _counts(
    completed: int | None, failed: int | None, prompts: int | None, arrays: RequestArrays
) -> Counts:
    """Requests by end; ``failed`` stays unknown where more completed than were sent."""
    if completed is None:
        return Counts(total=prompts, failed=failed)
    if failed is not None:
        # A short dataset sends fewer requests than were asked for.
        return Counts(total=completed + failed, completed=completed, failed=failed)
    total = prompts if arrays.recorded is None else arrays.recorded
    if total is not None and total >= completed:
        failed = total - completed
    return Counts(total=total, completed=completed, failed=failed)


def _zero_token_successes(completed: int | None, arrays: RequestArrays, tokens: Tokens) -> int:
    if arrays.zero_token_successes is not None:
        return arrays.zero_token_successes
    return completed if completed and tokens.output_total == 0 else 0


def _read_facts(fields: Fields, *, in_seconds: bool) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    facts = {"tool.name": Fact("vllm-style client" if in_seconds else TOOL_NAME)}
    notices: tuple[Notice, ...] = ()
    model = fields.text("model_id")
    if model:
        named, notices = model_facts(model, fields.place("model_id"))
        facts.update(named)
    else:
        notices = (Notice("no_model"),)
    tokenizer = fields.text("tokenizer_id")
    if tokenizer:
        facts["tokenizer.id"] = tokenizer_fact(tokenizer, fields.place("tokenizer_id"))
    backend = fields.text("backend")
    endpoint = fields.peek("endpoint_type")
    if backend is None:
        backend = fields.text("endpoint_type")
        place = fields.place("endpoint_type")
    else:
        place = fields.place("backend")
        if endpoint is None or endpoint == backend:
            fields.ignore("endpoint_type")
    if backend:
        facts["client.backend"] = Fact(backend, pointer=place)
    finished = read_local_date(fields)
    if finished:
        facts["run.finished_at_local"] = Fact(finished, pointer=fields.place("date"))
    else:
        notices = (*notices, Notice("no_date"))
    return facts, notices


def read_local_date(fields: Fields) -> str | None:
    """ISO 8601 without a zone of ``YYYYmmdd-HHMMSS``. **Dates**: taken after the run, local."""
    text = fields.peek("date")
    if not isinstance(text, str) or not _DATE.fullmatch(text):
        return None
    try:
        found = datetime.strptime(text, "%Y%m%d-%H%M%S")  # noqa: DTZ007 - the zone is unknown
    except ValueError:
        return None
    fields.take("date")
    return found.isoformat()


def _read_load(fields: Fields, prompts: int | None) -> Load:
    rate = read_rate(fields)
    concurrency = fields.integer("max_concurrency")
    mode = load_mode(rate, concurrency)
    unbounded = rate.unbounded
    if isinstance(fields.peek("ramp_up_strategy"), str):
        # The rate climbs; what stands as the rate is the default.
        mode, unbounded = LoadMode.OPEN_LOOP, False
    return Load(
        mode=mode,
        request_rate=rate.value,
        request_rate_unbounded=unbounded,
        burstiness=fields.number("burstiness"),
        max_concurrency=concurrency,
        num_prompts=prompts,
        extra=read_settings(fields, _SETTINGS),
    )


def read_settings(fields: Fields, names: tuple[str, ...]) -> Mapping[str, str | int | float | bool]:
    """Plain settings under the tool's own names; null ones are unknown."""
    found: dict[str, str | int | float | bool] = {}
    for name in names:
        value = fields.peek(name)
        if value is None or isinstance(value, (str, bool, int)):
            fields.take(name)
        elif fields.number(name) is None:
            continue
        if value is not None and isinstance(value, (str, bool, int, float)):
            found[name] = value
    return found


def _non_finite(fields: Fields) -> tuple[Notice, ...]:
    return tuple(
        Notice("non_finite_value", place, pointer=place) for place in fields.all_non_finite()
    )
