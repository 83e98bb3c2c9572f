"""Alarms and re-checks in the queue: what changed on the page, and what answering them does."""

from datetime import timedelta

import pytest
from django.test import Client

from ingest.domain.review import ItemKind
from ingest.models import ReviewItem
from ingest.pages.review_list import age_words
from tests.ingest.pages.review_world import HOSTILE, Fill, add_items, page, soup_of

pytestmark = pytest.mark.django_db


def test_an_alarm_shows_which_lines_changed_since_the_page_was_accepted(
    curator: Client, fill: Fill
) -> None:
    fill(r11=page(), r12=f"# Quantization\n\n{HOSTILE}\u202e\n")
    item = ReviewItem.objects.get(kind=ItemKind.UNEXPECTED_PAGE)
    soup = soup_of(curator.get(f"/review/{item.pk}/"))
    came = [row.get_text(" ", strip=True) for row in soup.select(".changed-lines .came")]
    went = [row.get_text(" ", strip=True) for row in soup.select(".changed-lines .went")]
    assert came == [f"3 + came {HOSTILE}⟨U+202E⟩"]
    assert "3 − went ## Supported Hardware" in went
    assert any("| AWQ |" in line for line in went)
    assert "Against the page of 0.11.0" in soup.get_text(" ", strip=True)


def test_an_alarm_about_a_page_never_accepted_has_nothing_to_compare_with(
    curator: Client, catalogue: object
) -> None:
    add_items(1, kind=ItemKind.DRIFT_ALARM)
    soup = soup_of(curator.get(f"/review/{ReviewItem.objects.get().pk}/"))
    assert soup.select_one(".changed-lines") is None


def test_an_alarm_says_its_numbers_once_and_what_its_buttons_do(
    curator: Client, catalogue: object
) -> None:
    facts = {"flipped": 3, "of": 12, "columns": "Hopper"}
    add_items(1, sentence="3 of 12 statements turned.", new=facts)
    soup = soup_of(curator.get(f"/review/{ReviewItem.objects.get().pk}/"))
    assert [term.text for term in soup.select("dl.facts dt")][:1] == ["columns"]
    assert "flipped" not in soup.get_text()
    assert "the record stays as it is" in soup.select_one(".decide").get_text(" ", strip=True)


def test_a_recheck_of_a_thread_is_named_by_its_address(curator: Client, catalogue: object) -> None:
    add_items(1, kind=ItemKind.DUE_RECHECK, statement="", code="recheck-due")
    address = "https://example.org/issues/7"
    ReviewItem.objects.update(path="", url=address)
    queue = soup_of(curator.get("/review/?kind=due-recheck")).select_one(".queue")
    assert address in queue.get_text()
    soup = soup_of(curator.get(f"/review/{ReviewItem.objects.get().pk}/"))
    assert soup.find("a", href=address) is not None
    assert "The claims stay as they are" in soup.select_one(".decide").get_text(" ", strip=True)


@pytest.mark.parametrize(
    ("waited", "words"),
    [
        (timedelta(minutes=59), "under 1 hour"),
        (timedelta(seconds=-5), "under 1 hour"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=30), "1 day"),
    ],
)
def test_how_long_something_waited_is_never_zero(waited: timedelta, words: str) -> None:
    assert age_words(waited) == words
