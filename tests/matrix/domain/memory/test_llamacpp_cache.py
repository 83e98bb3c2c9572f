"""llama.cpp's cache, byte for byte, and what it refuses."""

import pytest

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.llamacpp import llamacpp_parts
from matrix.domain.memory.values import MemoryRequest, PartKind
from tests.matrix.domain.memory.llama_shapes import model_shape

MIB = 2**20


def cache(name, *, tokens=4096, sequences=1, kv_dtype="", **options):
    request = MemoryRequest(
        shape=model_shape(name),
        scheme="gguf-q4-k-m",
        engine="llama.cpp",
        context_tokens=tokens,
        sequences=sequences,
        kv_dtype=kv_dtype,
        options=options,
    )
    part = next(p for p in llamacpp_parts(request) if p.kind is PartKind.CACHE)
    assert part.bytes_ == sum(term.bytes_ for term in part.terms)
    return part.bytes_


def test_every_token_of_every_layer_keeps_its_heads():
    assert cache("llama-8b") == 512 * MIB


def test_the_context_is_what_each_sequence_gets():
    assert cache("llama-8b", sequences=4) == 4 * 512 * MIB
    assert cache("llama-8b", sequences=4, context_is_total=True) == 512 * MIB


def test_a_context_is_padded_to_256_tokens():
    assert cache("llama-8b", tokens=1) == cache("llama-8b", tokens=256) == 32 * MIB
    assert cache("llama-8b", tokens=257) == 64 * MIB


def test_shares_of_a_total_context_are_padded_each():
    # 512 tokens for four sequences: 256 each.
    assert cache("llama-8b", tokens=512, sequences=4, context_is_total=True) == 128 * MIB


def test_a_unified_cache_is_shared_by_all_sequences():
    assert cache("llama-8b", tokens=512, sequences=4, context_is_total=True, kv_unified=True) == (
        64 * MIB
    )


@pytest.mark.parametrize(
    ("kv_dtype", "share"), [("kv-q8-0", 34 / 64), ("kv-q4-0", 18 / 64), ("kv-f32", 2)]
)
def test_other_types_take_the_bytes_of_their_blocks(kv_dtype, share):
    assert cache("llama-8b", kv_dtype=kv_dtype) == 512 * MIB * share


def test_keys_and_values_may_differ():
    assert cache("llama-8b", type_k="q8_0", type_v="f16") == 256 * MIB * 34 // 32 // 2 + 256 * MIB


def test_layers_with_a_window_keep_the_window_and_a_batch():
    # 29 of 34 layers slide: 1024 + 512 tokens; 5 keep everything.
    row = 2 * 2 * 4 * 256
    assert cache("gemma-3-4b", tokens=32768) == 29 * 1536 * row + 5 * 32768 * row
    assert cache("gemma-3-4b", tokens=32768, swa_full=True) == 34 * 32768 * row
    assert cache("gemma-3-4b", tokens=32768, ubatch_tokens=2048) == (
        29 * 3072 * row + 5 * 32768 * row
    )


def test_latent_attention_keeps_one_row_a_token():
    assert cache("deepseek-v3") == 61 * 4096 * 576 * 2


def test_a_state_does_not_grow_with_the_context():
    state = 4 * 4 * (3 * (1024 + 2 * 128) + 128 * 1024)
    assert cache("mamba2", tokens=256) == cache("mamba2", tokens=65536) == state
    assert cache("mamba2", sequences=3) == 3 * state


def test_mixed_models_keep_states_beside_their_attention():
    rows = 3 * 4096 * 2 * 2 * 2 * 64
    assert cache("lfm2") == rows + 5 * 4 * 512 * 2


def refused(name, **options):
    with pytest.raises(MemoryInputError) as caught:
        cache(name, **options)
    assert caught.value.code == "refused-by-engine"
    return caught.value.facts["parameter"]


def test_quantised_values_need_flash_attention():
    assert refused("llama-8b", type_v="q8_0", flash_attention=False) == "type_v"


def test_quantised_keys_do_not():
    assert cache("llama-8b", type_k="q8_0", type_v="f16", flash_attention=False)


def test_latent_attention_refuses_types_that_differ():
    assert refused("deepseek-v3", type_k="q8_0", type_v="f16") == "type_k"


def test_a_type_that_is_no_cache_type_is_refused():
    assert refused("llama-8b", kv_dtype="kv-fp8") == "type_k"


@pytest.mark.parametrize("asked", [{"tokens": 0}, {"tokens": -5}, {"sequences": 0}])
def test_loads_that_cannot_be_are_refused(asked):
    with pytest.raises(MemoryInputError) as caught:
        cache("llama-8b", **asked)
    assert caught.value.code == "impossible-request"
