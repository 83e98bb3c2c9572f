"""Distributions and percentiles of latencies of several runs."""

import numpy as np
from django.utils.translation import gettext as _

from benchmarks_app.domain.summary import derive_columns, metric_samples, percentile_of_sorted
from benchmarks_app.pages.comparison_tables import run_numbers
from benchmarks_app.pages.metric_words import (
    metric_word,
    number_word,
    shown_value,
    stat_word,
    unit_word,
    value_word,
)
from benchmarks_app.plots.figure import MOST_POINTS, Figure, Floats, axes, numbers, thinned
from benchmarks_app.plots.sharing import run_name, runs_sharing
from benchmarks_app.queries.comparison import RANKS, Comparison

DISTRIBUTED = ("ttft", "tpot", "e2el")
TABLE_RANKS = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0)
# Beyond this a few slow requests would squeeze all others into a corner.
SHOWN_UP_TO = 99.9
# Of many lines none needs as many points as one alone.
POINTS_IN_ALL, FEWEST_POINTS = 2_000, 120


def distribution_figures(comparison: Comparison) -> list[Figure]:
    """The distribution of each latency that a chosen run has samples of."""
    derived = [
        None if one.samples is None else derive_columns(one.samples) for one in comparison.sampled
    ]
    found = []
    for metric in DISTRIBUTED:
        known = {}
        for place, samples in enumerate(derived):
            values = None if samples is None else metric_samples(samples, metric)
            if values is not None and values.size > 1:
                known[place] = np.sort(values)
        if known:
            found.append(_distribution(comparison, metric, known))
    if not found:
        title = _("Distribution of latencies")
        reason = _("No chosen run has samples of single requests.")
        found.append(Figure("distribution", title, reason=reason))
    return found


def _distribution(comparison: Comparison, metric: str, known: dict[int, Floats]) -> Figure:
    title = _("Distribution of %(metric)s") % {"metric": metric_word(metric)}
    shared = runs_sharing(comparison, metric)
    left_out = list(shared.left_out)
    without = [place + 1 for place in shared.places if place not in known]
    if without:
        words = {"runs": run_numbers(without)}
        left_out.append(_("Run %(runs)s: it has no samples of single requests.") % words)
    drawn = {place: known[place] for place in shared.places if place in known}
    if not drawn:
        reason = _("No run that can share the axis has samples.")
        return Figure(f"cdf-{metric}", title, reason=reason, left_out=left_out)
    traces = []
    most = min(MOST_POINTS, max(FEWEST_POINTS, POINTS_IN_ALL // len(drawn)))
    for place, ordered in drawn.items():
        values, shares = thinned(ordered, most=most)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": run_name(comparison, place),
                "x": numbers(values),
                "y": numbers(shares * 100.0),
                "meta": {"slot": place},
                "hovertemplate": "%{x:.4g}: %{y:.3g} %<extra>%{fullData.name}</extra>",
            }
        )
    top = max(percentile_of_sorted(ordered, SHOWN_UP_TO) for ordered in drawn.values())
    head = f"{metric_word(metric)} [{unit_word(metric)}]"
    layout = axes(head, _("requests at most as slow [%]"))
    layout["xaxis"]["range"] = [0, float(f"{top * 1.02:.4g}")]
    layout["yaxis"]["range"] = [0, 101]
    return Figure(
        key=f"cdf-{metric}",
        title=title,
        description=_("Distributions of %(n)d runs; further left is faster") % {"n": len(drawn)},
        traces=traces,
        layout=layout,
        heads=(_("Percentile"), *(run_name(comparison, place) for place in drawn)),
        rows=[
            (
                stat_word(f"p{rank:g}"),
                *(number_word(percentile_of_sorted(o, rank)) for o in drawn.values()),
            )
            for rank in TABLE_RANKS
        ],
        note=_("Read upwards: this share of the requests waited at most so long."),
        left_out=left_out,
    )


def percentile_figure(comparison: Comparison, *, latency: str) -> Figure:
    """The percentiles of one latency beside each other."""
    title = _("Percentiles of %(metric)s") % {"metric": metric_word(latency)}
    shared = runs_sharing(comparison, latency)
    values = {
        place: [comparison.value(latency, rank, place) for rank in RANKS] for place in shared.places
    }
    values = {place: row for place, row in values.items() if any(v is not None for v in row)}
    if not values:
        reason = _("No run that can share the axis has percentiles of %(metric)s.")
        words = {"metric": metric_word(latency)}
        return Figure("percentiles", title, reason=reason % words, left_out=shared.left_out)
    heads = [stat_word(rank) for rank in RANKS]
    traces = [
        {
            "type": "bar",
            "name": run_name(comparison, place),
            "x": heads,
            "y": [None if value is None else shown_value(latency, value) for value in row],
            "meta": {"slot": place},
            "hovertemplate": "%{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
        }
        for place, row in values.items()
    ]
    return Figure(
        key="percentiles",
        title=title,
        description=_("Percentiles of %(n)d runs; shorter is faster") % {"n": len(values)},
        traces=traces,
        layout=axes("", f"{metric_word(latency)} [{unit_word(latency)}]", barmode="group"),
        heads=(_("Run"), *heads),
        rows=[
            (
                run_name(comparison, place),
                *("–" if value is None else value_word(latency, value) for value in row),
            )
            for place, row in values.items()
        ],
        left_out=shared.left_out,
    )
