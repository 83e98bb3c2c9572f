"""inference-perf (kubernetes-sigs): lifecycle reports of a stage or of all stages, with sidecars.

**Units**: the files hold seconds. **Source**: a report over all stages has no ``requested_rate``
and mixes rates, so it is one run that lies on no load curve.
"""

import re
from collections.abc import Mapping

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Measurement,
    Notice,
    RunReading,
    Tokens,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.inference_perf_requests import is_request_log, read_request_log
from benchmarks_app.importers.taking import measure, non_finite_notices
from benchmarks_app.reading.distributions import take_distribution
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.private import part_private
from matrix.domain.phrases import Phrase
from matrix.domain.redaction import mask_text

TOOL = "inference_perf"
_NAME = "inference-perf"
_CONFIGURED = ("api", "data", "report", "tokenizer")
_SERVER_SIDE = ("queue_len", "kv_cache_usage_percentage", "num_requests_running")
_SESSION = frozenset({"session_id", "num_events", "duration_sec"})
_STAGE = re.compile(r"(?:^|[._-])stage_\d+[._-]")
_LATENCIES = {
    "request_latency": ("e2el", "client"),
    "time_per_output_token": ("tpot", "request"),
    "normalized_time_per_output_token": ("ntpot", "request"),
}
_RATES = {
    "requests_per_sec": "request_throughput",
    "output_tokens_per_sec": "output_token_throughput",
    "input_tokens_per_sec": "input_token_throughput",
    "total_tokens_per_sec": "total_token_throughput",
}


def _recognises(document: Document) -> str | None:
    value = document.value
    if document.kind is Kind.JSON and is_request_log(value):
        return "inference_perf.per_request"
    if document.kind is Kind.JSON and isinstance(value, list):
        first = value[0] if value else None
        is_log = isinstance(first, dict) and set(first) >= _SESSION
        return "inference_perf.session" if is_log else None
    if not isinstance(value, dict):
        return None
    if _holds(value, "load", "server") and any(name in value for name in _CONFIGURED):
        return "inference_perf.config"
    return _recognise_report(value) if document.kind is Kind.JSON else None


def _recognise_report(value: Mapping[str, object]) -> str | None:
    if _holds(value, "global", "reports") and "successes" not in value:
        return "inference_perf.validation"
    ended, offered = value.get("successes"), value.get("load_summary")
    if "num_sessions_succeeded" in value:
        return "inference_perf.session"
    if not isinstance(ended, dict) or not isinstance(offered, dict) or "failures" not in value:
        return None
    if isinstance(ended.get("latency"), dict):
        return "inference_perf.lifecycle"
    if "count" not in offered and any(key in ended for key in _SERVER_SIDE):
        return "inference_perf.prometheus"
    return None


def _holds(value: Mapping[str, object], *names: str) -> bool:
    return all(isinstance(value.get(name), dict) for name in names)


def _read(document: Document, found: str) -> FileReading:
    if found == "inference_perf.lifecycle":
        run = _read_run(Fields(document.value), document)
        return FileReading(found, TOOL, FileRole.RUNS, runs=(run,))
    if found == "inference_perf.config":
        return _read_config(document, found)
    if found == "inference_perf.per_request":
        return read_request_log(document.value, found, TOOL)
    rest = Fields(document.value).rest()
    if isinstance(document.value, list):
        rest = {f"$[{number}]": one for number, one in enumerate(document.value)}
    if found == "inference_perf.validation":
        return FileReading(found, TOOL, FileRole.SIDECAR, completes=(TOOL,), unmapped=rest)
    kept, withheld = part_private(rest)
    if found == "inference_perf.session":
        reason = "Figures by session, kept beside the run; send the lifecycle report for the run."
    else:
        reason = (
            "Estimates from the server's own counters over another time span, kept beside the run; "
            "send the lifecycle report for the run."
        )
    return FileReading(
        found, TOOL, FileRole.ATTACHMENT, completes=(TOOL,), reason=reason,
        unmapped=kept, withheld=withheld,
    )  # fmt: skip


def _read_run(report: Fields, document: Document) -> RunReading:
    offered, ended = report.child("load_summary"), report.child("successes")
    failures = report.child("failures")
    completed, failed = ended.integer("count"), failures.integer("count")
    if completed is None:
        raise ResultError(
            code="no-request-count",
            what=Phrase("The report does not say how many requests succeeded"),
            place=ended.place("count"),
            accepted=Phrase("a whole number"),
        )
    total = offered.integer("count")
    if total is None and failed is not None:
        total = completed + failed
    load = _load(offered, ended, total)
    metrics = _metrics(ended, completed)
    tokens = _tokens(report, ended, completed)
    by_kind = _failures(failures)
    notices = [Notice("no_model"), Notice("no_date")]
    # Up to 0.1 only the name of the file says that a report is of one stage.
    if "requested_rate" not in offered and not _STAGE.search(document.basename):
        notices.append(Notice("aggregate_over_stages"))
    if completed == 0:
        notices.append(Notice("all_requests_failed"))
    kept, withheld = part_private(report.rest(), ("message", "session_ids"))
    return RunReading(
        index=0,
        status=_status(completed, failed),
        facts={"tool.name": Fact(_NAME)},
        load=load,
        requests=Counts(total=total, completed=completed, failed=failed),
        tokens=tokens,
        metrics=metrics,
        failures=by_kind,
        notices=(*notices, *non_finite_notices(report)),
        unmapped=kept,
        withheld=(*report.withheld(), *withheld),
    )


def _status(completed: int, failed: int | None) -> RunStatus:
    if completed == 0:
        return RunStatus.FAILED
    return RunStatus.PARTIAL if failed else RunStatus.OK


def _load(offered: Fields, ended: Fields, total: int | None) -> Load:
    """The load. A stage of the concurrent kind states a rate that only says how many requests were
    handed over; it stays unmapped."""
    concurrency = offered.integer("concurrency")
    lengths = [_mean(ended, names) for names in (("prompt_tokens", "prompt_len"), ("output_len",))]
    mode = LoadMode.OPEN_LOOP if concurrency is None else LoadMode.CLOSED_LOOP
    rate = offered.number("requested_rate") if concurrency is None else None
    return Load(
        mode=mode, request_rate=rate, max_concurrency=concurrency, num_prompts=total,
        isl_mean=lengths[0], osl_mean=lengths[1],
    )  # fmt: skip


def _mean(ended: Fields, names: tuple[str, ...]) -> float | None:
    """The mean length; older versions hold the lengths inside ``throughput``."""
    places = (ended, ended.child("throughput"))
    for fields in places:
        for name in names:
            if isinstance(fields.peek(name), dict):
                return fields.child(name).number("mean")
    return None


def _metrics(ended: Fields, completed: int) -> tuple[Measurement, ...]:
    latency = ended.child("latency")
    counts_content = "output_tokens" in ended
    found: list[Measurement] = []
    for name, (metric, definition) in _LATENCIES.items():
        found += _distribution(latency, name, metric, definition)
    # Since the report counts tokens of its own, only chunks that carry text start the clock.
    first = "first-output" if counts_content else "first-chunk"
    found += _distribution(latency, "time_to_first_token", "ttft", first)
    gaps = latency.child("inter_token_latency")
    stats = take_distribution(gaps, factor=1000)
    zero_filled = counts_content or stats.get("min") == 0
    found += measure(
        "itl", stats if completed != 0 else {}, pointer=gaps.pointer, method="linear",
        definition="token-zero-filled" if zero_filled else "chunk",
    )  # fmt: skip
    rates = ended.child("throughput")
    for name, metric in _RATES.items():
        found += _single(rates, name, metric, "successful")
    goodput = ended.child("goodput_metrics")
    found += _single(goodput, "request_goodput", "goodput", "successful")
    share = goodput.number("goodput_percentage")
    if share is not None:
        found += measure(
            "goodput_fraction", {"value": share / 100}, pointer=goodput.place("goodput_percentage")
        )
    return tuple(found)


def _distribution(
    fields: Fields, name: str, metric: str, definition: str
) -> tuple[Measurement, ...]:
    inner = fields.child(name)
    stats = take_distribution(inner, factor=1000)
    return measure(
        metric, stats, pointer=inner.pointer, definition=definition, method="linear"
    )  # fmt: skip


def _single(fields: Fields, name: str, metric: str, definition: str) -> tuple[Measurement, ...]:
    value = fields.number(name)
    if value is None:
        return ()
    return measure(metric, {"value": value}, pointer=fields.place(name), definition=definition)


def _tokens(report: Fields, ended: Fields, completed: int) -> Tokens:
    duration = report.number("benchmark_time_seconds")
    if not completed:
        return Tokens(duration_s=duration or None)
    sent, received = ended.child("prompt_tokens"), ended.child("output_tokens")
    return Tokens(
        input_total=sent.integer("total"),
        output_total=received.integer("total"),
        duration_s=duration or None,
    )


def _failures(failures: Fields) -> dict[str, int]:
    """Requests by kind of error; what the errors said is withheld."""
    found: dict[str, int] = {}
    labels = failures.child("by_label")
    for label in labels.value:
        one = labels.child(label)
        count = one.integer("count")
        one.withhold("messages")
        if count is not None:
            found[mask_text(label[:200]).text] = count
    return found


def _read_config(document: Document, found: str) -> FileReading:
    config = Fields(document.value)
    server, data, api = config.child("server"), config.child("data"), config.child("api")
    tokenizer, load = config.child("tokenizer"), config.child("load")
    stated: dict[str, tuple[str | int | bool | None, str]] = {
        "model.id": (server.text("model_name"), server.place("model_name")),
        # The kind of server that the client was told to talk to, which is no observation of it.
        "client.backend": (server.text("type"), server.place("type")),
        "load.dataset": (data.text("type"), data.place("type")),
        "load.streaming": (api.flag("streaming"), api.place("streaming")),
        "load.seed": (load.integer("base_seed"), load.place("base_seed")),
        "tokenizer.id": (
            tokenizer.text("pretrained_model_name_or_path"),
            tokenizer.place("pretrained_model_name_or_path"),
        ),
    }
    facts = {
        name: Fact(mask_text(value).text if isinstance(value, str) else value, pointer=place)
        for name, (value, place) in stated.items()
        if value is not None
    }
    kept, withheld = part_private(config.rest())
    return FileReading(
        found, TOOL, FileRole.SIDECAR, facts=facts, completes=(TOOL,),
        notices=non_finite_notices(config), unmapped=kept,
        withheld=(*config.withheld(), *withheld),
    )  # fmt: skip


IMPORTER = Importer(
    tool=TOOL,
    formats=(
        "inference_perf.lifecycle",
        "inference_perf.prometheus",
        "inference_perf.session",
        "inference_perf.per_request",
        "inference_perf.config",
        "inference_perf.validation",
    ),
    recognises=_recognises,
    read=_read,
)
