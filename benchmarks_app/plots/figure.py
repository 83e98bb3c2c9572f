"""A figure as plain data: traces for Plotly, the same as a table, or why it cannot be drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Trace = dict[str, Any]
# More points than a screen has say nothing more.
MOST_POINTS = 250
SIGNIFICANT_DIGITS = 5
# More names than this take the room of the plot, and many more cannot be told apart anyway.
MOST_BESIDE = 6
MOST_NAMED = 20


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
    def is_crowded(self) -> bool:
        """Whether the names of its lines need more room than usual."""
        return len(self.traces) > MOST_BESIDE

    @property
    def is_nameless(self) -> bool:
        """Whether its lines are too many to name beside the plot; the table names them."""
        return len(self.traces) > MOST_NAMED

    @property
    def data_id(self) -> str:
        """The name of the element that holds the data."""
        return f"plot-data-{self.key}"

    @property
    def plain(self) -> dict[str, Any]:
        """What the script draws; no text of it is read as markup."""
        layout = {name: _inert(one, name) for name, one in self.layout.items()}
        if self.is_nameless:
            layout["showlegend"] = False
        return {"data": [_inert(one) for one in self.traces], "layout": layout}


_PLAIN = frozenset({float, int, bool, type(None)})


def _inert(value: Any, name: str = "") -> Any:
    """The value with its texts as they are read: the library would make links and tags of them.

    The templates of hovering are our own and hold tags on purpose.
    """
    if isinstance(value, str):
        return value if name == "hovertemplate" else _escape_markup(value)
    if isinstance(value, Mapping):
        return {key: _inert(inner, key) for key, inner in value.items()}
    # Columns hold ten thousands of numbers, which are nothing to look into.
    if isinstance(value, (list, tuple)) and not _PLAIN.issuperset(map(type, value)):
        return [_inert(inner) for inner in value]
    return value


def _escape_markup(text: str) -> str:
    """The text with the entities that the plotting library turns back into signs."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


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
