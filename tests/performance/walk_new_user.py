"""How long somebody who was never here needs for an answer: seconds and pictures of each step.

`python -m tests.performance.walk_new_user ADDRESS FOLDER` opens the first page of a running site,
asks whether Qwen3-32B in AWQ runs on two T4 in vLLM with 8k of context, and reads verdict, missing
part and fit, in wide and narrow windows, light and dark, in each language. It asserts nothing.
"""

import os
import shutil
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
LANGUAGES = ("en", "zh-Hans")
ASKED = {
    "model": "Qwen/Qwen3-32B-AWQ",
    "hardware": "T4",
    "count": "2",
    "context_tokens": "8192",
}
LONGEST_MS = 60_000


def main() -> None:
    address, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    names = ("chromium", "chromium-browser")
    path = os.environ.get("RUNPROOF_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for width, scheme, language in product(WIDTHS, SCHEMES, LANGUAGES):
            context = browser.new_context(
                base_url=address,
                viewport={"width": width, "height": 900},
                color_scheme=scheme,
                locale=language,
            )
            context.set_default_timeout(LONGEST_MS)
            walk(context.new_page(), folder, f"{width}-{scheme}-{language}")
            context.close()
        browser.close()


def walk(page: Any, folder: Path, name: str) -> None:
    """Asks on the first page, reads the answer of vLLM, and prints what it took and says."""
    begun = time.monotonic()
    page.goto("/")
    first = time.monotonic()
    page.screenshot(path=folder / f"{name}-1-first.png")
    form = page.locator('form[action="/check/"]').first
    for field, value in ASKED.items():
        form.locator(f'[name="{field}"]').fill(value)
    form.locator('button[type="submit"], button:not([type])').first.click()
    page.wait_for_url("**/check/?**")
    answered = time.monotonic()
    page.screenshot(path=folder / f"{name}-2-answers.png")
    page.locator('.check-table a[href="#vllm"]').click()
    sentence = page.locator("#vllm .check-sentence").inner_text()
    page.screenshot(path=folder / f"{name}-3-vllm.png")
    over = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    whole = time.monotonic() - begun
    print(
        f"{name}: first page {first - begun:.1f} s, answer {answered - first:.1f} s,"
        f" whole {whole:.1f} s, {over} px too wide"
    )
    print(f"  {sentence}")


if __name__ == "__main__":
    main()
