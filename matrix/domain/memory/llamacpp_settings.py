"""llama.cpp's settings read from a request, with what it refuses."""

from collections.abc import Mapping
from dataclasses import dataclass

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.ggml_types import GGML_TYPES
from matrix.domain.memory.values import MemoryRequest
from matrix.domain.phrases import Phrase

_PAD_TOKENS = 256
_KV_TYPES: Mapping[str, str] = {
    "kv-f32": "F32",
    "kv-f16": "F16",
    "kv-bf16": "BF16",
    "kv-q8-0": "Q8_0",
    "kv-q4-0": "Q4_0",
    "kv-q4-1": "Q4_1",
    "kv-q5-0": "Q5_0",
    "kv-q5-1": "Q5_1",
    "kv-iq4-nl": "IQ4_NL",
}
_HALF_TYPES = frozenset({"F32", "F16", "BF16"})


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """What of the settings the memory depends on.

    **Units**: tokens; ``outputs`` is for how many tokens logits are kept, ``offload_layers`` counts
    the output layer as one, and ``None`` means all layers.
    """

    context_tokens: int
    sequences: int
    sequence_tokens: int
    batch_tokens: int
    batch_tokens_asked: int
    key_type: str
    value_type: str
    has_flash_attention: bool
    is_unified: bool
    keeps_full_window: bool
    outputs: int
    output_sequences: int
    offload_layers: int | None
    devices: int
    uses_mmap: bool
    repacks: bool

    @property
    def streams(self) -> int:
        """How many caches of their own the sequences have."""
        return 1 if self.is_unified else self.sequences

    @property
    def cells(self) -> int:
        """Tokens that one cache holds."""
        return self.context_tokens if self.is_unified else self.sequence_tokens


def pad_tokens(tokens: int) -> int:
    """The next whole number of the blocks that llama.cpp pads a cache to."""
    return -(-tokens // _PAD_TOKENS) * _PAD_TOKENS


def settings_of(request: MemoryRequest) -> LlamaSettings:
    """The settings, with llama.cpp's own defaults. **Raises** MemoryInputError where it refuses."""
    options = request.options
    sequences = _positive("sequences", request.sequences)
    asked = _positive("context_tokens", request.context_tokens)
    is_total = _flag(options, "context_is_total", False)
    is_unified = _flag(options, "kv_unified", False)
    context = pad_tokens(asked if is_total else asked * sequences)
    sequence = context if is_unified else pad_tokens(context // sequences)
    if not is_unified:
        context = sequence * sequences
    asked_batch = _positive("ubatch_tokens", options.get("ubatch_tokens", 512))
    batch = min(asked_batch, context)
    offload = options.get("offload_layers")
    default_outputs = options.get("outputs")
    outputs = batch if default_outputs is None else _positive("outputs", default_outputs)
    settings = LlamaSettings(
        context_tokens=context,
        sequences=sequences,
        sequence_tokens=sequence,
        batch_tokens=batch,
        batch_tokens_asked=asked_batch,
        key_type=_cache_type("type_k", options.get("type_k"), request.kv_dtype),
        value_type=_cache_type("type_v", options.get("type_v"), request.kv_dtype),
        has_flash_attention=_flag(options, "flash_attention", True),
        is_unified=is_unified,
        keeps_full_window=_flag(options, "swa_full", False),
        outputs=min(outputs, batch),
        output_sequences=sequences,
        offload_layers=offload if isinstance(offload, int) else None,
        devices=request.layout.devices,
        uses_mmap=_flag(options, "mmap", True),
        repacks=_flag(options, "repack", True),
    )
    if settings.value_type not in _HALF_TYPES and not settings.has_flash_attention:
        raise MemoryInputError(
            key="type_v",
            value=settings.value_type.lower(),
            accepted=Phrase("f32, f16 or bf16 while flash attention is off, as llama.cpp requires"),
            code="refused-by-engine",
        )
    return settings


def refuse_unlike_types(settings: LlamaSettings) -> None:
    """Refuses what llama.cpp refuses of latent attention: K and V of different types."""
    if settings.key_type != settings.value_type:
        raise MemoryInputError(
            key="type_k",
            value=settings.key_type.lower(),
            accepted=Phrase(
                "the type of V ({value_type}), for latent attention",
                value_type=settings.value_type.lower(),
            ),
            code="refused-by-engine",
        )


def refuse_broken_heads(settings: LlamaSettings, *, key_dim: int, value_dim: int) -> None:
    """Refuses a quantised cache whose blocks do not divide the heads, as llama.cpp does."""
    if not settings.has_flash_attention:
        return
    for key, name, size in (
        ("type_k", settings.key_type, key_dim),
        ("type_v", settings.value_type, value_dim),
    ):
        kind = GGML_TYPES[name]
        if not kind.fits(size):
            raise MemoryInputError(
                key=key,
                value=name.lower(),
                accepted=Phrase(
                    "a type whose block divides the head of {size} elements", size=size
                ),
                code="refused-by-engine",
            )


def _positive(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise MemoryInputError(
            key=key,
            value=value,
            accepted=Phrase("a whole number from 1 on"),
            code="impossible-request",
        )
    return value


def _flag(options: Mapping[str, object], name: str, default: bool) -> bool:
    value = options.get(name)
    return value if isinstance(value, bool) else default


def _cache_type(key: str, stated: object, kv_dtype: str) -> str:
    if isinstance(stated, str) and stated:
        name = stated.upper()
        if name in GGML_TYPES:
            return name
    elif stated is None:
        if not kv_dtype:
            return "F16"
        if kv_dtype in _KV_TYPES:
            return _KV_TYPES[kv_dtype]
        stated = kv_dtype
    raise MemoryInputError(
        key=key,
        value=stated,
        accepted=", ".join(sorted(_KV_TYPES)),
        code="refused-by-engine",
    )
