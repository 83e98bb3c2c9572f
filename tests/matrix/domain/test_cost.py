"""What tokens cost: exact arithmetic over a price and a measured throughput."""

import math
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.domain.cost import (
    PriceValue,
    cost_per_million_tokens,
    deployments_for_rate,
    lowest_offer,
)
from matrix.domain.measured import SloThroughput

PRICE = PriceValue(
    uid="p1",
    hardware="nvidia-t4",
    device_count=1,
    amount_per_hour=Decimal("3.6"),
    currency="USD",
    effective_on=date(2026, 10, 1),
)
MEASURED = SloThroughput(
    output_tok_s=1000.0,
    total_tok_s=5000.0,
    low_output_tok_s=800.0,
    high_output_tok_s=1250.0,
    interval_of="runs",
    goodput_req_s=4.0,
    hardware="nvidia-t4",
    hardware_count=2,
)
rates = st.floats(min_value=0.01, max_value=1e7, allow_nan=False)
amounts = st.decimals(min_value="0.000001", max_value="99999999", places=6)


def test_a_price_by_a_throughput_is_a_cost() -> None:
    figure = cost_per_million_tokens(MEASURED, PRICE)
    # 2 devices at 3.6 an hour are 7.2 an hour; 3.6 million output tokens an hour.
    assert figure.price_per_hour == Decimal("7.2")
    assert figure.cost_per_million_output_tokens == Decimal(2)
    assert figure.cost_per_million_total_tokens == Decimal("0.4")
    assert figure.currency == "USD"
    assert figure.why_unknown == ""


def test_the_lowest_throughput_makes_the_highest_cost() -> None:
    figure = cost_per_million_tokens(MEASURED, PRICE)
    assert figure.high_cost_per_million_output_tokens == Decimal("2.5")
    assert figure.low_cost_per_million_output_tokens == Decimal("1.6")
    assert figure.high_cost_per_million_total_tokens == Decimal("0.5")
    assert figure.low_cost_per_million_total_tokens == Decimal("0.32")
    assert figure.interval_of == "runs"


def test_one_value_has_no_interval() -> None:
    alone = replace(MEASURED, low_output_tok_s=None, high_output_tok_s=None, interval_of="")
    figure = cost_per_million_tokens(alone, PRICE)
    assert figure.cost_per_million_output_tokens == Decimal(2)
    assert figure.low_cost_per_million_output_tokens is None
    assert figure.high_cost_per_million_output_tokens is None
    assert figure.interval_of == ""


def test_an_interval_that_does_not_hold_its_value_is_not_told() -> None:
    wrong = replace(MEASURED, low_output_tok_s=1100.0)
    assert cost_per_million_tokens(wrong, PRICE).high_cost_per_million_output_tokens is None


def test_without_a_total_the_cost_of_all_tokens_is_unknown() -> None:
    figure = cost_per_million_tokens(replace(MEASURED, total_tok_s=None), PRICE)
    assert figure.cost_per_million_output_tokens == Decimal(2)
    assert figure.cost_per_million_total_tokens is None
    assert figure.high_cost_per_million_total_tokens is None


@pytest.mark.parametrize("code", ["no-run", "no-samples", "slo-not-met", "not-performance"])
def test_without_a_measured_throughput_there_is_no_figure(code: str) -> None:
    figure = cost_per_million_tokens(SloThroughput(why_unknown=code), PRICE)
    assert figure.why_unknown == code
    assert figure.cost_per_million_output_tokens is None
    assert figure.price_per_hour is None


def test_without_a_price_there_is_no_figure() -> None:
    assert cost_per_million_tokens(MEASURED, None).why_unknown == "no-price"
    several = cost_per_million_tokens(MEASURED, None, why_no_price="several-currencies")
    assert several.why_unknown == "several-currencies"
    assert several.cost_per_million_output_tokens is None


@pytest.mark.parametrize("rate", [None, 0.0, -1.0, math.nan, math.inf])
def test_what_is_no_rate_makes_no_figure(rate: float | None) -> None:
    figure = cost_per_million_tokens(replace(MEASURED, output_tok_s=rate), PRICE)
    assert figure.why_unknown == "no-column"
    assert figure.cost_per_million_output_tokens is None


def test_an_unknown_number_of_devices_makes_no_figure() -> None:
    figure = cost_per_million_tokens(replace(MEASURED, hardware_count=None), PRICE)
    assert figure.why_unknown == "count-unknown"


def test_what_a_reader_must_know_is_marked() -> None:
    node = replace(PRICE, device_count=8, other_offers=2, is_of_wider_hardware=True)
    figure = cost_per_million_tokens(replace(MEASURED, marks=("load-own-terms",)), node)
    assert figure.marks == ("load-own-terms", "part-of-offer", "wider-hardware", "other-offers")
    assert cost_per_million_tokens(replace(MEASURED, hardware_count=16), PRICE).marks == ()


@given(amount=amounts, devices=st.integers(1, 64), together=st.integers(1, 16), rate=rates)
def test_a_cost_is_that_of_exact_fractions(
    amount: Decimal, devices: int, together: int, rate: float
) -> None:
    price = replace(PRICE, amount_per_hour=amount, device_count=together)
    measured = SloThroughput(output_tok_s=rate, hardware="nvidia-t4", hardware_count=devices)
    figure = cost_per_million_tokens(measured, price)
    exact = Fraction(amount) * devices / together / (Fraction(repr(rate)) * 3600) * 1_000_000
    found = figure.cost_per_million_output_tokens
    assert found is not None
    assert found > 0
    assert abs(Fraction(found) - exact) <= exact * Fraction(1, 10**8)


@given(amount=amounts, values=st.lists(rates, min_size=3, max_size=3))
def test_an_interval_always_holds_its_value(amount: Decimal, values: list[float]) -> None:
    low, value, high = sorted(values)
    measured = replace(
        MEASURED, output_tok_s=value, low_output_tok_s=low, high_output_tok_s=high,
        total_tok_s=value * 3,
    )  # fmt: skip
    figure = cost_per_million_tokens(measured, replace(PRICE, amount_per_hour=amount))
    for kind in ("output", "total"):
        lowest, middle, highest = (
            getattr(figure, f"{side}cost_per_million_{kind}_tokens")
            for side in ("low_", "", "high_")
        )
        assert lowest <= middle <= highest


@given(amount=amounts, rate=rates, times=st.integers(2, 9))
def test_a_cost_goes_with_the_price_and_against_the_throughput(
    amount: Decimal, rate: float, times: int
) -> None:
    def cost(price: Decimal, tok_s: float) -> Decimal:
        found = cost_per_million_tokens(
            SloThroughput(output_tok_s=tok_s, hardware_count=1),
            replace(PRICE, amount_per_hour=price),
        ).cost_per_million_output_tokens
        assert found is not None
        return found

    assert cost(amount * times, rate) > cost(amount, rate)
    assert cost(amount, rate * times) < cost(amount, rate)


def test_the_lowest_offer_per_device_is_taken_and_the_others_counted() -> None:
    node = replace(PRICE, uid="p2", device_count=8, amount_per_hour=Decimal(24))
    found = lowest_offer([PRICE, node])
    assert found is not None
    assert (found.uid, found.other_offers) == ("p2", 1)
    assert lowest_offer([]) is None


def test_the_number_of_deployments_is_rounded_up() -> None:
    assert deployments_for_rate(MEASURED, request_rate_req_s=300.0) == 75
    assert deployments_for_rate(MEASURED, request_rate_req_s=300.1) == 76
    unknown = replace(MEASURED, goodput_req_s=None)
    assert deployments_for_rate(unknown, request_rate_req_s=300.0) is None
    assert deployments_for_rate(MEASURED, request_rate_req_s=0.0) is None
