"""The page of hardware prices and its forms."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.models import HardwarePrice
from tests.matrix.api.rows import make_user
from tests.matrix.pages_world import HOSTILE, fill_pages_world

pytestmark = pytest.mark.django_db

FORM = {
    "action": "record",
    "hardware": "nvidia-t4",
    "device_count": "1",
    "amount_per_hour": "0.53",
    "currency": "USD",
    "effective_on": "2026-10-01",
}
TABLE = "hardware\tamount_per_hour\tcurrency\teffective_on\nnvidia-t4\t0.53\tUSD\t2026-10-01\n"


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    fill_pages_world()
    yield


@pytest.fixture
def writer(client: Client) -> Client:
    client.force_login(make_user("writer", "contributor"))
    return client


def text_of(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status, answer.content[:400]
    return str(answer.content.decode())


def post(client: Client, **changes: str) -> Any:
    return client.post(reverse("prices"), FORM | changes)


def test_the_empty_page_says_why_it_is_empty_and_offers_no_form(client: Client) -> None:
    text = text_of(client.get(reverse("prices")))
    assert "Runproof ships none" in text
    assert 'name="amount_per_hour"' not in text


def test_a_recorded_price_is_shown_as_holding(writer: Client) -> None:
    assert post(writer, provider=HOSTILE).status_code == 302
    text = text_of(writer.get(reverse("prices")))
    assert "0.53 USD" in text
    assert "holds today" in text
    assert HOSTILE not in text and "&lt;script&gt;" in text


def test_later_earlier_and_future_prices_are_told_apart(writer: Client) -> None:
    for on in ("2026-01-01", "2026-10-01", "2028-01-01"):
        post(writer, effective_on=on)
    text = text_of(writer.get(reverse("prices"), {"hardware": "nvidia-t4", "currency": "usd"}))
    assert text.index("not yet") < text.index("holds today") < text.index("past")


def test_problems_stand_at_their_fields_and_what_was_typed_stays(writer: Client) -> None:
    text = text_of(post(writer, amount_per_hour="2,49", hardware="nvidia-t5"), 422)
    assert 'href="#id_amount_per_hour"' in text
    assert 'value="2,49"' in text
    assert "nvidia-t4" in text  # The nearest known name.
    assert not HardwarePrice.objects.exists()


def test_the_same_price_twice_is_said_to_stand(writer: Client) -> None:
    post(writer)
    assert "stands as" in text_of(post(writer), 409)


def test_a_table_is_previewed_then_recorded(writer: Client) -> None:
    address = reverse("prices")
    text = text_of(writer.post(address, {"action": "preview", "table": TABLE}))
    assert "What would be recorded" in text
    assert not HardwarePrice.objects.exists()
    assert writer.post(address, {"action": "import", "table": TABLE}).status_code == 302
    assert HardwarePrice.objects.count() == 1
    again = text_of(writer.post(address, {"action": "preview", "table": TABLE}))
    assert "Nothing new" in again


def test_the_problems_of_a_table_are_listed_by_line(writer: Client) -> None:
    broken = TABLE + "nvidia-t4\t-1\tUSD\t2026-10-01\n"
    text = text_of(writer.post(reverse("prices"), {"action": "import", "table": broken}), 422)
    assert "line 3, amount_per_hour" in text
    assert not HardwarePrice.objects.exists()


def test_a_price_is_withdrawn_with_a_reason(writer: Client) -> None:
    post(writer)
    address = reverse("price-withdraw", args=[HardwarePrice.objects.get().uid])
    text_of(writer.post(address, {"reason": " "}), 400)
    assert writer.post(address, {"reason": "a slip"}).status_code == 302
    text = text_of(writer.get(reverse("prices")))
    assert "a slip" in text and "holds today" not in text
    assert writer.post(reverse("price-withdraw", args=["nobody"])).status_code == 404


def test_standing_prices_are_taken_along_as_a_table_that_can_be_recorded(writer: Client) -> None:
    post(writer, provider="=1+1", terms="one, two")
    answer = writer.get(reverse("prices-csv"))
    assert "attachment" in answer["Content-Disposition"]
    table = text_of(answer)
    assert "'=1+1" in table
    text = text_of(writer.post(reverse("prices"), {"action": "preview", "table": table}))
    assert "What would be recorded" in text


def test_strangers_and_readers_record_nothing(client: Client) -> None:
    assert post(client).status_code == 302
    client.force_login(make_user("reader", "reader"))
    assert post(client).status_code == 403
    assert client.post(reverse("price-withdraw", args=["x"])).status_code == 403
    assert not HardwarePrice.objects.exists()


@pytest.mark.parametrize(
    "query", [{"hardware": "nvidia-t5"}, {"currency": "dollars"}, {"colour": "red"}]
)
def test_an_address_that_asks_wrongly_is_explained(client: Client, query: dict[str, str]) -> None:
    text_of(client.get(reverse("prices"), query), 400)
    text_of(client.get(reverse("prices-csv"), query), 400)
