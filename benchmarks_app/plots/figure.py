"""A figure as plain data: traces for Plotly, the same as a table, or why it cannot be drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Trace = dict[str, Any]
# More points than a screen has say nothing more.
MOST_POINTS = 400
SIGNIFICANT_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    ``reason`` says why nothing is drawn; ``left_out`` says which runs are not in it and why.
    **Shapes**: ``rows`` are parallel to ``heads``, the first cell names the row. A trace's
    ``meta.slot`` chooses colour, dash and symbol together, so that no line is told by colour alone.
    """

    key: str
    title: str
    description: str = ""
    traces: Sequence[Trace] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    note: str = ""
    reason: str = ""
    left_out: Sequence[str] = ()

    @property
    def drawn(self) -> bool:
        """Whether there is something to draw."""
        return bool(self.traces)

    @property
    def data_id(self) -> str:
        """The name of the element that holds the data."""
        return f"plot-data-{self.key}"

    @property
    def plain(self) -> dict[str, Any]:
        """What the script draws."""
        return {"data": list(self.traces), "layout": dict(self.layout)}


def axes(x: str, y: str, **changes: Any) -> dict[str, Any]:
    """A layout with the titles of both axes, which carry the unit."""
    return {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}, **changes}


def numbers(values: Floats) -> list[float | None]:
    """Values for a plot: five digits, and nothing where nothing is known."""
    known = np.isfinite(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = SIGNIFICANT_DIGITS - 1 - np.floor(np.log10(np.abs(values)))
        # Beyond these powers a number is 0 or no number of a plot.
        scale = 10.0 ** np.clip(np.where(np.isfinite(digits), digits, 0.0), -300, 300)
        short = np.round(values * scale) / scale
    if bool(known.all()):
        found: list[float | None] = short.tolist()
        return found
    return [float(one) if there else None for one, there in zip(short, known, strict=True)]


def thinned(ordered: Floats, *, most: int = MOST_POINTS) -> tuple[Floats, Floats]:
    """Points of the distribution of sorted values: values and shares of values not above them.

    **Shapes**: at most ``most`` points, the first and the last value among them.
    """
    count = ordered.size
    if count <= most:
        places = np.arange(count)
    else:
        places = np.unique(np.linspace(0, count - 1, most).round().astype(np.int64))
    return ordered[places], (places + 1) / count
