"""The pages of checks: what they show, keep and refuse."""

import json
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.index import forget_knowledge
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.matrix.pages_world import fill_pages_world

QUESTION = "?model=meta/Llama-3-8B&quantization=awq&hardware=nvidia-t4&context_tokens=4096"


@pytest.fixture(autouse=True)
def _world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield
    forget_knowledge()


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def test_the_empty_page_asks_and_answers_nothing(client: Client) -> None:
    answer = client.get(reverse("check"))
    assert answer.status_code == 200
    assert 'name="model"' in text_of(answer)
    assert "Side by side" not in text_of(answer)


def test_the_first_page_asks_the_same_question(client: Client) -> None:
    assert f'action="{reverse("check")}"' in text_of(client.get(reverse("overview")))


def test_an_answer_shows_every_framework_with_verdict_memory_and_address(client: Client) -> None:
    answer = client.get(reverse("check") + QUESTION)
    text = text_of(answer)
    assert answer.status_code == 200
    assert 'id="vllm"' in text
    assert "Side by side, best first" in text
    assert "fit-bar" in text
    assert "api/v1/checks/?hardware=nvidia-t4" in text
    assert "as_of=" in text
    assert "meta/Llama-3-8B" in text


def state(**about: Any) -> None:
    """Adds one "yes" of vLLM's newest release for each axis."""
    add_claims(
        [
            builders.claim(
                "supported",
                about=builders.scope(**{axis: name}),
                seen=("0.12.0",),
                uid=f"{axis}-of-test",
            )
            for axis, name in about.items()
        ],
        shipped=False,
    )
    raise_revision()
    forget_knowledge()


def test_an_unknown_answer_says_what_is_stated_what_is_missing_and_why(client: Client) -> None:
    state(hardware="nvidia-turing", quantization="fp8", model="llamaforcausallm")
    asked = "?model=meta/Llama-3-8B&quantization=fp8&hardware=nvidia-t4&framework=vllm"
    text = unescape(text_of(client.get(reverse("check") + asked)))
    assert "is unknown. Stated, each for itself: nvidia-t4; meta/Llama-3-8B. Missing: fp8" in text
    assert "not stated: fp8" in text
    assert "names no hardware" in text or "names neither hardware nor a model" in text


def test_a_yes_without_a_known_scheme_says_that_the_memory_is_not_known(client: Client) -> None:
    state(hardware="nvidia-turing", model="llamaforcausallm")
    text = text_of(client.get(reverse("check") + "?model=meta/Llama-3-8B&hardware=nvidia-t4"))
    assert "supports meta/Llama-3-8B on nvidia-t4. Whether the memory suffices" in text
    assert "Ask about the unquantized weights" in text
    assert "quantization=none" in text


def test_blank_fields_leave_the_address(client: Client) -> None:
    answer = client.get(reverse("check") + "?model=&hardware=nvidia-t4")
    assert answer.status_code == 302
    assert answer["Location"] == "/check/?hardware=nvidia-t4"


def test_a_wrong_name_keeps_the_form_and_offers_near_ones(client: Client) -> None:
    answer = client.get(reverse("check") + "?model=meta/Llama-3-9B&hardware=nvidia-t4")
    assert answer.status_code == 400
    assert 'value="meta/Llama-3-9B"' in text_of(answer)
    assert "meta/Llama-3-8B" in text_of(answer)


def test_a_pasted_config_answers_and_is_not_kept(client: Client) -> None:
    config = {
        "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 32, "hidden_size": 4096,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "vocab_size": 128256, "max_position_embeddings": 8192, "model_type": "llama",
    }  # fmt: skip
    sent = {"config": json.dumps(config), "hardware": "nvidia-t4", "quantization": "awq",
            "count": "", "feature": ""}  # fmt: skip
    answer = client.post(reverse("check"), sent)
    assert answer.status_code == 200
    assert "pasted config.json" in text_of(answer)
    assert "fit-bar" in text_of(answer)


@pytest.mark.parametrize("config", ["{", "[]", '{"a": 1, "a": 2}', "[" * 50_000])
def test_a_config_that_cannot_be_read_is_refused(client: Client, config: str) -> None:
    answer = client.post(reverse("check"), {"config": config, "hardware": "nvidia-t4"})
    assert answer.status_code in (400, 422)


def test_markup_in_what_is_asked_stays_text(client: Client) -> None:
    answer = client.get(reverse("check"), {"model": "<script>alert(1)</script>"})
    assert answer.status_code == 400
    assert "<script>alert(1)" not in text_of(answer)


def test_a_stack_is_answered_above_the_form_which_keeps_it(client: Client) -> None:
    sent = {"requirements": "vllm==0.12.0\n-r <more>.txt\n", "hardware": "nvidia-ampere",
            "quantization": "awq"}  # fmt: skip
    answer = client.post(reverse("check-stack"), sent)
    text = text_of(answer)
    assert answer.status_code == 200
    assert "vLLM 0.12.0" in text
    assert "1 line was left out" in text
    assert "&lt;more&gt;" in text
    assert "<more>" not in text


def test_a_broken_stack_names_its_lines(client: Client) -> None:
    answer = client.post(reverse("check-stack"), {"requirements": "vllm==0.12.0\nno requirement"})
    assert answer.status_code == 422
    assert "Line 2" in text_of(answer)
    assert "no requirement</textarea>" in text_of(answer)


def test_an_empty_stack_is_refused(client: Client) -> None:
    assert client.post(reverse("check-stack"), {}).status_code == 400
    assert client.get(reverse("check-stack")).status_code == 200
