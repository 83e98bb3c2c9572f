"""Prices of hardware: recorded and withdrawn, never edited, and which one holds on a day."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from matrix.api.base import question_reader
from matrix.asking import QuestionReader
from matrix.costing import cost_of_cell
from matrix.domain.coordinates import Cell
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import Axis
from matrix.domain.measured import Slo
from matrix.entering.problems import BrokenEntries
from matrix.index import current_knowledge, forget_knowledge
from matrix.models import AuditEntry, HardwarePrice
from matrix.pricing import (
    InvalidPrice,
    PriceConflict,
    import_prices,
    record_price,
    withdraw_price,
)
from matrix.queries.engineering import release_pace
from matrix.queries.prices import find_price, price_for
from tests.benchmarks_app.builders import make_run, make_samples
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db

GIVEN: dict[str, Any] = {
    "hardware": "nvidia-t4",
    "amount_per_hour": "0.53",
    "currency": "usd",
    "effective_on": "2026-10-01",
}
ON = date(2026, 11, 1)


@pytest.fixture(autouse=True)
def reader() -> Any:
    forget_knowledge()
    make_world()
    yield question_reader(current_knowledge())
    forget_knowledge()


def record(reader: QuestionReader, **changes: Any) -> HardwarePrice:
    return record_price(GIVEN | changes, reader, actor="ada")


class TestRecording:
    def test_a_price_stands_with_an_audit_entry(self, reader: QuestionReader) -> None:
        row = record(reader, provider="Example cloud", terms="on demand")
        stored = HardwarePrice.objects.get(uid=row.uid)
        assert (stored.hardware, stored.device_count) == ("nvidia-t4", 1)
        assert (stored.amount_per_hour, stored.currency) == (Decimal("0.53"), "USD")
        assert stored.effective_on == date(2026, 10, 1)
        assert not stored.is_demonstration
        entry = AuditEntry.objects.get(subject=f"price:{row.uid}")
        assert (entry.actor, entry.action) == ("ada", "record-price")
        assert entry.after["amount_per_hour"] == "0.53"

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("hardware", "nvidia-t5"),
            ("hardware", ""),
            ("amount_per_hour", "2,49"),
            ("amount_per_hour", "0"),
            ("amount_per_hour", "0.000000"),
            ("amount_per_hour", "-1"),
            ("amount_per_hour", "nan"),
            ("amount_per_hour", "1e3"),
            ("amount_per_hour", "٣"),
            ("amount_per_hour", "1.1234567"),
            ("amount_per_hour", "123456789"),
            ("amount_per_hour", True),
            ("amount_per_hour", ["1"]),
            ("currency", "UDS"),
            ("currency", "$"),
            ("effective_on", "01.10.2026"),
            ("effective_on", "2026-02-30"),
            ("effective_on", "2099-01-01"),
            ("effective_on", None),
            ("device_count", 0),
            ("device_count", "two"),
            ("device_count", 1.5),
            ("device_count", 5_000),
            ("url", "javascript:alert(1)"),
            ("url", "https://user:secret@example.org/"),
            ("provider", "x" * 121),
            ("terms", "a\x00b"),
            ("amount", "1"),
        ],
    )
    def test_a_wrong_field_is_named_and_nothing_is_stored(
        self, reader: QuestionReader, name: str, value: Any
    ) -> None:
        with pytest.raises(InvalidPrice) as caught:
            record(reader, **{name: value})
        problems = caught.value.facts["problems"]
        assert isinstance(problems, list)
        assert len(problems) == 1
        assert str(problems[0]).startswith(f"{name}: ")
        assert not HardwarePrice.objects.exists()

    def test_all_problems_are_listed(self, reader: QuestionReader) -> None:
        with pytest.raises(InvalidPrice) as caught:
            record_price({}, reader, actor="ada")
        assert str(caught.value).count("is missing") == 4

    def test_the_same_price_twice_is_a_conflict(self, reader: QuestionReader) -> None:
        record(reader)
        with pytest.raises(PriceConflict):
            record(reader)
        record(reader, effective_on="2026-10-02")
        assert HardwarePrice.objects.count() == 2

    def test_a_price_is_never_changed_and_never_deleted(self, reader: QuestionReader) -> None:
        row = record(reader)
        for change in ({"amount_per_hour": "9"}, {"effective_on": date(2020, 1, 1)}):
            with pytest.raises(DatabaseError), transaction.atomic():
                HardwarePrice.objects.filter(pk=row.pk).update(**change)
        with pytest.raises(DatabaseError), transaction.atomic():
            HardwarePrice.objects.filter(pk=row.pk).delete()


class TestWithdrawing:
    def test_a_withdrawn_price_stays_and_counts_no_more(self, reader: QuestionReader) -> None:
        row = record(reader)
        withdraw_price(row.uid, actor="bea", reason="a typing error")
        assert price_for("nvidia-t4", on=ON) is None
        kept = HardwarePrice.objects.get(pk=row.pk)
        assert (kept.withdrawn_by, kept.reason) == ("bea", "a typing error")
        assert AuditEntry.objects.filter(action="withdraw-price").count() == 1
        with pytest.raises(PriceConflict):
            withdraw_price(row.uid, actor="bea", reason="again")
        record(reader)  # The same may be recorded anew.

    @pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "a\0b"])
    def test_a_reason_is_needed(self, reader: QuestionReader, reason: str) -> None:
        row = record(reader)
        with pytest.raises(InvalidValue):
            withdraw_price(row.uid, actor="bea", reason=reason)

    def test_at_an_earlier_moment_it_still_counted(self, reader: QuestionReader) -> None:
        row = record(reader)
        before = timezone.now()
        withdraw_price(row.uid, actor="bea", reason="a typing error")
        assert price_for("nvidia-t4", on=ON, known_at=before) is not None
        assert price_for("nvidia-t4", on=ON, known_at=before - timedelta(days=1)) is None


class TestWhichPriceHolds:
    def test_the_newest_that_has_begun_holds(self, reader: QuestionReader) -> None:
        for amount, on in (("1", "2026-01-01"), ("2", "2026-06-01"), ("3", "2026-12-01")):
            record(reader, amount_per_hour=amount, effective_on=on)
        found = {
            on: price.amount_per_hour if (price := price_for("nvidia-t4", on=on)) else None
            for on in (date(2025, 12, 31), date(2026, 1, 1), date(2026, 11, 30), date(2026, 12, 1))
        }
        assert list(found.values()) == [None, Decimal(1), Decimal(2), Decimal(3)]

    def test_of_one_day_the_one_recorded_last_holds(self, reader: QuestionReader) -> None:
        record(reader, amount_per_hour="1")
        record(reader, amount_per_hour="2")
        price = price_for("nvidia-t4", on=ON)
        assert price is not None
        assert (price.amount_per_hour, price.other_offers) == (Decimal(2), 0)

    def test_currencies_are_never_mixed(self, reader: QuestionReader) -> None:
        record(reader)
        record(reader, currency="EUR", amount_per_hour="0.4")
        found = find_price("nvidia-t4", on=ON)
        assert (found.price, found.why_unknown) == (None, "several-currencies")
        assert found.currencies == ("EUR", "USD")
        chosen = price_for("nvidia-t4", on=ON, currency="eur")
        assert chosen is not None and chosen.amount_per_hour == Decimal("0.4")
        assert find_price("nvidia-t4", on=ON, currency="CNY").why_unknown == "no-price"

    def test_of_several_offers_the_lowest_per_device_is_taken(self, reader: QuestionReader) -> None:
        record(reader, provider="A", amount_per_hour="1")
        record(reader, provider="B", amount_per_hour="6.4", device_count=8)
        found = find_price("nvidia-t4", on=ON)
        assert found.price is not None
        assert (found.price.provider, found.price.other_offers) == ("B", 1)
        assert [offer.provider for offer in found.offers] == ["B", "A"]

    def test_a_price_of_an_architecture_says_nothing_of_a_device(
        self, reader: QuestionReader
    ) -> None:
        record(reader, hardware="nvidia-turing")
        assert price_for("nvidia-t4", on=ON) is None

    def test_unknown_hardware_has_no_price(self) -> None:
        assert find_price("nothing-such", on=ON).why_unknown == "no-price"


class TestTables:
    TABLE = (
        "hardware,device_count,amount_per_hour,currency,provider,effective_on\n"
        "nvidia-t4,1,0.53,USD,A,2026-10-01\n"
        "# a comment\n"
        "\n"
        "nvidia-a100,8,12.5,USD,A,2026-10-01\n"
    )

    @pytest.mark.parametrize("separator", [",", "\t", ";"])
    def test_lines_are_recorded_together(self, reader: QuestionReader, separator: str) -> None:
        data = self.TABLE.replace(",", separator).encode()
        found = import_prices(data, reader, actor="ada")
        assert (found.lines, len(found.new), len(found.recorded)) == (2, 2, 2)
        assert [draft.line for draft in found.new] == [2, 5]
        assert HardwarePrice.objects.count() == 2
        assert AuditEntry.objects.filter(action="import-prices").count() == 1

    def test_the_same_table_twice_records_nothing_new(self, reader: QuestionReader) -> None:
        import_prices(self.TABLE.encode(), reader, actor="ada")
        again = import_prices(b"\xef\xbb\xbf" + self.TABLE.encode(), reader, actor="ada")
        assert (len(again.new), len(again.unchanged)) == (0, 2)
        assert HardwarePrice.objects.count() == 2

    def test_a_line_twice_in_one_table_is_recorded_once(self, reader: QuestionReader) -> None:
        lines = self.TABLE.splitlines()
        found = import_prices("\n".join([*lines, lines[1]]).encode(), reader, actor="ada")
        assert (len(found.recorded), [d.line for d in found.unchanged]) == (2, [6])

    def test_a_dry_run_writes_nothing(self, reader: QuestionReader) -> None:
        found = import_prices(self.TABLE.encode(), reader, actor="ada", dry_run=True)
        assert (len(found.new), found.recorded) == (2, ())
        assert not HardwarePrice.objects.exists()

    def test_every_problem_is_told_with_its_line_and_nothing_is_recorded(
        self, reader: QuestionReader
    ) -> None:
        data = self.TABLE + "nvidia-t9,1,x,USD,A,2026-10-01\nnvidia-t4,1,1\n"
        with pytest.raises(BrokenEntries) as caught:
            import_prices(data.encode(), reader, actor="ada")
        assert [(p.line, p.field) for p in caught.value.problems] == [
            (6, "hardware"), (6, "amount_per_hour"), (7, ""),
        ] or sorted((p.line, p.field) for p in caught.value.problems) == [
            (6, "amount_per_hour"), (6, "hardware"), (7, ""),
        ]  # fmt: skip
        assert not HardwarePrice.objects.exists()

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"hardware,amount_per_hour,currency\n",
            b"hardware,hardware,amount_per_hour,currency,effective_on\n",
            b"hardware,amount_per_hour,currency,effective_on,colour\n",
            b"hardware,amount_per_hour,currency,effective_on\n",
            b"\xff\xfeh\x00",
            b"hardware,amount_per_hour,currency,effective_on\n\x00,1,USD,2026-10-01\n",
            b'hardware,amount_per_hour,currency,effective_on\n"nvidia-t4,1,USD,2026-10-01\n',
            b"x" * (2**20 + 1),
        ],
    )
    def test_what_is_no_table_of_prices_is_refused(
        self, reader: QuestionReader, data: bytes
    ) -> None:
        with pytest.raises(BrokenEntries):
            import_prices(data, reader, actor="ada")


class TestCostOfCell:
    CELL = Cell(
        "vllm",
        nodes={
            Axis.MODEL: "meta--llama-3-8b",
            Axis.QUANTIZATION: "awq",
            Axis.HARDWARE: "nvidia-t4",
        },
    )
    SLO = Slo(ttft_ms=10_000.0)

    def cost(self) -> Any:
        return cost_of_cell(self.CELL, self.SLO, version="0.7.0", on=ON)

    def test_it_takes_a_measurement_and_a_price(self, reader: QuestionReader) -> None:
        assert self.cost().figure.why_unknown == "no-run"
        make_run(metrics={"output_token_throughput": {"value": 1000.0}}, samples=make_samples())
        assert self.cost().figure.why_unknown == "no-price"
        record(reader, amount_per_hour="3.6")
        found = self.cost()
        assert found.figure.cost_per_million_output_tokens == Decimal(1)
        assert found.figure.currency == "USD"
        assert found.throughput.interval_of == "requests"
        low = found.figure.low_cost_per_million_output_tokens
        high = found.figure.high_cost_per_million_output_tokens
        assert low < Decimal(1) < high
        record(reader, currency="EUR")
        assert self.cost().figure.why_unknown == "several-currencies"

    def test_a_cell_without_hardware_has_no_price(self) -> None:
        bare = cost_of_cell(Cell("vllm"), Slo(), on=ON)
        assert (bare.price, bare.figure.why_unknown) == (None, "no-run")


def test_the_pace_of_releases_is_counted_from_the_catalogue() -> None:
    found = release_pace("vllm", as_of=date(2026, 1, 10))
    assert found.by_quarter is None  # Its first known release is younger than four quarters.
    assert found.known_since == date(2025, 1, 15)
    later = release_pace("vllm", as_of=date(2026, 1, 20))
    assert later.by_quarter is not None
    assert sum(later.by_quarter) == 11
    assert release_pace("nobody", as_of=date(2026, 1, 10)).newest == ""
