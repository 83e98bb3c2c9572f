"""Runs over their own time: throughput and latency by windows."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks_app.contract import Samples
from benchmarks_app.domain.stability import (
    Drift,
    Stability,
    WhyNone,
    WindowSeries,
    describe_stability,
)
from benchmarks_app.pages.comparison_tables import run_numbers
from benchmarks_app.pages.metric_words import metric_word, number_word, unit_word
from benchmarks_app.plots.figure import Figure, Trace, axes, numbers
from benchmarks_app.plots.sharing import run_name, runs_sharing
from benchmarks_app.queries.comparison import Comparison

COMPLETED = "completed_per_s"
WHY_NONE_WORDS: Mapping[WhyNone, Promise] = {
    WhyNone.NO_SAMPLES: gettext_lazy("there are no samples of single requests"),
    WhyNone.NO_START_TIMES: gettext_lazy("the samples do not say when requests began"),
    WhyNone.TOO_FEW: gettext_lazy("there are too few requests to part them by time"),
    WhyNone.NO_TIME: gettext_lazy("no time passed between the requests"),
}
DRIFT_WORDS: Mapping[Drift, Promise] = {
    Drift.STEADY: gettext_lazy("steady"),
    Drift.RISING: gettext_lazy("rising"),
    Drift.FALLING: gettext_lazy("falling"),
    Drift.UNTESTED: gettext_lazy("not tested: too few windows"),
}


def series_word(name: str) -> str:
    """The name of a series of windows."""
    if name == COMPLETED:
        return _("Completed requests")
    return _("median %(metric)s") % {"metric": metric_word(name)}


def series_unit(name: str) -> str:
    """The unit of a series of windows."""
    return _("req/s") if name == COMPLETED else unit_word(name)


def drift_word(series: WindowSeries) -> str:
    """What a series does from its first to its last third."""
    word = str(DRIFT_WORDS[series.drift])
    if series.drift is Drift.UNTESTED or series.change is None:
        return word
    return _("%(word)s (%(change)s from the first to the last third)") % {
        "word": word,
        "change": f"{series.change:+.1%}",
    }


def run_stability_figures(samples: Samples | None) -> list[Figure]:
    """One figure for each series of a run, or the reason where the time of requests is unknown.

    A run without samples of requests has no time of its own, and gets no figure.
    """
    if samples is None or not samples.requests:
        return []
    stability = describe_stability(samples)
    if stability.why_none is not None:
        title, why = _("Over the time of the run"), WHY_NONE_WORDS[stability.why_none]
        reason = _("It cannot be shown over its time: %(why)s.") % {"why": why}
        return [Figure("stability", title, reason=reason)]
    wanted = [one for one in stability.series if one.name in (COMPLETED, "ttft", "tpot")]
    return [_figure(f"stability-{one.name}", [("", 0, stability, one)], one.name) for one in wanted]


def comparison_stability_figures(comparison: Comparison, *, latency: str) -> list[Figure]:
    """Throughput and one latency over their time, of the runs that may share an axis."""
    described = [describe_stability(one.samples, metrics=(latency,)) for one in comparison.sampled]
    reasons: dict[WhyNone, list[int]] = {}
    for number, one in enumerate(described, 1):
        if one.why_none is not None:
            reasons.setdefault(one.why_none, []).append(number)
    left_out = [
        _("Run %(runs)s: %(reason)s.")
        % {"runs": run_numbers(numbers_), "reason": WHY_NONE_WORDS[why]}
        for why, numbers_ in reasons.items()
    ]
    found = []
    for name in (COMPLETED, latency):
        # Completed requests are counted where they end, so that what parts E2EL parts them too.
        shared = runs_sharing(comparison, "e2el" if name == COMPLETED else name)
        lines = [
            (run_name(comparison, place), place, one, series)
            for place, one in enumerate(described)
            for series in one.series
            if series.name == name and place in shared.places
        ]
        if lines:
            apart = [*left_out, *shared.left_out]
            found.append(_figure(f"stability-{name}", lines, name, apart))
    if not found:
        title = _("Over the time of the runs")
        reason = _("No chosen run can be shown over its time.")
        found.append(Figure("stability", title, reason=reason, left_out=left_out))
    return found


_Line = tuple[str, int, Stability, WindowSeries]


def _figure(key: str, lines: Sequence[_Line], name: str, left_out: Sequence[str] = ()) -> Figure:
    head = f"{series_word(name)} [{series_unit(name)}]"
    traces: list[Trace] = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(lines) == 1 else "lines",
            "name": line or series_word(name),
            "x": numbers(stability.starts_s + stability.width_s / 2),
            "y": numbers(series.values),
            "marker": {"size": 5},
            "meta": {"slot": slot},
            "hovertemplate": "%{x:.4g} s: %{y:.4g}<extra>%{fullData.name}</extra>",
        }
        for line, slot, stability, series in lines
    ]
    layout = axes(_("seconds since the first request"), head, showlegend=len(lines) > 1)
    layout["yaxis"]["rangemode"] = "tozero"
    first = lines[0]
    alone = len(lines) == 1 and not first[0]
    return Figure(
        key=key,
        title=_("%(series)s over time") % {"series": series_word(name)},
        description=drift_word(first[3]) if alone else _("%(n)d runs") % {"n": len(lines)},
        traces=traces,
        layout=layout,
        heads=(_("Window from, s"), head) if alone else (_("Run"), _("Drift"), _("p-value")),
        rows=_windows(first) if alone else [_drift_row(line) for line in lines],
        note=drift_word(first[3]) if alone else "",
        left_out=left_out,
    )


def _windows(line: _Line) -> list[tuple[str, str]]:
    _name, _slot, stability, series = line
    return [
        (number_word(float(start)), number_word(float(value)) if value == value else "–")
        for start, value in zip(stability.starts_s, series.values, strict=True)
    ]


def _drift_row(line: _Line) -> tuple[str, str, str]:
    name, _slot, _stability, series = line
    p_value = "–" if series.p_value is None else f"{series.p_value:.2g}"
    return name, drift_word(series), p_value
