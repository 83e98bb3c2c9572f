"""Words become a memory request, or an error that says what is accepted."""

from collections.abc import Mapping
from datetime import date

import pytest

from matrix.asking import MissingParameter, QuestionReader, RepeatedParameter, UnknownParameter
from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.errors import InvalidValue, RunproofError, UnknownName
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.estimate import estimate_memory
from matrix.domain.memory.values import AttentionKind, FitLevel, Layout, PartKind
from matrix.memory_asking import (
    MemoryQuestion,
    memory_query,
    memory_words,
    read_memory_question,
)
from matrix.memory_shapes import has_shape

TODAY = date(2026, 11, 30)
TINY_CONFIG = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "num_hidden_layers": 4,
    "hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64,
    "intermediate_size": 512, "vocab_size": 1000, "tie_word_embeddings": True,
    "max_position_embeddings": 8192,
}  # fmt: skip


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """The shipped catalogue, from its files."""
    return read_catalogue(CATALOG_FOLDER)


def ask(catalogue: Catalogue, **words: str) -> MemoryQuestion:
    """The question of the words."""
    return ask_about(None, catalogue, **words)


def ask_about(
    config: Mapping[str, object] | None, catalogue: Catalogue, **words: str
) -> MemoryQuestion:
    """The question of the words and of a pasted config."""
    reader = QuestionReader(catalogue, today=TODAY, words_of_axis=lambda axis: frozenset())
    return read_memory_question({n: [w] for n, w in words.items()}, reader, config=config)


def test_a_quantized_checkpoint_has_the_shape_of_its_base_and_says_so(
    catalogue: Catalogue,
) -> None:
    asked = ask(catalogue, model="Qwen/Qwen3-32B-AWQ", framework="vllm", hardware="T4", count="2")
    assert asked.request.shape.num_layers == 64
    assert asked.request.shape.name == "Qwen/Qwen3-32B-AWQ"
    assert asked.quantization == asked.request.scheme == "awq-w4a16"
    assert asked.request.layout == Layout(tensor_parallel=2)
    assert {code for code, _facts in asked.notes} == {"shape-of-base", "scheme-of-checkpoint"}
    assert asked.request.device_usable_bytes is not None
    assert asked.version, "the newest release stands in for one that is not named"


def test_a_tuned_checkpoint_has_its_own_longest_context_or_none(catalogue: Catalogue) -> None:
    asked = ask(catalogue, model="google/gemma-4-26B-A4B-it", quantization="bf16")
    assert asked.request.shape.num_layers == 30
    assert asked.request.shape.max_context_tokens is None


def test_an_address_of_a_hub_names_its_model(catalogue: Catalogue) -> None:
    asked = ask(catalogue, model="https://huggingface.co/Qwen/Qwen3-8B/", quantization="bf16")
    assert asked.model == "qwen--qwen3-8b"


@pytest.mark.parametrize("word", ["Q4", "q8", "4bit", "4-bit", "FP4", "w4"])
def test_bits_alone_are_no_scheme(catalogue: Catalogue, word: str) -> None:
    with pytest.raises(MemoryInputError) as caught:
        ask(catalogue, model="Qwen/Qwen3-8B", quantization=word)
    assert caught.value.code == "ambiguous-scheme"
    assert caught.value.facts["value"] == word
    assert "number of weights" in str(caught.value)


def test_a_scheme_without_a_model_has_no_memory(catalogue: Catalogue) -> None:
    with pytest.raises(MemoryInputError) as caught:
        ask(catalogue, quantization="gguf-q4-k-m")
    assert caught.value.code == "no-model-size"
    assert "not how many weights there are" in str(caught.value)


def test_a_family_has_no_size_and_its_checkpoints_are_named(catalogue: Catalogue) -> None:
    with pytest.raises(MemoryInputError) as caught:
        ask(catalogue, model="Qwen3", quantization="fp8")
    assert caught.value.code == "no-model-size"
    assert "Qwen/Qwen3-32B" in str(caught.value.facts["nearest"])


def test_a_repository_of_many_gguf_files_asks_for_the_file_type(catalogue: Catalogue) -> None:
    with pytest.raises(MissingParameter):
        ask(catalogue, model="Qwen/Qwen3-8B-GGUF")


def test_a_context_beyond_the_model_is_refused_with_what_is_accepted(
    catalogue: Catalogue,
) -> None:
    words = {"model": "Qwen/Qwen3-8B", "quantization": "bf16"}
    assert ask(catalogue, **words, context_tokens="40960").request.context_tokens == 40960
    with pytest.raises(MemoryInputError) as caught:
        ask(catalogue, **words, context_tokens="40961")
    assert caught.value.code == "context-too-long"
    assert "40960" in str(caught.value.facts["accepted"])


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"context_tokens": "-1"}, InvalidValue),
        ({"context_tokens": "0"}, InvalidValue),
        ({"sequences": "1.5"}, InvalidValue),
        ({"count": "9999999"}, InvalidValue),
        ({"memory_share": "1.2"}, InvalidValue),
        ({"memory_share": "0"}, InvalidValue),
        ({"flash_attention": "maybe"}, InvalidValue),
        ({"count": "3", "tensor_parallel": "2"}, MemoryInputError),
        ({"hardware_count": "2", "count": "2"}, RepeatedParameter),
        ({"gpus": "2"}, UnknownParameter),
        ({"hardware": "T5"}, UnknownName),
        ({"version": "1.0"}, MissingParameter),
    ],
)
def test_what_cannot_be_asked_is_refused(
    catalogue: Catalogue, words: dict[str, str], error: type[RunproofError]
) -> None:
    with pytest.raises(error):
        ask(catalogue, model="Qwen/Qwen3-8B", quantization="bf16", **words)


def test_other_words_for_a_parameter_mean_the_same(catalogue: Catalogue) -> None:
    words = {"model": "Qwen/Qwen3-8B", "quantization": "bf16", "framework": "vllm"}
    one = ask(catalogue, **words, hardware_count="4", concurrency="8")
    assert one.request == ask(catalogue, **words, count="4", sequences="8").request


def test_layers_go_round_under_llama_cpp_and_are_split_elsewhere(catalogue: Catalogue) -> None:
    words = {"model": "Qwen/Qwen3-8B", "count": "4"}
    split = ask(catalogue, **words, quantization="bf16", framework="sglang")
    assert split.request.layout == Layout(tensor_parallel=4)
    turns = ask(catalogue, **words, quantization="Q4_K_M", framework="ollama")
    assert turns.request.engine == "llama.cpp"
    assert turns.request.layout == Layout(pipeline_parallel=4)


def test_a_plug_in_has_its_own_rules_or_those_of_its_upstream(catalogue: Catalogue) -> None:
    words = {"model": "Qwen/Qwen3-8B", "quantization": "bf16"}
    assert ask(catalogue, **words, framework="vllm-ascend").request.engine == "vllm-ascend"
    assert ask(catalogue, **words, framework="vllm-gaudi").request.engine == "vllm"


def test_hardware_of_several_sizes_has_no_figure_but_names_its_boards(
    catalogue: Catalogue,
) -> None:
    asked = ask(catalogue, model="Qwen/Qwen3-8B", quantization="bf16", hardware="A100")
    assert asked.request.device_memory_bytes is None
    codes = dict(asked.notes)
    assert "A100 40GB" in str(codes["hardware-of-several-sizes"]["boards"])
    assert estimate_memory(asked.request).fit.level is FitLevel.UNKNOWN


def test_llama_cpp_on_a_processor_keeps_all_layers_there(catalogue: Catalogue) -> None:
    asked = ask(catalogue, model="Qwen/Qwen3-8B", quantization="Q4_K_M", hardware="CPU")
    assert asked.request.options["offload_layers"] == 0


def test_a_config_is_a_model_too(catalogue: Catalogue) -> None:
    asked = ask_about(TINY_CONFIG, catalogue, quantization="gguf-q8-0", framework="llama.cpp")
    assert asked.request.shape.llamacpp_arch == "qwen3"
    assert [layer.attention for layer in asked.request.shape.layers] == [AttentionKind.FULL] * 4
    cache = estimate_memory(asked.request).part(PartKind.CACHE)
    assert cache.bytes_ == 4 * 4096 * 2 * (64 + 64) * 2


@pytest.mark.parametrize(
    "change",
    [
        {"num_hidden_layers": -4},
        {"num_hidden_layers": 10**9},
        {"hidden_size": 0},
        {"num_attention_heads": "four"},
        {"vocab_size": 1.5},
    ],
)
def test_an_impossible_config_is_refused_by_name(
    catalogue: Catalogue, change: dict[str, object]
) -> None:
    with pytest.raises(MemoryInputError) as caught:
        ask_about({**TINY_CONFIG, **change}, catalogue, quantization="bf16")
    assert next(iter(change)) in str(caught.value)


def test_a_cell_asks_for_its_memory_and_the_address_asks_the_same_again(
    catalogue: Catalogue,
) -> None:
    cell = Cell(
        framework="vllm",
        nodes={Axis.MODEL: "qwen--qwen3-8b", Axis.QUANTIZATION: "fp8", Axis.BACKEND: "cuda",
               Axis.HARDWARE: "nvidia-l4"},
        numbers={NumberAxis.HARDWARE_COUNT: 2.0},
    )  # fmt: skip
    words = memory_words(cell, sequences=4, context_tokens=2048)
    assert "backend" not in words
    asked = ask(catalogue, **{name: values[0] for name, values in words.items()})
    assert (asked.request.sequences, asked.request.context_tokens) == (4, 2048)
    again = dict(pair.split("=") for pair in memory_query(asked).split("&"))
    assert ask(catalogue, **again).request == asked.request


def test_every_checkpoint_with_a_shape_is_read_without_a_guess(catalogue: Catalogue) -> None:
    nodes = [n for n in catalogue.area("model").values() if has_shape(n)]
    assert len(nodes) > 130
    for node in nodes:
        asked = ask(catalogue, model=node.slug, quantization="bf16", context_tokens="1024")
        shape = asked.request.shape
        assert shape.num_layers == node.facts.get("num_layers"), node.slug
        assert shape.parameters_total == node.facts.get("parameters_total"), node.slug
        assert shape.source, node.slug
