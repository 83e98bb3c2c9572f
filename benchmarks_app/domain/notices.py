"""What a reader of a run must know: closed codes, each with its weight.

The sentences stand in ``benchmarks_app.pages.words``; a detail ("379") completes a code.
"""

from collections.abc import Mapping
from enum import StrEnum


class Weight(StrEnum):
    """How much a notice matters."""

    INFO = "info"
    CAUTION = "caution"
    SERIOUS = "serious"  # the numbers mislead who does not know it


NOTICES: Mapping[str, Weight] = {
    "absurd_value": Weight.SERIOUS,
    "aggregate_over_stages": Weight.SERIOUS,
    "all_requests_failed": Weight.SERIOUS,
    "cancelled": Weight.SERIOUS,
    "contains_prompts_or_outputs": Weight.INFO,
    "contradicts_itself": Weight.SERIOUS,
    "declared_differs": Weight.CAUTION,
    "duration_much_shorter_than_target": Weight.CAUTION,
    "empty_image": Weight.INFO,
    "errors_may_be_short_outputs": Weight.CAUTION,
    "failed_count_derived": Weight.INFO,
    "hosted_api": Weight.CAUTION,
    "incomplete_requests": Weight.CAUTION,
    "input_throughput_zero_ignored": Weight.INFO,
    "issue_rate_is_unbounded": Weight.INFO,
    "itl_includes_ttft": Weight.CAUTION,
    "latency_in_seconds": Weight.INFO,
    "latency_stats_include_zero_ttft": Weight.SERIOUS,
    "latency_zero_means_missing": Weight.INFO,
    "load_only_in_filename": Weight.CAUTION,
    "means_only": Weight.INFO,
    "min_zero_suspicious": Weight.CAUTION,
    "mixed_units": Weight.SERIOUS,
    "mlperf_invalid": Weight.SERIOUS,
    "mock_server": Weight.SERIOUS,
    "model_id_from_hf_cache_path": Weight.INFO,
    "model_id_is_local_path": Weight.CAUTION,
    "model_only_in_path": Weight.CAUTION,
    "mostly_failed": Weight.SERIOUS,
    "needs_sibling": Weight.CAUTION,
    "negative_value": Weight.SERIOUS,
    "no_date": Weight.CAUTION,
    "no_median": Weight.INFO,
    "no_model": Weight.CAUTION,
    "no_p50_key_use_median": Weight.INFO,
    "no_request_count": Weight.CAUTION,
    "non_finite_value": Weight.CAUTION,
    "one_run_spread_over_records": Weight.INFO,
    "osl_differs_from_target": Weight.SERIOUS,
    "outlier_tpot_min": Weight.CAUTION,
    "published_table": Weight.CAUTION,
    "rates_counted_differently": Weight.CAUTION,
    "rounded_values": Weight.INFO,
    "same_run": Weight.INFO,
    "seconds_without_suffix": Weight.CAUTION,
    "single_repetition": Weight.CAUTION,
    "tgi_decode_percentiles_unreliable": Weight.CAUTION,
    "tool_version_unknown": Weight.CAUTION,
    "total_requests_unknown": Weight.CAUTION,
    "ttft_dropped_not_streaming": Weight.INFO,
    "values_are_strings_with_units": Weight.INFO,
    "warmup_excluded": Weight.INFO,
    "zero_token_successes": Weight.SERIOUS,
}
