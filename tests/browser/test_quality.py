"""What holds for every page: axe finds nothing, little JavaScript, nothing jumps, no motion.

One visit of a page answers all questions about it, in two of the four combinations of width and
scheme, so that the whole takes little time. Dossiers with content have a test of their own.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from ingest.models import ReviewItem
from matrix.index import forget_knowledge
from matrix.models import HardwarePrice
from matrix.services import write_audit
from tests.benchmarks_app.builders import make_file, make_run, make_upload
from tests.ingest.pages.review_world import add_items
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

COMBINATIONS = [(390, "light"), (1280, "dark")]
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
    "/benchmarks/runs/run0/",
    "/benchmarks/compare/?runs=run0,run1",
    "/check/?model=meta/Llama-3-8B&quantization=awq-w4a16&hardware=nvidia-t4&count=2",
    "/check/stack/",
    "/memory/",
    "/memory/?model=meta/Llama-3-8B&quantization=awq&framework=vllm&hardware=nvidia-t4",
    "/memory/?model=x&quantization=Q4",
    "/memory/accuracy/",
    "/features/",
    "/features/lora/",
    "/features/attention-kernels/",
    "/features/tensorrt-llm-model-paths/",
    "/dossiers/",
    "/prices/",
    "/problems/new/?framework=vllm",
    "/accounts/login/",
    "/api/v1/explorer/",
    "/nowhere/",
    "/failing/",
    "/locked-out/",
    "/forbidden/",
)
STAFF_PAGES = (
    "/claims/new/",
    "/review/",
    "/review/words/",
    "/benchmarks/upload/",
    "/benchmarks/uploads/",
    "/benchmarks/uploads/mine/",
    "/benchmarks/names/",
    "/dossiers/new/",
    "/prices/",
    "/accounts/",
    "/accounts/tokens/",
    "/accounts/people/",
    "/accounts/password/",
    "/audit/",
)
# Answers that need an accident or an offence, shown at an address of their own.
STAGED: Mapping[str, tuple[str, int]] = {
    "/failing/": ("500.html", 500),
    "/locked-out/": ("registration/locked_out.html", 429),
    "/forbidden/": ("403.html", 403),
}
# The explorer is a widget made elsewhere: axe leaves it out, and its program is its own.
FOREIGN = {"/api/v1/explorer/": "#swagger-ui"}
PAGES_WITH_PLOTS = (
    "/benchmarks/history/",
    "/benchmarks/runs/run0/",
    "/benchmarks/compare/?runs=run0,run1",
    "/memory/accuracy/",
)
MOST_SCRIPT_BYTES = 100 * 1024
MOST_LAYOUT_SHIFT = 0.1
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SCRIPT_BYTES = """() => Object.fromEntries(
  performance.getEntriesByType('resource')
    .filter(entry => new URL(entry.name).pathname.endsWith('.js'))
    .map(entry => [entry.name, entry.decodedBodySize]))"""
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
    """Something to show on every page."""
    fill_pages_world()
    write_audit(actor="ada", action="record-claim", subject="claim:1", after={"level": "supported"})
    write_audit(actor="ada", action="withdraw-claim", subject="claim:1", before={"level": "no"})
    add_items(2)
    upload = make_upload(uid="mine", received_by="boss")
    make_file(upload)
    for number in range(2):
        make_run(uid=f"run{number}", load={"max_concurrency": 4 * (number + 1)})
    HardwarePrice.objects.create(
        uid="price", hardware="nvidia-t4", device_count=1, amount_per_hour=Decimal("0.53"),
        currency="USD", effective_on=date(2026, 1, 1), recorded_by="ada",
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
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


def stage_accidents(page: Any) -> None:
    """Answers the staged addresses with what Django would show."""
    bodies = {
        address: (render_to_string(template, {"minutes": 5}, RequestFactory().get(address)), status)
        for address, (template, status) in STAGED.items()
    }

    def answer(route: Any) -> None:
        body, status = bodies[urlsplit(route.request.url).path]
        route.fulfill(status=status, body=body, content_type="text/html")

    for address in STAGED:
        page.route(f"**{address}", answer)


def violations(page: Any, address: str) -> list[str]:
    """What axe finds on the page that is open."""
    left_out = FOREIGN.get(address)
    context = {"exclude": [left_out]} if left_out else None
    found = Axe().run(page, context=context).response["violations"]
    if left_out:
        # The widget brings a main landmark of its own, which axe counts on the whole page.
        found = [rule for rule in found if rule["id"] != "landmark-no-duplicate-main"]
    return [
        f"{address}: {rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]
    ]


def faults_of(page: Any, address: str) -> list[str]:
    """Everything that is wrong with one page after one visit."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    # A page whose content is still being worked out comes back by itself.
    if page.locator("[data-again-after-ms]").count():
        page.locator("[data-again-after-ms]").wait_for(state="detached")
        page.wait_for_load_state("networkidle")
    faults = []
    if (over := page.evaluate(OVERFLOW)) > 0:
        faults.append(f"{address}: {over} px too wide")
    if (shifted := page.evaluate("window.shifted")) >= MOST_LAYOUT_SHIFT:
        faults.append(f"{address}: jumps by {shifted:.3f}")
    scripts = page.evaluate(SCRIPT_BYTES)
    if not scripts:
        faults.append(f"{address}: loaded no script at all")
    # Not compressed here, so that the transferred size is smaller still.
    if address not in (*PAGES_WITH_PLOTS, *FOREIGN) and sum(scripts.values()) > MOST_SCRIPT_BYTES:
        faults.append(f"{address}: scripts are too large: {scripts}")
    return faults + violations(page, address)


def visit_all(page: Any, addresses: tuple[str, ...], width: int, scheme: str) -> list[str]:
    """The faults of all pages."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.add_init_script(OBSERVE_SHIFTS)
    return [fault for address in addresses for fault in faults_of(page, address)]


@pytest.mark.parametrize(("width", "scheme"), COMBINATIONS)
def test_nothing_is_wrong_with_a_page_for_readers(page: Any, width: int, scheme: str) -> None:
    stage_accidents(page)
    found = visit_all(page, READER_PAGES, width, scheme)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("width", "scheme"), COMBINATIONS)
def test_nothing_is_wrong_with_a_page_for_the_staff(
    page: Any, live_server: Any, width: int, scheme: str
) -> None:
    sign_in(page, live_server)
    items = tuple(f"/review/{item.pk}/" for item in ReviewItem.objects.all()[:1])
    assert items
    found = visit_all(page, STAFF_PAGES + items, width, scheme)
    assert not found, "\n".join(found)


def test_axe_finds_nothing_in_chinese(page: Any) -> None:
    page.context.set_extra_http_headers({"Accept-Language": "zh-CN"})
    found = visit_all(page, ("/", CELL, "/check/"), 390, "dark")
    assert not found, "\n".join(found)


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
