"""A new user finds out on the first page whether a model runs on their cards, within a minute."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from matrix.index import forget_knowledge
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ANSWERED = "/check/?model=meta/Llama-3-8B&quantization=awq-w4a16&hardware=nvidia-t4&count=2"
PAGES = ("/check/", ANSWERED, "/check/?hardware=nowhere", "/check/stack/")
LONGEST_S = 60


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    add_claims(
        [
            builders.claim(
                "supported",
                about=builders.scope(model="llamaforcausallm"),
                seen=("0.12.0",),
                uid="llama",
            ),
            builders.claim(
                "supported",
                about=builders.scope(quantization="awq", hardware="nvidia-turing"),
                seen=("0.12.0",),
                uid="awq-on-turing-later",
            ),
        ],
        shipped=False,
    )
    raise_revision()
    yield
    forget_knowledge()


def test_a_new_user_reads_verdict_and_fit_within_a_minute(page: Any, tmp_path: Path) -> None:
    started = time.monotonic()
    page.goto("/")
    page.screenshot(path=tmp_path / "1-first-page.png")
    form = page.locator('form[action="/check/"]').first
    form.get_by_label("Model").fill("meta/Llama-3-8B")
    form.get_by_label("Quantization").fill("AWQ-W4A16")
    form.get_by_label("Hardware").fill("nvidia-t4")
    form.get_by_label("Number of devices").fill("2")
    form.get_by_label("Context (tokens)").fill("8192")
    page.screenshot(path=tmp_path / "2-asked.png")
    form.get_by_role("button", name="Can I run it?").click()
    page.wait_for_url("**/check/?**")
    row = page.locator(".check-table tbody tr", has_text="vLLM").first
    assert "supported" in row.inner_text()
    assert "fits" in row.inner_text()
    row.get_by_role("link", name="vLLM").click()
    card = page.locator("#vllm")
    assert "vLLM 0.12.0 supports meta/Llama-3-8B" in card.inner_text()
    assert "The memory suffices" in card.inner_text()
    assert card.locator(".fit-bar rect").count() >= 2
    page.screenshot(path=tmp_path / "3-answer.png", full_page=True)
    assert time.monotonic() - started < LONGEST_S
    assert [path.stat().st_size > 0 for path in sorted(tmp_path.iterdir())] == [True] * 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_check_is_wider_than_the_window(page: Any, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for address in PAGES:
        page.goto(address)
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{address} is {over} px too wide at {width} px"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_an_answer(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    for address in PAGES:
        page.goto(address)
        assert [found["id"] for found in Axe().run(page).response["violations"]] == [], address


def test_a_pasted_config_is_checked_with_the_keyboard_alone(page: Any) -> None:
    page.goto("/check/")
    summary = page.get_by_text("Paste a config.json instead of a model's name")
    summary.focus()
    page.keyboard.press("Enter")
    page.locator("#paste_config").fill(
        '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 32,'
        ' "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,'
        ' "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192}'
    )
    page.locator("#paste_quantization").fill("awq-w4a16")
    page.locator("#paste_hardware").fill("nvidia-t4")
    page.get_by_role("button", name="Check this config").press("Enter")
    page.wait_for_selector(".check-answers")
    assert "pasted config.json" in page.locator("main").inner_text()


def test_a_pasted_lock_file_shows_its_findings(page: Any) -> None:
    page.goto("/check/stack/")
    page.get_by_label("Requirements, lock file or output of pip freeze").fill("vllm==0.12.0\n")
    page.get_by_label("Hardware").fill("nvidia-t4")
    page.get_by_role("button", name="Check the stack").click()
    page.wait_for_selector(".stack-findings")
    assert "vLLM 0.12.0" in page.locator("main").inner_text()
