"""How far an estimate is off over many rows: median, 95th percentile, worst under-estimate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from matrix.domain.memory.truth_compare import Comparison


@dataclass(frozen=True, slots=True)
class Summary:
    """The errors of one quantity. **Units**: shares (0.01 is one per cent), all of them absolute;

    ``worst_under`` is by how much the worst figure was too low, 0 where none was.
    """

    quantity: str
    rows: int
    exact: int
    median: float = 0.0
    p95: float = 0.0
    worst_under: float = 0.0


def summarize(quantity: str, comparisons: Iterable[Comparison]) -> Summary:
    """The errors of a quantity over all comparisons."""
    own = [one for one in comparisons if one.quantity == quantity]
    if not own:
        return Summary(quantity, rows=0, exact=0)
    errors = [one.error for one in own]
    return Summary(
        quantity=quantity,
        rows=len(own),
        exact=sum(one.is_exact for one in own),
        median=median_of(errors),
        p95=percentile_of(errors, 0.95),
        worst_under=max(0.0, -min(errors)),
    )


def median_of(errors: Sequence[float]) -> float:
    """The median of the absolute errors, 0 of none."""
    return median(abs(error) for error in errors) if errors else 0.0


def percentile_of(errors: Sequence[float], share: float) -> float:
    """The smallest absolute error that the share of all errors does not exceed, 0 of none."""
    ordered = sorted(abs(error) for error in errors)
    return ordered[max(ceil(share * len(ordered)) - 1, 0)] if ordered else 0.0
