"""Runs that state the peak of their device memory, beside the estimate for the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from matrix.domain.errors import RunproofError
from matrix.domain.measured import MeasuredRun
from matrix.domain.memory.estimate import estimate_memory
from matrix.index import Knowledge
from matrix.measuring import runs_with_peak_memory
from matrix.memory_asking import memory_request_of
from matrix.pages.memory_words import exact_text, range_text, size_text
from matrix.pages.translated import in_words


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run's measured peak and what would have been estimated for one device."""

    label: str
    url: str
    peak: str
    exact: str
    estimated: str
    remark: str


def run_rows(knowledge: Knowledge) -> Sequence[RunRow]:
    """The runs, newest first. **Queries**: those of the outer app's function."""
    rows = []
    for run in runs_with_peak_memory():
        peak = peak_bytes(run)
        if peak is not None:
            estimated, remark = _estimate(run, peak, knowledge)
            rows.append(
                RunRow(run.label, run.url, size_text(peak), exact_text(peak), estimated, remark)
            )
    return rows


def peak_bytes(run: MeasuredRun) -> int | None:
    """The peak of device memory that a run measured, by whichever statistic it states."""
    for name, value in sorted(run.metrics.items()):
        if name.startswith("peak_gpu_memory"):
            return int(value)
    return None


def _estimate(run: MeasuredRun, peak: int, knowledge: Knowledge) -> tuple[str, str]:
    """What is estimated for the run's own words, and how the peak stands to it."""
    named = {
        "framework": run.framework,
        "version": run.version,
        "model": run.model,
        "quantization": run.quantization,
        "hardware": run.hardware,
        "count": str(run.hardware_count or ""),
    }
    words = {name: [value] for name, value in named.items() if value}
    try:
        fit = estimate_memory(memory_request_of(words, knowledge)).fit
    except RunproofError as error:
        return "?", in_words(error.message)
    low, high = fit.needed_low_bytes, fit.needed_high_bytes
    if low is None or high is None:
        return "?", _("The parts of the estimate are not all known.")
    text = range_text(low, high)
    if peak < low:
        return text, _("The run used less than the low end.")
    if peak > high:
        return text, _(
            "The run used more than the high end: engines that reserve their cache take what the"
            " device has."
        )
    return text, _("The run lies within the range.")
