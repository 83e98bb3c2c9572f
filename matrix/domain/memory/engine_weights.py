"""The weights of a serving engine: bytes by role, and what of each lies on the fullest rank."""

from dataclasses import dataclass, replace
from enum import StrEnum

from matrix.domain.memory.architectures import architecture_of
from matrix.domain.memory.engine_cache import NO_SPAN, Span, heads_on_rank
from matrix.domain.memory.engine_rules import rules_of
from matrix.domain.memory.llamacpp import llamacpp_parts
from matrix.domain.memory.parameters import RoleCounts, is_counted, parameters_by_role
from matrix.domain.memory.schemes import Reach, SchemeBits, bits_with_group, scheme_bits
from matrix.domain.memory.values import Certainty, Layout, MemoryRequest, ModelShape, Term
from matrix.domain.phrases import Phrase

_WIDE = SchemeBits(16, 16, 16, certainty=Certainty.EXACT)
# Layers of one checkpoint take more on the device than in the file: kernels lay them out anew.
# 0.3 to 2.0 % in the start-up logs of five AWQ checkpoints on one device.
_RELAYOUT_EXCESS = 0.02


class Split(StrEnum):
    """How the ranks of a layout share a role."""

    VOCABULARY = "vocabulary"
    TENSOR = "tensor"
    KEY_VALUE = "key-value"
    EXPERT = "expert"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class RoleWeights:
    """The weights of one role. **Units**: ``count`` weights, ``size`` bytes over the model."""

    name: str
    count: int
    bits: SchemeBits
    split: Split
    in_layers: bool = True

    @property
    def size(self) -> Span:
        """The bytes of the role on one copy of the model."""
        return Span(
            self.count * self.bits.low / 8,
            self.count * self.bits.bits / 8,
            self.count * self.bits.high / 8,
        )


@dataclass(frozen=True, slots=True)
class WeightsNeed:
    """What the weights take. **Units**: bytes; ``why_unknown`` is a constant code."""

    rank: Span = NO_SPAN
    everywhere: Span = NO_SPAN
    certainty: Certainty = Certainty.UNKNOWN
    terms: tuple[Term, ...] = ()
    why_unknown: str = ""


_SPLITS: tuple[tuple[str, Split, bool], ...] = (
    ("embedding", Split.VOCABULARY, False),
    ("head", Split.VOCABULARY, False),
    ("attention", Split.TENSOR, True),
    ("key_value", Split.KEY_VALUE, True),
    ("attention_replicated", Split.WHOLE, True),
    ("mlp", Split.TENSOR, True),
    ("shared_experts", Split.TENSOR, True),
    ("experts", Split.EXPERT, True),
    ("router", Split.WHOLE, True),
    ("small", Split.WHOLE, True),
    ("other", Split.TENSOR, False),
)
# Roles that schemes quantise, and the part of a checkpoint's list that leaves them alone.
_QUANTISED = {
    "attention": "attention",
    "key_value": "attention",
    "attention_replicated": "attention",
    "mlp": "dense-mlp",
    "shared_experts": "shared-experts",
    "experts": "experts",
}


def weights_need(request: MemoryRequest) -> WeightsNeed:
    """The weights of a request.

    **Raises**: MemoryInputError for a word that means several schemes.
    """
    found = scheme_bits(request.scheme)
    counts = parameters_by_role(request.shape)
    if request.weight_bytes_known is not None:
        return _known(request, request.weight_bytes_known, counts)
    if request.scheme.startswith("gguf"):
        return _of_gguf(request, counts)
    if counts is None:
        return WeightsNeed(why_unknown="parameters-unknown")
    if found is None:
        return WeightsNeed(why_unknown="scheme-bits-unknown")
    roles = [*_roles(request, counts, found), *_tables(request)]
    rank, everywhere = Span(), Span()
    for role in roles:
        rank = rank + role.size.times(_share_of_rank(role, request))
        everywhere = everywhere + role.size.times(_copies(role, request))
    if request.layout.pipeline_parallel > 1:
        ends = [role for role in roles if role.name in {"embedding", "head"}]
        rank = rank + _larger_end(ends, request)
    relayout = rules_of(request.engine).weights_excess
    if found.certainty is Certainty.CLOSE:
        relayout = max(relayout, _RELAYOUT_EXCESS)
    prediction = counts.prediction * found.bits / 8
    return WeightsNeed(
        rank=_with_high(rank, relayout, prediction / request.layout.tensor_parallel),
        everywhere=_with_high(everywhere, relayout, prediction),
        certainty=_certainty(request, counts, found),
        terms=tuple(_term(role) for role in roles if role.count),
    )


def _with_high(span: Span, relayout: float, more: float) -> Span:
    return Span(span.low, span.figure, max(span.high, span.figure * (1 + relayout)) + more)


def _of_gguf(request: MemoryRequest, counts: RoleCounts | None) -> WeightsNeed:
    """The weights of a GGUF file under another engine than llama.cpp: the file's tensors."""
    alone = replace(request, layout=Layout(), kv_dtype="", options={}, context_tokens=1)
    weights = llamacpp_parts(alone)[0]
    if weights.bytes_ is None:
        return WeightsNeed(why_unknown=weights.why_unknown)
    need = _known(request, weights.bytes_, counts)
    certainty = weights.certainty
    if certainty is Certainty.EXACT:
        certainty = Certainty.CLOSE  # What the engine keeps of the file's types is its own affair.
    return replace(need, certainty=certainty, terms=weights.terms)


def _known(request: MemoryRequest, stated: int, counts: RoleCounts | None) -> WeightsNeed:
    """Weights whose bytes are known from files; the ranks share them as they share the count."""
    whole = Span(stated, stated, stated)
    ranks = request.layout.tensor_parallel * request.layout.pipeline_parallel
    share = 1 / ranks
    if counts is not None and counts.total:
        roles = list(_roles(request, counts, _WIDE))
        size = sum(role.size.figure for role in roles) or 1.0
        share = sum(role.size.figure * _share_of_rank(role, request) for role in roles) / size
    term = Term("checkpoint-files", stated, Phrase("the bytes of the checkpoint's tensors"), {})
    return WeightsNeed(
        rank=whole.times(share),
        everywhere=whole.times(share * ranks * request.layout.data_parallel),
        certainty=Certainty.EXACT if ranks == 1 else Certainty.CLOSE,
        terms=(term,),
    )


def _roles(
    request: MemoryRequest, counts: RoleCounts, found: SchemeBits
) -> tuple[RoleWeights, ...]:
    shape = request.shape
    bits = bits_with_group(found, scheme=request.scheme, group=_group_of(request))
    roles = []
    for name, split, in_layers in _SPLITS:
        count = int(getattr(counts, name))
        if split is Split.VOCABULARY and count:
            count = _padded_vocabulary(request) * (shape.hidden_size or 0)
        roles.append(RoleWeights(name, count, _bits_of(name, request, bits), split, in_layers))
    return tuple(roles)


def _group_of(request: MemoryRequest) -> int | None:
    """The group size of the checkpoint, where its scheme is the asked one."""
    stated = request.shape.raw.get("group_size")
    is_same = request.scheme == request.shape.checkpoint_scheme
    return stated if is_same and isinstance(stated, int) else None


def _padded_vocabulary(request: MemoryRequest) -> int:
    multiple = rules_of(request.engine).vocabulary_multiple
    return -(-(request.shape.vocab_size or 0) // multiple) * multiple


def _bits_of(name: str, request: MemoryRequest, found: SchemeBits) -> SchemeBits:
    """The bits of a role under the scheme: its own, or 16 where the scheme leaves it alone."""
    if found.reach is Reach.ALL:
        return found
    part = _QUANTISED.get(name)
    if part is None:
        is_open = found.kept_parts_vary or found.certainty is Certainty.LOWER_BOUND
        # Some checkpoints of such schemes have a narrow head as well; the least must allow it.
        return replace(_WIDE, low=found.low) if name == "head" and is_open else _WIDE
    if part == "experts" and request.scheme.startswith(("mxfp4", "gpt-oss")):
        found = _padded(found, request.shape)
    if _reach(request.shape, request.scheme, found) is Reach.EXPERTS:
        return found if part == "experts" else _WIDE
    kept = _kept_parts(request)
    if kept is not None:
        return _WIDE if part in kept else found
    if found.kept_parts_vary and part in {"attention", "shared-experts"}:
        return SchemeBits((found.bits + 16) / 2, found.low, 16.0)
    if name == "experts" and _has_narrow_experts(request):
        return SchemeBits((4.25 + found.bits) / 2, 4.25, found.high)
    return found


def _padded(found: SchemeBits, shape: ModelShape) -> SchemeBits:
    """MXFP4 experts, whose sides some kernels of vLLM pad to the next 256."""
    grown = 1.0
    for side in (shape.hidden_size, shape.expert_feed_forward_size):
        if side:
            grown *= -(-side // 256) * 256 / side
    return replace(found, high=found.high * grown)


def _reach(shape: ModelShape, scheme: str, found: SchemeBits) -> Reach:
    row = architecture_of(shape.architecture)
    only = row.experts_only_schemes if row is not None else ()
    return Reach.EXPERTS if scheme.startswith(only) and only else found.reach


def _has_narrow_experts(request: MemoryRequest) -> bool:
    """DeepSeek-V4 checkpoints call themselves FP8 and keep their experts in 4 bits, or do not."""
    row = architecture_of(request.shape.architecture)
    return bool(
        row is not None
        and "DeepseekV4ForCausalLM" in row.classes
        and request.scheme.startswith("fp8")
    )


def _kept_parts(request: MemoryRequest) -> tuple[str, ...] | None:
    """The parts that the checkpoint leaves in 16 bits, where its scheme is the asked one."""
    shape = request.shape
    kept = shape.raw.get("parts_kept")
    if not isinstance(kept, tuple) or not shape.checkpoint_scheme:
        return None
    family = shape.checkpoint_scheme.split("-")[0]
    return tuple(map(str, kept)) if request.scheme.split("-")[0] == family else None


def _tables(request: MemoryRequest) -> tuple[RoleWeights, ...]:
    """The table of position angles, which vLLM and SGLang keep in 16 bits with the weights."""
    shape = request.shape
    width = shape.raw.get("qk_rope_head_dim") or shape.head_dim
    if not shape.has_cache or not isinstance(width, int) or not shape.max_context_tokens:
        return ()
    if request.engine not in {"vllm", "sglang"}:
        return ()
    count = shape.max_context_tokens * width
    return (RoleWeights("position-tables", count, _WIDE, Split.WHOLE, in_layers=False),)


def _share_of_rank(role: RoleWeights, request: MemoryRequest) -> float:
    """What of a role lies on the fullest rank; the ends of a pipeline are counted apart."""
    layout, shape = request.layout, request.shape
    stages = layout.pipeline_parallel
    if stages > 1 and role.name in {"embedding", "head"}:
        return 0.0
    layers = shape.num_layers or 1
    stage = -(-layers // stages) / layers if role.in_layers and stages > 1 else 1.0
    return stage * _share_of_tensor(role, request)


def _share_of_tensor(role: RoleWeights, request: MemoryRequest) -> float:
    layout, shape = request.layout, request.shape
    if role.split is Split.WHOLE:
        return 1.0
    if role.split is Split.KEY_VALUE:
        heads = shape.num_kv_heads or 1
        return heads_on_rank(heads, layout.tensor_parallel) / heads
    if role.split is Split.EXPERT and layout.expert_parallel > 1:
        experts = shape.num_experts or 1
        return -(-experts // layout.expert_parallel) / experts
    return 1 / layout.tensor_parallel


def _larger_end(ends: list[RoleWeights], request: MemoryRequest) -> Span:
    """The larger of embedding and head; a tied model has its embedding on both ends."""
    tensor = request.layout.tensor_parallel
    sizes = sorted((role.size.times(1 / tensor) for role in ends), key=lambda size: size.figure)
    return sizes[-1] if sizes else Span()


def _copies(role: RoleWeights, request: MemoryRequest) -> float:
    """How many times the role exists over all devices."""
    layout = request.layout
    if role.split is Split.EXPERT and layout.expert_parallel > 1:
        ranks = layout.tensor_parallel * layout.data_parallel
        return ranks * _share_of_tensor(role, request)
    return _share_of_tensor(role, request) * layout.tensor_parallel * layout.data_parallel


def _certainty(request: MemoryRequest, counts: RoleCounts, found: SchemeBits) -> Certainty:
    if found.certainty is Certainty.LOWER_BOUND:
        return Certainty.LOWER_BOUND
    if found.kept_parts_vary and _kept_parts(request) is None:
        reach = _reach(request.shape, request.scheme, found)
        return Certainty.CLOSE if reach is Reach.EXPERTS else Certainty.RANGE
    if _has_narrow_experts(request):
        return Certainty.RANGE
    excess = rules_of(request.engine).weights_excess
    exact = found.certainty is Certainty.EXACT and not counts.prediction and not excess
    return Certainty.EXACT if exact and is_counted(request.shape) else Certainty.CLOSE


def _term(role: RoleWeights) -> Term:
    return Term(
        name=f"weights-{role.name.replace('_', '-')}",
        bytes_=round(role.size.figure),
        expression="parameters × bits / 8",
        numbers={"parameters": role.count, "bits": round(role.bits.bits, 4)},
    )
