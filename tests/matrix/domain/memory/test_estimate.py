"""The whole estimate: refusals, fit, failure points, what would fit, warnings."""

from dataclasses import replace
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.domain.memory.config import shape_from_config
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.estimate import estimate_memory
from matrix.domain.memory.estimate_warnings import WARNING_CODES
from matrix.domain.memory.fit import largest_that, needs_of
from matrix.domain.memory.values import (
    Certainty,
    FailurePoint,
    FitLevel,
    Layout,
    MemoryEstimate,
    MemoryRequest,
    ModelShape,
    PartKind,
)
from tests.matrix.domain.memory import configs

GIB = 1024**3


def request_of(name: str = "llama", **changes: object) -> MemoryRequest:
    shape = shape_from_config(configs.ALL[name], name=name)
    plain = MemoryRequest(shape=shape, scheme="bf16", engine="vllm", version="0.12.0")
    return replace(plain, **changes)  # type: ignore[arg-type]


def codes_of(estimate: MemoryEstimate) -> set[str]:
    return {code for code, _ in estimate.warnings}


def test_the_parts_come_in_their_order() -> None:
    for engine in ("vllm", "llama.cpp"):
        estimate = estimate_memory(request_of(engine=engine))
        assert [part.kind for part in estimate.parts] == list(PartKind)


def test_a_scheme_without_a_model_is_refused_with_the_reason() -> None:
    shape = ModelShape(name="", architecture="LlamaForCausalLM")
    with pytest.raises(MemoryInputError) as refused:
        estimate_memory(MemoryRequest(shape=shape, scheme="gguf-q4-k-m"))
    assert refused.value.code == "no-model-size"


@pytest.mark.parametrize(
    "changes",
    [
        {"context_tokens": 0},
        {"context_tokens": -1},
        {"sequences": 0},
        {"sequences": True},
        {"scheme": ""},
        {"layout": Layout(tensor_parallel=0)},
        {"layout": Layout(tensor_parallel=2, expert_parallel=8)},
        {"layout": Layout(tensor_parallel=400, pipeline_parallel=400)},
        {"layout": Layout(pipeline_parallel=1_000)},
        {"options": {"memory_share": 1.5}},
        {"options": {"memory_share": "most"}},
    ],
)
def test_a_load_that_cannot_be_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(MemoryInputError) as refused:
        estimate_memory(request_of(**changes))
    assert refused.value.code == "impossible-request"


def test_without_a_device_the_fit_is_unknown_and_the_need_is_told() -> None:
    estimate = estimate_memory(request_of())
    assert estimate.fit.level is FitLevel.UNKNOWN
    assert estimate.fit.needed_low_bytes is not None
    assert "device-memory-unknown" in codes_of(estimate)


def test_ample_memory_fits_also_at_the_high_end() -> None:
    fit = estimate_memory(request_of(device_usable_bytes=79 * GIB)).fit
    assert fit.level is FitLevel.FITS
    assert set(fit.points.values()) == {FitLevel.FITS}
    assert fit.devices_needed == 1
    assert fit.headroom_bytes is not None and fit.headroom_bytes > 0
    assert fit.largest_context_tokens == 131_072


def test_the_engines_share_of_a_device_limits_the_service() -> None:
    needs = needs_of(estimate_memory(request_of()).share)
    assert needs is not None
    device = needs.high + 1024
    assert estimate_memory(request_of(device_usable_bytes=device)).fit.level is not FitLevel.FITS
    whole = request_of(device_usable_bytes=device, options={"memory_share": 1.0})
    assert estimate_memory(whole).fit.level is FitLevel.FITS


def test_weights_beyond_the_device_certainly_do_not_fit() -> None:
    fit = estimate_memory(request_of(device_usable_bytes=14 * GIB)).fit
    assert fit.level is FitLevel.DOES_NOT_FIT
    assert fit.points[FailurePoint.LOAD] is FitLevel.DOES_NOT_FIT
    assert fit.largest_context_tokens == 0


def test_a_stated_size_alone_vetoes_only_beyond_both_readings_of_its_gigabytes() -> None:
    stated = request_of(device_memory_bytes=16_000_000_000)
    assert estimate_memory(stated).fit.level is FitLevel.EXCEEDS
    small = request_of(device_memory_bytes=14_000_000_000)
    assert estimate_memory(small).fit.level is FitLevel.DOES_NOT_FIT


def test_a_cache_beyond_the_device_exceeds_by_an_estimate_only() -> None:
    fit = estimate_memory(
        request_of(device_usable_bytes=24 * GIB, context_tokens=131_072, sequences=8)
    ).fit
    assert fit.level is FitLevel.EXCEEDS
    assert fit.points[FailurePoint.LOAD] is FitLevel.FITS
    assert fit.points[FailurePoint.SERVICE] is FitLevel.EXCEEDS


def test_qwen3_32b_awq_on_two_t4_is_tight() -> None:
    estimate = estimate_memory(
        request_of(
            "qwen3",
            scheme="awq-w4a16",
            context_tokens=8192,
            layout=Layout(tensor_parallel=2),
            device_usable_bytes=int(14.56 * GIB),
        )
    )
    assert estimate.fit.level is FitLevel.TIGHT
    assert estimate.fit.largest_context_at_best_tokens is not None
    assert estimate.fit.largest_context_at_best_tokens > 8192
    assert estimate.share.weights_bytes is not None
    assert 8.5 * GIB < estimate.share.weights_bytes < 9.5 * GIB


def test_the_largest_load_fits_and_one_more_does_not() -> None:
    request = request_of(device_usable_bytes=22 * GIB)
    found = estimate_memory(request).fit.largest_context_tokens
    assert found is not None and 0 < found < 131_072
    at = estimate_memory(replace(request, context_tokens=found)).fit
    beyond = estimate_memory(replace(request, context_tokens=found + 1)).fit
    assert (at.level, beyond.level) == (FitLevel.FITS, FitLevel.TIGHT)


def test_an_unknown_architecture_never_fits_by_its_weights_alone() -> None:
    shape = shape_from_config(
        {**configs.LLAMA_8B, "architectures": ["Nova"], "model_type": "nova",
         "parameters_total": 8_030_261_248}
    )  # fmt: skip
    request = request_of(shape=shape, device_usable_bytes=79 * GIB)
    estimate = estimate_memory(request)
    assert estimate.fit.level is FitLevel.UNKNOWN
    assert estimate.part(PartKind.CACHE).certainty is Certainty.UNKNOWN
    assert "unknown-architecture" in codes_of(estimate)
    small = estimate_memory(replace(request, device_usable_bytes=10 * GIB))
    assert small.fit.level is FitLevel.DOES_NOT_FIT


def test_an_encoder_fits_without_a_cache() -> None:
    estimate = estimate_memory(request_of("bert", device_usable_bytes=14 * GIB))
    assert estimate.fit.level is FitLevel.FITS
    assert estimate.fit.largest_context_tokens is None
    assert "encoder-without-cache" in codes_of(estimate)


def test_llamacpp_rules_hold_for_its_relatives_and_for_gguf_without_an_engine() -> None:
    shape = replace(request_of().shape, parameters_total=8_030_261_248)
    for engine in ("llama.cpp", "ollama", ""):
        estimate = estimate_memory(MemoryRequest(shape=shape, scheme="gguf-q4-k-m", engine=engine))
        assert estimate.part(PartKind.WEIGHTS).certainty is Certainty.EXACT


def test_a_process_takes_something_of_a_device_that_llamacpp_does_not_count() -> None:
    request = request_of(engine="llama.cpp", scheme="gguf-q4-k-m")
    estimate = estimate_memory(request)
    assert estimate.share.overhead_high_bytes == round(0.6 * GIB)
    assert "device-context-added" in codes_of(estimate)
    on_host = estimate_memory(replace(request, options={"offload_layers": 0}))
    assert on_host.share.overhead_high_bytes == 0


def test_the_largest_model_that_is_read_is_estimated_in_a_second() -> None:
    config = {**configs.LLAMA_8B, "num_hidden_layers": 2000}
    shape = shape_from_config(config)
    started = perf_counter()
    estimate_memory(request_of(shape=shape, device_usable_bytes=10**14))
    assert perf_counter() - started < 5  # A second on a machine of its own.


def test_llamacpp_tells_how_many_tokens_fit() -> None:
    request = request_of(engine="llama.cpp", scheme="gguf-q4-k-m", device_usable_bytes=8 * GIB)
    fit = estimate_memory(request).fit
    assert fit.level is FitLevel.FITS
    assert fit.largest_context_tokens is not None and fit.largest_context_tokens > 4096


@pytest.mark.parametrize(
    ("name", "changes", "code"),
    [
        ("llama", {"context_tokens": 200_000}, "context-beyond-model"),
        ("llama", {"layout": Layout(tensor_parallel=3)}, "heads-not-divisible"),
        ("llama", {"layout": Layout(tensor_parallel=16)}, "kv-heads-replicated"),
        ("llama", {"scheme": "gptq"}, "scheme-lower-bound"),
        ("llama", {"scheme": "nvfp4"}, "kept-parts-vary"),
        ("llama", {"engine": "xllm"}, "engine-rules-borrowed"),
        ("llama", {"engine": "sglang"}, "weights-by-free-memory"),
        ("llama", {"device_memory_bytes": 80 * 10**9}, "device-usable-unknown"),
        ("llama", {"device_usable_bytes": 80 * 10**9}, "engine-share"),
        ("llama", {}, "head-size-derived"),
        ("deepseek", {"layout": Layout(tensor_parallel=8)}, "latent-replicated"),
        ("gemma3", {"version": "0.8.0"}, "windows-not-freed"),
        ("qwen-next", {}, "hybrid-allocator"),
        ("qwen3", {}, "compute-scaled"),
        ("kimi", {}, "vision-parts-not-counted"),
    ],
)
def test_what_a_reader_must_know_is_said(name: str, changes: dict[str, object], code: str) -> None:
    found = codes_of(estimate_memory(request_of(name, **changes)))
    assert code in found
    assert found <= set(WARNING_CODES)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(configs.ALL)),
    scheme=st.sampled_from(["bf16", "awq-w4a16", "fp8", "nvfp4", "gptq", "exl2"]),
    engine=st.sampled_from(["vllm", "sglang", "tensorrt-llm", "lmdeploy", "xllm", ""]),
    tokens=st.integers(1, 300_000),
    sequences=st.integers(1, 512),
    tensor=st.sampled_from([1, 2, 3, 8, 16]),
    pipeline=st.sampled_from([1, 2, 7]),
)
def test_every_part_lies_within_its_range_and_grows_with_the_load(
    *,
    name: str,
    scheme: str,
    engine: str,
    tokens: int,
    sequences: int,
    tensor: int,
    pipeline: int,
) -> None:
    request = request_of(
        name,
        scheme=scheme,
        engine=engine,
        context_tokens=tokens,
        sequences=sequences,
        layout=Layout(tensor_parallel=tensor, pipeline_parallel=pipeline),
    )
    estimate = estimate_memory(request)
    for part in estimate.parts:
        if part.bytes_ is None:
            assert part.why_unknown
            continue
        assert part.low_bytes is not None and part.high_bytes is not None
        assert 0 <= part.low_bytes <= part.bytes_ <= part.high_bytes
    more = estimate_memory(replace(request, context_tokens=tokens + 100, sequences=sequences + 1))
    if estimate.share.cache_bytes is not None and more.share.cache_bytes is not None:
        assert more.share.cache_bytes >= estimate.share.cache_bytes


@given(limit=st.integers(0, 1000))
def test_the_largest_that_fits_is_found(limit: int) -> None:
    assert largest_that(lambda number: number <= limit, most=900) == min(limit, 900)
