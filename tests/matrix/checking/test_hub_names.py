"""What people paste for a model."""

import pytest

from matrix.checking.hub_names import PastedModel, read_pasted_model
from matrix.domain.errors import InvalidValue


@pytest.mark.parametrize(
    "text",
    [
        "Qwen/Qwen3-32B-AWQ",
        "https://huggingface.co/Qwen/Qwen3-32B-AWQ",
        "huggingface.co/Qwen/Qwen3-32B-AWQ",
        "https://hf-mirror.com/Qwen/Qwen3-32B-AWQ/tree/main?not-for-all-audiences=true",
        "https://www.modelscope.cn/models/Qwen/Qwen3-32B-AWQ/summary",
        "  https://huggingface.co/Qwen/Qwen3-32B-AWQ/blob/main/config.json#L3 ",
    ],
)
def test_an_id_and_the_addresses_of_its_pages_name_the_same_model(text: str) -> None:
    assert read_pasted_model(text) == PastedModel("Qwen/Qwen3-32B-AWQ")


def test_a_file_tag_of_a_gguf_repository_names_the_scheme() -> None:
    expected = PastedModel("Qwen/Qwen3-32B-GGUF", scheme="Q4_K_M")
    assert read_pasted_model("hf.co/Qwen/Qwen3-32B-GGUF:Q4_K_M") == expected
    assert read_pasted_model("Qwen/Qwen3-32B-GGUF:Q4_K_M") == expected


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/Qwen/Qwen3-32B",
        "https://huggingface.co/Qwen",
        "https://huggingface.co.example.org/Qwen/Qwen3",
        "http://[broken/Qwen/Qwen3",
        "x" * 600,
    ],
)
def test_an_address_of_something_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="accepted"):
        read_pasted_model(text)
