"""The estimate: parts by the engine's rules, the fullest device, the fit and the warnings."""

from collections.abc import Callable
from dataclasses import replace

from matrix.domain.memory.engine_cache import cache_need
from matrix.domain.memory.engine_ranges import CONTEXT_MOST_BYTES
from matrix.domain.memory.engine_rules import rules_of
from matrix.domain.memory.engines import engine_parts, engine_share
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.estimate_warnings import warnings_of
from matrix.domain.memory.fit import Budget, budget_of, fit_of, needs_of
from matrix.domain.memory.llamacpp import llamacpp_parts, llamacpp_share
from matrix.domain.memory.values import (
    DeviceShare,
    Fit,
    Layout,
    MemoryEstimate,
    MemoryRequest,
    Part,
)
from matrix.domain.phrases import Phrase

# llama.cpp and what is built on it: the same rules hold.
LLAMACPP_ENGINES = frozenset(
    {"llama.cpp", "ik-llama.cpp", "llama-box", "llama-cpp-python", "lm-studio", "ollama"}
)
MOST_DEVICES = 100_000
_DEVICES_TRIED = (1, 2, 4, 8, 16, 32, 64)


def uses_llamacpp_rules(request: MemoryRequest) -> bool:
    """Whether llama.cpp's rules hold: its relatives, or a GGUF scheme under no engine."""
    if request.engine in LLAMACPP_ENGINES:
        return True
    return not request.engine and request.scheme.startswith("gguf")


def estimate_memory(request: MemoryRequest) -> MemoryEstimate:
    """The memory of a request by parts, with its fit and its warnings.

    **Raises**: MemoryInputError where no estimate can be made.
    """
    check_request(request)
    parts, share = parts_and_share(request)
    rules = rules_of(request.engine)
    budget = budget_of(request, memory_share=_memory_share(request, rules.memory_share))
    share_at = _share_at(request, parts, share)
    fit = fit_of(request, parts, share, budget=budget, share_at=share_at)
    if budget is not None:
        fit = replace(fit, devices_needed=_devices_needed(request, fit, budget))
    is_llamacpp = uses_llamacpp_rules(request)
    return MemoryEstimate(
        request=request,
        parts=parts,
        share=share,
        fit=fit,
        warnings=warnings_of(request, parts, budget=budget, is_llamacpp=is_llamacpp),
    )


def parts_and_share(request: MemoryRequest) -> tuple[tuple[Part, ...], DeviceShare]:
    """The parts and the fullest device, by the rules of the request's engine."""
    if uses_llamacpp_rules(request):
        parts = llamacpp_parts(request)
        return parts, _with_context(request, llamacpp_share(request, parts))
    parts = engine_parts(request)
    return parts, engine_share(request, parts)


def _with_context(request: MemoryRequest, share: DeviceShare) -> DeviceShare:
    """The share with what a process takes of a device at once, which llama.cpp does not count."""
    if request.options.get("offload_layers") == 0:
        return share
    high = (share.overhead_high_bytes or 0) + CONTEXT_MOST_BYTES
    return replace(share, overhead_high_bytes=high)


def check_request(request: MemoryRequest) -> None:
    """Refuse a load or layout that cannot be.

    **Raises**: MemoryInputError.
    """
    layout = request.layout
    for key, value in (
        ("context_tokens", request.context_tokens),
        ("sequences", request.sequences),
        ("tensor_parallel", layout.tensor_parallel),
        ("pipeline_parallel", layout.pipeline_parallel),
        ("expert_parallel", layout.expert_parallel),
        ("data_parallel", layout.data_parallel),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise MemoryInputError(
                key=key,
                value=value,
                accepted=Phrase("a whole number from 1 on"),
                code="impossible-request",
            )
    if layout.devices > MOST_DEVICES:
        raise MemoryInputError(
            key="devices",
            value=layout.devices,
            accepted=Phrase("at most {most_devices}", most_devices=MOST_DEVICES),
            code="impossible-request",
        )
    ranks = layout.tensor_parallel * layout.data_parallel
    if ranks % layout.expert_parallel:
        raise MemoryInputError(
            key="expert_parallel", value=layout.expert_parallel, code="impossible-request",
            accepted=Phrase("a divisor of tensor parallel × data parallel, {ranks}", ranks=ranks),
        )  # fmt: skip
    layers = request.shape.num_layers
    if layers and layout.pipeline_parallel > layers and not uses_llamacpp_rules(request):
        raise MemoryInputError(
            key="pipeline_parallel", value=layout.pipeline_parallel, code="impossible-request",
            accepted=Phrase("at most {layers}, a layer for each stage", layers=layers),
        )  # fmt: skip
    if not request.scheme:
        raise MemoryInputError(
            key="quantization", value=request.scheme, code="impossible-request",
            accepted=Phrase("the scheme of the weights, for example bf16, awq-w4a16 or "
"gguf-q4-k-m"),
        )  # fmt: skip
    _check_size(request)


def _check_size(request: MemoryRequest) -> None:
    """A scheme says how wide a weight is; without a number of weights there is no size."""
    shape = request.shape
    has_size = (
        shape.parameters_total is not None
        or request.weight_bytes_known is not None
        or (shape.num_layers is not None and shape.hidden_size is not None)
    )
    if not has_size:
        raise MemoryInputError(
            key="quantization", value=request.scheme, code="no-model-size",
            accepted=Phrase("a scheme together with a model whose layers or number of weights "
"are known: a scheme tells the bits of a weight, not how many there "
"are"),
        )  # fmt: skip


def _memory_share(request: MemoryRequest, default: float) -> float:
    """What share of a device the engine takes: the option of the request, else its own."""
    stated = request.options.get("memory_share")
    if stated is None:
        return 1.0 if uses_llamacpp_rules(request) else default
    if isinstance(stated, bool) or not isinstance(stated, int | float) or not 0 < stated <= 1:
        raise MemoryInputError(
            key="memory_share", value=stated, accepted=Phrase("a number above 0 and up to 1"),
            code="impossible-request",
        )  # fmt: skip
    return float(stated)


def _share_at(
    request: MemoryRequest, parts: tuple[Part, ...], share: DeviceShare
) -> Callable[[int, int], DeviceShare]:
    """The share at another load; of serving engines only the cache depends on it."""

    def of_llamacpp(context: int, sequences: int) -> DeviceShare:
        asked = replace(request, context_tokens=context, sequences=sequences)
        return _with_context(asked, llamacpp_share(asked, llamacpp_parts(asked)))

    def of_engine(context: int, sequences: int) -> DeviceShare:
        asked = replace(request, context_tokens=context, sequences=sequences)
        cache = cache_need(asked)
        if cache.why_unknown:
            return share
        return replace(
            share,
            cache_bytes=round(cache.rank.figure),
            cache_low_bytes=round(cache.rank.low),
            cache_high_bytes=round(cache.rank.high),
        )

    return of_llamacpp if uses_llamacpp_rules(request) else of_engine


def _devices_needed(request: MemoryRequest, fit: Fit, budget: Budget) -> int | None:
    """The smallest number of devices that fits at the high end; None where none tried does.

    Serving engines by tensor parallel of powers of two that divide the heads, llama.cpp by layers.
    """
    if fit.needed_high_bytes is None:
        return None
    heads = request.shape.num_heads
    for devices in _DEVICES_TRIED:
        if uses_llamacpp_rules(request):
            layout = Layout(pipeline_parallel=devices)
        elif heads is not None and heads % devices:
            continue
        else:
            spread = devices if request.layout.expert_parallel > 1 else 1
            layout = Layout(tensor_parallel=devices, expert_parallel=spread)
        _, share = parts_and_share(replace(request, layout=layout))
        needs = needs_of(share)
        if needs is not None and needs.high <= budget.engine_bytes:
            return devices
    return None
