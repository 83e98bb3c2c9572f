"""Puts the cells of GuideLLM's table under their labels where a row does not fit the header.

**Source**: from 0.4 to 0.6 the header is that of the first benchmark, while each benchmark writes
columns only for the ends that its requests had. Rows of other ends are shifted against the header,
except before the first distribution and after the last one.
"""

from collections.abc import Mapping, Sequence

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.reading.tables import Row
from matrix.domain.phrases import Phrase

_BEFORE = ("Run Info", "Benchmark", "Timings", "Request Counts")
# The first distribution of the first end stands at one place in every row.
_FIRST = "Request Latency / Successful "
_AFTER = ("Scheduler State", "Scheduler Metrics", "Runtime Info")


def align_row(labels: Sequence[str], row: Row) -> tuple[dict[str, str], bool]:
    """The cells by label, and whether the row was shifted; blank cells are absent.

    Of a shifted row the cells in between are named by their number.
    **Raises**: ``ResultError`` for a row that is shorter than what every row has.
    """
    pairs = list(zip(labels, row.cells, strict=False))
    if len(row.cells) == len(labels) and not _is_shifted(dict(pairs)):
        return _filled(pairs), False
    fixed = _count_fixed(labels)
    trailing = sum(label.startswith(_AFTER) for label in labels)
    if len(row.cells) < fixed + trailing or not fixed:
        raise ResultError(
            code="broken-csv",
            what=Phrase("The row has {count} cells", count=len(row.cells)),
            place=f"line {row.line}",
            accepted=Phrase("{count} cells as the header", count=len(labels)),
        )
    end = len(row.cells) - trailing
    between = [(f"cell {number + 1}", row.cells[number]) for number in range(fixed, end)]
    last = zip(labels[len(labels) - trailing :], row.cells[end:], strict=True)
    return _filled([*pairs[:fixed], *between, *last]), True


def _filled(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    return {label: cell for label, cell in pairs if cell.strip()}


def _count_fixed(labels: Sequence[str]) -> int:
    """How many labels at the beginning hold for every row."""
    count = 0
    while count < len(labels) and labels[count].startswith(_BEFORE):
        count += 1
    while 0 < count < len(labels) and labels[count].startswith(_FIRST):
        count += 1
    return count


def _is_shifted(cells: Mapping[str, str]) -> bool:
    """Whether values stand under an end that no request had."""
    unused = [
        f" / {end} "
        for end in ("Successful", "Errored", "Incomplete")
        if cells.get(f"Request Counts / {end}", "").strip() in ("0", "0.0")
    ]
    return any(
        end in label and cell.strip() not in ("", "0", "0.0")
        for label, cell in cells.items()
        for end in unused
        if not label.startswith((*_BEFORE, *_AFTER))
    )
