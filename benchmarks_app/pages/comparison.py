"""The context of the comparison page: what is comparable first, then values, then figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Run
from benchmarks_app.pages.comparison_state import (
    LATENCIES,
    LATENCY_STATS,
    THRESHOLDS,
    ComparisonState,
)
from benchmarks_app.pages.comparison_tables import (
    BarrierRow,
    Column,
    SloRow,
    ValueCell,
    VariableRow,
    VariableTables,
    barrier_rows,
    cell_of,
    column_of,
    run_numbers,
    slo_rows,
    split_columns,
    variable_tables,
)
from benchmarks_app.pages.metric_words import metric_word, stat_word
from benchmarks_app.pages.run_words import RunLine, run_line
from benchmarks_app.queries.comparison import Comparison
from matrix.domain.catalogue import Catalogue
from matrix.pages.links import with_query

EXPORTS = ("csv", "json", "markdown", "html")


@dataclass(frozen=True, slots=True)
class ChosenRun:
    """One compared run with its number on the page, and the address without it."""

    number: int
    line: RunLine
    is_baseline: bool
    without_url: str
    baseline_url: str


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A compared run that no longer counts. **Dates**: by this server's clock."""

    number: int
    label: str
    state: str
    on: date | None
    reason: str
    newer_uid: str


@dataclass(frozen=True, slots=True)
class ValueTable:
    """Values of the runs under columns. **Shapes**: each line holds a cell for each column.

    ``note`` is what all compared cells would say; the cells then say nothing.
    """

    columns: Sequence[Column]
    lines: Sequence[tuple[ChosenRun, Sequence[ValueCell]]]
    note: str


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """Everything that the comparison page shows but its figures."""

    runs: Sequence[ChosenRun]
    baseline: ChosenRun
    more_exist: bool
    ended: Sequence[EndedRun]
    digest: str
    digest_given: str
    digest_differs: bool
    variables: VariableTables
    differing: int
    unknown: int
    barriers: Sequence[BarrierRow]
    blocked: int
    first: ValueTable
    rest: ValueTable
    slo_heads: Sequence[str]
    slo: Sequence[SloRow]
    slo_share: float
    permalink: str
    exports: Sequence[tuple[str, str]]
    kinds: Sequence[str]


class ComparisonForm(forms.Form):
    """The options of a comparison as plain GET fields."""

    baseline = forms.ChoiceField(label=gettext_lazy("Baseline"), required=False)
    latency = forms.ChoiceField(label=gettext_lazy("Latency in the figures"), required=False)
    latency_stat = forms.ChoiceField(label=gettext_lazy("Statistic"), required=False)
    vary = forms.ChoiceField(
        label=gettext_lazy("Differences of load"),
        required=False,
        choices=[
            ("", gettext_lazy("forbid a ratio")),
            ("load", gettext_lazy("are what I compare")),
        ],
    )
    ttft_ms = forms.CharField(label=gettext_lazy("TTFT at most, ms"), required=False)
    tpot_ms = forms.CharField(label=gettext_lazy("TPOT at most, ms"), required=False)
    e2el_ms = forms.CharField(label=gettext_lazy("E2EL at most, ms"), required=False)
    share = forms.CharField(label=gettext_lazy("Share of requests"), required=False)

    def __init__(self, *, state: ComparisonState, runs: Sequence[Run] = ()) -> None:
        numbers = {name: f"{value:g}" for name, value in state.thresholds.items()}
        super().__init__(
            initial={
                "baseline": state.baseline,
                "latency": state.latency,
                "latency_stat": state.latency_stat,
                "vary": "load" if state.load_varies else "",
                "share": f"{state.share:g}",
                **numbers,
            }
        )
        self.use_required_attribute = False
        self._set(
            "baseline", [(run.uid, f"{n}. {run.label or run.uid}") for n, run in _count(runs)]
        )
        most = ("", _("what most runs have"))
        self._set("latency", [most, *((name, metric_word(name)) for name in LATENCIES)])
        self._set("latency_stat", [most, *((name, stat_word(name)) for name in LATENCY_STATS)])
        for name in (*THRESHOLDS, "share"):
            self.fields[name].widget.attrs["inputmode"] = "decimal"
        self.hidden = state.choice_pairs()

    def _set(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def main_fields(self) -> list[forms.BoundField]:
        """Baseline, figures and load."""
        return [self[name] for name in ("baseline", "latency", "latency_stat", "vary")]

    def slo_fields(self) -> list[forms.BoundField]:
        """The thresholds."""
        return [self[name] for name in (*THRESHOLDS, "share")]


def _count(runs: Sequence[Run]) -> list[tuple[int, Run]]:
    return list(enumerate(runs, 1))


def build_comparison_page(
    comparison: Comparison,
    state: ComparisonState,
    *,
    catalogue: Catalogue,
    newer: Mapping[int, str],
    more_exist: bool = False,
) -> ComparisonPage:
    """The page of a comparison. **Shapes**: ``newer`` maps replaced runs to what replaces them."""
    runs = _chosen(comparison, state, catalogue)
    first, rest = split_columns(comparison.rows)
    variables, found = variable_tables(comparison), barrier_rows(comparison)
    differing = sum(row.matters and row.verdict == "different" for row in variables.shown)
    unknown = [row for row in (*variables.shown, *variables.unstated) if _is_open(row)]
    digest = comparison.digest
    return ComparisonPage(
        runs=runs,
        baseline=runs[comparison.baseline],
        more_exist=more_exist,
        ended=_ended(comparison.runs, newer),
        digest=digest,
        digest_given=state.digest,
        digest_differs=bool(state.digest) and state.digest != digest,
        variables=variables,
        differing=differing,
        unknown=len(unknown),
        barriers=found,
        blocked=sum(row.blocks for row in found),
        first=_table(comparison, runs, first),
        rest=_table(comparison, runs, rest),
        slo_heads=[name.removesuffix("_ms").upper() for name in state.thresholds],
        slo=slo_rows(comparison, asked=state.thresholds, share=state.share),
        slo_share=state.share * 100.0,
        permalink=permalink_of(comparison, state),
        exports=_exports(comparison, state),
        kinds=_kinds(comparison.runs),
    )


def _is_open(row: VariableRow) -> bool:
    return row.matters and row.verdict == "unknown"


def permalink_of(comparison: Comparison, state: ComparisonState) -> str:
    """The address that names every run, every option and the digest of what they say."""
    fixed = _fixed(comparison, state)
    pairs = [*fixed.choice_pairs(), *fixed.option_pairs(), ("digest", comparison.digest)]
    return with_query(reverse("benchmark-compare"), pairs)


def _fixed(comparison: Comparison, state: ComparisonState) -> ComparisonState:
    uids = tuple(run.uid for run in comparison.runs)
    return replace(state, uids=uids, filters={}, baseline=uids[comparison.baseline])


def _exports(comparison: Comparison, state: ComparisonState) -> list[tuple[str, str]]:
    fixed = _fixed(comparison, state)
    pairs = [*fixed.choice_pairs(), *fixed.option_pairs()]
    words = {"csv": "CSV", "json": "JSON", "markdown": "Markdown", "html": _("HTML to keep")}
    return [
        (words[kind], with_query(reverse("benchmark-compare-export", args=[kind]), pairs))
        for kind in EXPORTS
    ]


def _chosen(
    comparison: Comparison, state: ComparisonState, catalogue: Catalogue
) -> list[ChosenRun]:
    uids = tuple(run.uid for run in comparison.runs)
    path = reverse("benchmark-compare")
    found = []
    for place, run in enumerate(comparison.runs):
        others = replace(state, uids=tuple(uid for uid in uids if uid != run.uid), filters={})
        if others.baseline == run.uid:
            others = replace(others, baseline="")
        based = replace(state, baseline=run.uid)
        found.append(
            ChosenRun(
                number=place + 1,
                line=run_line(run, (), catalogue),
                is_baseline=place == comparison.baseline,
                without_url=with_query(path, [*others.choice_pairs(), *others.option_pairs()])
                if len(uids) > 2
                else "",
                baseline_url=with_query(path, [*based.choice_pairs(), *based.option_pairs()]),
            )
        )
    return found


def _ended(runs: Sequence[Run], newer: Mapping[int, str]) -> list[EndedRun]:
    return [
        EndedRun(
            number=number,
            label=run.label or run.uid,
            state=run.state,
            on=run.ended_at.date() if run.ended_at else None,
            reason=run.reason,
            newer_uid=newer.get(run.pk, ""),
        )
        for number, run in _count(runs)
        if run.state != RunState.PUBLISHED
    ]


def _table(comparison: Comparison, runs: Sequence[ChosenRun], places: Sequence[int]) -> ValueTable:
    rows = [comparison.rows[place] for place in places]
    lines = [
        (run, [cell_of(row, number, comparison.baseline) for row in rows])
        for number, run in enumerate(runs)
    ]
    said = {cell.note for _run, cells in lines for cell in cells if cell.ratio or cell.note}
    note = said.pop() if len(said) == 1 else ""
    if note:
        lines = [(run, [replace(cell, note="") for cell in cells]) for run, cells in lines]
    return ValueTable(columns=[column_of(row) for row in rows], lines=lines, note=note)


def _kinds(runs: Sequence[Run]) -> list[str]:
    """Why numbers of these runs must not be read as measured here; empty where all were."""
    found = []
    kinds: dict[str, list[Any]] = {}
    for number, run in _count(runs):
        kinds.setdefault(run.run_class, []).append(number)
    for kind, sentence in (
        ("published", _("Runs %(runs)s: printed in a table, not measured here.")),
        ("demonstration", _("Runs %(runs)s: demonstrations, no statement about performance.")),
    ):
        if kind in kinds:
            found.append(sentence % {"runs": run_numbers(kinds[kind])})
    return found
