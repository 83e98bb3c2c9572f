"""Dossiers in a browser: widths, schemes, keys, no JavaScript, a file on its own, and paper."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client

from matrix.index import forget_knowledge
from matrix.models import Dossier
from tests.matrix.api.rows import make_user
from tests.matrix.dossiers.hostile import SCRIPT, make_hostile_dossier
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
STEPS = ("need", "candidates", "criteria", "judgments", "review")
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Of what is printed: elements that stick out of the sheet to the right.
STICKING_OUT = """() => [...document.querySelectorAll('.dossier *')]
  .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(e => `${e.tagName} ${e.className} ${e.textContent.slice(0, 40)}`).slice(0, 5)"""


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


@pytest.fixture
def frozen() -> Dossier:
    """A frozen dossier with hostile text in every field."""
    return make_hostile_dossier()


@pytest.fixture
def draft() -> Dossier:
    """The same as a draft."""
    return make_hostile_dossier(frozen=False)


def sign_in(context: Any, live_server: Any) -> None:
    """Signs a curator in."""
    client = Client()
    client.force_login(make_user("ada", "curator"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )


def problems_of(page: Any, address: str) -> list[str]:
    """What is too wide, and what axe finds."""
    page.goto(address)
    over = page.evaluate(OVERFLOW)
    found = [f"{address} is {over} px too wide"] if over > 0 else []
    for rule in Axe().run(page).response["violations"]:
        found += [f"{address}: {rule['id']}: {node['html'][:160]}" for node in rule["nodes"]]
    return found


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_pages_fit_the_window_and_axe_finds_nothing(
    page: Any, live_server: Any, frozen: Dossier, width: int, scheme: str
) -> None:
    draft = make_hostile_dossier_named("Another draft")
    sign_in(page.context, live_server)
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    addresses = [
        "/dossiers/", "/dossiers/new/", f"/dossiers/{frozen.uid}/", f"/dossiers/{draft.uid}/",
        "/dossiers/candidate/new/?framework=vllm&hardware=nvidia-t4",
        *(f"/dossiers/{draft.uid}/edit/{step}/" for step in STEPS),
    ]  # fmt: skip
    found = [problem for address in addresses for problem in problems_of(page, address)]
    assert not found, "\n".join(found)


def make_hostile_dossier_named(title: str) -> Dossier:
    """A draft beside a frozen one."""
    made = make_hostile_dossier(frozen=False)
    Dossier.objects.filter(pk=made.pk).update(title=title)
    return made


def test_a_dossier_is_written_and_frozen_without_javascript(
    chromium: Any, live_server: Any
) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    sign_in(context, live_server)
    page = context.new_page()
    page.goto("/dossiers/")
    page.get_by_role("link", name="Open a dossier").click()
    page.locator("#id_title").fill("An engine for chats")
    page.locator("#id_hardware").fill("2 × nvidia-t4")
    page.get_by_role("button", name="Open the draft").click()
    page.locator("#id_name").fill("vLLM on T4")
    page.locator("#id_framework").select_option("vllm")
    page.locator("#id_version").fill("0.7.0")
    page.locator("#id_hardware").fill("nvidia-t4")
    page.get_by_role("button", name="Add the candidate").click()
    page.get_by_role("link", name="Go on to the criteria").click()
    page.locator("#id_name").fill("It runs")
    page.locator("#id_kind").select_option("knock-out")
    page.get_by_role("button", name="Add the criterion").click()
    page.get_by_role("link", name="Go on to the judgements").click()
    page.locator("[name=score-1-1-said]").select_option("yes")
    page.locator("[name=score-1-1-note]").fill("We saw it.")
    page.get_by_role("button", name="Save the judgements").click()
    page.get_by_role("link", name="Go on to the review").click()
    page.locator("input[name=chosen]").check()
    page.locator("#id_decision").fill("vLLM, for now.")
    page.get_by_role("button", name="Save the decision").click()
    page.locator("#id_confirmed").check()
    page.get_by_role("button", name="Freeze the dossier").click()
    page.wait_for_url("**/dossiers/*/")
    made = Dossier.objects.get(title="An engine for chats")
    assert made.state == "frozen"
    assert made.content_sha256 in page.locator("#verify ~ p").last.inner_text()
    page.locator("summary", has_text="Sign off or dissent").click()
    page.locator("#id_sign-stance").select_option("dissent")
    page.locator("#id_sign-statement").fill("Not measured.")
    page.get_by_role("button", name="Record the sign-off").click()
    assert "dissents" in page.locator(".sign-offs").inner_text()
    context.close()


def test_the_form_of_a_criterion_asks_only_what_its_check_needs(
    page: Any, live_server: Any, draft: Dossier
) -> None:
    sign_in(page.context, live_server)
    page.goto(f"/dossiers/{draft.uid}/edit/criteria/")
    page.locator("#id_check_code").select_option("metric")
    assert page.locator("#id_metric").is_visible()
    assert not page.locator("#id_feature").is_visible()
    page.locator("#id_check_code").select_option("feature")
    assert page.locator("#id_feature").is_visible()
    assert not page.locator("#id_metric").is_visible()
    assert not page.locator("#id_weight_percent").is_visible()
    page.locator("#id_kind").select_option("weighted")
    assert page.locator("#id_weight_percent").is_visible()


def test_keys_lead_through_the_comparison(page: Any, frozen: Dossier) -> None:
    page.goto(f"/dossiers/{frozen.uid}/")
    page.locator(".contents a[href='#scorecard']").focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#scorecard")
    box = page.locator(".table-box").first
    box.focus()
    assert box.evaluate("node => node === document.activeElement")
    assert box.evaluate("node => getComputedStyle(node).outlineStyle") != "none"


def test_the_html_file_opens_alone_and_looks_like_the_page(
    chromium: Any, live_server: Any, frozen: Dossier, tmp_path: Path
) -> None:
    with urlopen(f"{live_server.url}/dossiers/{frozen.uid}/export/html/") as answer:
        kept = tmp_path / "dossier.html"
        kept.write_bytes(answer.read())
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(kept.as_uri())
    assert asked == [kept.as_uri()]
    assert not said
    assert SCRIPT in page.locator("h1").inner_text()
    assert (
        page.locator(".card").first.evaluate("n => getComputedStyle(n).borderTopStyle") == "solid"
    )
    assert page.evaluate(OVERFLOW) <= 0
    page.locator(".contents a[href='#sources']").click()
    assert page.url.endswith("#sources")
    context.close()


@pytest.mark.parametrize("paper", [("A4", 718), ("Letter", 738)])
def test_nothing_is_cut_off_on_paper(
    page: Any, frozen: Dossier, tmp_path: Path, paper: tuple[str, int]
) -> None:
    name, width = paper
    page.emulate_media(media="print")
    # The width of the sheet between its margins, in CSS pixels.
    page.set_viewport_size({"width": width, "height": 1000})
    page.goto(f"/dossiers/{frozen.uid}/")
    assert page.evaluate(STICKING_OUT) == []
    for hidden in (".site-header", ".site-footer", ".no-print", ".contents"):
        for part in page.locator(hidden).all():
            assert not part.is_visible()
    address = page.locator("a[data-address]").first
    after = address.evaluate("node => getComputedStyle(node, '::after').content")
    assert "http://" in after
    printed = tmp_path / "dossier.pdf"
    page.pdf(path=str(printed), format=name)
    assert printed.read_bytes().startswith(b"%PDF-")
    assert printed.stat().st_size > 20_000
