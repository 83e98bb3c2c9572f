"""LLMPerf: the flat summary of one run, and the records of its single requests.

**Units**: the files hold seconds and completed requests by minute. **Source**: what the tool
calls inter-token latency is the whole time of a request over its output tokens.
"""

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

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
    Samples,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.taking import measure, non_finite_notices, take_scalar
from benchmarks_app.reading.distributions import scale, stat_name
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields, is_number
from benchmarks_app.reading.private import is_private, part_private
from matrix.domain.phrases import Phrase
from matrix.domain.redaction import mask_text

TOOL = "llmperf"
_DISTRIBUTIONS = {
    "ttft_s": ("ttft", "first-chunk", 1000.0),
    "inter_token_latency_s": ("ntpot", "request", 1000.0),
    "end_to_end_latency_s": ("e2el", "client", 1000.0),
    "request_output_throughput_token_per_s": (
        "output_token_throughput_per_request",
        "whole-request",
        1.0,
    ),
}
# The tool's own fields; every other plain field was added by a person.
_OWN = re.compile(r"results_|(?:mean|stddev)_(?:in|out)put_tokens|num_concurrent|additional_sampl")
_FREQUENCY = re.compile(
    r"(?:np\.\w{1,20}\()?'?(-?[\w. ]{1,60}?)'?\)?\s{0,9}:\s{0,9}(?:np\.\w{1,20}\()?(\d+)\)?"
)  # "{429.0: 130}", also as numpy 2 prints it
_LATEST_S = 253_402_300_799  # the end of the year 9999
_LOCAL = re.compile(r"(?i)vllm|sglang|tgi|llama|lmdeploy|tensorrt|triton|ollama|mlc|local")


def _recognises(document: Document) -> str | None:
    value = document.value
    if document.kind is not Kind.JSON:
        return None
    if isinstance(value, dict):
        own = {"results_ttft_s_mean", "num_concurrent_requests"} <= set(value)
        return "llmperf.summary" if own else None
    if isinstance(value, list) and value and isinstance(value[0], dict):
        known = {"error_code", "ttft_s", "end_to_end_latency_s"} <= set(value[0])
        return "llmperf.individual" if known else None
    return None


def _read(document: Document, found: str) -> FileReading:
    if found == "llmperf.summary":
        run = _read_summary(Fields(document.value))
        return FileReading(found, TOOL, FileRole.RUNS, runs=(run,))
    return _read_requests(document, found)


def _read_summary(summary: Fields) -> RunReading:
    total = summary.integer("results_num_requests_started")
    completed = summary.integer("results_num_completed_requests")
    failed = summary.integer("results_number_errors")
    if completed is None:
        raise ResultError(
            code="no-request-count",
            what=Phrase("The summary does not say how many requests completed"),
            place="$.results_num_completed_requests",
            accepted=Phrase("a whole number"),
        )
    summary.ignore("results_error_rate")  # It repeats errors over requests.
    metrics = _metrics(summary) if completed != 0 else ()
    load = _load(summary, total)
    facts, is_hosted = _facts(summary)
    failures = _failures(summary)
    notices = _notices(metrics, completed=completed, failed=failed, is_hosted=is_hosted)
    kept, withheld = part_private(summary.rest(), ("api",))
    return RunReading(
        index=0, status=_status(completed, failed), facts=facts, load=load,
        requests=Counts(total=total, completed=completed, failed=failed), metrics=metrics,
        failures=failures, notices=(*notices, *non_finite_notices(summary)),
        unmapped=kept, withheld=withheld,
    )  # fmt: skip


def _status(completed: int, failed: int | None) -> RunStatus:
    if completed == 0:
        return RunStatus.FAILED
    return RunStatus.PARTIAL if failed else RunStatus.OK


def _notices(
    metrics: Iterable[Measurement], *, completed: int, failed: int | None, is_hosted: bool
) -> list[Notice]:
    found = []
    if any(one.metric == "ntpot" for one in metrics):
        found.append(Notice("itl_includes_ttft"))
    if is_hosted:
        found.append(Notice("hosted_api"))
    if failed:
        # Answers shorter than asked for are counted as errors with the code -100.
        found.append(Notice("errors_may_be_short_outputs"))
    if completed == 0:
        found.append(Notice("all_requests_failed"))
    return found


def _metrics(summary: Fields) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    for name, (metric, definition, factor) in _DISTRIBUTIONS.items():
        stats = _stats(summary, f"results_{name}_", factor)
        found += measure(
            metric, stats, pointer=f"$.results_{name}_mean", definition=definition, method="linear"
        )
    rate = summary.number("results_mean_output_throughput_token_per_s")
    if rate is not None:
        found += measure(
            "output_token_throughput", {"value": rate}, definition="successful",
            pointer="$.results_mean_output_throughput_token_per_s",
        )  # fmt: skip
    by_minute = summary.number("results_num_completed_requests_per_min")
    if by_minute is not None:
        found += measure(
            "request_throughput", {"value": by_minute / 60}, definition="successful",
            pointer="$.results_num_completed_requests_per_min",
        )  # fmt: skip
    return tuple(found)


def _stats(summary: Fields, prefix: str, factor: float) -> dict[str, float]:
    """Statistics of flat keys; least and greatest values of counts are written as texts."""
    found = {}
    for key in summary.value:
        if key.startswith(prefix):
            stat = stat_name(key.removeprefix(prefix).removeprefix("quantiles_"))
            value = summary.number_text(key) if stat else None
            scaled = None if value is None else scale(value, factor)
            if stat and scaled is not None:
                found[stat] = scaled
    return found


def _load(summary: Fields, total: int | None) -> Load:
    return Load(
        mode=LoadMode.CLOSED_LOOP,
        max_concurrency=summary.integer("num_concurrent_requests"),
        num_prompts=total,
        isl_target=summary.number("mean_input_tokens"),
        osl_target=summary.number("mean_output_tokens"),
        isl_mean=summary.number_text("results_number_input_tokens_mean"),
        osl_mean=summary.number_text("results_number_output_tokens_mean"),
    )


def _facts(summary: Fields) -> tuple[dict[str, Fact], bool]:
    """What is stated, and whether the requests went to somebody's service."""
    facts = {"tool.name": Fact("llmperf")}
    names = {"tool.format_version": "version", "model.id": "model", "provider": "framework"}
    for name, key in names.items():
        value = summary.text(key)
        if value is not None:
            facts[name] = Fact(mask_text(value).text, pointer=summary.place(key))
    ended = summary.number("timestamp")
    if ended is not None and 0 < ended < _LATEST_S:
        moment = datetime.fromtimestamp(ended, tz=UTC).isoformat()
        facts["run.finished_at"] = Fact(moment, pointer="$.timestamp")
    api = summary.peek("api")
    is_service = isinstance(api, str) and api.startswith("https://") and "localhost" not in api
    provider = facts.get("provider")
    named = provider is not None and not _LOCAL.search(str(provider.value))
    for key, entered in summary.value.items():
        if _OWN.match(key) or key in ("version", "name", "model", "framework", "timestamp", "api"):
            continue
        stated = take_scalar(summary, key) if not is_private(key, entered) else None
        if stated is not None:
            shown = mask_text(stated).text if isinstance(stated, str) else stated
            facts[f"user_meta.{key}"] = Fact(shown, pointer=summary.place(key))
    return facts, is_service or named


def _failures(summary: Fields) -> dict[str, int]:
    """Requests by error code out of the printed form of a mapping."""
    text = summary.peek("results_error_code_frequency")
    if not isinstance(text, str):
        return {}
    found = {code.removesuffix(".0"): int(count) for code, count in _FREQUENCY.findall(text)}
    if found or text.strip() in ("", "{}"):
        summary.take("results_error_code_frequency")
    return found


def _read_requests(document: Document, found: str) -> FileReading:
    value = document.value
    records = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    ok = np.array([1.0 if _answered(one.get("error_code")) else 0.0 for one in records])
    known = np.where(ok == 1.0, 1.0, np.nan)
    columns = {
        "ok": ok,
        "ttft_ms": _column((one.get("ttft_s") for one in records), 1000.0) * known,
        "e2el_ms": _column((one.get("end_to_end_latency_s") for one in records), 1000.0) * known,
        "input_tokens": _column(one.get("number_input_tokens") for one in records),
        "output_tokens": _column(one.get("number_output_tokens") for one in records),
    }
    taken = {"ttft_s", "end_to_end_latency_s", "number_input_tokens", "number_output_tokens"}
    hidden = [name for name in ("GEN_TEXT", "error_msg") if any(one.get(name) for one in records)]
    names = {name: None for one in records for name in one if name not in taken}
    rest = {
        f"$[*].{name}": [one.get(name) for one in records]
        for name in names
        if name not in ("GEN_TEXT", "error_msg")
    }
    kept, withheld = part_private(rest)
    return FileReading(
        found, TOOL, FileRole.ATTACHMENT, samples=Samples(requests=columns), completes=(TOOL,),
        reason="Records of single requests; send the summary beside them for the run.",
        notices=(Notice("contains_prompts_or_outputs"),) if "GEN_TEXT" in hidden else (),
        unmapped=kept, withheld=(*(f"$[*].{name}" for name in hidden), *withheld),
    )  # fmt: skip


def _answered(code: object) -> bool:
    return code is None or (isinstance(code, float) and math.isnan(code))


def _column(values: Iterable[object], factor: float = 1.0) -> NDArray[np.float64]:
    """The numbers times the factor; what is no number, or beyond all, is NaN."""
    column = np.array([float(v) * factor if is_number(v) else np.nan for v in values], np.float64)
    column[~np.isfinite(column)] = np.nan
    return column


IMPORTER = Importer(
    tool=TOOL, formats=("llmperf.summary", "llmperf.individual"), recognises=_recognises, read=_read
)  # fmt: skip
