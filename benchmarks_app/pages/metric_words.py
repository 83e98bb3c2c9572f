"""Metrics, their definitions and statistics in words, and numbers as tables show them."""

import math
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.metrics import METRICS, Unit

METRIC_WORDS: Mapping[str, Promise] = {
    "ttft": _("Time to first token (TTFT)"),
    "tpot": _("Time per output token (TPOT)"),
    "itl": _("Inter-token latency (ITL)"),
    "ntpot": _("Normalised time per output token"),
    "decode_time_per_output_token": _("Decode time per output token"),
    "e2el": _("End-to-end latency (E2EL)"),
    "ttst": _("Time to second token"),
    "queue_time": _("Time in the queue"),
    "request_throughput": _("Request throughput"),
    "output_token_throughput": _("Output token throughput"),
    "input_token_throughput": _("Input token throughput"),
    "total_token_throughput": _("Total token throughput"),
    "goodput": _("Goodput"),
    "goodput_fraction": _("Share of good requests"),
    "output_token_throughput_per_gpu": _("Output token throughput per GPU"),
    "input_token_throughput_per_gpu": _("Input token throughput per GPU"),
    "total_token_throughput_per_gpu": _("Total token throughput per GPU"),
    "token_throughput": _("Token throughput, which tokens not stated"),
    "token_throughput_per_gpu": _("Token throughput per GPU, which tokens not stated"),
    "output_token_throughput_per_user": _("Output token throughput per user"),
    "output_token_throughput_per_request": _("Output token throughput of a request"),
    "peak_output_token_throughput": _("Peak output token throughput"),
    "achieved_concurrency": _("Achieved concurrency"),
    "peak_concurrency": _("Peak concurrency"),
    "prefill_throughput": _("Prefill throughput"),
    "decode_throughput": _("Decode throughput"),
    "mixed_throughput": _("Throughput of prompt and generation together"),
    "prefill_latency": _("Prefill latency"),
    "decode_latency": _("Decode latency"),
    "decode_step_latency": _("Latency of a decode step"),
    "batch_latency": _("Latency of a batch"),
    "model_load_time": _("Time to load the model"),
    "cold_start_time": _("Cold start"),
    "warm_start_time": _("Warm start"),
    "peak_gpu_memory": _("Peak accelerator memory"),
    "peak_host_memory": _("Peak host memory"),
    "kv_cache_usage": _("Use of the KV cache"),
    "avg_power": _("Mean power"),
    "energy": _("Energy"),
    "accept_length": _("Accepted tokens per step"),
}

# Under one name tools compute different things; the definition says which.
DEFINITION_WORDS: Mapping[str, Promise] = {
    "ttft/first-chunk": _("until the first chunk of the answer, with text or without"),
    "ttft/first-output": _("until the first chunk that holds a token"),
    "ttft/non-streaming": _("the server’s own clock; the answer was not streamed"),
    "tpot/request": _("of each request: (end-to-end − TTFT) ÷ (output tokens − 1)"),
    "tpot/token": _("weighted by tokens: long answers count more"),
    "itl/chunk": _("gaps between chunks; a chunk may hold several tokens"),
    "itl/token": _("gaps between tokens"),
    "itl/token-zero-filled": _("gaps between chunks, with 0 for further tokens of one chunk"),
    "ntpot/request": _("of each request: end-to-end ÷ output tokens, the first wait inside"),
    "ntpot/token": _("end-to-end ÷ output tokens over all tokens, the first wait inside"),
    "decode_time_per_output_token/last-first-over-n": _(
        "(last token − first token) ÷ output tokens"
    ),
    "e2el/client": _("of each request, by the client’s clock"),
    "e2el/batch-query": _("of a query in a batch, as the tool counts it"),
    "ttst/second-chunk": _("between the first and the second chunk"),
    "queue_time/client": _("by the client’s clock"),
    "queue_time/server": _("by the server’s clock"),
    "goodput/successful": _("requests a second that met the thresholds of the tool"),
    "goodput_fraction/successful": _("of the requests that completed"),
    "output_token_throughput_per_user/inverse-tpot": _("1 ÷ TPOT of each request"),
    "output_token_throughput_per_user/inverse-tpot-of-percentile": _("1 ÷ the percentile of TPOT"),
    "output_token_throughput_per_user/whole-request": _(
        "output tokens ÷ the whole time of each request"
    ),
    "output_token_throughput_per_request/whole-request": _(
        "output tokens ÷ the whole time of each request"
    ),
    "peak_output_token_throughput/one-second": _("the best second"),
    "achieved_concurrency/mean-in-flight": _("mean number of requests in flight"),
    "peak_concurrency/one-second": _("most requests that were in flight within one second"),
    "peak_concurrency/in-flight": _("most requests in flight at once"),
    "prefill_throughput/prompt-tokens": _("prompt tokens ÷ time of the prefill"),
    "prefill_throughput/first-tokens": _("first tokens ÷ time of the prefill"),
    "decode_throughput/generated-tokens": _("generated tokens ÷ time of the decoding"),
    "mixed_throughput/prompt-and-generated-tokens": _("prompt and generated tokens ÷ whole time"),
    "prefill_latency/batch": _("of a whole batch"),
    "decode_latency/batch": _("of a whole batch"),
    "decode_step_latency/step": _("of one step"),
    "batch_latency/batch": _("of a whole batch"),
}
_COUNTED_WORDS: Mapping[str, Promise] = {
    "successful": _("only what completed is counted"),
    "all": _("failed requests are counted too"),
    "reported": _("as the tool reports it; what it counts is not stated"),
    "unstated": _("how it was computed is not stated"),
}

UNIT_WORDS: Mapping[Unit, Promise] = {
    Unit.MILLISECONDS: _("ms"),
    Unit.SECONDS: _("s"),
    Unit.REQUESTS_PER_SECOND: _("req/s"),
    Unit.TOKENS_PER_SECOND: _("tok/s"),
    Unit.TOKENS_PER_SECOND_PER_GPU: _("tok/s per GPU"),
    Unit.TOKENS_PER_SECOND_PER_USER: _("tok/s per user"),
    Unit.REQUESTS: _("requests"),
    Unit.BYTES: _("GiB"),
    Unit.WATTS: _("W"),
    Unit.JOULES: _("J"),
    Unit.TOKENS: _("tokens"),
    Unit.FRACTION: _("%"),
}
# What a number is divided by before it is shown in the unit above.
_SHOWN_FACTORS: Mapping[Unit, float] = {Unit.BYTES: 1 / 2**30, Unit.FRACTION: 100.0}

STAT_WORDS: Mapping[str, Promise] = {
    "value": _("value"),
    "mean": _("mean"),
    "std": _("standard deviation"),
    "min": _("least"),
    "max": _("greatest"),
    "p50": _("median"),
    "count": _("count"),
    "sum": _("sum"),
}

METHOD_WORDS: Mapping[str, Promise] = {
    "linear": _("interpolated between the two nearest values"),
    "nearest_rank": _("the nearest measured value"),
    "weighted_cdf": _("from a weighted distribution"),
    "unknown": _("method not stated"),
}


def metric_word(metric: str) -> str:
    """The name of a metric; one outside the vocabulary is shown as it is."""
    return str(METRIC_WORDS.get(metric, metric))


def definition_word(definition: str) -> str:
    """What a definition computes, in words."""
    if definition in DEFINITION_WORDS:
        return str(DEFINITION_WORDS[definition])
    return str(_COUNTED_WORDS.get(definition.partition("/")[2], definition))


def stat_word(stat: str) -> str:
    """The name of a statistic: ``p99`` as P99."""
    return str(STAT_WORDS[stat]) if stat in STAT_WORDS else stat.upper()


def unit_word(metric: str) -> str:
    """The unit in which a metric is shown; blank for one outside the vocabulary."""
    return str(UNIT_WORDS[METRICS[metric].unit]) if metric in METRICS else ""


def shown_value(metric: str, value: float) -> float:
    """A canonical value in the unit that pages show."""
    unit = METRICS[metric].unit if metric in METRICS else None
    return value * _SHOWN_FACTORS.get(unit, 1.0) if unit else value


def number_word(value: float) -> str:
    """A number with four digits that say something, and separators of thousands."""
    if not math.isfinite(value):
        return _now("not a number")
    if value == 0:
        return "0"
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    if digits > 9:
        return f"{value:.3g}"
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def value_word(metric: str, value: float) -> str:
    """A canonical value as tables show it, without its unit."""
    return number_word(shown_value(metric, value))
