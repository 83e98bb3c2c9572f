"""A metric over dates or releases."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from benchmarks_app.domain.levels import RunClass
from benchmarks_app.pages.history import series_name
from benchmarks_app.pages.metric_words import (
    metric_word,
    shown_value,
    stat_word,
    unit_word,
    value_word,
)
from benchmarks_app.pages.words import CLASS_SIGNS
from benchmarks_app.plots.figure import Figure, Trace, axes
from benchmarks_app.queries.history import Along, Series
from matrix.domain.catalogue import Catalogue


def _kind_of(series: Series) -> str:
    """What keeps a picture that is passed on alone from being taken for a measurement."""
    kind = RunClass(str(series.same["run_class"]))
    return "" if kind is RunClass.MEASURED else f" ({CLASS_SIGNS[kind].word})"


def history_figure(series: Sequence[Series], *, along: Along, catalogue: Catalogue) -> Figure:
    """One line for each series; steps and marks are told in the tables beside it."""
    title = _("Over releases") if along is Along.RELEASE else _("Over dates")
    shown = [one for one in series if one.points]
    if not shown:
        return Figure("history", title, reason=_("No run has this value and a known place in it."))
    metric, stat = shown[0].metric, shown[0].stat
    by_release = along is Along.RELEASE
    traces: list[Trace] = []
    rows = []
    for number, one in enumerate(series, 1):
        if not one.points:
            continue
        name = series_name(one, number, catalogue) + _kind_of(one)
        places = [
            (point.version or _("unknown")) if by_release else str(point.measured_on)
            for point in one.points
        ]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers" if by_release else "lines+markers",
                "name": name,
                "x": places,
                "y": [shown_value(metric, point.value) for point in one.points],
                "text": [point.label for point in one.points],
                "marker": {"size": 8},
                "meta": {"slot": number - 1},
                "hovertemplate": "%{x}: %{y:.4g}<br>%{text}<extra></extra>",
            }
        )
        rows += [
            (f"{number}. {place}", point.label, value_word(metric, point.value))
            for place, point in zip(places, one.points, strict=True)
        ]
    unit = unit_word(metric)
    head = f"{metric_word(metric)}{'' if stat == 'value' else f', {stat_word(stat)}'} [{unit}]"
    layout = axes(_("release") if by_release else _("day of the measurement"), head)
    layout["xaxis"]["type"] = "category" if by_release else "date"
    if by_release:
        order = dict.fromkeys(str(x) for trace in traces for x in trace["x"])
        layout["xaxis"] |= {"categoryorder": "array", "categoryarray": list(order)}
    layout["yaxis"]["rangemode"] = "tozero"
    return Figure(
        key="history",
        title=title,
        description=_("%(n)d runs in %(series)d series") % {"n": len(rows), "series": len(traces)},
        traces=traces,
        layout=layout,
        heads=(_("Series and place"), _("Run"), head),
        rows=rows,
        note=_("Runs of different load, hardware, kind or definition are series of their own."),
    )
