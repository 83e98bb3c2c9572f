"""The scorecard of a dossier as CSV, safe to open in a spreadsheet."""

import csv
import io

from matrix.pages.dossiers.meeting import MeetingView

# A spreadsheet would run a text that starts with one of these as a formula; some look behind
# blanks, too.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def score_csv(page: MeetingView) -> str:
    """One line a criterion, three columns a candidate; then the sums and places."""
    text = io.StringIO()
    writer = csv.writer(text)
    head = ["kind", "criterion", "weight_percent", "asks"]
    for view in page.candidates:
        head += [f"{view.name}: {part}" for part in ("outcome", "points", "reason")]
    writer.writerow(map(safe_cell, head))
    for kind, rows in (("knock-out", page.score.knock_outs), ("weighted", page.score.weighted)):
        for row in rows:
            line: list[object] = [kind, row.name, row.weight_percent or "", row.asks]
            for cell in row.cells:
                points = "" if cell.points is None else cell.points
                reasons = "; ".join(filter(None, (cell.answer, cell.reason)))
                line += [cell.sign.value, points, reasons]
            writer.writerow(map(safe_cell, line))
    ranks = page.score.ranks
    for name in ("percent", "place", "standing"):
        sums: list[object] = ["sum", name, "", ""]
        for rank in ranks:
            value: object = {
                "percent": rank.percent if page.score.weighted else "",
                "place": rank.rank if rank.is_competing else "",
                "standing": rank.standing_code,
            }[name]
            sums += ["", value, ""]
        writer.writerow(map(safe_cell, sums))
    return text.getvalue()


def safe_cell(value: object) -> object:
    """Numbers as they are; a text that could be a formula behind an apostrophe."""
    if not isinstance(value, str):
        return value
    starts = value.lstrip(" \u00a0").startswith(_FORMULA_STARTS) or value.startswith(
        _FORMULA_STARTS
    )
    return f"'{value}" if starts else value
