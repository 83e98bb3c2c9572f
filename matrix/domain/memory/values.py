"""The values of a memory estimate: a model's shape, what is asked, and the answer by parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class AttentionKind(StrEnum):
    """What a layer keeps of the tokens it has seen."""

    FULL = "full"  # K and V of every token
    SLIDING = "sliding"  # K and V of the newest ``window_tokens``
    CHUNKED = "chunked"  # K and V of the chunk of ``window_tokens`` that a token is in
    LATENT = "latent"  # one compressed row per token (MLA), the same for all heads
    RECURRENT = "recurrent"  # a state of fixed size per sequence
    NONE = "none"  # nothing: encoders, MTP layers, layers that share another's cache


@dataclass(frozen=True, slots=True)
class LayerShape:
    """One layer as far as its cache depends on it.

    **Units**: ``key_dim`` and ``value_dim`` in elements per head (of a latent layer: per token);
    ``window_tokens`` in tokens; ``state_elements`` in elements per sequence (recurrent layers),
    ``conv_elements`` the part of them that belongs to the convolution.
    """

    attention: AttentionKind
    kv_heads: int = 0
    key_dim: int = 0
    value_dim: int = 0
    window_tokens: int | None = None
    state_elements: int = 0
    conv_elements: int = 0


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What of a model decides its memory; ``None`` is unknown, never a default.

    ``layers`` is empty where the cache of the architecture is not known: then only the weights can
    be told. ``has_cache`` is off for encoders. ``max_context_tokens`` is the longest the model was
    made for. ``raw`` keeps the numbers by their names in the source, for formulas of one kind of
    architecture (``q_lora_rank``, ``n_group`` …).
    **Units**: sizes in elements, counts in layers, heads or experts, parameters in weights.
    """

    name: str
    architecture: str
    llamacpp_arch: str = ""
    num_layers: int | None = None
    hidden_size: int | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None
    head_dim: int | None = None
    feed_forward_size: int | None = None
    vocab_size: int | None = None
    tied_embeddings: bool | None = None
    max_context_tokens: int | None = None
    num_experts: int = 0
    num_experts_per_token: int = 0
    expert_feed_forward_size: int | None = None
    num_shared_experts: int = 0
    num_dense_layers: int = 0
    num_mtp_layers: int = 0
    parameters_total: int | None = None
    layers: tuple[LayerShape, ...] = ()
    has_cache: bool = True
    checkpoint_scheme: str = ""
    source: str = ""
    raw: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """Over how many devices a model is spread, and how.

    Tensor parallel × pipeline parallel × data parallel devices; expert parallel divides the
    experts among the devices of one pipeline stage.
    """

    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    expert_parallel: int = 1
    data_parallel: int = 1

    @property
    def devices(self) -> int:
        """The number of devices."""
        return self.tensor_parallel * self.pipeline_parallel * self.data_parallel


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """What is asked: a model in a scheme under an engine, with its load and its devices.

    ``scheme`` and ``kv_dtype`` are slugs of the catalogue (``gguf-q4-k-m``, ``awq-w4a16``,
    ``kv-fp8``); ``kv_dtype`` empty means the engine's default. ``engine`` is the slug of the
    framework whose rules hold (a plug-in names its upstream), empty for none in particular.
    ``options`` are further settings of the engine by name (``ubatch_tokens``, ``flash_attention``,
    ``kv_unified``, ``swa_full``, ``memory_share``, ``block_tokens``, ``outputs`` …).
    **Units**: ``weight_bytes_known`` is what the checkpoint's files or tensors hold in sum;
    ``device_memory_bytes`` what one device has in all, ``device_usable_bytes`` what programs were
    seen to get of it.
    """

    shape: ModelShape
    scheme: str
    engine: str = ""
    version: str = ""
    context_tokens: int = 4096
    sequences: int = 1
    kv_dtype: str = ""
    layout: Layout = field(default_factory=Layout)
    weight_bytes_known: int | None = None
    device_memory_bytes: int | None = None
    device_usable_bytes: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)


class PartKind(StrEnum):
    """The four parts of an estimate."""

    WEIGHTS = "weights"
    CACHE = "kv-cache"
    COMPUTE = "compute"
    OVERHEAD = "overhead"


class Certainty(StrEnum):
    """How a figure was come by."""

    EXACT = "exact"  # the arithmetic of the engine, checked against loads
    CLOSE = "close"  # arithmetic with the checkpoint's unknown details left out
    RANGE = "range"  # what was measured on like loads, from least to most
    LOWER_BOUND = "lower-bound"  # at least this much
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a formula: ``bytes_`` = ``expression`` with the numbers put in.

    ``name`` is a constant code with words in the pages; ``expression`` is plain arithmetic in
    terms of the shape's names, ``numbers`` their values.
    """

    name: str
    bytes_: int
    expression: str
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an estimate over all devices: ``bytes_`` the figure, low and high its range.

    All three are ``None`` when the part is unknown, and ``why_unknown`` is a constant code.
    """

    kind: PartKind
    certainty: Certainty
    bytes_: int | None = None
    low_bytes: int | None = None
    high_bytes: int | None = None
    terms: tuple[Term, ...] = ()
    source: str = ""
    why_unknown: str = ""


@dataclass(frozen=True, slots=True)
class DeviceShare:
    """What lies on the fullest device. **Units**: bytes; ``None`` unknown.

    The low and high bytes of weights and cache are ``None`` where their figure is exact.
    """

    weights_bytes: int | None
    cache_bytes: int | None
    compute_low_bytes: int | None
    compute_high_bytes: int | None
    overhead_low_bytes: int | None
    overhead_high_bytes: int | None
    host_bytes: int = 0
    weights_low_bytes: int | None = None
    weights_high_bytes: int | None = None
    cache_low_bytes: int | None = None
    cache_high_bytes: int | None = None


class FitLevel(StrEnum):
    """Whether it fits; an estimate alone never vetoes, see rule 8 of the verdict rules."""

    FITS = "fits"  # also at the high end of every range
    TIGHT = "tight"  # at the low end only
    EXCEEDS = "exceeds"  # not even at the low end, by an estimate
    DOES_NOT_FIT = "does-not-fit"  # the weights alone exceed it, by a lower bound or exact bytes
    UNKNOWN = "unknown"


class FailurePoint(StrEnum):
    """Where it would run out of memory."""

    LOAD = "load"  # the weights
    WARM_UP = "warm-up"  # profiling, graphs, the cache's reservation
    SERVICE = "service"  # the asked context and concurrency


@dataclass(frozen=True, slots=True)
class Fit:
    """The estimate against the devices.

    ``points`` says for each failure point whether it is passed at the high end, at the low end
    only, or not. ``largest_context_tokens`` is for the asked number of sequences,
    ``largest_sequences`` for the asked context, both at the high end of every range, and
    ``…_at_best`` at the low end; ``None`` unknown, 0 none. ``engine_bytes`` is the engine's share
    of what is usable (vLLM: ``gpu_memory_utilization``), which the need is measured against.
    **Units**: bytes per device.
    """

    level: FitLevel
    usable_bytes: int | None = None
    usable_source: str = ""
    needed_low_bytes: int | None = None
    needed_high_bytes: int | None = None
    headroom_bytes: int | None = None
    points: Mapping[FailurePoint, FitLevel] = field(default_factory=dict)
    largest_context_tokens: int | None = None
    largest_sequences: int | None = None
    largest_context_at_best_tokens: int | None = None
    largest_sequences_at_best: int | None = None
    engine_bytes: int | None = None
    devices_needed: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """The answer: four parts in the order of PartKind, the fullest device, and the fit.

    ``warnings`` are constant codes with their facts, each with words in the pages.
    """

    request: MemoryRequest
    parts: tuple[Part, ...]
    share: DeviceShare
    fit: Fit
    warnings: tuple[tuple[str, Mapping[str, object]], ...] = ()

    def part(self, kind: PartKind) -> Part:
        """The part of a kind."""
        return next(part for part in self.parts if part.kind is kind)
