"""What the tests of the verdict rules share: short words for levels, and how to ask."""

from datetime import date

from matrix.domain.coordinates import Cell
from matrix.domain.index import ClaimIndex
from matrix.domain.verdict_values import LegResult, Verdict
from tests.builders import TODAY, scope

YES, NO, PART = "supported", "unsupported", "partial"
AWQ_T4 = {"quantization": "awq", "hardware": "nvidia-t4"}
TURING = scope(quantization="awq", hardware="nvidia-turing")


def ask(
    index: ClaimIndex, asked: Cell, as_of: date = TODAY, *, known_at: date | None = None
) -> Verdict:
    """The verdict of the cell, today unless another day is given."""
    return index.verdict_for(asked, as_of=as_of, known_at=known_at)


def leg(verdict: Verdict, kind: str) -> LegResult:
    """The first leg of that kind."""
    return next(leg for leg in verdict.legs if leg.kind == kind)
