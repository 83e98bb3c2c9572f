"""Throughput against latency, and metrics against the offered load."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from benchmarks_app.domain.run_view import RunView
from benchmarks_app.pages.metric_words import (
    metric_word,
    number_word,
    shown_value,
    stat_word,
    unit_word,
    value_word,
)
from benchmarks_app.plots.figure import Figure, Trace, axes
from benchmarks_app.plots.sharing import configurations, run_name, runs_sharing
from benchmarks_app.queries.comparison import Comparison

THROUGHPUTS = (
    "output_token_throughput", "total_token_throughput", "token_throughput", "request_throughput",
    "output_token_throughput_per_gpu", "total_token_throughput_per_gpu",
    "token_throughput_per_gpu", "decode_throughput", "mixed_throughput", "prefill_throughput",
)  # fmt: skip


def throughput_of(comparison: Comparison) -> tuple[str, str]:
    """The throughput that most runs have, and its statistic; blank where none has any."""
    best, most = ("", ""), 0
    for metric in THROUGHPUTS:
        for stat in ("value", "mean"):
            count = sum(
                comparison.value(metric, stat, place) is not None
                for place in range(len(comparison.runs))
            )
            if count > most:
                best, most = (metric, stat), count
    return best


def frontier_figure(comparison: Comparison, *, latency: str, stat: str) -> Figure:
    """Throughput against latency, a line through the loads of each configuration."""
    title = _("Throughput against latency")
    metric, throughput_stat = throughput_of(comparison)
    if not metric:
        return Figure("frontier", title, reason=_("No chosen run has a throughput."))
    shared = runs_sharing(comparison, metric, latency)
    x_title = f"{metric_word(metric)} [{unit_word(metric)}]"
    y_title = f"{metric_word(latency)}, {stat_word(stat)} [{unit_word(latency)}]"
    points = {
        place: (x, y)
        for place in shared.places
        if (x := comparison.value(metric, throughput_stat, place)) is not None
        and (y := comparison.value(latency, stat, place)) is not None
    }
    if not points:
        reason = _("No run that can share the axes has both %(x)s and %(y)s.") % {
            "x": x_title,
            "y": y_title,
        }
        return Figure("frontier", title, reason=reason, left_out=shared.left_out)
    traces: list[Trace] = []
    for slot, (name, members) in enumerate(configurations(comparison, sorted(points)).items()):
        ordered = sorted(members, key=lambda place: _load_rank(comparison, place))
        traces.append(
            _line(
                name,
                slot,
                [shown_value(metric, points[place][0]) for place in ordered],
                [shown_value(latency, points[place][1]) for place in ordered],
                [run_name(comparison, place) for place in ordered],
                joined=_are_apart([_load_rank(comparison, place) for place in ordered]),
            )
        )
    return Figure(
        key="frontier",
        title=title,
        description=_("%(n)d runs in %(lines)d configurations; lower right is better")
        % {"n": len(points), "lines": len(traces)},
        traces=traces,
        layout=axes(x_title, y_title),
        heads=(_("Run"), x_title, y_title),
        rows=[
            (run_name(comparison, place), value_word(metric, x), value_word(latency, y))
            for place, (x, y) in points.items()
        ],
        note=_("Further right is more throughput, further down is less waiting. A line joins the "
               "runs that differ in load alone."),
        left_out=shared.left_out,
    )  # fmt: skip


def _are_apart(loads: Sequence[object]) -> bool:
    """Whether a line may join the points: several runs of one load are no curve."""
    return len(set(loads)) == len(loads)


def _line(
    name: str,
    slot: int,
    x: Sequence[float],
    y: Sequence[float],
    texts: Sequence[str],
    *,
    joined: bool,
) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers" if joined else "markers",
        "name": name,
        "x": list(x),
        "y": list(y),
        "text": list(texts),
        "marker": {"size": 9},
        "meta": {"slot": slot},
        "hovertemplate": "%{text}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
    }


def _load_rank(comparison: Comparison, place: int) -> tuple[float, float]:
    load = comparison.sampled[place].view.load
    return (load.max_concurrency or 0.0, load.request_rate or 0.0)


def _threads_of(view: RunView) -> float | None:
    threads = view.load.extra.get("n_threads")
    return float(threads) if isinstance(threads, (int, float)) else None


_LOADS: tuple[tuple[str, Callable[[RunView], float | None]], ...] = (
    ("concurrency", lambda view: view.load.max_concurrency),
    ("request-rate", lambda view: view.load.request_rate),
    ("batch-size", lambda view: view.load.batch_size),
    ("threads", _threads_of),
)


def load_figures(comparison: Comparison, *, latency: str, stat: str) -> list[Figure]:
    """The latency and the throughput against whichever load the runs differ in."""
    metric, throughput_stat = throughput_of(comparison)
    wanted = [("load-latency", latency, stat)]
    if metric:
        wanted.append(("load-throughput", metric, throughput_stat))
    return [_load_figure(comparison, *one) for one in wanted]


def _load_figure(comparison: Comparison, key: str, metric: str, stat: str) -> Figure:
    title = _("%(metric)s against the load") % {"metric": metric_word(metric)}
    shared = runs_sharing(comparison, metric)
    name, loads = _varied_load(comparison, shared.places)
    y_title = f"{metric_word(metric)}, {stat_word(stat)} [{unit_word(metric)}]"
    points = {
        place: value
        for place in loads
        if (value := comparison.value(metric, stat, place)) is not None
    }
    if len(points) < 2:
        reason = _(
            "The runs that can share an axis do not differ in a known concurrency, rate, batch "
            "size or number of threads."
        )
        return Figure(key, title, reason=reason, left_out=shared.left_out)
    x_title = {
        "concurrency": _("Concurrency [requests in flight]"),
        "request-rate": _("Request rate [requests/s]"),
        "batch-size": _("Batch size [requests]"),
        "threads": _("Threads"),
    }[name]
    traces = []
    for slot, (line, members) in enumerate(configurations(comparison, sorted(points)).items()):
        ordered = sorted(members, key=lambda place: loads[place])
        traces.append(
            _line(
                line,
                slot,
                [loads[place] for place in ordered],
                [shown_value(metric, points[place]) for place in ordered],
                [run_name(comparison, place) for place in ordered],
                joined=_are_apart([loads[place] for place in ordered]),
            )
        )
    return Figure(
        key=key,
        title=title,
        description=_("%(n)d runs over loads from %(least)s to %(most)s")
        % {
            "n": len(points),
            "least": number_word(min(loads[place] for place in points)),
            "most": number_word(max(loads[place] for place in points)),
        },
        traces=traces,
        layout=axes(x_title, y_title),
        heads=(_("Run"), x_title, y_title),
        rows=[
            (run_name(comparison, place), number_word(loads[place]), value_word(metric, value))
            for place, value in sorted(points.items(), key=lambda point: loads[point[0]])
        ],
        left_out=shared.left_out,
    )


def _varied_load(comparison: Comparison, places: Sequence[int]) -> tuple[str, dict[int, float]]:
    """The kind of load in which most of these runs differ, with the load of each."""
    best: tuple[str, dict[int, float]] = ("concurrency", {})
    for name, load_of in _LOADS:
        loads = {
            place: float(load)
            for place in places
            if (load := load_of(comparison.sampled[place].view)) is not None
        }
        if len(set(loads.values())) > max(1, len(set(best[1].values()))):
            best = (name, loads)
    return best
