"""Masking: what files and people write tells nothing of machines, and costs no more than it is."""

import time

import pytest

from benchmarks_app.services.environment import mask_pasted, read_pasted
from benchmarks_app.services.masking import mask


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://me:XYZ@inner/v1", "http://‹secret›@‹host›/v1"),
        ("https://me:XYZ@huggingface.co/a", "https://‹secret›@huggingface.co/a"),
        ("git+ssh://git@inner/x", "git+ssh://‹secret›@‹host›/x"),
        ("https://cdn.hf.co/x", "https://cdn.hf.co/x"),
        ("https://nothf.co/x", "https://‹host›/x"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
    ],
)
def test_an_address_hides_who_and_where(text: str, expected: str) -> None:
    assert mask(text) == expected
    assert mask(expected) == expected


@pytest.mark.parametrize("word", [" /", "(/", "a.", "token-", "--host ", "C:\\a", "/a"])
def test_a_hostile_text_is_masked_as_fast_as_any_other(word: str) -> None:
    started = time.process_time()
    mask("x" + word * (60_000 // len(word)) + "|")
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize(
    "text",
    [
        "x" + "\n" * 100_000 + "y",
        "FB Memory Usage" + "\n" * 100_000 + "y",
        "Product Name : x" + " " * 100_000 + "y",
        "| 0 NVIDIA" + " " * 100_000 + "y",
        "[\n" * 50_000,
        ("[" + "1," * 50 + "\n") * 1_000,
    ],
    ids=["blank-lines", "gap", "wide-name", "wide-row", "brackets", "lists"],
)
def test_hostile_pasted_output_is_read_as_fast_as_any_other(text: str) -> None:
    started = time.process_time()
    read_pasted(mask_pasted(text))
    assert time.process_time() - started < 10.0


@pytest.mark.parametrize("levels", [600, 950])
def test_deep_pasted_json_is_cut_and_breaks_nothing(levels: int) -> None:
    masked = mask_pasted("[" * levels + "1" + "]" * levels)
    assert masked.startswith("[") and len(masked) < 10_000
