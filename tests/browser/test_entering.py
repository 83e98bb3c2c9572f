"""The claim form and reports in a browser: widths, schemes, keys, names offered, no JavaScript."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from ingest.models import ReviewItem
from matrix.index import forget_knowledge
from matrix.models import Claim
from tests.matrix.api.rows import make_user
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CELL = "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing"
FORM = CELL.replace("/cells/", "/claims/new/")
PROBLEM = CELL.replace("/cells/", "/problems/new/")


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


@pytest.fixture
def curator_page(page: Any, live_server: Any) -> Any:
    """A page in which a curator is signed in."""
    client = Client()
    client.force_login(make_user("ada", "curator"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    return page


def fill(page: Any, **values: str) -> None:
    for name, value in values.items():
        page.locator(f"#id_{name}").fill(value)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(curator_page: Any, width: int, scheme: str) -> None:
    page = curator_page
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)

    def check(what: str) -> None:
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{what} is {over} px too wide at {width} px"

    page.goto(PROBLEM)
    check("the report")
    page.goto(FORM)
    check("the form")
    page.locator("label.check", has_text="a test that I ran").locator("input").check()
    fill(page, statement="AWQ " * 60, ran_on="2025-07-21", command="x" * 500, observed="y" * 500,
         pasted="Driver Version: 550.54.15 " + "z" * 500)  # fmt: skip
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector("#preview-title")
    check("the preview")
    page.get_by_role("button", name="Record it").click()
    page.wait_for_url("**/claims/**")
    check("the claim")
    page.locator("a[href^='/reports/']").first.click()
    page.wait_for_selector("#observed")
    check("the test")


def test_a_claim_is_written_by_keys_alone(curator_page: Any) -> None:
    page = curator_page
    page.goto(FORM)
    page.locator("#id_statement").focus()
    page.keyboard.type("AWQ on Turing, read again")
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.id")
        if name == "id_url":
            page.keyboard.type("https://example.org/page")
        elif name == "id_stated_on":
            # A day is typed in the order of the browser's language.
            page.keyboard.type("07202025")
        elif name == "id_row":
            page.keyboard.type("AWQ")
        elif page.evaluate("document.activeElement.value") == "preview":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#preview-title")
    page.get_by_role("button", name="Record it").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/claims/e*/")
    assert Claim.objects.filter(statement="AWQ on Turing, read again").exists()


def test_names_are_offered_from_the_catalogue(curator_page: Any) -> None:
    page = curator_page
    page.goto("/claims/new/?framework=vllm")
    page.locator("#id_hardware").focus()
    page.wait_for_selector("#suggest-hardware option", state="attached")
    page.locator("#id_release").focus()
    page.wait_for_selector("#suggest-version option", state="attached")


def test_a_problem_is_reported_without_javascript(chromium: Any, live_server: Any) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(CELL)
    page.get_by_role("link", name="Report a problem").click()
    page.locator("#id_text").fill("The row was misread.")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url(f"**{CELL}")
    assert "Thank you" in page.locator(".message").inner_text()
    context.close()
    assert ReviewItem.objects.get().sentence == "The row was misread."
