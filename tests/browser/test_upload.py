"""Uploading in a browser: progress, preview, declaring, publishing; keys, widths, no JavaScript."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from benchmarks_app.models import Run, Upload
from matrix.index import forget_knowledge
from matrix.models import Claim
from tests.benchmarks_app.result_files import result, run
from tests.matrix.api.rows import make_user
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FORM = "/benchmarks/upload/"


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


@pytest.fixture
def ada_page(page: Any, live_server: Any) -> Any:
    """A page in which a contributor is signed in."""
    sign_in(page.context, live_server.url)
    return page


def sign_in(context: Any, address: str, *, name: str = "ada", role: str = "contributor") -> None:
    client = Client()
    client.force_login(make_user(name, role))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": address}])


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A result with two runs, and a picture that calls itself one."""
    good, bad = tmp_path / "result.json", tmp_path / "picture.json"
    good.write_bytes(result(run(), run(identity="sweep/2", load={"mode": "burst"})))
    bad.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    return [str(good), str(bad)]


def test_files_are_sent_previewed_declared_and_published(ada_page: Any, files: list[str]) -> None:
    page = ada_page
    page.goto(FORM)
    page.evaluate(
        """() => {
            window.said = [];
            new MutationObserver(() => {
                const text = document.getElementById("upload-said").textContent;
                sessionStorage.setItem("said", (sessionStorage.getItem("said") ?? "") + text + "|");
            }).observe(document.getElementById("upload-said"), {childList: true});
        }"""
    )
    page.locator("#id_results").set_input_files(files)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/benchmarks/uploads/*/")
    assert "Sending" in page.evaluate("sessionStorage.getItem('said')")
    assert "2 runs" in page.locator("#runs").inner_text()
    row = page.locator("tr", has_text="picture.json")
    assert "PNG" in row.inner_text() or "image" in row.inner_text()
    page.get_by_role("link", name="State where it ran first").click()
    page.locator("#id_fact_accelerator_driver").fill("570.86.15")
    page.locator("#id_none_container_digest").check()
    page.get_by_role("button", name="State it for all drafts").click()
    page.wait_for_selector("text=2 drafts were changed")
    assert page.locator("#id_fact_accelerator_driver").input_value() == "570.86.15"
    assert page.locator("#id_none_container_digest").is_checked()
    page.get_by_role("button", name="Publish all 2 drafts").click()
    page.wait_for_selector("text=2 runs are published")
    assert set(Run.objects.values_list("state", flat=True)) == {"published"}
    facts = Run.objects.earliest("pk").facts
    assert facts["accelerator.driver"]["value"] == "570.86.15"
    assert Claim.objects.filter(source="benchmarks").exists()


def test_what_is_wrong_is_said_and_what_was_typed_stays(
    ada_page: Any, files: list[str], settings: Any
) -> None:
    settings.RUNPROOF_UPLOAD_LIMIT_BYTES = 100
    page = ada_page
    page.goto(FORM)
    page.locator("#id_results").set_input_files(files)
    page.locator("#id_declared").fill("framework.commit = 1a2b3c4")
    page.get_by_role("button", name="Send").click()
    page.wait_for_selector("#upload-problems li")
    assert "100 bytes" in page.locator("#upload-problems").inner_text()
    assert page.locator("#id_declared").input_value() == "framework.commit = 1a2b3c4"
    assert page.evaluate("document.activeElement.id") == "upload-problems"
    assert not Upload.objects.exists()


def test_an_upload_works_by_keys_alone(ada_page: Any, files: list[str]) -> None:
    page = ada_page
    page.goto(FORM)
    page.locator("#id_results").set_input_files(files[:1])
    page.locator("#id_results").focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == "Send":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/benchmarks/uploads/*/")
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()").startswith("Publish all"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("text=2 runs are published")


def test_an_upload_works_without_javascript(
    chromium: Any, live_server: Any, files: list[str]
) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    sign_in(context, live_server.url)
    page = context.new_page()
    page.goto(FORM)
    page.get_by_role("button", name="Send").click()
    page.wait_for_selector("text=Choose one or more files")
    page.locator("#id_results").set_input_files(files[:1])
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/benchmarks/uploads/*/")
    page.get_by_role("button", name="Publish run 1 alone").click()
    page.wait_for_url("**/benchmarks/runs/*/")
    context.close()
    assert Run.objects.filter(state="published").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_of_an_upload_is_wider_than_the_window(
    ada_page: Any, files: list[str], width: int, scheme: str
) -> None:
    page = ada_page
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)

    def check(what: str) -> None:
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{what} is {over} px too wide at {width} px"

    page.goto(FORM)
    check("the form")
    page.locator("#id_results").set_input_files(files)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/benchmarks/uploads/*/")
    for summary in page.locator("details > summary").all():
        summary.click()
    check("the upload")
    page.goto("/benchmarks/uploads/")
    check("the list")
    run = Run.objects.earliest("pk")
    page.goto(f"/benchmarks/runs/{run.uid}/")
    check("the draft")
