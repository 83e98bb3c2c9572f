"""What only a browser can tell of the memory pages: widths, the bar, the plot, no JavaScript."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from matrix.index import current_knowledge, forget_knowledge
from matrix.memory_accuracy import current_accuracy
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ANSWER = (
    "/memory/?model=meta/Llama-3-8B&quantization=awq&framework=vllm&hardware=nvidia-t4"
    "&context_tokens=4096"
)


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_memory_page_is_wider_than_the_window(page: Any, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for address in ("/memory/", ANSWER, "/memory/?model=x&quantization=Q4"):
        page.goto(address)
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{address} is {over} px too wide at {width} px"


def test_the_bar_shows_its_pieces_in_order_and_its_limit(page: Any) -> None:
    page.goto(ANSWER)
    boxes = page.locator(".fit-bar rect").evaluate_all(
        "all => all.map(one => { const box = one.getBoundingClientRect();"
        " return [one.getAttribute('class'), box.left, box.right]; })"
    )
    pieces = [box for box in boxes if box[0].startswith("part-")]
    assert [kind for kind, _left, _right in pieces][:2] == ["part-weights", "part-kv-cache"]
    for before, after in pairwise(pieces):
        assert after[1] == pytest.approx(before[2], abs=1.5)
    fills = page.locator(".fit-legend .fit-key rect").evaluate_all(
        "all => all.map(one => getComputedStyle(one).fill)"
    )
    assert len(set(fills)) == len(fills)


def test_the_question_is_asked_without_javascript(chromium: Any, live_server: Any) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto("/memory/")
        form = page.locator("form[method=get]").first
        form.locator("[name=model]").fill("meta/Llama-3-8B")
        form.locator("[name=quantization]").fill("awq")
        form.locator("[name=hardware]").fill("nvidia-t4")
        form.locator("button").click()
        assert "AWQ" in page.locator("h1").inner_text().upper()
        assert page.locator(".fit-line .badge").inner_text().strip()
    finally:
        context.close()


def test_only_the_head_of_a_large_file_is_sent(page: Any, tmp_path: Path) -> None:
    large = tmp_path / "model.gguf"
    with large.open("wb") as file:
        file.write(b"GGUF")
        file.truncate(40 * 2**20)
    page.goto("/memory/")
    page.locator("details", has_text="GGUF").locator("summary").click()
    page.locator("#file_gguf_head").set_input_files(str(large))
    size = page.locator("#file_gguf_head").evaluate("input => input.files[0].size")
    assert size == 16 * 2**20


def test_predictions_are_drawn_over_measurements(page: Any) -> None:
    assert current_accuracy(current_knowledge(), wait_s=180) is not None
    page.goto("/memory/accuracy/")
    figure = page.locator("#figure-accuracy")
    figure.scroll_into_view_if_needed()
    figure.locator(".plot[data-drawn] .main-svg").first.wait_for()
    assert figure.locator("details").get_attribute("open") is None
