"""A comparison as plain data, CSV and Markdown."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from benchmarks_app.domain.comparability import (
    Barrier,
    ComparedVariable,
    Severity,
    Value,
    Verdict,
)
from benchmarks_app.domain.comparison import Cell, Interval
from benchmarks_app.domain.levels import RunClass
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.slo import Attainment
from benchmarks_app.models import Run
from benchmarks_app.pages.barrier_words import (
    VERDICT_SIGNS,
    barrier_word,
    variable_value,
    variable_word,
)
from benchmarks_app.pages.comparison_tables import run_numbers
from benchmarks_app.pages.metric_words import metric_word, stat_word, unit_word, value_word
from benchmarks_app.pages.words import CLASS_SIGNS
from benchmarks_app.queries.comparison import Comparison

# A spreadsheet would run a text that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
CSV_HEAD = (
    "run", "run_class", "mocked", "status", "label", "metric", "stat", "unit", "definition",
    "value", "origin", "ratio", "ratio_low", "ratio_high", "verdict", "no_interval",
    "not_comparable",
)  # fmt: skip


def comparison_plain(
    comparison: Comparison, *, thresholds: Mapping[str, float], share: float
) -> dict[str, Any]:
    """The comparison as plain data in canonical units, with everything to ask it again.

    **Shapes**: ``values`` are in the order of metrics, their ``runs`` in the order of ``runs``.
    """
    return {
        "digest": comparison.digest,
        "baseline": comparison.runs[comparison.baseline].uid,
        "load_varies": bool(comparison.varied),
        "runs": [_run_plain(run) for run in comparison.runs],
        "variables": [
            {
                "name": one.variable.name,
                "role": one.variable.role.value,
                "verdict": one.verdict.value,
                "varied": one.varied,
                "values": list(one.values),
            }
            for one in comparison.variables
        ],
        "values": [
            {
                "metric": row.metric,
                "stat": row.stat,
                "unit": METRICS[row.metric].unit.value,
                "runs": [_cell_plain(cell) for cell in row.cells],
            }
            for row in comparison.rows
        ],
        "barriers": [
            {"run": one.uid, "metric": one.metric, **_barrier_plain(one.barrier)}
            for one in comparison.between
        ],
        "thresholds": dict(thresholds),
        "share": share,
        "attainment": [_attainment_plain(one) for one in comparison.attainments],
    }


def _run_plain(run: Run) -> dict[str, Any]:
    return {
        "uid": run.uid,
        "label": run.label,
        "state": run.state,
        "run_class": run.run_class,
        "status": run.status,
        "framework": run.framework or None,
        "framework_version": run.framework_version or None,
        "model": run.model or None,
        "quantization": run.quantization or None,
        "hardware": run.hardware or None,
        "hardware_count": run.hardware_count,
        "measured_on": run.measured_on.isoformat() if run.measured_on else None,
        "digest": run.digest,
    }


def _cell_plain(cell: Cell) -> dict[str, Any]:
    return {
        "run": cell.uid,
        "value": cell.value,
        "origin": cell.origin.value if cell.origin else None,
        "interval": _interval_plain(cell.interval),
        "ratio": cell.ratio,
        "ratio_interval": _interval_plain(cell.ratio_interval),
        "difference": cell.difference,
        "difference_interval": _interval_plain(cell.difference_interval),
        "verdict": cell.verdict.value if cell.verdict else None,
        "no_interval": cell.no_interval.value if cell.no_interval else None,
        "barriers": [_barrier_plain(one) for one in cell.barriers],
    }


def _interval_plain(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _barrier_plain(barrier: Barrier) -> dict[str, Any]:
    return {
        "code": barrier.code,
        "blocks": barrier.severity is Severity.BLOCKS,
        "left": barrier.left,
        "right": barrier.right,
    }


def _attainment_plain(one: Attainment) -> dict[str, Any]:
    return {
        "run": one.uid,
        "met": one.met,
        "total": one.total,
        "share": one.share,
        "goodput_requests_per_s": one.goodput,
        "met_by": dict(one.met_by) if one.met_by is not None else None,
        "undecided": one.undecided,
        "why_unknown": one.why_unknown.value if one.why_unknown else None,
        "why_no_goodput": one.why_no_goodput.value if one.why_no_goodput else None,
    }


def comparison_csv(comparison: Comparison) -> str:
    """One line for each run and statistic, in canonical units."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(CSV_HEAD)
    for row in comparison.rows:
        for number, cell in enumerate(row.cells):
            run = comparison.runs[number]
            view = comparison.sampled[number].view
            measured = view.measured(row.metric)
            ratio = cell.ratio_interval
            blocked = [b.code for b in cell.barriers if b.severity is Severity.BLOCKS]
            writer.writerow(
                [
                    run.uid,
                    run.run_class,
                    "yes" if view.mocked else "no",
                    run.status,
                    safe_cell(run.label),
                    row.metric,
                    row.stat,
                    METRICS[row.metric].unit.value,
                    measured.definition if measured else "",
                    _plain_number(cell.value),
                    cell.origin.value if cell.origin else "",
                    _plain_number(cell.ratio),
                    _plain_number(ratio.low if ratio else None),
                    _plain_number(ratio.high if ratio else None),
                    cell.verdict.value if cell.verdict else "",
                    cell.no_interval.value if cell.no_interval else "",
                    " ".join(blocked),
                ]
            )
    return text.getvalue()


def safe_cell(text: str) -> str:
    """The text as a spreadsheet shows it without running it."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _plain_number(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def comparison_markdown(comparison: Comparison, *, title: str, address: str) -> str:
    """The comparison as a Markdown text: runs, what stands between them, values."""
    lines = [f"# {_escaped(title)}", "", f"<{address}>", "", _head(_("Runs")), ""]
    lines += _run_lines(comparison)
    lines += ["", _head(_("What differs or is unknown")), ""]
    stated = [one for one in comparison.variables if any(v is not None for v in one.values)]
    for one in stated:
        if one.verdict is not Verdict.EQUAL:
            shown = ", ".join(_escaped(_variable(one, value)) for value in one.values)
            word = _escaped(variable_word(one.variable.name))
            lines.append(f"- {word} ({VERDICT_SIGNS[one.verdict][1]}): {shown}")
    if unstated := [one for one in comparison.variables if one not in stated]:
        names = ", ".join(variable_word(one.variable.name) for one in unstated)
        lines.append(_escaped_line(_("unknown for every run: %(names)s") % {"names": names}))
    if blocking := _blocking_lines(comparison):
        lines += ["", _head(_("Not comparable")), "", *blocking]
    lines += ["", _head(_("Values")), "", *_value_lines(comparison), ""]
    lines.append(f"{_('Digest')}: `{comparison.digest}`")
    return "\n".join(lines) + "\n"


def _head(words: str) -> str:
    return f"## {_escaped(words)}"


def _run_lines(comparison: Comparison) -> Iterator[str]:
    """Each run with what keeps its numbers from being taken for measured here."""
    for number, run in enumerate(comparison.runs):
        marks = [_("baseline")] if number == comparison.baseline else []
        if run.run_class != RunClass.MEASURED:
            marks.append(str(CLASS_SIGNS[RunClass(run.run_class)].word))
        if comparison.sampled[number].view.mocked:
            marks.append(_("stand-in server"))
        said = f" ({_escaped(', '.join(marks))})" if marks else ""
        yield f"{number + 1}. {_escaped(run.label or run.uid)}{said}: `{run.uid}`"


def _variable(one: ComparedVariable, value: Value | None) -> str:
    return _("not stated") if value is None else variable_value(one.variable.name, value)


def _blocking_lines(comparison: Comparison) -> list[str]:
    """Why runs share no ratio with the baseline, each reason with its metric and its runs."""
    places = {run.uid: number for number, run in enumerate(comparison.runs, 1)}
    said: dict[tuple[str, str], set[int]] = {}
    for between in comparison.between:
        if between.barrier.severity is Severity.BLOCKS:
            key = (metric_word(between.metric), barrier_word(between.barrier))
            said.setdefault(key, set()).add(places[between.uid])
    return [
        _escaped_line(
            _("%(metric)s, run %(runs)s: %(reason)s")
            % {"metric": metric, "runs": run_numbers(sorted(runs)), "reason": reason}
        )
        for (metric, reason), runs in said.items()
    ]


def _escaped_line(text: str) -> str:
    return f"- {_escaped(text)}"


def _value_lines(comparison: Comparison) -> list[str]:
    heads = [_escaped(_("Metric")), *(str(number) for number in range(1, len(comparison.runs) + 1))]
    lines = [_line(heads), _line(["---", *("---:" for _run in comparison.runs)])]
    for row in comparison.rows:
        stat = "" if row.stat == "value" else f", {stat_word(row.stat)}"
        name = f"{metric_word(row.metric)}{stat} [{unit_word(row.metric)}]"
        lines.append(
            _line([_escaped(name), *(_markdown_cell(row.metric, one) for one in row.cells)])
        )
    return lines


def _markdown_cell(metric: str, cell: Cell) -> str:
    """A value in the unit that the line's head names, beside its ratio."""
    if cell.value is None:
        return "–"
    text = value_word(metric, cell.value)
    if any(one.severity is Severity.BLOCKS for one in cell.barriers):
        return f"{text}; ⊘ {_('not comparable')}"
    if cell.ratio is None:
        return text
    interval = cell.ratio_interval
    shown = f" ({interval.low:.3g}–{interval.high:.3g})" if interval else f" ({_('no interval')})"
    return f"{text}; {cell.ratio:.3g}×{shown}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """The text without anything that Markdown or HTML would read as markup."""
    plain = " ".join(text.split())
    for sign in "\\`*_[]|#":
        plain = plain.replace(sign, f"\\{sign}")
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
