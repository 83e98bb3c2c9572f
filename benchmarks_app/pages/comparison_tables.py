"""The tables of a comparison: common variables, what stands between, values, thresholds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks_app.domain.comparability import Role, Severity, Verdict
from benchmarks_app.domain.comparison import Cell, ComparisonRow, Difference, Interval
from benchmarks_app.domain.slo import Attainment, DurationFrom, WhyUnknown
from benchmarks_app.pages.barrier_words import (
    BARRIER_WORDS,
    DIFFERENCE_SIGNS,
    NO_INTERVAL_WORDS,
    ROLE_WORDS,
    VALUE_ORIGIN_WORDS,
    VARIABLE_WORDS,
    VERDICT_SIGNS,
    barrier_word,
    variable_value,
    variable_word,
)
from benchmarks_app.pages.metric_words import (
    metric_word,
    number_word,
    stat_word,
    unit_word,
    value_word,
)
from benchmarks_app.pages.run_words import SHORT_METRICS
from benchmarks_app.queries.comparison import Comparison

# The columns of the first table; everything else stands in the second one.
KEY_METRICS: Mapping[str, tuple[str, ...]] = {
    "ttft": ("p50", "p99", "mean"),
    "tpot": ("p50", "p99", "mean"),
    "e2el": ("p50", "p99", "mean"),
    "request_throughput": ("value", "mean"),
    "output_token_throughput": ("value", "mean"),
    "total_token_throughput": ("value", "mean"),
    "token_throughput": ("value", "mean"),
    "token_throughput_per_gpu": ("value", "mean"),
    "output_token_throughput_per_gpu": ("value", "mean"),
    "prefill_throughput": ("mean", "value"),
    "decode_throughput": ("mean", "value"),
    "mixed_throughput": ("mean", "value"),
    "batch_latency": ("p50", "mean", "value"),
}
MOST_PAIRS = 3
WHY_UNKNOWN_WORDS: Mapping[WhyUnknown, Promise] = {
    WhyUnknown.NO_SAMPLES: gettext_lazy("the run has no samples of single requests"),
    WhyUnknown.NO_COLUMN: gettext_lazy("its samples do not hold this latency"),
    WhyUnknown.NOTHING_ASKED: gettext_lazy("no threshold is given"),
    WhyUnknown.NO_DURATION: gettext_lazy("its measured time is unknown"),
}


@dataclass(frozen=True, slots=True)
class VariableRow:
    """One controlled variable. **Shapes**: ``values`` pairs of value and numbers of runs."""

    word: str
    role: str
    role_word: Promise
    verdict: str
    icon: str
    verdict_word: Promise
    values: Sequence[tuple[str, str]]
    varied: bool
    matters: bool
    stated: bool
    is_setting: bool


@dataclass(frozen=True, slots=True)
class BarrierRow:
    """One reason why runs do not share a column, or are marked, and for which metrics."""

    blocks: bool
    sentence: str
    runs: str
    metrics: str


@dataclass(frozen=True, slots=True)
class Column:
    """One statistic of one metric as the head of a column."""

    metric: str
    stat: str
    head: str
    stat_word: str
    unit: str
    word: str


@dataclass(frozen=True, slots=True)
class ValueCell:
    """One value beside its ratio to the baseline; ``blocked`` says why there is no ratio."""

    value: str
    ratio: str
    interval: str
    sign: str
    word: str
    difference: str
    note: str
    blocked: str
    is_baseline: bool
    origin: str


@dataclass(frozen=True, slots=True)
class SloRow:
    """How one run meets the thresholds."""

    number: int
    uid: str
    label: str
    share: str
    met: str
    goodput: str
    reaches: bool | None
    alone: Sequence[str]
    percentiles: Sequence[tuple[str, bool]]
    reason: str


@dataclass(frozen=True, slots=True)
class VariableTables:
    """Variables as the page groups them: what tells something, other settings, unknown ones.

    **Shapes**: ``settings`` differ nowhere as far as they are stated; ``unstated`` are the
    variables that no run states.
    """

    shown: Sequence[VariableRow]
    settings: Sequence[VariableRow]
    unstated: Sequence[VariableRow]


def variable_tables(comparison: Comparison) -> VariableTables:
    """The variables of a comparison, those that tell nothing apart from those that do."""
    shown, settings, unstated = [], [], []
    for row in variable_rows(comparison):
        if not row.stated:
            unstated.append(row)
        elif row.is_setting and row.verdict != Verdict.DIFFERENT:
            settings.append(row)
        else:
            shown.append(row)
    return VariableTables(shown, settings, unstated)


def variable_rows(comparison: Comparison) -> list[VariableRow]:
    """The controlled variables, what must be equal and is not first."""
    rows = []
    for one in comparison.variables:
        icon, word = VERDICT_SIGNS[one.verdict]
        groups: dict[str, list[int]] = {}
        for number, value in enumerate(one.values, 1):
            text = _("not stated") if value is None else variable_value(one.variable.name, value)
            groups.setdefault(text, []).append(number)
        alone = len(groups) == 1
        rows.append(
            VariableRow(
                word=variable_word(one.variable.name),
                role=one.variable.role.value,
                role_word=ROLE_WORDS[one.variable.role],
                verdict=one.verdict.value,
                icon=icon,
                verdict_word=word,
                values=[
                    (text, "" if alone else run_numbers(numbers))
                    for text, numbers in groups.items()
                ],
                varied=one.varied,
                matters=one.variable.role is Role.MUST_MATCH
                and one.verdict is not Verdict.EQUAL
                and not one.varied,
                stated=any(value is not None for value in one.values),
                is_setting=one.variable.name not in VARIABLE_WORDS,
            )
        )
    roles = list(Role)
    order = [Verdict.DIFFERENT, Verdict.UNKNOWN, Verdict.EQUAL]
    return sorted(rows, key=lambda r: (roles.index(Role(r.role)), order.index(Verdict(r.verdict))))


def run_numbers(numbers: Sequence[int]) -> str:
    """Numbers of runs in short: ``1–3, 7``."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{p[0]}–{p[-1]}" if len(p) > 2 else ", ".join(map(str, p)) for p in parts)


def barrier_rows(comparison: Comparison) -> list[BarrierRow]:
    """What stands between the baseline and the others, blocking reasons first.

    A reason that holds for many pairs of values is said once, without them: the table of
    variables names the values of each run.
    """
    places = {run.uid: number for number, run in enumerate(comparison.runs, 1)}
    metrics = list(dict.fromkeys(row.metric for row in comparison.rows))
    said: dict[str, set[str]] = {}
    for between in comparison.between:
        said.setdefault(between.barrier.code, set()).add(barrier_word(between.barrier))
    groups: dict[tuple[bool, str], tuple[set[int], set[str]]] = {}
    for between in comparison.between:
        barrier = between.barrier
        many = len(said[barrier.code]) > MOST_PAIRS
        sentence = str(BARRIER_WORDS[barrier.code]) if many else barrier_word(barrier)
        key = (barrier.severity is Severity.BLOCKS, sentence)
        runs, concerned = groups.setdefault(key, (set(), set()))
        runs.add(places[between.uid])
        concerned.add(between.metric)
    rows = [
        BarrierRow(
            blocks=blocks,
            sentence=sentence,
            runs=run_numbers(sorted(runs)),
            metrics=_("all metrics")
            if len(concerned) == len(metrics) and len(metrics) > 1
            else ", ".join(metric_word(one) for one in metrics if one in concerned),
        )
        for (blocks, sentence), (runs, concerned) in groups.items()
    ]
    return sorted(rows, key=lambda row: not row.blocks)


def split_columns(rows: Sequence[ComparisonRow]) -> tuple[list[int], list[int]]:
    """The places of the rows that make the columns of the first and of the second table."""
    known = {(row.metric, row.stat): place for place, row in enumerate(rows)}
    first = []
    for metric, stats in KEY_METRICS.items():
        there = [known[(metric, stat)] for stat in stats if (metric, stat) in known]
        first += there if len(there) < 3 else there[:2]
    rest = [place for place in range(len(rows)) if place not in first]
    return (first, rest) if first else (rest, [])


def column_of(row: ComparisonRow) -> Column:
    """The head of a column."""
    return Column(
        metric=row.metric,
        stat=row.stat,
        head=SHORT_METRICS.get(row.metric) or metric_word(row.metric),
        stat_word="" if row.stat == "value" else stat_word(row.stat),
        unit=unit_word(row.metric),
        word=metric_word(row.metric),
    )


def cell_of(row: ComparisonRow, number: int, baseline: int) -> ValueCell:
    """One value in words."""
    cell = row.cells[number]
    verdict = cell.verdict
    icon, word = DIFFERENCE_SIGNS[verdict] if verdict else ("", "")
    blocking = [b for b in cell.barriers if b.severity is Severity.BLOCKS]
    shown_interval = cell.interval if number == baseline else None
    return ValueCell(
        value="" if cell.value is None else value_word(row.metric, cell.value),
        ratio="" if cell.ratio is None else f"{cell.ratio:.3g}×",
        interval=_interval(cell.ratio_interval, "×")
        or (_value_interval(row.metric, shown_interval)),
        sign="" if verdict in (None, Difference.UNTESTED) else icon,
        word="" if verdict in (None, Difference.UNTESTED) else str(word),
        difference=verdict.value if verdict else "",
        note=_note(cell, is_baseline=number == baseline),
        blocked="; ".join(barrier_word(one) for one in blocking) if cell.value is not None else "",
        is_baseline=number == baseline,
        origin=str(VALUE_ORIGIN_WORDS[cell.origin]) if cell.origin else "",
    )


def _note(cell: Cell, *, is_baseline: bool) -> str:
    compared = cell.ratio is not None or (is_baseline and cell.value is not None)
    return str(NO_INTERVAL_WORDS[cell.no_interval]) if compared and cell.no_interval else ""


def _interval(interval: Interval | None, sign: str = "") -> str:
    return f"{max(interval.low, 0.0):.3g}–{interval.high:.3g}{sign}" if interval else ""


def _value_interval(metric: str, interval: Interval | None) -> str:
    if interval is None:
        return ""
    # Student's interval of few repeats may reach below 0, where no metric lies.
    low = max(interval.low, 0.0)
    return f"{value_word(metric, low)}–{value_word(metric, interval.high)}"


def slo_rows(comparison: Comparison, *, asked: Mapping[str, float], share: float) -> list[SloRow]:
    """How each run meets the thresholds, or why that is unknown."""
    return [
        _slo_row(
            number,
            comparison.runs[number - 1].label,
            one,
            asked,
            share,
            apart=_apart(comparison, one.uid, asked),
        )
        for number, one in enumerate(comparison.attainments, 1)
    ]


def _apart(comparison: Comparison, uid: str, asked: Mapping[str, float]) -> list[str]:
    """Why a run's share must not be put beside the baseline's."""
    metrics = {name.removesuffix("_ms") for name in asked}
    said = dict.fromkeys(
        barrier_word(one.barrier)
        for one in comparison.between
        if one.uid == uid
        and one.metric in metrics
        and one.barrier.severity is Severity.BLOCKS
        and one.barrier.code != "no-metric"
    )
    return [_("not comparable with the baseline: %(why)s") % {"why": why} for why in said]


def _slo_row(
    number: int,
    label: str,
    one: Attainment,
    asked: Mapping[str, float],
    share: float,
    *,
    apart: Sequence[str],
) -> SloRow:
    reasons = [*apart]
    if one.why_unknown:
        reasons.append(str(WHY_UNKNOWN_WORDS[one.why_unknown]))
    elif one.why_no_goodput:
        reasons.append(str(WHY_UNKNOWN_WORDS[one.why_no_goodput]))
    if one.undecided:
        reasons.append(
            _("%(n)d requests lack an asked latency and do not count as met") % {"n": one.undecided}
        )
    if one.duration_from is DurationFrom.SAMPLES:
        reasons.append(_("its time is counted from the first start to the last end"))
    return SloRow(
        number=number,
        uid=one.uid,
        label=label or one.uid,
        share="" if one.share is None else f"{one.share:.2%}",
        met="" if one.met is None else f"{one.met:,} / {one.total:,}",
        goodput="" if one.goodput is None else number_word(one.goodput),
        reaches=_reaches(one, share),
        alone=[_alone(one, name) for name in asked],
        percentiles=[
            (number_word(value), within) for value, within in (one.percentiles or {}).values()
        ],
        reason="; ".join(reasons),
    )


def _reaches(one: Attainment, share: float) -> bool | None:
    """Whether enough requests met the thresholds; unknown where those without latency decide."""
    if one.share is None or one.met is None or not one.total:
        return None
    if one.share >= share:
        return True
    return None if (one.met + one.undecided) / one.total >= share else False


def _alone(one: Attainment, name: str) -> str:
    if one.met_by is None or not one.total or name not in one.met_by:
        return ""
    return f"{one.met_by[name] / one.total:.2%}"
