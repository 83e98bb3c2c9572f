"""Distributions of latencies of one run."""

import numpy as np
from django.utils.translation import gettext as _

from benchmarks_app.contract import Samples
from benchmarks_app.domain.summary import derive_columns, metric_samples, percentile_of_sorted
from benchmarks_app.pages.metric_words import metric_word, number_word, unit_word
from benchmarks_app.plots.figure import Figure, axes, numbers

LATENCIES = ("ttft", "tpot", "e2el", "itl")
MOST_BINS = 40
# What lies beyond would squeeze everything else into one bar.
SHOWN_UP_TO = 99.5


def distribution_figures(samples: Samples | None) -> list[Figure]:
    """One histogram for each latency that the run has samples of; none without samples."""
    if samples is None:
        return []
    full = derive_columns(samples)
    found = []
    for metric in LATENCIES:
        values = metric_samples(full, metric)
        if values is not None and values.size > 1:
            found.append(_histogram(metric, values))
    return found


def _histogram(metric: str, values: np.ndarray) -> Figure:
    ordered = np.sort(values)
    top = percentile_of_sorted(ordered, SHOWN_UP_TO) if ordered.size > 200 else ordered[-1]
    shown = ordered[ordered <= top]
    bins = int(min(MOST_BINS, max(5, np.sqrt(shown.size))))
    counts, edges = np.histogram(shown, bins=bins)
    unit, word = unit_word(metric), metric_word(metric)
    beyond = int(ordered.size - shown.size)
    note = (
        _("%(n)d slower values, up to %(most)s %(unit)s, lie beyond the axis.")
        % {"n": beyond, "most": number_word(float(ordered[-1])), "unit": unit}
        if beyond
        else ""
    )
    middle, width = (edges[:-1] + edges[1:]) / 2, float(edges[1] - edges[0])
    trace = {
        "type": "bar",
        "x": numbers(middle),
        "y": [int(count) for count in counts],
        "width": width,
        "name": word,
        "meta": {"slot": 0},
        "hovertemplate": "%{x} " + unit + ": %{y}<extra></extra>",
    }
    return Figure(
        key=f"distribution-{metric}",
        title=_("Distribution of %(metric)s") % {"metric": word},
        description=_("%(n)d values between %(least)s and %(most)s %(unit)s; median %(median)s")
        % {
            "n": ordered.size,
            "least": number_word(float(ordered[0])),
            "most": number_word(float(ordered[-1])),
            "unit": unit,
            "median": number_word(percentile_of_sorted(ordered, 50.0)),
        },
        traces=[trace],
        layout=axes(f"{word} [{unit}]", _("values"), bargap=0, showlegend=False),
        heads=(f"{word} [{unit}]", _("values")),
        rows=[
            (f"{number_word(float(low))} – {number_word(float(high))}", str(int(count)))
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ],
        note=note,
    )
