"""The figures of a comparison, in the order in which they are read."""

from benchmarks_app.plots.figure import Figure
from benchmarks_app.plots.latency_figures import distribution_figures, percentile_figure
from benchmarks_app.plots.load_curves import frontier_figure, load_figures
from benchmarks_app.plots.stability_figures import comparison_stability_figures
from benchmarks_app.queries.comparison import Comparison


def comparison_figures(comparison: Comparison, *, latency: str, stat: str) -> list[Figure]:
    """All figures; one that cannot be drawn says why."""
    return [
        frontier_figure(comparison, latency=latency, stat=stat),
        percentile_figure(comparison, latency=latency),
        *distribution_figures(comparison),
        *load_figures(comparison, latency=latency, stat=stat),
        *comparison_stability_figures(comparison, latency=latency),
    ]
