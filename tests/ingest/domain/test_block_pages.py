"""Pages that stand in the place of a page, and real pages that speak about them."""

import time
from pathlib import Path

import pytest

from ingest.domain.block_pages import blocked_by
from tests.ingest.sources.captured import CAPTURES, needs_captures


def page(body: str, title: str = "Docs", head: str = "") -> str:
    top = f"<!DOCTYPE html>\n<html><head><title>{title}</title>{head}</head>"
    return f"{top}<body>{body}</body></html>"


LONG = "<p>The table lists every accelerator and what runs on it.</p>" * 80


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (page("<p>One moment</p>", "Just a moment..."), "a browser check"),
        (page("<h1>Checking your browser before accessing docs</h1>"), "a browser check"),
        (page("", head="<script>window._cf_chl_opt={cvId: '3'}</script>"), "a browser check"),
        (page("<script>var arg1='A'; document.cookie='acw_sc__v2=';</script>"), "a browser check"),
        (page("<script id='anubis'></script>Making sure you're not a bot!"), "a browser check"),
        (page("<p>请稍候</p>", "安全验证"), "a browser check"),
        (page('<div class="g-recaptcha" data-sitekey="x"></div>'), "a captcha"),
        (page("<p>拖动滑块完成拼图</p>"), "a captcha"),
        (page('<form><input name=u><input type="password" name=p></form>'), "a sign-in form"),
        (page("<p>Reference #18.1</p>", "Access Denied"), "a refusal"),
        (page("<p>Sorry</p>", "Attention Required! | Edge"), "a refusal"),
        (page("<h1>403</h1>", "访问被拒绝"), "a refusal"),
        (page("<p>Nothing here</p>", "404 - Page"), "a notice that the page does not exist"),
        (
            page("<noscript>You need to enable JavaScript to run this app.</noscript><div></div>"),
            "a shell that only a browser fills",
        ),
    ],
)
def test_a_page_in_the_place_of_a_page_is_named(text: str, kind: str) -> None:
    assert blocked_by(text) == kind
    assert blocked_by(f"\ufeff  {text.upper()}") == kind


@pytest.mark.parametrize(
    "text",
    [
        page("<h1>Installation</h1><p>Run the image.</p>"),
        page(f"{LONG}<p>If you see “checking your browser before”, wait.</p>"),
        page(f'{LONG}<pre>&lt;input type="password"&gt;</pre><form><input type="password"></form>'),
        page(LONG, "404 handling in the server"),
        page(f"<noscript>Please enable JavaScript for search.</noscript>{LONG}"),
        "# Just a moment\n\nChecking your browser before accessing, and a captcha.\n",
        "name,value\ncaptcha,1\n",
        '{"title": "Just a moment"}',
        "",
    ],
)
def test_a_real_page_that_speaks_about_them_is_none(text: str) -> None:
    assert blocked_by(text) is None


@pytest.mark.parametrize("piece", ["<script>", "<", "<!--", "<title", "<style>a</style>"])
def test_strange_markup_takes_no_long_time(piece: str) -> None:
    text = "<!doctype html>" + piece * (380_000 // len(piece))
    started = time.monotonic()
    blocked_by(text)
    assert time.monotonic() - started < 1


@pytest.mark.captures
@needs_captures
def test_no_captured_page_is_taken_for_one() -> None:
    paths = [
        path
        for ending in ("html", "md", "mdx", "rst", "csv")
        for path in Path(CAPTURES).rglob(f"*.{ending}")
    ]
    assert len(paths) > 2_000
    found = {
        str(path.relative_to(CAPTURES)): kind
        for path in paths
        if (kind := blocked_by(path.read_text(encoding="utf-8")))
    }
    assert found == {}
