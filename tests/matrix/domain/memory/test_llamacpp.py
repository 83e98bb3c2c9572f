"""llama.cpp's parts together: where tensors lie, compute buffers and their ranges, shares."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.domain.memory.llamacpp import (
    file_type_of,
    llamacpp_parts,
    llamacpp_share,
    llamacpp_warnings,
)
from matrix.domain.memory.values import (
    AttentionKind,
    Certainty,
    LayerShape,
    Layout,
    MemoryRequest,
    ModelShape,
    PartKind,
)
from tests.matrix.domain.memory.llama_shapes import model_shape

FILE_8B = 4912898048


def request_of(name="llama-8b", *, devices=1, known=None, scheme="gguf-q4-k-m", **options):
    return MemoryRequest(
        shape=model_shape(name) if isinstance(name, str) else name,
        scheme=scheme,
        engine="llama.cpp",
        context_tokens=4096,
        layout=Layout(pipeline_parallel=devices),
        weight_bytes_known=known,
        options=options,
    )


def part(request, kind):
    return next(one for one in llamacpp_parts(request) if one.kind is kind)


def test_the_embeddings_of_an_untied_model_stay_on_the_host():
    request = request_of()
    share = llamacpp_share(request, llamacpp_parts(request))
    embedding = 128256 * 4096 * 144 // 256
    assert share.weights_bytes == FILE_8B - embedding
    assert share.host_bytes > embedding


def test_a_tied_embedding_lies_on_both_sides():
    found = part(request_of("gemma-3-4b"), PartKind.WEIGHTS)
    terms = {term.name: term.bytes_ for term in found.terms}
    assert terms["gguf-embedding-twice"] == 262144 * 2560 * 210 // 256
    assert found.bytes_ == terms["gguf-tensors"] + terms["gguf-embedding-twice"]


def test_on_the_host_some_tensors_are_laid_out_anew_beside_the_file():
    found = part(request_of(offload_layers=0, mmap=False), PartKind.WEIGHTS)
    terms = {term.name: term.bytes_ for term in found.terms}
    assert terms["gguf-repacked"] == 3359637504
    assert found.bytes_ == FILE_8B
    plain = part(request_of(offload_layers=0, repack=False), PartKind.WEIGHTS)
    assert plain.bytes_ == FILE_8B


def test_the_compute_buffer_of_a_dense_model_is_that_of_a_load():
    found = part(request_of(offload_layers=0), PartKind.COMPUTE)
    assert found.bytes_ == pytest.approx(279447552, rel=0.03)
    assert found.low_bytes == found.bytes_ < found.high_bytes
    assert found.certainty is Certainty.RANGE


def test_fewer_outputs_take_a_smaller_buffer():
    wide = part(request_of(offload_layers=0), PartKind.COMPUTE)
    narrow = part(request_of(offload_layers=0, outputs=1), PartKind.COMPUTE)
    assert narrow.bytes_ < wide.bytes_ / 2


def test_without_flash_attention_the_scores_are_kept():
    on = part(request_of(), PartKind.COMPUTE)
    off = part(request_of(flash_attention=False), PartKind.COMPUTE)
    assert off.bytes_ > on.bytes_


def test_devices_in_a_row_hold_a_graph_each_and_share_the_weights():
    one = llamacpp_share(request_of(), llamacpp_parts(request_of()))
    pair = request_of(devices=2)
    two = llamacpp_share(pair, llamacpp_parts(pair))
    assert one.weights_bytes / 2 < two.weights_bytes < one.weights_bytes * 0.6
    # Of 32 layers and the output, seventeen lie on the first.
    assert two.cache_bytes == one.cache_bytes * 17 // 32
    assert two.compute_low_bytes > one.compute_low_bytes
    assert part(pair, PartKind.COMPUTE).bytes_ > part(request_of(), PartKind.COMPUTE).bytes_


def test_bytes_of_the_file_at_hand_win_over_the_rules():
    found = part(request_of(known=5_000_000_000), PartKind.WEIGHTS)
    assert found.terms[0].bytes_ == 5_000_000_000
    assert found.bytes_ - part(request_of(), PartKind.WEIGHTS).bytes_ == 5_000_000_000 - FILE_8B


def test_an_unknown_structure_has_a_lower_bound_only():
    shape = ModelShape(name="x", architecture="X", parameters_total=1_000_000_000)
    found = part(request_of(shape), PartKind.WEIGHTS)
    assert found.certainty is Certainty.LOWER_BOUND
    assert found.bytes_ == 562_500_000
    assert found.high_bytes is None
    assert part(request_of(shape), PartKind.CACHE).why_unknown == "unknown-cache-shape"
    assert part(request_of(shape), PartKind.COMPUTE).bytes_ is None


def test_without_a_number_of_weights_nothing_is_said():
    shape = ModelShape(name="x", architecture="X")
    assert part(request_of(shape), PartKind.WEIGHTS).why_unknown == "no-parameters"
    assert part(request_of(scheme="awq-w4a16"), PartKind.WEIGHTS).why_unknown == "unknown-file-type"


def test_the_cache_of_other_architectures_follows_their_layers():
    layers = (LayerShape(AttentionKind.FULL, 8, 128, 128),) * 10
    shape = ModelShape(name="x", architecture="X", layers=layers)
    found = part(request_of(shape), PartKind.CACHE)
    assert found.bytes_ == 10 * 4096 * 2 * 2 * 8 * 128
    assert found.certainty is Certainty.CLOSE


def test_encoders_have_no_cache():
    shape = replace(model_shape("llama-8b"), has_cache=False)
    assert part(request_of(shape), PartKind.CACHE).bytes_ == 0


def test_experts_of_an_mxfp4_checkpoint_are_not_quantised_again():
    shape = replace(model_shape("gpt-oss-20b"), checkpoint_scheme="gpt-oss-mxfp4")
    kept = part(request_of(shape), PartKind.WEIGHTS).bytes_
    assert kept < part(request_of("gpt-oss-20b"), PartKind.WEIGHTS).bytes_


@pytest.mark.parametrize(
    ("scheme", "file_type"),
    [("gguf-q4-k-m", "Q4_K_M"), ("gguf-q4-k", "Q4_K_M"), ("gguf-iq2-xxs", "IQ2_XXS"),
     ("gguf-mxfp4", "MXFP4_MOE"), ("bf16", "BF16"), ("fp16", "F16"), ("gguf-q4-k-xl", None),
     ("gguf-iq4-kt", None), ("awq-w4a16", None), ("q4-k-m", None), ("gguf", None)],
)  # fmt: skip
def test_schemes_name_file_types(scheme, file_type):
    assert file_type_of(scheme) == file_type


def test_what_may_be_more_is_warned_of():
    small = request_of("lfm2", offload_layers=0)
    codes = {code for code, _ in llamacpp_warnings(small, llamacpp_parts(small))}
    assert codes == {"compute-may-be-more", "gguf-mix-may-differ"}
    known = request_of(known=FILE_8B, devices=2)
    codes = {code for code, _ in llamacpp_warnings(known, llamacpp_parts(known))}
    assert "gguf-mix-may-differ" not in codes
    assert "pipeline-copies-vary" in codes


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(["llama-8b", "deepseek-v3", "gemma-3-4b", "gpt-oss-20b", "lfm2"]),
    tokens=st.integers(1, 200_000),
    sequences=st.integers(1, 32),
    flash=st.booleans(),
    unified=st.booleans(),
)
def test_more_tokens_never_take_less(name, tokens, sequences, flash, unified):
    def cache_and_compute(asked):
        request = MemoryRequest(
            shape=model_shape(name),
            scheme="gguf-q4-k-m",
            context_tokens=asked,
            sequences=sequences,
            options={"flash_attention": flash, "kv_unified": unified},
        )
        cache, compute = llamacpp_parts(request)[1:3]
        assert 0 < compute.low_bytes <= compute.bytes_ <= compute.high_bytes
        return cache.bytes_

    assert cache_and_compute(tokens) <= cache_and_compute(tokens + 1000)


def test_weights_by_rule_are_exact_only_where_their_number_is_that_of_the_model():
    shape = model_shape("llama-8b")
    for count, certainty in (
        (shape.parameters_total, Certainty.EXACT),
        (8_000_000_000, Certainty.CLOSE),
        (None, Certainty.CLOSE),
    ):
        parts = llamacpp_parts(request_of(replace(shape, parameters_total=count)))
        assert parts[0].certainty is certainty
    sees = replace(
        shape, parameters_total=shape.parameters_total + 500, raw={"parameters_vision": 500}
    )
    assert llamacpp_parts(request_of(sees))[0].certainty is Certainty.EXACT


def test_a_file_that_is_not_at_hand_may_hold_another_mix():
    request = request_of()
    share = llamacpp_share(request, llamacpp_parts(request))
    assert share.weights_low_bytes < 0.93 * share.weights_bytes
    assert share.weights_high_bytes > 1.07 * share.weights_bytes
    for known in (request_of(known=FILE_8B), request_of(scheme="bf16")):
        share = llamacpp_share(known, llamacpp_parts(known))
        assert share.weights_low_bytes is None
        assert share.weights_high_bytes is None


def test_heads_that_differ_by_layer_have_no_inventory():
    shape = model_shape("llama-8b")
    layers = tuple(LayerShape(AttentionKind.FULL, 8 if at % 2 else 4, 128, 128) for at in range(32))
    parts = llamacpp_parts(request_of(replace(shape, layers=layers)))
    assert parts[0].certainty is Certainty.LOWER_BOUND
    assert parts[1].bytes_ == 4096 * 2 * 2 * 128 * (16 * 8 + 16 * 4)


def test_latent_attention_in_one_matrix_takes_another_buffer():
    shape = model_shape("deepseek-v3")
    old = replace(shape, raw={**shape.raw, "mla_split": False})
    options = {"outputs": 1, "flash_attention": True}
    new_parts = llamacpp_parts(request_of(shape, **options))
    old_parts = llamacpp_parts(request_of(old, **options))
    assert old_parts[1].bytes_ > 30 * new_parts[1].bytes_
    assert old_parts[2].bytes_ < new_parts[2].bytes_


def test_the_fullest_device_has_more_than_its_share_of_the_wide_layers():
    request = request_of("gemma-3-4b", devices=8)
    parts = llamacpp_parts(request)
    share = llamacpp_share(request, parts)
    cache = parts[1].bytes_
    assert share.cache_bytes > cache / 8
    even = request_of("llama-8b", devices=1)
    assert llamacpp_share(even, llamacpp_parts(even)).cache_bytes == llamacpp_parts(even)[1].bytes_
    # 32 layers and the output on four devices: nine layers lie on the first.
    four = request_of("llama-8b", devices=4)
    parts = llamacpp_parts(four)
    assert llamacpp_share(four, parts).cache_bytes == parts[1].bytes_ * 9 // 32
