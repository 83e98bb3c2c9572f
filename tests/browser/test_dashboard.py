"""What only a browser can tell of the dashboard: keys, drawer, schemes, widths, no JavaScript."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from matrix.index import forget_knowledge
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CELL = "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing"
PAGES = (
    "/",
    "/matrix/?framework=vllm&all=1&columns_level=device",
    CELL,
    "/cells/?framework=vllm&hardware=nowhere",
    "/cells/?framework=vllm&version=0.12.0&quantization=gguf&hardware=nvidia-ampere",
    "/frameworks/",
    "/frameworks/vllm/?before=0.6.0&after=0.8.0",
    "/changes/?from=2025-01-01&to=2026-01-10",
    "/claims/hostile/",
    "/accelerators/domestic/",
    "/freshness/",
    "/about/",
    "/about/components/",
)


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(page: Any, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for address in PAGES:
        page.goto(address)
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{address} is {over} px too wide at {width} px"


def test_arrows_move_enter_opens_and_escape_returns(page: Any) -> None:
    page.goto("/matrix/?framework=vllm")
    first = page.locator("#grid td a").first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    title = page.evaluate("document.activeElement.title")
    assert re.match(r"\S+ × \S+: \w+", title)
    assert title != first.get_attribute("title")
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer .leg")
    assert page.url.endswith("/matrix/?framework=vllm")
    assert page.locator("td[aria-current]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#drawer > *").count() == 0
    assert page.evaluate("document.activeElement.title") == title


def test_tab_enters_the_grid_once(page: Any) -> None:
    page.goto("/matrix/?framework=vllm")
    page.wait_for_function("document.querySelectorAll('#grid td a[tabindex=\"0\"]').length === 1")


def test_folding_changes_page_and_address(page: Any) -> None:
    page.goto("/matrix/?framework=vllm")
    page.locator("tbody[data-group=fp8] .fold-link").click()
    assert page.locator("tbody[data-group=fp8] tr:not(.fold)").first.is_hidden()
    assert "fold=fp8" in page.url
    page.reload()
    assert page.locator("tbody[data-group=fp8] tr:not(.fold)").first.is_hidden()
    page.locator("tbody[data-group=fp8] .fold-link").click()
    assert "fold" not in page.url
    assert page.locator("tbody[data-group=fp8] tr:not(.fold)").first.is_visible()


def test_the_filter_works_while_typing(page: Any) -> None:
    page.goto("/matrix/?framework=vllm")
    page.locator("input[data-filter]").fill("aw")
    visible = page.locator("#grid tbody tr:not(.fold):visible th").all_inner_texts()
    assert visible == ["awq"]
    assert page.url.endswith("filter=aw")


def test_head_and_first_column_stay_while_scrolling(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto("/matrix/?framework=vllm&all=1&columns_level=any")
    box = page.locator(".grid-box")
    before = page.locator("#grid .corner").bounding_box()
    box.evaluate("box => box.scrollTo(200, 120)")
    after = page.locator("#grid .corner").bounding_box()
    assert box.evaluate("box => box.scrollLeft") > 0
    assert abs(before["x"] - after["x"]) < 2
    assert abs(before["y"] - after["y"]) < 2


def test_the_chosen_scheme_is_kept(page: Any) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme-button").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.goto("/about/")
    assert page.evaluate(ground) == dark
    assert page.locator("#theme-button").get_attribute("aria-pressed") == "true"


def open_the_question(page: Any) -> None:
    """Unfolds the form that asks one framework at one release."""
    page.locator("summary", has_text="Ask one framework").click()


def test_fields_suggest_known_names(page: Any) -> None:
    page.goto("/")
    open_the_question(page)
    page.locator("#id_hardware").focus()
    page.wait_for_selector("#suggest-hardware option", state="attached")
    assert page.locator("#suggest-hardware option[value=Turing]").count() == 1


def test_coverage_and_support_arrive_after_the_page(page: Any) -> None:
    page.goto("/")
    page.wait_for_selector("td[hx-get] small")
    assert re.search(r"\d+ / \d+", page.locator("td[hx-get]").first.inner_text())
    page.goto("/frameworks/vllm/")
    page.wait_for_selector("[hx-get] table")


def test_the_permanent_address_is_absolute(page: Any) -> None:
    page.goto(CELL)
    page.wait_for_function("document.getElementById('permalink').value.startsWith('http')")


def test_everything_works_without_javascript(chromium: Any, live_server: Any) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    open_the_question(page)
    page.locator("#id_quantization").fill("awq")
    page.locator("#id_hardware").fill("turing")
    page.locator("#id_version").fill("0.7.0")
    page.get_by_role("button", name="Ask").click()
    assert "supports awq on Turing" in page.locator(".verdict").inner_text()
    assert page.url.endswith("?framework=vllm&version=0.7.0&quantization=awq&hardware=turing")
    page.goto("/matrix/?framework=vllm")
    page.locator("tbody[data-group=fp8] .fold-link").click()
    assert "fold=fp8" in page.url
    page.locator("#grid td a").first.click()
    assert page.locator("h1").count() == 1
    assert "/cells/" in page.url
    context.close()
