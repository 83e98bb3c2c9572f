"""What tokens cost on a cell: throughput, price and the figure that both make."""

from dataclasses import dataclass
from datetime import date, datetime

from matrix.domain.coordinates import Cell
from matrix.domain.cost import CostFigure, PriceValue, cost_per_million_tokens
from matrix.domain.levels import Axis
from matrix.domain.measured import Slo, SloThroughput
from matrix.measuring import throughput_at_slo
from matrix.queries.prices import find_price


@dataclass(frozen=True, slots=True)
class CellCost:
    """The figure of a cell and what it rests on; each part says why it is unknown."""

    throughput: SloThroughput
    price: PriceValue | None
    figure: CostFigure


def cost_of_cell(
    cell: Cell,
    slo: Slo,
    *,
    version: str | None = None,
    on: date,
    currency: str | None = None,
    known_at: datetime | None = None,
) -> CellCost:
    """What a million tokens cost on a cell at the objectives, by runs and the price of a day.

    The price is that of the hardware on which was measured, or of the cell's where nothing was.
    **Queries**: those of the throughput, and 1.
    **Raises**: ``InvalidValue`` for a limit that is no latency.
    """
    throughput = throughput_at_slo(cell, slo, version=version, known_at=known_at, as_of=on)
    hardware = throughput.hardware or cell.nodes.get(Axis.HARDWARE, "")
    if not hardware:
        return CellCost(
            throughput, None, CostFigure(why_unknown=throughput.why_unknown or "no-hardware")
        )
    found = find_price(hardware, on=on, currency=currency, known_at=known_at)
    figure = cost_per_million_tokens(
        throughput, found.price, why_no_price=found.why_unknown or "no-price"
    )
    return CellCost(throughput, found.price, figure)
