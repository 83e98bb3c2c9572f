"""What only a browser can tell of the pages of runs: plots, schemes, widths, no JavaScript."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from matrix.index import forget_knowledge
from tests.benchmarks_app.builders import make_run, make_samples
from tests.matrix.pages_world import fill_pages_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _world(transactional_db: None) -> Iterator[None]:
    fill_pages_world()
    for number, concurrency in enumerate((1, 4, 16)):
        make_run(
            uid=f"run{number}",
            label=f"vLLM at concurrency {concurrency}",
            load={"max_concurrency": concurrency},
            samples=make_samples(seed=number, scale=1.0 + number / 2, count=600),
            metrics={"output_token_throughput": {"value": 100.0 * (number + 1)}},
        )
    yield
    forget_knowledge()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_of_runs_is_wider_than_the_window(page: Any, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for address in ("/benchmarks/", "/benchmarks/?sort=oldest", "/benchmarks/runs/run1/", COMPARE):
        page.goto(address)
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{address} is {over} px too wide at {width} px"


COMPARE = "/benchmarks/compare/?runs=run0,run1,run2&vary=load&ttft_ms=100"
FIGURES = ("frontier", "percentiles", "cdf-ttft", "load-latency", "stability-completed_per_s")


def test_distributions_are_drawn_and_their_tables_folded(page: Any) -> None:
    page.goto("/benchmarks/runs/run1/")
    see_drawn(page, "distribution-ttft")
    assert page.locator("#figure-distribution-ttft details").get_attribute("open") is None


def see_drawn(page: Any, key: str) -> None:
    figure = page.locator(f"#figure-{key}")
    figure.scroll_into_view_if_needed()
    figure.locator(".plot[data-drawn] .main-svg").first.wait_for()


def test_all_figures_of_a_comparison_are_drawn(page: Any) -> None:
    page.goto(COMPARE)
    for key in FIGURES:
        see_drawn(page, key)
    lines = page.locator("#figure-frontier .scatterlayer .trace").count()
    assert lines == 1
    assert page.locator("#figure-cdf-ttft .scatterlayer .trace").count() == 3


def test_plots_follow_the_chosen_scheme(page: Any) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(COMPARE)
    see_drawn(page, "frontier")
    title = page.locator("#figure-frontier .xtitle").first
    light = title.evaluate("node => getComputedStyle(node).fill")
    page.locator("#theme-button").click()
    page.wait_for_function(
        "before => getComputedStyle(document.querySelector('#figure-frontier .xtitle')).fill"
        " !== before",
        arg=light,
    )


def test_a_keyboard_chooses_runs_and_compares_them(page: Any) -> None:
    page.goto("/benchmarks/")
    boxes = page.locator("input[name=runs]")
    boxes.nth(0).focus()
    page.keyboard.press("Space")
    boxes.nth(1).focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Compare the chosen runs").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/benchmarks/compare/?runs=run2,run1")
    assert page.locator("h1").inner_text() == "Comparison of 2 runs"


def test_without_javascript_the_tables_say_it(chromium: Any, live_server: Any) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(COMPARE)
    assert page.locator("#figure-frontier table").is_visible()
    assert not page.locator("#figure-frontier .plot").is_visible()
    page.locator("input[name=ttft_ms]").fill("50")
    page.get_by_role("button", name="Show").click()
    assert "ttft_ms=50" in page.url
    context.close()


def test_the_kept_page_opens_from_a_file_and_draws(
    chromium: Any, live_server: Any, tmp_path: Path
) -> None:
    answer = fetched(f"{live_server.url}{COMPARE.replace('/compare/', '/compare/export/html/')}")
    kept = tmp_path / "kept.html"
    kept.write_bytes(answer)
    context = chromium.new_context(offline=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.goto(kept.as_uri())
    see_drawn(page, "frontier")
    see_drawn(page, "cdf-ttft")
    context.close()
    assert not problems, problems


def fetched(address: str) -> bytes:
    with urlopen(address) as answer:
        body: bytes = answer.read()
        return body
