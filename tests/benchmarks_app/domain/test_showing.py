"""What of a file's own words is shown, and what is not."""

import pytest

from benchmarks_app.domain.showing import LONGEST_TEXT, shown_text, shown_unmapped, shown_value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/data/models/qwen/Qwen2.5-7B", "‹path›/Qwen2.5-7B"),
        ("--model /mnt/nfs/llama-3 --port 80", "--model ‹path›/llama-3 --port 80"),
        ("~/models/llama", "‹path›/llama"),
        ("C:\\work\\models\\a.gguf", "‹path›\\a.gguf"),
        ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("tokens/s", "tokens/s"),
    ],
)
def test_folders_of_a_machine_are_masked_and_names_stay(text: str, shown: str) -> None:
    assert shown_text(text) == shown


def test_secrets_hosts_and_addresses_are_masked() -> None:
    text = shown_text("HF_TOKEN=hf_abcdefghijklmnopqrstuv host=gpu7.internal 10.1.2.3:8000")
    assert "hf_abc" not in text
    assert "gpu7" not in text
    assert "10.1.2.3" not in text


def test_a_secret_that_the_cut_runs_through_is_not_shown() -> None:
    text = "x" * (LONGEST_TEXT - 5) + " hf_abcdefghijklmnopqrstuv"
    assert "hf_" not in shown_text(text)


def test_a_long_text_is_cut() -> None:
    assert len(shown_text("once upon a time " * 100)) == LONGEST_TEXT


def test_numbers_nulls_and_flags_stay_as_they_are() -> None:
    assert shown_value({"a": 1, "b": None, "c": [True, 2.5]}) == {
        "a": 1, "b": None, "c": [True, 2.5],
    }  # fmt: skip


def test_deep_and_long_values_are_cut_without_recursion_errors() -> None:
    deep: object = "x"
    for _ in range(10_000):
        deep = [deep]
    assert "…" in repr(shown_value(deep))
    assert len(shown_unmapped({"$.all": list(range(1_000))})["$.all"]) == 51  # type: ignore[arg-type]
