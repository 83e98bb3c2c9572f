"""The review queue in a browser: widths, schemes, keys alone, kept pages that stay inert."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from ingest.domain.review import ItemKind, ItemState
from ingest.fetching.policy import FetchPolicy
from ingest.fetching.session import open_session
from ingest.models import PageRecord, ReviewItem
from ingest.services.snapshots import Bytes, Taken, keep_snapshot
from matrix.catalog_loading import load_shipped
from matrix.entering.reports import report_problem
from matrix.index import forget_knowledge
from matrix.models import CuratedAlias
from tests.ingest.pages.review_world import HOSTILE, NOW, add_items, filler, open_pks
from tests.ingest.pages.review_world import page as quantization_page
from tests.ingest.pipeline.code_host import CodeHost, RunningHost
from tests.ingest.pipeline.test_poll_tags import standing
from tests.matrix.api.rows import make_user
from tests.matrix.shipped_folder import write_catalogue

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TURING = "quantization-hardware/awq/nvidia-turing"
AMPERE = "quantization-hardware/awq/nvidia-ampere"


@pytest.fixture(autouse=True)
def _world(
    transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A queue of real polls: two changes, an unknown word, an alarm, a report."""
    forget_knowledge()
    load_shipped(write_catalogue(tmp_path))
    held = CodeHost()
    running = RunningHost(held)
    fetcher = open_session(policy=FetchPolicy(loopback=True, idle_seconds=5.0)).fetch
    fill = filler(held, fetcher, monkeypatch)
    fill(
        r11=quantization_page(FP8X="yes yes yes"),
        r12=quantization_page(AWQ="no no no", FP8X="yes yes yes"),
    )
    running.close()
    add_items(2, kind=ItemKind.DRIFT_ALARM, sentence="The page has 12 lines; it had 40. " * 4)
    report_problem([("framework", "vllm"), ("version", "0.12.0")], "The row was misread.")
    yield
    forget_knowledge()


@pytest.fixture
def curator_page(page: Any, live_server: Any) -> Any:
    """A page in which a curator is signed in."""
    client = Client()
    client.force_login(make_user("carla", "curator"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(curator_page: Any, width: int, scheme: str) -> None:
    page = curator_page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    sha256 = PageRecord.objects.get(version="0.12.0").snapshot_id
    changed, word = open_pks(kind="changed")[TURING], open_pks(kind="unknown-word")["FP8X"]
    report = ReviewItem.objects.get(kind=ItemKind.PROBLEM_REPORT).pk
    alarm = open_pks(kind="drift-alarm")["statement 0"]
    addresses = {
        "queue": "/review/",
        "change": f"/review/{changed}/",
        "alarm": f"/review/{alarm}/",
        "report": f"/review/{report}/",
        "edit": f"/review/{changed}/edit/",
        "words": "/review/words/",
        "word": f"/review/words/{word}/",
        "effect": f"/review/words/{word}/?to=fp8",
        "kept": f"/snapshots/{sha256}/?row=AWQ&column=Turing",
    }
    for name, address in addresses.items():
        page.goto(address)
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{name} is {over} px too wide at {width} px"


def tab_to(page: Any, wanted: str, *, most: int = 60) -> None:
    """Presses Tab until the focused element has the wanted text, value or id."""
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "(e => [e.id, e.value ?? '', e.textContent.trim()])(document.activeElement)"
        )
        if any(part.startswith(wanted) for part in found if part):
            return
    raise AssertionError(f"{wanted!r} was not reached by Tab")


def test_an_item_is_opened_and_accepted_by_keys_alone(curator_page: Any) -> None:
    page = curator_page
    page.goto("/review/?kind=changed")
    first = max(open_pks(kind="changed").values())
    tab_to(page, f"item-{first}")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/review/{first}/**")
    tab_to(page, "id_reason")
    page.keyboard.type("the table says so")
    tab_to(page, "accept")
    page.keyboard.press("Enter")
    page.wait_for_selector(".message[role=status]")
    assert "1 item was accepted" in page.locator(".message[role=status]").inner_text()
    item = ReviewItem.objects.get(pk=first)
    assert (item.state, item.reason) == (ItemState.ACCEPTED, "the table says so")


def test_many_items_are_chosen_and_refused_by_keys_alone(curator_page: Any) -> None:
    page = curator_page
    page.goto("/review/?kind=changed")
    pks = sorted(open_pks(kind="changed").values(), reverse=True)
    tab_to(page, f"item-{pks[0]}")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    assert page.locator("[data-chosen]").inner_text() == "2"
    tab_to(page, "bulk-reason")
    page.keyboard.type("the page was vandalised")
    tab_to(page, "reject")
    page.keyboard.press("Enter")
    page.wait_for_selector("#confirm-reason")
    assert page.locator("h1").inner_text() == "Reject 2 items?"
    tab_to(page, "reject")
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/?**")
    assert not open_pks(kind="changed")


def test_a_word_gets_its_meaning_in_two_clicks(curator_page: Any) -> None:
    page = curator_page
    page.goto("/review/words/")
    page.get_by_role("link", name="FP8", exact=True).click()
    page.wait_for_selector("#effect tbody tr")
    page.get_by_role("button", name="Yes, it is a name of FP8").click()
    page.wait_for_url("**/review/words/")
    assert CuratedAlias.objects.get().word == "FP8X"
    assert "quantization-hardware/fp8/nvidia-turing supported 0.11.0..0.12.0" in standing()


def test_a_kept_page_runs_nothing_and_shows_the_cited_line(curator_page: Any) -> None:
    page = curator_page
    body = "".join(f"<p>line {n}</p>\n" for n in range(1, 300)) + HOSTILE
    sha256 = keep_snapshot(
        Bytes(body=body.encode(), media_type="text/html"),
        Taken(url="https://example.org/page", retrieved_at=NOW),
    )
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(f"/snapshots/{sha256}/?line=290#cited")
    assert page.locator("li.cited").inner_text().endswith("<p>line 290</p>")
    # The jump to the anchor may end a moment after the page has loaded.
    expect(page.locator("li.cited")).to_be_in_viewport()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the bytes as plain text").click()
    assert Path(saved.value.path()).read_text(encoding="utf-8") == body
    assert dialogs == []


def test_the_queue_works_without_javascript(chromium: Any, live_server: Any) -> None:
    client = Client()
    client.force_login(make_user("carla", "curator"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    page = context.new_page()
    page.goto("/review/?kind=changed")
    for box in page.locator("input[name=item]").all():
        box.check()
    page.get_by_role("button", name="Accept …").click()
    page.get_by_role("button", name="Accept them").click()
    page.wait_for_url("**/review/?**")
    context.close()
    assert [line for line in standing() if "unsupported 0.12" in line] == [
        f"{AMPERE} unsupported 0.12.0..0.12.0",
        f"{TURING} unsupported 0.12.0..0.12.0",
    ]
