"""The context of the list of runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.levels import LoadMode, RunClass, RunOutcome, RunState, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.pages.metric_words import METRIC_WORDS, UNIT_WORDS
from benchmarks_app.pages.run_words import RunLine, run_line
from benchmarks_app.pages.words import (
    CLASS_SIGNS,
    GRADE_WORDS,
    LOAD_MODE_SHORT,
    OUTCOME_SIGNS,
    STATE_SIGNS,
    STATUS_SIGNS,
)
from benchmarks_app.queries.first_steps import FirstStep
from benchmarks_app.queries.run_list import Headline, Order, RunSlice
from matrix.domain.catalogue import Catalogue
from matrix.forms import Choices, initial_values, suggesting
from matrix.pages.links import with_query

PAGE_FIELDS = ("sort", "after", "before")
ORDER_WORDS: Mapping[Order, Any] = {
    Order.NEWEST: _("last published here"),
    Order.OLDEST: _("first published here"),
    Order.MEASURED: _("last measured"),
}
FIRST_STEP_WORDS: Mapping[str, Any] = {
    "client-loads": _("a serving client at two loads, with thresholds (stand-in server)"),
    "llama-threads": _("llama.cpp with one thread and with two"),
    "printed-tables": _("one model on several accelerators, as a vendor printed it"),
}
_ANY = ("", _("any"))
MAIN_FIELDS = 7  # One line at 1,280 px; the others are folded away.


@dataclass(frozen=True, slots=True)
class RunList:
    """The list page. ``filtered`` tells whether fewer than all standing runs were asked for.

    **Shapes**: ``orders`` are a word, an address and whether it is the present order;
    ``first_steps`` a word and the address of a comparison.
    """

    lines: Sequence[RunLine]
    newer_url: str
    older_url: str
    first_url: str
    filtered: bool
    compare_all_url: str
    orders: Sequence[tuple[Any, str, bool]]
    first_steps: Sequence[tuple[Any, str]]


class RunListForm(forms.Form):
    """The filters of the list as plain GET fields; they are judged by ``filters.RunFilters``."""

    framework = forms.ChoiceField(label=_("Framework"), required=False)
    framework_version = forms.CharField(label=_("Version"), required=False)
    model = forms.CharField(label=_("Model"), required=False)
    hardware = forms.CharField(label=_("Hardware"), required=False)
    quantization = forms.CharField(label=_("Quantization"), required=False)
    q = forms.CharField(label=_("Text"), required=False, widget=forms.TextInput({"type": "search"}))
    run_class = forms.ChoiceField(label=_("Kind of evidence"), required=False)
    load_mode = forms.ChoiceField(label=_("Load"), required=False)
    concurrency_min = forms.CharField(label=_("Concurrency from"), required=False)
    concurrency_max = forms.CharField(label=_("Concurrency to"), required=False)
    tool = forms.CharField(label=_("Tool"), required=False)
    status = forms.ChoiceField(label=_("End of the run"), required=False)
    outcome = forms.ChoiceField(label=_("Shows about its cell"), required=False)
    grade = forms.ChoiceField(label=_("Reproducibility"), required=False)
    measured_from = forms.CharField(
        label=_("Measured from"), required=False, widget=forms.DateInput({"type": "date"})
    )
    measured_to = forms.CharField(
        label=_("Measured to"), required=False, widget=forms.DateInput({"type": "date"})
    )
    metric = forms.ChoiceField(label=_("Metric"), required=False)
    stat = forms.CharField(label=_("Statistic"), required=False)
    min = forms.CharField(label=_("At least"), required=False)
    max = forms.CharField(label=_("At most"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)
    sort = forms.ChoiceField(label=_("Order"), required=False)

    def __init__(self, *, frameworks: Choices, given: Mapping[str, Sequence[str]]) -> None:
        super().__init__(initial=initial_values(given))
        self.use_required_attribute = False
        self._choose("framework", frameworks)
        for name in ("model", "hardware", "quantization"):
            self.fields[name].widget = suggesting(name, placeholder=str(_("any")))
        self._choose("run_class", ((one.value, CLASS_SIGNS[one].word) for one in RunClass))
        self._choose("load_mode", ((one.value, LOAD_MODE_SHORT[one]) for one in LoadMode))
        self._choose("status", ((one.value, STATUS_SIGNS[one].word) for one in RunStatus))
        self._choose("outcome", ((one.value, OUTCOME_SIGNS[one].word) for one in RunOutcome))
        self._choose("grade", ((one, f"{one}: {word}") for one, word in GRADE_WORDS.items()))
        self._choose(
            "metric",
            ((one, f"{word} [{UNIT_WORDS[METRICS[one].unit]}]") for one, word in _metrics()),
        )
        standing = ("", STATE_SIGNS[RunState.PUBLISHED].word)
        others = [
            (one.value, STATE_SIGNS[one].word) for one in (RunState.WITHDRAWN, RunState.REPLACED)
        ]
        self._set("state", [standing, *others, ("any", _("any"))])
        self._set(
            "sort",
            [("" if one is Order.NEWEST else one.value, ORDER_WORDS[one]) for one in Order],
        )
        for name in ("concurrency_min", "concurrency_max", "min", "max"):
            self.fields[name].widget.attrs["inputmode"] = "decimal"
        self.fields["stat"].widget.attrs["placeholder"] = "p99"

    def _choose(self, name: str, choices: Iterable[tuple[str, Any]]) -> None:
        self._set(name, [_ANY, *choices])

    def _set(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def main_fields(self) -> list[forms.BoundField]:
        """The fields that are always shown."""
        return [self[name] for name in list(self.fields)[:MAIN_FIELDS]]

    def more_fields(self) -> list[forms.BoundField]:
        """The fields that are folded away."""
        return [self[name] for name in list(self.fields)[MAIN_FIELDS:]]

    def more_given(self) -> bool:
        """Whether a folded field holds something."""
        folded = list(self.fields)[MAIN_FIELDS:]
        return any(name in self.initial for name in folded if name != "sort")


def _metrics() -> list[tuple[str, Any]]:
    return [(name, METRIC_WORDS.get(name, name)) for name in METRICS]


def build_run_list(
    piece: RunSlice,
    headlines: Mapping[int, Sequence[Headline]],
    *,
    catalogue: Catalogue,
    pairs: Sequence[tuple[str, str]],
    first_steps: Sequence[FirstStep] = (),
) -> RunList:
    """The list page. **Shapes**: ``pairs`` are the words of the address."""
    path = reverse("benchmarks")
    kept = [(name, value) for name, value in pairs if name not in {"after", "before"}]
    choosing = [(name, value) for name, value in kept if name != "sort"]
    present = dict(kept).get("sort", Order.NEWEST.value)
    return RunList(
        lines=[run_line(run, headlines.get(run.pk, ()), catalogue) for run in piece.rows],
        newer_url=with_query(path, [*kept, ("before", piece.before)]) if piece.before else "",
        older_url=with_query(path, [*kept, ("after", piece.after)]) if piece.after else "",
        first_url=with_query(path, kept),
        filtered=bool(choosing),
        compare_all_url=with_query(reverse("benchmark-compare"), choosing) if choosing else "",
        orders=[
            (
                word,
                with_query(path, choosing if one is Order.NEWEST else [*choosing, ("sort", one)]),
                one.value == present,
            )
            for one, word in ORDER_WORDS.items()
        ],
        first_steps=[
            (FIRST_STEP_WORDS[one.key], with_query(reverse("benchmark-compare"), one.pairs))
            for one in first_steps
        ],
    )
