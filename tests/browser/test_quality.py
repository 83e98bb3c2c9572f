"""What holds for every page: axe finds nothing, little JavaScript, nothing jumps, no motion."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client

from matrix.index import forget_knowledge
from matrix.services import write_audit
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CELL = "/cells/?framework=vllm&version=0.7.0&quantization=awq&hardware=turing"
READER_PAGES = (
    "/",
    "/matrix/",
    "/matrix/?framework=vllm&all=1&columns_level=device",
    CELL,
    "/cells/?framework=vllm&hardware=nowhere",
    "/frameworks/",
    "/frameworks/vllm/?before=0.6.0&after=0.8.0",
    "/frameworks/vllm/releases/0.7.0/",
    "/frameworks/vllm/support/",
    "/changes/?from=2025-01-01&to=2026-01-10",
    "/claims/hostile/",
    "/accelerators/domestic/",
    "/freshness/",
    "/about/",
    "/about/components/",
    "/benchmarks/",
    "/benchmarks/history/",
    "/check/",
    "/memory/",
    "/memory/accuracy/",
    "/features/",
    "/dossiers/",
    "/prices/",
    "/problems/new/",
    "/accounts/login/",
    "/nowhere/",
)
CURATOR_PAGES = (
    "/claims/new/",
    "/review/",
    "/benchmarks/upload/",
    "/dossiers/new/",
    "/accounts/",
    "/accounts/tokens/",
    "/accounts/people/",
    "/accounts/password/",
    "/audit/",
)
# Pages with plots load Plotly, the explorer its own program.
MOST_SCRIPT_BYTES = 100 * 1024
MOST_LAYOUT_SHIFT = 0.1
OBSERVE_SHIFTS = """
window.shifted = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.shifted += entry.value;
  }
}).observe({type: 'layout-shift', buffered: true});
"""


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    write_audit(actor="ada", action="record-claim", subject="claim:1", after={"level": "supported"})
    yield
    forget_knowledge()


def sign_in(page: Any, live_server: Any) -> None:
    user = get_user_model().objects.create_user("boss", password="a-long-password")
    user.groups.add(Group.objects.get_or_create(name="admin")[0])
    client = Client()
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[1])
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )


def violations(page: Any, address: str) -> list[str]:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    found = Axe().run(page).response["violations"]
    return [
        f"{address}: {rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_on_pages_for_readers(page: Any, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    found = [problem for address in READER_PAGES for problem in violations(page, address)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_pages_of_the_staff(page: Any, live_server: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    sign_in(page, live_server)
    found = [problem for address in CURATOR_PAGES for problem in violations(page, address)]
    assert not found, "\n".join(found)


def test_axe_finds_nothing_in_chinese(page: Any) -> None:
    page.context.set_extra_http_headers({"Accept-Language": "zh-CN"})
    found = [problem for address in ("/", CELL, "/check/") for problem in violations(page, address)]
    assert not found, "\n".join(found)


def test_pages_without_plots_load_little_javascript(page: Any) -> None:
    sizes: dict[str, int] = {}

    def note(response: Any) -> None:
        if response.request.resource_type == "script" and response.ok:
            sizes[response.url] = len(response.body())

    page.on("response", note)
    for address in READER_PAGES:
        sizes.clear()
        page.goto(address)
        page.wait_for_load_state("networkidle")
        if any("plotly" in url for url in sizes):
            assert address in ("/benchmarks/history/", "/memory/accuracy/"), address
            continue
        # Not compressed here, so that the transferred size is smaller still.
        assert sum(sizes.values()) <= MOST_SCRIPT_BYTES, (address, sizes)
        assert sizes, f"{address} loaded no script at all"


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_jumps_while_a_page_loads(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.add_init_script(OBSERVE_SHIFTS)
    jumping = []
    for address in READER_PAGES:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        shifted = page.evaluate("window.shifted")
        if shifted >= MOST_LAYOUT_SHIFT:
            jumping.append(f"{address}: {shifted:.3f}")
    assert not jumping, "\n".join(jumping)


def test_who_wants_no_motion_gets_none(page: Any) -> None:
    page.emulate_media(reduced_motion="reduce")
    moving = """
    [...document.querySelectorAll('*')].filter(element => {
      const style = getComputedStyle(element);
      const lasts = text => text.split(',').some(part => parseFloat(part) > 0.01);
      return lasts(style.transitionDuration)
        || (style.animationName !== 'none' && lasts(style.animationDuration));
    }).map(element => element.outerHTML.slice(0, 100))
    """
    for address in ("/", "/matrix/?framework=vllm", CELL, "/about/components/"):
        page.goto(address)
        assert page.evaluate(moving) == [], address


def test_every_control_can_be_reached_and_is_seen_when_focused(page: Any) -> None:
    for address in ("/", CELL, "/accounts/login/", "/check/"):
        page.goto(address)
        unseen = []
        for _step in range(40):
            page.keyboard.press("Tab")
            state = page.evaluate(
                """() => {
                  const element = document.activeElement;
                  if (!element || element === document.body) return null;
                  const style = getComputedStyle(element);
                  const box = element.getBoundingClientRect();
                  return {html: element.outerHTML.slice(0, 100),
                          outline: style.outlineStyle !== 'none' || style.boxShadow !== 'none',
                          size: box.width * box.height};
                }"""
            )
            if state is None:
                break
            if not state["outline"] or state["size"] <= 0:
                unseen.append(state["html"])
        assert not unseen, f"{address}: {unseen}"
