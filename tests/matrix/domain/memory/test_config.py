"""Shapes from a hub's config.json and from facts of the catalogue."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.domain.memory.config import FACT_NAMES, shape_from_config, shape_from_facts
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.parameters import parameters_by_role
from matrix.domain.memory.values import AttentionKind, ModelShape
from tests.matrix.domain.memory import configs

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats()
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


def kinds_of(shape: ModelShape) -> Counter[AttentionKind]:
    return Counter(layer.attention for layer in shape.layers)


def test_a_plain_model_keeps_k_and_v_of_every_token_in_every_layer() -> None:
    shape = shape_from_config(configs.LLAMA_8B, name="Llama-3.1-8B")
    assert kinds_of(shape) == {AttentionKind.FULL: 32}
    assert (shape.layers[0].kv_heads, shape.layers[0].key_dim) == (8, 128)
    assert shape.raw["head_dim_from"] == "hidden-size-over-heads"


def test_a_head_size_is_not_guessed_where_the_models_code_does_not_divide() -> None:
    config = {key: value for key, value in configs.QWEN_32B.items() if key != "head_dim"}
    shape = shape_from_config(config)
    assert shape.head_dim is None
    assert shape.layers == ()


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("llama", 8_030_261_248),
        ("qwen3", 32_762_123_264),
        ("gpt-oss", 20_914_757_184),
        ("deepseek", 671_026_419_200),
        ("kimi", 1_026_408_232_448),
        ("gemma3", 27_009_002_240),
    ],
)
def test_the_weights_of_public_models_are_counted_to_the_last(name: str, total: int) -> None:
    counts = parameters_by_role(shape_from_config(configs.ALL[name]))
    assert counts is not None
    assert counts.total == total


def test_gemma_slides_in_five_of_six_layers() -> None:
    shape = shape_from_config(configs.GEMMA_3_27B)
    assert kinds_of(shape) == {AttentionKind.SLIDING: 52, AttentionKind.FULL: 10}
    assert shape.layers[5].attention is AttentionKind.FULL
    assert shape.tied_embeddings is True


def test_a_hybrid_keeps_states_beside_its_full_layers() -> None:
    shape = shape_from_config(configs.QWEN_NEXT)
    assert kinds_of(shape) == {AttentionKind.RECURRENT: 36, AttentionKind.FULL: 12}
    state = shape.layers[0]
    assert state.state_elements * 4 * 36 == 79_036_416


def test_a_list_of_block_types_gives_the_layers_and_their_number() -> None:
    shape = shape_from_config(configs.NEMOTRON_H)
    assert shape.num_layers == 52
    assert kinds_of(shape) == {
        AttentionKind.RECURRENT: 23,
        AttentionKind.NONE: 23,
        AttentionKind.FULL: 6,
    }


def test_a_multimodal_config_is_read_by_its_text_part() -> None:
    shape = shape_from_config(configs.KIMI_K2_5)
    assert shape.architecture == "KimiK25ForConditionalGeneration"
    assert kinds_of(shape) == {AttentionKind.LATENT: 61}
    assert shape.layers[0].key_dim == 576
    assert shape.checkpoint_scheme == "int4-w4a16"
    assert shape.raw["parts_kept"] == ("attention", "shared-experts")


def test_an_encoder_has_no_cache() -> None:
    shape = shape_from_config(configs.BERT)
    assert not shape.has_cache
    assert kinds_of(shape) == {AttentionKind.NONE: 12}


def test_an_unknown_architecture_has_no_layers() -> None:
    shape = shape_from_config({**configs.LLAMA_8B, "architectures": ["Nova"], "model_type": "nova"})
    assert shape.layers == ()
    assert shape.architecture == "Nova"


def test_each_layer_of_a_searched_architecture_states_its_own_heads() -> None:
    blocks = [{"attention": {"n_heads_in_group": 8}}, {"attention": {"no_op": True}}]
    shape = shape_from_config(
        {
            "architectures": ["DeciLMForCausalLM"],
            "num_hidden_layers": 2,
            "hidden_size": 8192,
            "num_attention_heads": 64,
            "block_configs": blocks,
        }
    )
    assert [layer.kv_heads for layer in shape.layers] == [8, 0]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_hidden_layers", -1),
        ("num_hidden_layers", 2_001),
        ("num_hidden_layers", 1.5),
        ("num_hidden_layers", True),
        ("hidden_size", "4096"),
        ("hidden_size", float("nan")),
        ("vocab_size", float("inf")),
        ("num_key_value_heads", 7),
        ("num_key_value_heads", 64),
        ("num_attention_heads", 48),
        ("tie_word_embeddings", "no"),
        ("layer_types", ["full_attention"]),
        ("layer_types", 5),
        ("quantization_config", "awq"),
    ],
)
def test_impossible_numbers_are_refused_with_what_is_accepted(key: str, value: object) -> None:
    with pytest.raises(MemoryInputError) as refused:
        shape_from_config({**configs.LLAMA_8B, key: value, "model_type": "mistral"})
    assert "accepted:" in str(refused.value)
    assert refused.value.facts["parameter"]


def test_a_whole_number_written_as_a_float_is_a_whole_number() -> None:
    assert shape_from_config({**configs.LLAMA_8B, "vocab_size": 128256.0}).vocab_size == 128256


def test_more_experts_for_a_token_than_there_are_is_refused() -> None:
    with pytest.raises(MemoryInputError):
        shape_from_config({**configs.GPT_OSS_20B, "num_experts_per_tok": 33})


def test_something_else_than_an_object_is_refused() -> None:
    with pytest.raises(MemoryInputError):
        shape_from_config([1, 2])  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(sorted(configs.ALL)),
    changes=st.dictionaries(
        st.sampled_from(
            sorted(
                {key for config in configs.ALL.values() for key in config}
                | {"block_configs", "layer_types", "linear_attn_config", "full_attn_idxs"}
            )
        ),
        JSON,
        max_size=4,
    ),
)
def test_any_config_gives_a_shape_or_a_refusal(name: str, changes: dict[str, object]) -> None:
    try:
        shape = shape_from_config({**configs.ALL[name], **changes})
    except MemoryInputError as refused:
        assert refused.facts["accepted"]
        return
    assert len(shape.layers) in {0, shape.num_layers}
    counts = parameters_by_role(shape)
    assert counts is None or counts.total >= 0


def test_facts_of_the_catalogue_give_the_same_shape_as_the_config() -> None:
    by_hub = {hub: fact for fact, hub in FACT_NAMES.items()}
    facts = {by_hub[key]: value for key, value in configs.QWEN_32B.items() if key in by_hub}
    from_facts = shape_from_facts(facts, slug="q", architecture="qwen3forcausallm", source="s")
    from_config = shape_from_config(configs.QWEN_32B)
    assert from_facts.layers == from_config.layers
    assert parameters_by_role(from_facts) == parameters_by_role(from_config)


def test_counts_of_layer_kinds_stand_for_a_list() -> None:
    facts = {
        "num_layers": 4,
        "num_attention_heads": 8,
        "num_kv_heads": 2,
        "head_dim": 64,
        "sliding_window_tokens": 512,
        "num_full_attention_layers": 1,
        "num_sliding_attention_layers": 3,
    }
    shape = shape_from_facts(facts, slug="s", architecture="Step3p5ForCausalLM", source="s")
    assert kinds_of(shape) == {AttentionKind.FULL: 1, AttentionKind.SLIDING: 3}


def test_prediction_layers_in_a_total_are_told_apart() -> None:
    counts = parameters_by_role(
        shape_from_config({**configs.DEEPSEEK_V3, "parameters_total": 684_489_845_504})
    )
    assert counts is not None
    assert counts.prediction == 684_489_845_504 - 671_026_419_200


def test_a_total_without_a_structure_still_tells_embeddings_from_matrices() -> None:
    shape = shape_from_config(
        {
            "architectures": ["Nova"],
            "hidden_size": 1024,
            "vocab_size": 32000,
            "num_hidden_layers": 4,
            "tie_word_embeddings": False,
            "parameters_total": 200_000_000,
        }
    )
    counts = parameters_by_role(shape)
    assert counts is not None
    assert (counts.embedding, counts.head) == (32_768_000, 32_768_000)
    assert counts.total == 200_000_000
