"""What a million tokens cost: a dated price of hardware by a measured throughput, nothing else.

Without a measured throughput at the objectives, or without a price, there is no figure; why is
told by a constant code. Amounts are decimal numbers; a throughput enters with the digits that its
shortest text has. Figures are rounded half to even to nine significant digits, at the end alone.
Currencies are never converted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

from matrix.domain.measured import SloThroughput

SECONDS_PER_HOUR = 3600
TOKENS = 1_000_000
SIGNIFICANT_DIGITS = 9
# Products and quotients in between keep far more digits than the figures show.
_WORKING_DIGITS = 50
_ROUNDING = Context(prec=SIGNIFICANT_DIGITS, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class PriceValue:
    """A price of hardware as somebody recorded it.

    **Units**: ``amount_per_hour`` in ``currency`` for ``device_count`` devices together.
    **Dates**: it holds from ``effective_on`` on. ``is_of_wider_hardware`` is set where it was
    recorded for a node above the asked one; ``other_offers`` counts what else holds on the day.
    """

    uid: str
    hardware: str
    device_count: int
    amount_per_hour: Decimal
    currency: str
    effective_on: date
    provider: str = ""
    terms: str = ""
    url: str = ""
    note: str = ""
    is_demonstration: bool = False
    other_offers: int = 0
    is_of_wider_hardware: bool = False

    @property
    def amount_per_device_hour(self) -> Decimal:
        """The share of one device, to nine significant digits."""
        return _rounded(_exact_per_device(self))


@dataclass(frozen=True, slots=True)
class CostFigure:
    """What a million tokens cost, or why nobody knows.

    **Units**: amounts in ``currency``; ``price_per_hour`` for the ``hardware_count`` devices of
    the deployment. ``low`` and ``high`` follow from the interval of the throughput (the highest
    throughput makes the lowest cost); that of all tokens is scaled like that of the output.
    ``marks`` are constant codes: those of the throughput, and ``part-of-offer`` (fewer devices
    than are offered together), ``wider-hardware``, ``other-offers``, ``demonstration-price``.
    """

    cost_per_million_output_tokens: Decimal | None = None
    low_cost_per_million_output_tokens: Decimal | None = None
    high_cost_per_million_output_tokens: Decimal | None = None
    cost_per_million_total_tokens: Decimal | None = None
    low_cost_per_million_total_tokens: Decimal | None = None
    high_cost_per_million_total_tokens: Decimal | None = None
    price_per_hour: Decimal | None = None
    currency: str = ""
    hardware: str = ""
    hardware_count: int | None = None
    interval_of: str = ""
    price: PriceValue | None = None
    marks: tuple[str, ...] = ()
    why_unknown: str = ""


def cost_per_million_tokens(
    throughput: SloThroughput, price: PriceValue | None, *, why_no_price: str = "no-price"
) -> CostFigure:
    """The cost of a million tokens at a throughput, or the code of what is unknown."""
    if throughput.why_unknown:
        return CostFigure(why_unknown=throughput.why_unknown, price=price)
    if not _is_positive(throughput.output_tok_s):
        return CostFigure(why_unknown="no-column", price=price)
    if not throughput.hardware_count:
        return CostFigure(why_unknown="count-unknown", price=price)
    if price is None:
        return CostFigure(why_unknown=why_no_price)
    assert throughput.output_tok_s is not None
    with localcontext() as context:
        context.prec = _WORKING_DIGITS
        per_hour = _exact_per_device(price) * throughput.hardware_count
        figure = CostFigure(
            price_per_hour=_rounded(per_hour),
            currency=price.currency,
            hardware=throughput.hardware,
            hardware_count=throughput.hardware_count,
            price=price,
            marks=(*throughput.marks, *_marks(price, throughput.hardware_count)),
        )
        return _with_costs(figure, throughput, per_hour)


def _with_costs(figure: CostFigure, throughput: SloThroughput, per_hour: Decimal) -> CostFigure:
    """The figure with its costs and their intervals, from an unrounded price per hour."""
    assert throughput.output_tok_s is not None
    slowest, fastest = _interval(throughput)
    found = replace(
        figure,
        cost_per_million_output_tokens=_cost(per_hour, _decimal(throughput.output_tok_s)),
        low_cost_per_million_output_tokens=fastest and _cost(per_hour, fastest),
        high_cost_per_million_output_tokens=slowest and _cost(per_hour, slowest),
        interval_of=throughput.interval_of if slowest is not None else "",
    )
    if not _is_positive(throughput.total_tok_s):
        return found
    assert throughput.total_tok_s is not None
    total, output = _decimal(throughput.total_tok_s), _decimal(throughput.output_tok_s)
    return replace(
        found,
        cost_per_million_total_tokens=_cost(per_hour, total),
        low_cost_per_million_total_tokens=fastest and _cost(per_hour, total * fastest / output),
        high_cost_per_million_total_tokens=slowest and _cost(per_hour, total * slowest / output),
    )


def _interval(throughput: SloThroughput) -> tuple[Decimal | None, Decimal | None]:
    """The lowest and highest throughput where both are known and hold the value between them."""
    low, value = throughput.low_output_tok_s, throughput.output_tok_s
    high = throughput.high_output_tok_s
    if low is None or high is None or value is None or not _is_positive(low):
        return None, None
    if not low <= value <= high or not math.isfinite(high):
        return None, None
    return _decimal(low), _decimal(high)


def deployments_for_rate(throughput: SloThroughput, *, request_rate_req_s: float) -> int | None:
    """How many such deployments carry a rate of requests within the objectives.

    ``None`` where the goodput of one is unknown. The rate is parted evenly; nothing is held back
    for failures or peaks.
    """
    goodput = throughput.goodput_req_s
    if throughput.why_unknown or not _is_positive(goodput) or not _is_positive(request_rate_req_s):
        return None
    assert goodput is not None
    return math.ceil(_decimal(request_rate_req_s) / _decimal(goodput))


def lowest_offer(offers: Sequence[PriceValue]) -> PriceValue | None:
    """The offer of the lowest price per device, with the number of the others.

    Of equal ones that which holds longest, then the first by identifier.
    """
    if not offers:
        return None
    chosen = min(
        offers, key=lambda one: (_exact_per_device(one), one.effective_on.toordinal(), one.uid)
    )
    return replace(chosen, other_offers=len(offers) - 1)


def _marks(price: PriceValue, hardware_count: int) -> list[str]:
    marks = {
        "part-of-offer": hardware_count % price.device_count != 0,
        "wider-hardware": price.is_of_wider_hardware,
        "other-offers": price.other_offers > 0,
        "demonstration-price": price.is_demonstration,
    }
    return [code for code, holds in marks.items() if holds]


def _is_positive(value: float | None) -> bool:
    return value is not None and math.isfinite(value) and value > 0.0


def _decimal(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _exact_per_device(price: PriceValue) -> Decimal:
    with localcontext() as context:
        context.prec = _WORKING_DIGITS
        return price.amount_per_hour / price.device_count


def _cost(per_hour: Decimal, tok_s: Decimal) -> Decimal:
    """**Units**: currency per hour and tokens per second in, currency per million tokens out."""
    return _rounded(per_hour * TOKENS / (tok_s * SECONDS_PER_HOUR))


def _rounded(value: Decimal) -> Decimal:
    return _ROUNDING.plus(value)
