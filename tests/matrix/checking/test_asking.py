"""Words become one question over all frameworks, or a named error."""

from typing import Any

import pytest

from matrix.asking import MissingParameter, QuestionReader, RepeatedParameter, UnknownParameter
from matrix.checking import check_pairs, read_check
from matrix.domain.errors import InvalidValue, NotReleasedYet, RunproofError, UnknownName
from matrix.domain.memory.errors import MemoryInputError


def test_every_word_of_the_question_comes_back_in_its_address(reader: QuestionReader) -> None:
    words = {
        "model": ["https://huggingface.co/meta/Llama-3-8B"],
        "quantization": ["AWQ"],
        "hardware": ["nvidia-t4"],
        "count": ["2"],
        "tensor_parallel": ["2"],
        "context_tokens": ["4k"],
        "concurrency": ["8"],
        "feature": ["lora"],
        "setting": ["--enforce-eager:1"],
        "ttft_ms": ["500"],
        "share": ["0.9"],
        "framework": ["vllm"],
        "version": ["0.12.0"],
        "as_of": ["2026-01-09"],
    }
    question = read_check(reader, words)
    assert question.context_tokens == 4096
    assert question.slo is not None
    assert (question.slo.ttft_ms, question.slo.share) == (500.0, 0.9)
    again: dict[str, list[str]] = {}
    for name, value in check_pairs(question):
        again.setdefault(name, []).append(value)
    assert again["model"] == ["meta--llama-3-8b"]
    assert read_check(reader, again) == question


def test_blank_words_ask_nothing(reader: QuestionReader) -> None:
    question = read_check(reader, {"model": [" "], "hardware": ["nvidia-t4"], "count": [""]})
    assert question.count == 1
    assert not question.frameworks


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({}, MissingParameter),
        ({"count": ["2"]}, MissingParameter),
        ({"modell": ["x"]}, UnknownParameter),
        ({"model": ["llama-3", "qwen"]}, RepeatedParameter),
        ({"model": ["no such model"]}, UnknownName),
        ({"hardware": ["nvidia-t4"], "count": ["0"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "count": ["-1"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "count": ["100000000"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "count": ["3"], "tensor_parallel": ["2"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "concurrency": ["1.5"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "ttft_ms": ["nan"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "ttft_ms": ["0"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "ttft_ms": ["5"], "share": ["1.5"]}, InvalidValue),
        ({"hardware": ["nvidia-t4"], "share": ["0.9"]}, MissingParameter),
        ({"hardware": ["nvidia-t4"], "version": ["0.12.0"]}, InvalidValue),
        (
            {"hardware": ["nvidia-t4"], "framework": ["vllm"], "version": ["0.12.0"],
             "as_of": ["2025-02-01"]},
            NotReleasedYet,
        ),
        ({"hardware": ["nvidia-t4"], "quantization": ["Q4"]}, MemoryInputError),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_by_name(
    reader: QuestionReader, words: Any, error: type[RunproofError]
) -> None:
    with pytest.raises(error):
        read_check(reader, words)


def test_a_config_names_its_class_and_is_refused_beside_a_model(reader: QuestionReader) -> None:
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 2,
        "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
        "intermediate_size": 128, "vocab_size": 1000, "max_position_embeddings": 2048,
        "torch_dtype": "bfloat16",
    }  # fmt: skip
    question = read_check(reader, {"hardware": ["nvidia-t4"]}, config=config)
    assert dict(check_pairs(question))["model"] == "llamaforcausallm"
    assert question.config == config
    with pytest.raises(InvalidValue, match="config"):
        read_check(reader, {"model": ["llama-3"]}, config=config)
