"""The sentence of each notice code."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.notices import NOTICES, Weight

NOTICE_WORDS: Mapping[str, Promise] = {
    "absurd_value": _("A value lies far outside what can be measured; it is shown as it came."),
    "aggregate_over_stages": _(
        "The numbers cover several stages of different load and describe none of them."
    ),
    "all_requests_failed": _("Every request failed: there is no performance to show."),
    "cancelled": _("The run was stopped before its end."),
    "contains_prompts_or_outputs": _(
        "The file holds prompts or answers; they are kept in the bytes alone and never shown."
    ),
    "contradicts_itself": _("Two places of the file say different things."),
    "declared_differs": _("What the sender typed differs from what was observed."),
    "duration_much_shorter_than_target": _("The run ended long before the duration asked for."),
    "empty_image": _("The file names no container image."),
    "errors_may_be_short_outputs": _(
        "The tool counts answers that came out too short as errors, so failures may be none."
    ),
    "failed_count_derived": _("The number of failed requests follows from the other counts."),
    "hosted_api": _("A hosted service answered: what it ran on is unknown."),
    "incomplete_requests": _("Some requests were still running when the run ended."),
    "input_throughput_zero_ignored": _(
        "The tool writes 0 for the input throughput that it did not measure."
    ),
    "issue_rate_is_unbounded": _("The stated rate stands for “as fast as possible”."),
    "itl_includes_ttft": _("The gaps between tokens include the wait for the first one."),
    "latency_in_seconds": _("The tool writes seconds; they are shown in milliseconds."),
    "latency_stats_include_zero_ttft": _(
        "Requests without a first token count as 0 ms in the tool’s latencies, which are too low."
    ),
    "latency_zero_means_missing": _("Latencies of 0 mean that nothing was measured."),
    "load_only_in_filename": _("Only the file’s name says which load was offered."),
    "means_only": _("The file gives means without any spread."),
    "min_zero_suspicious": _("The least latency is 0, which no server reaches."),
    "mixed_units": _("Values look as if seconds and milliseconds were mixed up."),
    "mlperf_invalid": _("By the rules of MLPerf the run is invalid."),
    "mock_server": _(
        "A stand-in answered instead of a model: the numbers say nothing about performance."
    ),
    "model_id_from_hf_cache_path": _("The model was read from the path of a download cache."),
    "model_id_is_local_path": _("The file names the model by a path on the measured machine."),
    "model_only_in_path": _("Only a path names the model."),
    "mostly_failed": _("Most requests failed; the numbers describe the few that did not."),
    "needs_sibling": _("Another file of the same run would say more."),
    "negative_value": _("A value is negative, which it cannot be; it is shown as it came."),
    "no_date": _("The file does not say when it was measured."),
    "no_median": _("The file gives no median."),
    "no_model": _("The file does not name the model."),
    "no_p50_key_use_median": _("The tool calls P50 the median."),
    "no_request_count": _("The file does not say how many requests were sent."),
    "non_finite_value": _("Some values are not numbers; they are unknown here."),
    "one_run_spread_over_records": _("Several records of the file are one run."),
    "osl_differs_from_target": _(
        "The answers had another length than asked for, so that latencies and rates differ too."
    ),
    "outlier_tpot_min": _("The least time per token is too small to be real."),
    "published_table": _("Printed in a table; the file and most of its environment are unknown."),
    "rates_counted_differently": _(
        "The totals divided by the duration do not give the stated rate; the tool counts both "
        "over different spans."
    ),
    "rounded_values": _("The values were rounded by the tool."),
    "same_run": _("Another upload holds the same run already."),
    "seconds_without_suffix": _("The file writes seconds without saying so."),
    "single_repetition": _("It was measured once: there is no spread between repetitions."),
    "tgi_decode_percentiles_unreliable": _("This tool’s percentiles of decoding are unreliable."),
    "tool_version_unknown": _("The version of the measuring tool is unknown."),
    "total_requests_unknown": _("The number of requests that were sent is unknown."),
    "ttft_dropped_not_streaming": _(
        "Answers were not streamed, so the tool’s time to first token is none and was left out."
    ),
    "values_are_strings_with_units": _("The tool writes values as text with their unit."),
    "warmup_excluded": _("The warm-up is not in the numbers."),
    "zero_token_successes": _("Requests that count as successful returned no token."),
}  # fmt: skip
WEIGHT_WORDS: Mapping[Weight, tuple[str, Promise]] = {
    Weight.SERIOUS: ("!", _("misleads who does not know it")),
    Weight.CAUTION: ("~", _("caution")),
    Weight.INFO: ("i", _("note")),
}
_ORDER = (Weight.SERIOUS, Weight.CAUTION, Weight.INFO)


def notice_word(code: str, detail: str = "") -> str:
    """The sentence of a code with its detail; a code without a sentence is shown as it is."""
    sentence = str(NOTICE_WORDS.get(code, code))
    return f"{sentence} ({detail})" if detail else sentence


def weight_of(code: str) -> Weight:
    """The weight of a code; one outside the list is a caution."""
    return NOTICES.get(code, Weight.CAUTION)


def rank_of(code: str) -> int:
    """Where a code stands in a list that begins with what matters most."""
    return _ORDER.index(weight_of(code))
