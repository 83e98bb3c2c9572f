"""The context of a history: one metric of a cell over dates or releases, its steps and marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from benchmarks_app.domain.levels import LoadMode, RunClass
from benchmarks_app.domain.metrics import METRICS, is_stat
from benchmarks_app.domain.regression import (
    ALPHA,
    POWER,
    SMALLEST_EFFECT,
    EventKind,
    NoDetection,
    Power,
    StepEvent,
)
from benchmarks_app.pages.barrier_words import variable_value, variable_word
from benchmarks_app.pages.metric_words import (
    METRIC_WORDS,
    definition_word,
    metric_word,
    number_word,
    stat_word,
    unit_word,
    value_word,
)
from benchmarks_app.pages.selecting import FILTER_FIELDS, single_words
from benchmarks_app.pages.words import CLASS_SIGNS, LOAD_MODE_SHORT
from benchmarks_app.queries.history import (
    CONDITIONS,
    MOST_SERIES,
    Along,
    Mark,
    Point,
    Series,
)
from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import InvalidValue
from matrix.forms import Choices, initial_values, suggesting
from matrix.pages.links import node_name, with_query
from matrix.pages.words import Sign

# ``metric`` and ``stat`` of the filters are those of the history; bounds make no sense in it.
_LEFT_OUT = ("min", "max", "state", "metric", "stat")
FILTERS = tuple(name for name in FILTER_FIELDS if name not in _LEFT_OUT)
PARAMETERS = (*FILTERS, "metric", "stat", "along")
DEFAULT_METRIC, DEFAULT_STAT = "output_token_throughput", "value"
EVENT_SIGNS: Mapping[EventKind, tuple[str, Promise]] = {
    EventKind.REGRESSION: ("▼", gettext_lazy("regression")),
    EventKind.IMPROVEMENT: ("▲", gettext_lazy("improvement")),
    EventKind.CHANGE: ("≠", gettext_lazy("change")),
}
NO_DETECTION_WORDS: Mapping[NoDetection, Promise] = {
    NoDetection.TOO_FEW: gettext_lazy(
        "Too few runs to look for steps: six of one series are needed between two marks."
    ),
    NoDetection.NOT_POSITIVE: gettext_lazy(
        "Steps are looked for in values above 0 alone, and one is not."
    ),
}


@dataclass(frozen=True, slots=True)
class HistoryState:
    """What a history shows; ``filters`` select the runs."""

    filters: Mapping[str, str] = field(default_factory=dict)
    metric: str = DEFAULT_METRIC
    stat: str = DEFAULT_STAT
    along: Along = Along.DATE

    def pairs(self) -> list[tuple[str, str]]:
        """The parameters that ask this again."""
        named = [("metric", self.metric), ("stat", self.stat), ("along", self.along.value)]
        return [*self.filters.items(), *named]


@dataclass(frozen=True, slots=True)
class EventView:
    """A step in words."""

    icon: str
    word: Promise
    kind: str
    uid: str
    label: str
    previous_uid: str
    version: str
    effect: str
    p_value: str
    noise: str
    runs: str


@dataclass(frozen=True, slots=True)
class PointView:
    """One run of a series in words."""

    uid: str
    label: str
    version: str
    measured_on: Any
    value: str
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class SeriesView:
    """One series: what its runs share, its points, its steps and its marks."""

    key: str
    number: int
    name: str
    shared: Sequence[str]
    definition: str
    run_class: Sign
    points: Sequence[PointView]
    events: Sequence[EventView]
    why_none: Promise | str
    undated: Sequence[str]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Everything that the history page shows but its figure.

    ``pointless`` are series of runs without a known day, in a history along dates;
    ``more_exist`` says that further series may be there.
    """

    title: str
    unit: str
    asked: bool
    series: Sequence[SeriesView]
    pointless: Sequence[SeriesView]
    more_exist: bool
    most_series: int
    release_url: str
    along: str
    power_rows: Sequence[Sequence[str]]
    alpha: str
    smallest: str
    compare_url: str
    list_url: str


class HistoryForm(forms.Form):
    """The fields of a history as plain GET fields."""

    framework = forms.ChoiceField(label=gettext_lazy("Framework"), required=False)
    model = forms.CharField(label=gettext_lazy("Model"), required=False)
    hardware = forms.CharField(label=gettext_lazy("Hardware"), required=False)
    quantization = forms.CharField(label=gettext_lazy("Quantization"), required=False)
    metric = forms.ChoiceField(label=gettext_lazy("Metric"), required=False)
    stat = forms.CharField(label=gettext_lazy("Statistic"), required=False)
    along = forms.ChoiceField(
        label=gettext_lazy("Along"),
        required=False,
        choices=[(Along.DATE.value, gettext_lazy("dates of measurement")),
                 (Along.RELEASE.value, gettext_lazy("releases"))],
    )  # fmt: skip

    def __init__(self, *, frameworks: Choices, given: Mapping[str, Sequence[str]]) -> None:
        super().__init__(initial=initial_values(given))
        self.use_required_attribute = False
        metrics = [(name, METRIC_WORDS.get(name, name)) for name in METRICS]
        self._set("framework", [("", gettext_lazy("any")), *frameworks])
        self._set("metric", metrics)
        self.initial.setdefault("metric", DEFAULT_METRIC)
        self.initial.setdefault("stat", DEFAULT_STAT)
        for name in ("model", "hardware", "quantization"):
            self.fields[name].widget = suggesting(name, placeholder=str(_("any")))

    def _set(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def other_given(self) -> list[tuple[str, str]]:
        """Filters of the address that no field shows, to be kept."""
        shown = set(self.fields)
        given = self.initial.items()
        return [
            (name, str(value)) for name, value in given if name in FILTERS and name not in shown
        ]


def read_history_state(words: Mapping[str, Sequence[str]]) -> HistoryState:
    """The state of an address. **Raises**: ``RunproofError`` that names the parameter."""
    given = single_words(words, accepted=PARAMETERS)
    metric = given.get("metric", DEFAULT_METRIC)
    if metric not in METRICS:
        raise InvalidValue(name="metric", value=metric[:60], accepted=", ".join(METRICS))
    stat = given.get("stat", DEFAULT_STAT)
    if not _is_stat(stat):
        accepted = "value, mean, p50, p99 and the like"
        raise InvalidValue(name="stat", value=stat[:20], accepted=accepted)
    along = given.get("along", Along.DATE.value)
    if along not in set(Along):
        raise InvalidValue(name="along", value=along[:20], accepted=", ".join(Along))
    filters = {name: value for name, value in given.items() if name in FILTERS}
    return HistoryState(filters, metric, stat, Along(along))


def _is_stat(stat: str) -> bool:
    try:
        return is_stat(stat)
    except ValueError:
        return False


def version_rank(catalogue: Catalogue, framework: str, version: str) -> tuple[int, str]:
    """Where a version stands among its framework's releases; an unknown one stands after all."""
    history = catalogue.histories.get(framework)
    rank = history.find_rank(version) if history is not None and version else None
    return (rank if rank is not None else 10**9, version)


def build_history_page(
    series: Sequence[Series], state: HistoryState, catalogue: Catalogue
) -> HistoryPage:
    """The page of a history."""
    stat = "" if state.stat == "value" else f", {stat_word(state.stat)}"
    views = [_view(one, number, catalogue) for number, one in enumerate(series, 1)]
    return HistoryPage(
        title=f"{metric_word(state.metric)}{stat}",
        unit=unit_word(state.metric),
        asked=bool(state.filters),
        series=[one for one in views if one.points],
        pointless=[one for one in views if not one.points],
        more_exist=len(series) >= MOST_SERIES,
        most_series=MOST_SERIES,
        release_url=with_query(
            reverse("benchmark-history"), replace(state, along=Along.RELEASE).pairs()
        ),
        along=state.along.value,
        power_rows=[_power_row(one) for one in POWER],
        alpha=f"{ALPHA:.0%}",
        smallest=f"{SMALLEST_EFFECT:.0%}",
        compare_url=with_query(reverse("benchmark-compare"), state.filters.items()),
        list_url=with_query(reverse("benchmarks"), state.filters.items()),
    )


def _power_row(one: Power) -> tuple[str, ...]:
    return (
        f"{one.effect:.0%}",
        f"{one.noise:.0%}",
        str(one.before),
        str(one.after),
        f"{one.found:.1%}",
        f"{one.false_alarms:.1%}",
    )


def series_name(series: Series, number: int, catalogue: Catalogue) -> str:
    """A series by its number and what it is of."""
    parts = [
        node_name(catalogue, axis, str(series.same[axis]))
        for axis in ("framework", "model", "quantization", "hardware")
        if series.same[axis]
    ]
    return f"{number}. {' · '.join(parts) or _('unknown names')}"


def _view(series: Series, number: int, catalogue: Catalogue) -> SeriesView:
    marks = {mark.run_uid: mark for mark in series.marks}
    points = {one.uid: one for one in series.points}
    why = series.steps.why_none
    return SeriesView(
        key=series.key,
        number=number,
        name=series_name(series, number, catalogue),
        shared=_shared(series),
        definition=definition_word(series.definition),
        run_class=CLASS_SIGNS[RunClass(str(series.same["run_class"]))],
        points=[_point(one, series.metric, marks.get(one.uid)) for one in series.points],
        events=[_event(one, points) for one in series.steps.events],
        why_none=NO_DETECTION_WORDS[why] if why else "",
        undated=series.undated,
    )


def _shared(series: Series) -> list[str]:
    """The load and the number of devices that all runs of a series share."""
    same = series.same
    found = []
    if same["hardware_count"]:
        count = int(str(same["hardware_count"]))
        found.append(ngettext("%(n)d device", "%(n)d devices", count) % {"n": count})
    if same["load_mode"]:
        found.append(str(LOAD_MODE_SHORT[LoadMode(str(same["load_mode"]))]))
    if same["max_concurrency"] is not None:
        found.append(_("concurrency %(n)d") % {"n": same["max_concurrency"]})
    for name, unit in (
        ("request_rate", _("req/s")),
        ("input_tokens", _("input tokens")),
        ("output_tokens", _("output tokens")),
    ):
        value = same[name]
        if isinstance(value, (int, float)):
            found.append(f"{number_word(float(value))} {unit}")
    for name in CONDITIONS:
        if (condition := same[name]) is not None:
            words = {"name": variable_word(name), "value": variable_value(name, condition)}
            found.append(_("%(name)s: %(value)s") % words)
    found.append(str(same["tool"]))
    return found


def _point(point: Point, metric: str, mark: Mark | None) -> PointView:
    return PointView(
        uid=point.uid,
        label=point.label,
        version=point.version,
        measured_on=point.measured_on,
        value=value_word(metric, point.value),
        mark=mark,
    )


def _event(event: StepEvent, points: Mapping[str, Point]) -> EventView:
    icon, word = EVENT_SIGNS[event.kind]
    first = points[event.uid]
    return EventView(
        icon=icon,
        word=word,
        kind=event.kind.value,
        uid=event.uid,
        label=first.label,
        previous_uid=event.previous_uid,
        version=first.version,
        effect=f"{event.effect:+.1%}",
        p_value=f"{event.p_value:.2g}",
        noise=f"{event.noise:.1%}",
        runs=_("%(before)d before, %(after)d after")
        % {"before": event.before, "after": event.after},
    )
