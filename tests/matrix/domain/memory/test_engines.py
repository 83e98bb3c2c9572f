"""Weights and caches of serving engines, against figures that their start-up logs print."""

from dataclasses import replace

import pytest

from matrix.domain.memory.config import shape_from_config
from matrix.domain.memory.engine_cache import cache_need
from matrix.domain.memory.engines import engine_parts, engine_share
from matrix.domain.memory.values import Certainty, Layout, MemoryRequest, PartKind
from tests.matrix.domain.memory import configs

GIB = 1024**3


def request_of(name: str, **changes: object) -> MemoryRequest:
    shape = shape_from_config(configs.ALL[name], name=name)
    plain = MemoryRequest(shape=shape, scheme="bf16", engine="vllm", version="0.12.0")
    return replace(plain, **changes)  # type: ignore[arg-type]


def weights_on_rank(request: MemoryRequest) -> float:
    found = engine_share(request, engine_parts(request)).weights_bytes
    assert found is not None
    return found / GIB


def bytes_per_token(request: MemoryRequest, tokens: int = 65_536) -> float:
    return cache_need(replace(request, context_tokens=tokens)).rank.figure / tokens


def test_unquantised_weights_are_what_vllm_logs_to_the_last_place() -> None:
    request = request_of("llama")
    assert weights_on_rank(request) == pytest.approx(14.9888, abs=0.0002)
    assert engine_parts(request)[0].certainty is Certainty.EXACT


def test_quantised_weights_leave_embeddings_and_head_wide() -> None:
    uniform = 8.03e9 * 0.55 / GIB
    found = weights_on_rank(request_of("llama", scheme="awq-w4a16"))
    assert found > uniform * 1.25


def test_fp8_weights_are_within_a_thousandth_of_the_log() -> None:
    found = weights_on_rank(request_of("llama", scheme="fp8-w8a16"))
    assert found == pytest.approx(8.4926, rel=0.001)


def test_latent_down_projections_lie_whole_on_every_rank() -> None:
    layout = Layout(tensor_parallel=16)
    found = weights_on_rank(request_of("deepseek", scheme="awq-w4a16", layout=layout))
    assert found == pytest.approx(21.21, rel=0.01)


def test_only_the_experts_of_gpt_oss_are_narrow() -> None:
    request = request_of("gpt-oss", scheme="mxfp4")
    part = engine_parts(request)[0]
    assert part.certainty is Certainty.CLOSE
    bits = {term.name: term.numbers["bits"] for term in part.terms}
    assert bits["weights-experts"] == 4.25
    assert bits["weights-attention"] == 16
    assert part.bytes_ is not None
    assert part.bytes_ / GIB == pytest.approx(12.8, rel=0.02)
    # Some kernels pad sides of 2880 to 3072.
    assert part.high_bytes is not None and part.high_bytes > 1.1 * part.bytes_


def test_parts_that_a_checkpoint_leaves_alone_stay_wide() -> None:
    part = engine_parts(request_of("kimi", scheme="int4-w4a16"))[0]
    bits = {term.name: term.numbers["bits"] for term in part.terms}
    assert bits["weights-experts"] == 4.5  # groups of 32, as the checkpoint states
    assert bits["weights-shared-experts"] == 16


def test_a_scheme_whose_kept_parts_vary_is_a_range() -> None:
    part = engine_parts(request_of("llama", scheme="nvfp4-w4a4"))[0]
    assert part.certainty is Certainty.RANGE
    assert part.low_bytes is not None and part.bytes_ is not None and part.high_bytes is not None
    assert part.low_bytes < part.bytes_ < part.high_bytes


def test_known_bytes_of_the_checkpoint_win() -> None:
    part = engine_parts(request_of("llama", weight_bytes_known=5 * GIB, scheme="exl2"))[0]
    assert part.bytes_ == 5 * GIB
    assert part.certainty is Certainty.EXACT


def test_weights_without_known_bits_are_unknown_not_zero() -> None:
    part = engine_parts(request_of("llama", scheme="exl2"))[0]
    assert (part.bytes_, part.why_unknown) == (None, "scheme-bits-unknown")


def test_a_gguf_file_under_another_engine_is_as_large_as_its_tensors() -> None:
    part = engine_parts(request_of("llama", scheme="gguf-q4-k-m"))[0]
    assert part.bytes_ == 4_912_898_048
    assert part.certainty is Certainty.CLOSE


def test_ranks_of_a_layout_hold_at_least_the_model() -> None:
    for layout in (Layout(2), Layout(2, 2), Layout(1, 4), Layout(16), Layout(2, 1, 1, 2)):
        request = request_of("qwen3", layout=layout)
        whole = weights_on_rank(request_of("qwen3"))
        assert weights_on_rank(request) * layout.devices >= whole * 0.999


def test_expert_parallel_divides_the_experts_in_whole_ones() -> None:
    layout = Layout(tensor_parallel=8, expert_parallel=8)
    request = request_of("deepseek", layout=layout)
    assert weights_on_rank(request) == pytest.approx(
        weights_on_rank(request_of("deepseek", layout=Layout(tensor_parallel=8))), rel=0.01
    )


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("llama", {}, 131_072),
        ("llama", {"kv_dtype": "kv-fp8"}, 65_536),
        ("llama", {"kv_dtype": "kv-int8"}, 65_536 + 32 * 8 * 8),
        ("llama", {"layout": Layout(tensor_parallel=8)}, 16_384),
        ("llama", {"layout": Layout(tensor_parallel=16)}, 16_384),
        ("qwen3", {"layout": Layout(tensor_parallel=2)}, 131_072),
        ("kimi", {"engine": "sglang", "layout": Layout(tensor_parallel=8)}, 70_272),
        ("deepseek", {"kv_dtype": "kv-fp8-ds-mla"}, 61 * 656),
        ("minimax-m3", {"layout": Layout(tensor_parallel=8)}, 45_312),
    ],
)
def test_bytes_of_a_token_on_one_rank(name: str, changes: dict[str, object], expected: int) -> None:
    assert bytes_per_token(request_of(name, **changes)) == expected


def test_a_cache_is_made_of_whole_blocks() -> None:
    request = request_of("llama", context_tokens=17)
    assert cache_need(request).rank.figure == 32 * 131_072
    assert cache_need(replace(request, engine="sglang")).rank.figure == 17 * 131_072
    assert cache_need(replace(request, options={"block_tokens": 64})).rank.figure == 64 * 131_072


def test_latent_rows_are_kept_on_every_rank() -> None:
    one = cache_need(request_of("deepseek", context_tokens=4096))
    eight = cache_need(
        request_of("deepseek", context_tokens=4096, layout=Layout(tensor_parallel=8))
    )
    assert one.rank.figure == eight.rank.figure
    assert eight.everywhere.figure == 8 * one.everywhere.figure


def test_windows_are_freed_from_the_release_on_that_frees_them() -> None:
    new = cache_need(request_of("gemma3", context_tokens=65_536)).rank
    old = cache_need(request_of("gemma3", context_tokens=65_536, version="0.8.0")).rank
    open_ = cache_need(request_of("gemma3", context_tokens=65_536, version="")).rank
    assert new.figure < old.figure / 4
    assert open_.low == new.low
    assert open_.high == old.high


def test_a_state_does_not_grow_with_the_context() -> None:
    request = request_of("nemotron-h", sequences=4)
    short = cache_need(replace(request, context_tokens=16)).rank.figure
    more = cache_need(replace(request, context_tokens=32)).rank.figure
    assert more - short == 16 * 4 * 6 * 2 * 256 * 2
    assert engine_parts(request)[1].certainty is Certainty.RANGE


def test_short_sequences_of_a_hybrid_may_take_blocks_as_large_as_a_state() -> None:
    rank = cache_need(request_of("qwen-next", context_tokens=16)).rank
    assert rank.high > rank.figure + 12 * 1000 * 2 * 512 * 2


def test_pipeline_stages_share_the_layers() -> None:
    whole = cache_need(request_of("llama", context_tokens=4096)).rank.figure
    stage = cache_need(request_of("llama", context_tokens=4096, layout=Layout(1, 3))).rank.figure
    assert stage == whole * 11 / 32


def test_an_encoder_keeps_nothing() -> None:
    part = engine_parts(request_of("bert"))[1]
    assert (part.kind, part.bytes_, part.terms[0].name) == (PartKind.CACHE, 0, "no-cache")


def test_a_cache_scheme_of_unknown_width_is_unknown() -> None:
    part = engine_parts(request_of("llama", kv_dtype="kv-turboquant"))[1]
    assert (part.bytes_, part.why_unknown) == (None, "kv-bits-unknown")


def test_terms_add_up_to_the_cache_of_one_rank() -> None:
    for name in ("llama", "gemma3", "qwen-next", "minimax-m3", "kimi"):
        need = cache_need(request_of(name, context_tokens=8192, sequences=3))
        assert sum(term.bytes_ for term in need.terms) == pytest.approx(need.rank.figure, abs=8)


def test_an_engine_without_rules_of_its_own_is_never_exact() -> None:
    part = engine_parts(request_of("llama", engine="mistral.rs"))[1]
    assert part.certainty is Certainty.CLOSE
