"""A comparison as plain data, CSV and Markdown."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks_app.domain.comparability import Barrier, Severity
from benchmarks_app.domain.comparison import Cell, Interval
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.slo import Attainment
from benchmarks_app.models import Run
from benchmarks_app.pages.barrier_words import barrier_word, variable_word
from benchmarks_app.pages.metric_words import metric_word, number_word, stat_word, unit_word
from benchmarks_app.queries.comparison import Comparison

# A spreadsheet would run a text that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
CSV_HEAD = (
    "run", "label", "metric", "stat", "unit", "definition", "value", "origin", "ratio",
    "ratio_low", "ratio_high", "verdict", "no_interval", "not_comparable",
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
            measured = comparison.sampled[number].view.measured(row.metric)
            ratio = cell.ratio_interval
            blocked = [b.code for b in cell.barriers if b.severity is Severity.BLOCKS]
            writer.writerow(
                [
                    run.uid,
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
    baseline = comparison.runs[comparison.baseline]
    lines = [f"# {_escaped(title)}", "", f"<{address}>", "", "## Runs", ""]
    for number, run in enumerate(comparison.runs, 1):
        mark = " (baseline)" if run is baseline else ""
        kind = "" if run.run_class == "measured" else f", {run.run_class}"
        lines.append(f"{number}. {_escaped(run.label or run.uid)}{mark}: `{run.uid}`{kind}")
    lines += ["", "## What differs or is unknown", ""]
    for one in comparison.variables:
        if one.verdict.value != "equal":
            values = ["unknown" if value is None else str(value) for value in one.values]
            shown = ", ".join(_escaped(value) for value in values)
            word = _escaped(variable_word(one.variable.name))
            lines.append(f"- {word} ({one.verdict.value}): {shown}")
    said = dict.fromkeys(
        f"{between.metric}: {barrier_word(between.barrier)}"
        for between in comparison.between
        if between.barrier.severity is Severity.BLOCKS
    )
    if said:
        lines += ["", "## Not comparable", "", *(f"- {_escaped(sentence)}" for sentence in said)]
    lines += ["", "## Values", "", *_value_lines(comparison), "", f"Digest: `{comparison.digest}`"]
    return "\n".join(lines) + "\n"


def _value_lines(comparison: Comparison) -> list[str]:
    heads = ["Metric", *(str(number) for number in range(1, len(comparison.runs) + 1))]
    lines = [_line(heads), _line(["---", *("---:" for _run in comparison.runs)])]
    for row in comparison.rows:
        stat = "" if row.stat == "value" else f", {stat_word(row.stat)}"
        name = f"{metric_word(row.metric)}{stat} [{unit_word(row.metric)}]"
        lines.append(_line([_escaped(name), *(_markdown_cell(cell) for cell in row.cells)]))
    return lines


def _markdown_cell(cell: Cell) -> str:
    if cell.value is None:
        return "–"
    text = number_word(cell.value)
    if cell.ratio is None:
        return text
    interval = cell.ratio_interval
    shown = f" ({interval.low:.3g}–{interval.high:.3g})" if interval else " (no interval)"
    return f"{text}; {cell.ratio:.3g}×{shown}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """The text without anything that Markdown or HTML would read as markup."""
    plain = " ".join(text.split())
    for sign in "\\`*_[]|#":
        plain = plain.replace(sign, f"\\{sign}")
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
