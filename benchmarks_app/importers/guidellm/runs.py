"""Builds the runs of GuideLLM's reports out of counts, distributions and settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks_app.contract import Counts, Fact, Load, Notice, RunReading, Samples, Tokens
from benchmarks_app.domain.levels import RunStatus
from benchmarks_app.importers.guidellm.distributions import Distributions


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that was read of one run."""

    index: int
    pointer: str
    counts: Counts
    distributions: Distributions
    facts: Mapping[str, Fact]
    load: Load
    tokens: Tokens
    notices: tuple[Notice, ...] = ()
    samples: Samples | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    identity: str = ""


def build_run(parts: Parts) -> RunReading:
    """The run; where nothing succeeded its zeros are no measurements."""
    counts = parts.counts
    nothing = counts.completed == 0
    notices = list(parts.notices)
    if nothing and counts.failed:
        notices.append(Notice("all_requests_failed"))
    if nothing or parts.distributions.zeros_dropped:
        notices.append(Notice("latency_zero_means_missing"))
    if parts.distributions.median_for_p50 and not nothing:
        notices.append(Notice("no_p50_key_use_median"))
    if counts.incomplete:
        notices.append(Notice("incomplete_requests", str(counts.incomplete)))
    if "model.id" not in parts.facts and not any(n.code == "no_model" for n in notices):
        notices.append(Notice("no_model"))
    return RunReading(
        index=parts.index,
        status=_status(counts),
        pointer=parts.pointer,
        facts=parts.facts,
        load=parts.load,
        requests=counts,
        tokens=parts.tokens,
        metrics=() if nothing else parts.distributions.metrics,
        samples=parts.samples,
        failures=parts.failures,
        notices=tuple(notices),
        identity=parts.identity,
    )


def _status(counts: Counts) -> RunStatus:
    """Requests that the end of the run cut off are no failures."""
    if counts.completed == 0:
        return RunStatus.FAILED
    return RunStatus.PARTIAL if counts.failed else RunStatus.OK
