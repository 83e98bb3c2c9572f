"""The figures of a run's page."""

from benchmarks_app.plots.distributions import distribution_figures
from benchmarks_app.plots.figure import Figure
from benchmarks_app.plots.stability_figures import run_stability_figures
from benchmarks_app.queries.runs import RunDetail


def run_figures(detail: RunDetail) -> list[Figure]:
    """Distributions of the latencies that the run has samples of, and the run over its time."""
    return [*distribution_figures(detail.samples), *run_stability_figures(detail.samples)]
