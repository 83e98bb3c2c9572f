"""What nobody may see is taken out of what stays verbatim, and nothing else is."""

import pytest

from benchmarks_app.reading.private import is_private, part_private


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_key", "sk-1"), ("wandb_api_key", "k"), ("headers", {"a": "b"}), ("token", "x"),
        ("hf_token", "x"), ("hostname", "h"), ("base_url", "x"), ("target", "https://h/v1"),
        ("prompt", "say"), ("messages", [{"role": "user"}]), ("generated_texts", ["a"]),
        ("pod", "pod-1"), ("user", "ann"), ("namespace", "ns"), ("MASTER_HOST", "10.0.0.1"),
    ],
)  # fmt: skip
def test_keys_addresses_people_and_texts_are_private(name, value):
    assert is_private(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_prompts", 10), ("prompt", None), ("api_key", ""), ("token", 12), ("headers", {}),
        ("num_tokens", "12"), ("tokenizer", "org/model"), ("max_tokens", "20"), ("url", False),
        ("nodes", "2"), ("model", "org/model"), ("ghost", "a"), ("dataset_path", "a/b.json"),
    ],
)  # fmt: skip
def test_counts_blanks_and_other_names_are_not(name, value):
    assert not is_private(name, value)


def test_private_leaves_are_named_and_their_surroundings_stay():
    kept, withheld = part_private(
        {
            "$.a": {"url": "http://h", "depth": 2, "list": [{"pod": "p", "ok": True}, 3]},
            "$.api_key": "sk-1",
            "$.plain": [1, 2],
            "$.odd": "x",
        },
        extra=("odd",),
    )
    assert kept == {"$.a": {"depth": 2, "list": [{"ok": True}, 3]}, "$.plain": [1, 2]}
    assert withheld == ("$.a.url", "$.a.list[0].pod", "$.api_key", "$.odd")
