"""The figures of a comparison, in the order in which they are read."""

from benchmarks_app.pages.comparison_state import LATENCIES, LATENCY_STATS
from benchmarks_app.plots.figure import Figure
from benchmarks_app.plots.latency_figures import distribution_figures, percentile_figure
from benchmarks_app.plots.load_curves import frontier_figure, load_figures
from benchmarks_app.plots.stability_figures import comparison_stability_figures
from benchmarks_app.queries.comparison import Comparison

# Without a choice the tail of what a user waits for, as far as the runs know it.
_STATS = ("p99", "p95", "p90", "p50", "mean", "value")


def figured_latency(comparison: Comparison, *, latency: str, stat: str) -> tuple[str, str]:
    """The latency and the statistic that figures show: as chosen, else what most runs have."""
    latencies = [latency] if latency else list(LATENCIES)
    stats = [stat] if stat else [one for one in _STATS if one in LATENCY_STATS]
    pairs = [(one, other) for one in latencies for other in stats]
    return max(pairs, key=lambda pair: _count(comparison, *pair))


def _count(comparison: Comparison, metric: str, stat: str) -> int:
    places = range(len(comparison.runs))
    return sum(comparison.value(metric, stat, place) is not None for place in places)


def comparison_figures(comparison: Comparison, *, latency: str, stat: str) -> list[Figure]:
    """All figures; one that cannot be drawn says why. A blank choice is made for the reader."""
    latency, stat = figured_latency(comparison, latency=latency, stat=stat)
    return [
        frontier_figure(comparison, latency=latency, stat=stat),
        percentile_figure(comparison, latency=latency),
        *distribution_figures(comparison),
        *load_figures(comparison, latency=latency, stat=stat),
        *comparison_stability_figures(comparison, latency=latency),
    ]
