"""Heads of GGUF files: what is read of them, and how broken ones are refused."""

import struct
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.gguf_header import read_gguf_header, shape_from_gguf
from matrix.domain.memory.gguf_mix import typed_tensors
from matrix.domain.memory.llamacpp import llamacpp_parts
from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.values import MemoryRequest, PartKind
from tests.matrix.domain.memory.gguf_writing import gguf_head, text, value_bytes

SMALL = {
    "general.architecture": "llama",
    "general.name": "Small",
    "general.file_type": 15,
    "llama.block_count": 2,
    "llama.embedding_length": 512,
    "llama.feed_forward_length": 1024,
    "llama.attention.head_count": 8,
    "llama.attention.head_count_kv": 2,
    "llama.context_length": 4096,
    "tokenizer.ggml.tokens": ["a", "bc", "d"] * 100,
}


@pytest.mark.parametrize("heads", [[8], [0, 0, 0]])
def test_a_list_shorter_than_the_layers_is_no_number_of_heads(heads):
    metadata = SMALL | {"llama.block_count": 4, "llama.attention.head_count": heads}
    with pytest.raises(MemoryInputError) as caught:
        shape_from_gguf(read_gguf_header(gguf_head(metadata)))
    assert caught.value.facts["parameter"] == "llama.attention.head_count"


def small_tensors(metadata=SMALL):
    """The tensors that the rules give a file of the metadata, output apart."""
    shape = shape_from_gguf(read_gguf_header(gguf_head(metadata)))
    llama = llama_shape_of(_with_untied(shape))
    return [
        (
            one.tensor.name,
            (one.tensor.row_elements, one.tensor.rows)[: one.tensor.dimensions],
            one.type_name,
        )
        for one in typed_tensors(llama, "Q4_K_M")
    ]


def _with_untied(shape):
    return replace(shape, tied_embeddings=False)


def test_the_table_gives_exact_bytes_and_the_file_type_its_scheme():
    tensors = small_tensors()
    header = read_gguf_header(gguf_head(SMALL, tensors))
    shape = shape_from_gguf(header)
    request = MemoryRequest(shape=shape, scheme="gguf-q4-k-m", engine="llama.cpp")
    weights = next(p for p in llamacpp_parts(request) if p.kind is PartKind.WEIGHTS)
    by_rule = next(term.bytes_ for term in weights.terms if term.name == "gguf-tensors")
    assert header.tensor_bytes == by_rule
    assert shape.checkpoint_scheme == "gguf-q4-k-m"
    assert shape.vocab_size == 300
    assert shape.tied_embeddings is False


def test_a_head_of_metadata_alone_tells_the_cache_but_not_the_weights():
    header = read_gguf_header(gguf_head(SMALL))
    shape = shape_from_gguf(header)
    parts = {
        part.kind: part for part in llamacpp_parts(MemoryRequest(shape=shape, scheme="gguf-q4-k-m"))
    }
    assert parts[PartKind.CACHE].bytes_ == 2 * 4096 * 2 * 2 * 2 * 64
    assert parts[PartKind.WEIGHTS].why_unknown == "no-parameters"


def test_a_table_that_is_announced_but_missing_is_noted():
    head = bytearray(gguf_head(SMALL))
    head[8:16] = struct.pack("<Q", 5)
    header = read_gguf_header(bytes(head))
    assert header.tensors is None
    assert header.tensor_bytes is None
    assert header.notes[0][0] == "no-tensor-table"


def test_a_table_that_is_cut_off_is_noted_with_the_bytes_it_may_need():
    whole = gguf_head(SMALL, small_tensors())
    header = read_gguf_header(whole[:-40])
    assert header.tensor_bytes is None
    code, facts = header.notes[0]
    assert code == "tensor-table-cut"
    assert facts["bytes_needed"] >= len(whole) - 200


@pytest.mark.parametrize("length", [3, 10, 30, 200])
def test_a_head_cut_off_in_its_metadata_says_how_many_bytes_are_needed(length):
    with pytest.raises(MemoryInputError) as caught:
        read_gguf_header(gguf_head(SMALL)[:length])
    assert caught.value.code == "unreadable-file"
    assert caught.value.facts["bytes_needed"] > length


def test_a_big_endian_file_is_told_as_such():
    head = b"GGUF" + struct.pack(">IQQ", 3, 0, 0)
    with pytest.raises(MemoryInputError, match="big endian"):
        read_gguf_header(head)


@pytest.mark.parametrize("version", [0, 1, 4, 2**31])
def test_versions_that_are_not_read_are_refused(version):
    with pytest.raises(MemoryInputError, match="version 2 or 3"):
        read_gguf_header(b"GGUF" + struct.pack("<IQQ", version, 0, 0))


def test_version_2_is_read():
    assert read_gguf_header(gguf_head(SMALL, version=2)).version == 2


def test_other_files_are_refused():
    with pytest.raises(MemoryInputError, match="begins with GGUF"):
        read_gguf_header(b"PK\x03\x04 and more of an archive")


def test_counts_beyond_bounds_are_refused_before_anything_is_read():
    with pytest.raises(MemoryInputError, match="metadata count"):
        read_gguf_header(b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60))
    with pytest.raises(MemoryInputError, match="tensor count"):
        read_gguf_header(b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0))


def test_a_name_stated_twice_is_refused():
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 2)
    head += 2 * (text("general.name") + value_bytes("x"))
    with pytest.raises(MemoryInputError, match="twice"):
        read_gguf_header(head)


def test_a_tensor_listed_twice_is_refused():
    tensors = [("a.weight", (32,), "F32"), ("a.weight", (32,), "F32")]
    with pytest.raises(MemoryInputError, match="twice"):
        read_gguf_header(gguf_head(SMALL, tensors))


def test_weights_that_do_not_add_up_are_refused():
    head = bytearray(gguf_head(SMALL, [("a.weight", (256, 4), "Q4_K"), ("b", (32,), "F32")]))
    head[-8:] = struct.pack("<Q", 64)
    with pytest.raises(MemoryInputError, match="do not add up"):
        read_gguf_header(bytes(head))


def test_rows_that_are_no_whole_blocks_are_refused():
    head = gguf_head(SMALL, [("a.weight", (100, 4), "F32")])
    broken = head[:-12] + struct.pack("<IQ", 12, 0)
    with pytest.raises(MemoryInputError, match="whole blocks of 256"):
        read_gguf_header(broken)


def test_a_type_that_is_not_known_is_refused():
    head = gguf_head(SMALL, [("a.weight", (256, 4), "F32")])
    broken = head[:-12] + struct.pack("<IQ", 200, 0)
    with pytest.raises(MemoryInputError, match="type"):
        read_gguf_header(broken)


def test_lists_within_lists_are_bounded():
    nested = struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 50
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("deep") + nested
    with pytest.raises(MemoryInputError, match="deep"):
        read_gguf_header(head)


def test_a_list_longer_than_the_file_is_refused_with_the_bytes_it_needs():
    listed = struct.pack("<IIQ", 9, 8, 1_000_000)
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("tokens") + listed + text("a")
    with pytest.raises(MemoryInputError) as caught:
        read_gguf_header(head)
    assert caught.value.facts["bytes_needed"] > 7_000_000


@pytest.mark.parametrize("value", [0, 33, 2**20])
def test_an_alignment_that_cannot_be_is_refused(value):
    with pytest.raises(MemoryInputError, match="alignment"):
        read_gguf_header(gguf_head({"general.alignment": value}))


def test_one_part_of_several_has_no_sum():
    header = read_gguf_header(gguf_head(SMALL | {"split.count": 3}, small_tensors()))
    assert header.tensor_bytes is None
    assert ("one-part-of-several", {"parts": 3}) in header.notes


def test_a_head_without_an_architecture_has_no_shape():
    with pytest.raises(MemoryInputError, match=r"general\.architecture"):
        shape_from_gguf(read_gguf_header(gguf_head({"general.name": "x"})))


@pytest.mark.parametrize(
    ("key", "value"), [("llama.block_count", 1_000_000), ("llama.embedding_length", "wide")]
)
def test_impossible_numbers_are_refused(key, value):
    with pytest.raises(MemoryInputError, match=key):
        shape_from_gguf(read_gguf_header(gguf_head(SMALL | {key: value})))


def test_layers_without_key_heads_keep_a_state():
    metadata = {
        "general.architecture": "lfm2",
        "lfm2.block_count": 3,
        "lfm2.embedding_length": 256,
        "lfm2.feed_forward_length": 512,
        "lfm2.attention.head_count": 4,
        "lfm2.attention.head_count_kv": [0, 2, 0],
        "lfm2.shortconv.l_cache": 3,
        "lfm2.vocab_size": 1000,
    }
    shape = shape_from_gguf(read_gguf_header(gguf_head(metadata)))
    assert [layer.state_elements for layer in shape.layers] == [512, 0, 512]
    assert [layer.kv_heads for layer in shape.layers] == [0, 2, 0]


def test_latent_attention_of_old_files_keeps_keys_and_values_of_every_head():
    metadata = {
        "general.architecture": "deepseek2",
        "deepseek2.block_count": 2,
        "deepseek2.embedding_length": 512,
        "deepseek2.feed_forward_length": 1024,
        "deepseek2.attention.head_count": 4,
        "deepseek2.attention.head_count_kv": 4,
        "deepseek2.attention.kv_lora_rank": 128,
        "deepseek2.attention.key_length": 96,
        "deepseek2.attention.value_length": 64,
        "deepseek2.rope.dimension_count": 32,
        "deepseek2.expert_count": 8,
        "deepseek2.expert_used_count": 2,
        "deepseek2.expert_feed_forward_length": 256,
        "deepseek2.expert_shared_count": 1,
        "deepseek2.vocab_size": 1000,
    }
    old = shape_from_gguf(read_gguf_header(gguf_head(metadata)))
    assert (old.layers[0].kv_heads, old.layers[0].key_dim, old.layers[0].value_dim) == (4, 96, 64)
    newer = metadata | {
        "deepseek2.attention.key_length_mla": 96,
        "deepseek2.attention.value_length_mla": 64,
        "deepseek2.attention.key_length": 160,
    }
    new = shape_from_gguf(read_gguf_header(gguf_head(newer)))
    assert (new.layers[0].key_dim, new.layers[0].value_dim) == (160, 0)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_broken_heads_end_in_the_one_error_or_are_read(data):
    head = bytearray(gguf_head(SMALL, [("a.weight", (256, 4), "Q4_K"), ("b", (32,), "F32")]))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(head) - 1))
        head[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(head)))
    try:
        shape_from_gguf(read_gguf_header(bytes(head[:cut])))
    except MemoryInputError as error:
        assert error.facts["accepted"]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_after_the_magic_end_in_the_one_error_or_are_read(tail):
    try:
        read_gguf_header(b"GGUF" + struct.pack("<I", 3) + tail)
    except MemoryInputError as error:
        assert error.code == "unreadable-file"


@pytest.mark.parametrize(
    ("stated", "windows"),
    [({}, [True, True, True]), ({"pattern": [1, 0, 1]}, [True, False, True]),
     ({"pattern": 2}, [True, False, True])],
)  # fmt: skip
def test_which_layers_have_a_window_is_read_where_it_is_stated(stated, windows):
    metadata = {
        "general.architecture": "gemma3",
        "gemma3.block_count": 3,
        "gemma3.embedding_length": 256,
        "gemma3.feed_forward_length": 512,
        "gemma3.attention.head_count": 4,
        "gemma3.attention.head_count_kv": 1,
        "gemma3.attention.key_length": 64,
        "gemma3.attention.sliding_window": 512,
        "gemma3.vocab_size": 1000,
    }
    if stated:
        metadata["gemma3.attention.sliding_window_pattern"] = stated["pattern"]
    shape = shape_from_gguf(read_gguf_header(gguf_head(metadata)))
    assert [layer.window_tokens is not None for layer in shape.layers] == windows


@pytest.mark.parametrize("items", [(float("nan"),) * 2, (float("inf"), 1.0), (1.5, 1.5)])
def test_a_list_of_no_whole_numbers_is_refused(items):
    head = gguf_head({**SMALL, "llama.attention.head_count_kv": [2, 2]})
    ints = value_bytes([2, 2])
    floats = struct.pack("<IIQ2f", 9, 6, 2, *items)
    assert head.count(ints) == 1
    with pytest.raises(MemoryInputError, match="head_count_kv"):
        shape_from_gguf(read_gguf_header(head.replace(ints, floats)))


def test_a_negative_number_of_heads_in_a_list_is_refused():
    head = gguf_head({**SMALL, "llama.attention.head_count_kv": [2, 2]})
    signed = struct.pack("<IIQ2i", 9, 5, 2, 2, -7)
    with pytest.raises(MemoryInputError, match="head_count_kv"):
        shape_from_gguf(read_gguf_header(head.replace(value_bytes([2, 2]), signed)))


@pytest.mark.parametrize("name", ["group_count", "time_step_rank", "inner_size", "state_size"])
def test_a_state_of_nothing_has_no_inventory(name):
    metadata = {
        "general.architecture": "mamba2",
        "mamba2.block_count": 2,
        "mamba2.embedding_length": 256,
        "mamba2.ssm.conv_kernel": 4,
        "mamba2.ssm.inner_size": 512,
        "mamba2.ssm.state_size": 64,
        "mamba2.ssm.time_step_rank": 8,
        "mamba2.ssm.group_count": 1,
        "tokenizer.ggml.tokens": ["a", "b"],
    }
    whole = shape_from_gguf(read_gguf_header(gguf_head(metadata)))
    assert llama_shape_of(replace(whole, tied_embeddings=True)) is not None
    broken = metadata | {f"mamba2.ssm.{name}": 0}
    shape = shape_from_gguf(read_gguf_header(gguf_head(broken)))
    assert llama_shape_of(replace(shape, tied_embeddings=True)) is None
