"""The compute buffer that llama.cpp reserves: the widest moment of its graph, as a range.

The graph is reserved for the largest batch. Three moments can be the widest: the logits, attention
and the feed-forward part. The allocator may leave holes between them, so that the buffer is up to
the safe bound of each moment; checked against loads of twenty architectures.
"""

from dataclasses import dataclass

from matrix.domain.memory.llamacpp_cache import cells_of, layers_of
from matrix.domain.memory.llamacpp_settings import LlamaSettings
from matrix.domain.memory.llamacpp_values import LlamaShape
from matrix.domain.memory.values import Term

SOURCE = "llama.cpp 0c1e57098, ggml/src/ggml-alloc.c, src/llama-graph.cpp"
_FLOAT_BYTES = 4
# Inputs of a graph that is spread over several devices are held this many times.
_PIPELINE_COPIES = 4
_LONG_CELLS = 4096


@dataclass(frozen=True, slots=True)
class ComputeNeed:
    """What the graph takes on the devices (or the host alone) and on the host beside them.

    **Units**: bytes; the figures are the likely ones, ``high_bytes`` the safe bound of all;
    ``fullest_bytes`` is what the device takes that computes the logits.
    """

    main_bytes: int
    host_bytes: int
    high_bytes: int
    fullest_bytes: int
    fullest_high_bytes: int
    terms: tuple[Term, ...]

    @property
    def bytes_(self) -> int:
        """The likely figure."""
        return self.main_bytes + self.host_bytes


@dataclass(frozen=True, slots=True)
class _Moments:
    """Floats per token at each moment, likely and at most."""

    logits: float
    logits_high: float
    attention: float
    attention_high: float
    feed_forward: float
    feed_forward_high: float
    state: float
    state_high: float

    @property
    def inner(self) -> float:
        """The widest moment inside the layers."""
        return max(self.attention, self.feed_forward, self.state)

    @property
    def inner_high(self) -> float:
        """The widest moment inside the layers with the allocator's holes."""
        return max(self.attention_high, self.feed_forward_high, self.state_high)

    @property
    def widest(self) -> float:
        """The widest moment."""
        return max(self.logits, self.inner)

    @property
    def widest_high(self) -> float:
        """The widest moment with the allocator's holes."""
        return max(self.logits_high, self.inner_high)


def compute_need(shape: LlamaShape, settings: LlamaSettings) -> ComputeNeed:
    """The compute buffers of a model under settings."""
    layers = settings.offload_layers
    is_cut = layers is not None and 0 < layers <= shape.layers + shape.mtp_layers
    on_device = layers != 0
    moments = _moments(shape, settings, on_device=on_device)
    unit = _FLOAT_BYTES * settings.batch_tokens
    main, high = int(unit * moments.widest), int(unit * moments.widest_high)
    fullest, holes = main, high - main
    terms = [_graph_term(moments, settings, main)]
    host = 0
    if is_cut:
        # The host computes the layers that stay there, without the logits.
        own = _moments(shape, settings, on_device=False)
        host = int(unit * own.inner)
        high += int(unit * own.inner_high) - host
        terms.append(Term("compute-host", host, "4 × batch_tokens × max(attention, feed_forward)"))
    elif on_device:
        masks = _mask(shape, settings) + _window_mask(shape, settings)
        host = int(unit * (2 * shape.embedding + masks))
        numbers = {"hidden_size": shape.embedding, "mask": masks}
        expression = "4 × batch_tokens × (2 × hidden_size + mask)"
        terms.append(Term("compute-host", host, expression, numbers))
    if settings.devices > 1 and on_device and not is_cut:
        more = _pipeline_term(shape, settings, moments)
        terms.append(more)
        main += more.bytes_
        high += more.bytes_
        fullest += int(unit * _PIPELINE_COPIES * _inputs(shape, settings))
    return ComputeNeed(
        main_bytes=main,
        host_bytes=host,
        high_bytes=max(high, main) + host,
        fullest_bytes=fullest,
        fullest_high_bytes=fullest + max(holes, 0),
        terms=tuple(terms),
    )


def _inputs(shape: LlamaShape, settings: LlamaSettings) -> float:
    """Floats per token of what a graph is given: embeddings and masks."""
    return shape.embedding + _mask(shape, settings) + _window_mask(shape, settings)


def _graph_term(moments: _Moments, settings: LlamaSettings, size: int) -> Term:
    return Term(
        name="compute-graph",
        bytes_=size,
        expression="4 × batch_tokens × max(logits, attention, feed_forward, state)",
        numbers={
            "batch_tokens": settings.batch_tokens,
            "logits": moments.logits,
            "attention": moments.attention,
            "feed_forward": moments.feed_forward,
            "state": moments.state,
        },
    )


def _pipeline_term(shape: LlamaShape, settings: LlamaSettings, moments: _Moments) -> Term:
    """What devices in a row need beside one: a graph each, and their inputs held four times.

    All but the last compute no logits; each holds the inputs of the batches that are under way.
    """
    inputs = _inputs(shape, settings)
    others = moments.inner + shape.embedding
    others += (_PIPELINE_COPIES - 1) * inputs
    beside = (settings.devices - 1) * others + _PIPELINE_COPIES * inputs
    beside += (_PIPELINE_COPIES - 1) * inputs
    return Term(
        name="compute-pipeline",
        bytes_=int(_FLOAT_BYTES * settings.batch_tokens * beside),
        expression="4 × batch_tokens × ((devices − 1) × graph + copies × (hidden_size + mask))",
        numbers={"devices": settings.devices, "copies": _PIPELINE_COPIES, "graph": others},
    )


def _mask(shape: LlamaShape, settings: LlamaSettings) -> float:
    """Floats per token of the attention mask, of half size with flash attention."""
    cells = settings.cells
    if not any(shape.kv_heads):
        return 0
    return cells / 2 if settings.has_flash_attention else cells


def _window_mask(shape: LlamaShape, settings: LlamaSettings) -> float:
    """The second mask of models with a window."""
    windowed = [layer for layer in layers_of(shape) if layer.window_tokens is not None]
    if not windowed:
        return 0
    cells = cells_of(windowed[0], settings)
    return cells / 2 if settings.has_flash_attention else cells


def _moments(shape: LlamaShape, settings: LlamaSettings, *, on_device: bool) -> _Moments:
    wide = shape.embedding
    device = 1 if on_device else 0
    mask = _mask(shape, settings)
    share = settings.outputs / settings.batch_tokens
    logits = shape.vocabulary * share
    attention = _attention(shape, settings)
    width = _feed_forward_width(shape)
    second = 0 if settings.has_flash_attention else _window_mask(shape, settings)
    holes = wide * _hole_rows(shape, settings, on_device=on_device)
    return _Moments(
        logits=logits + (2 - device) * wide + 1 + holes,
        logits_high=logits + max(4 * wide + mask, 2 * width + 4 * wide, 8 * wide) + 8,
        attention=attention + mask + second + (3 - device) * wide + 5,
        attention_high=attention * (1.1 if shape.latent is None else 1.25)
        + mask
        + second
        + 5 * wide
        + 5,
        feed_forward=3 * width + (4 - device) * wide + mask + 7,
        feed_forward_high=3.3 * width + 6 * wide + mask + _window_mask(shape, settings) + 7,
        state=3.5 * _state_width(shape),
        state_high=5 * _state_width(shape) + 2 * wide + mask,
    )


def _hole_rows(shape: LlamaShape, settings: LlamaSettings, *, on_device: bool) -> int:
    """Rows of hidden size that the allocator leaves unused before the logits.

    Measured: the most frequent number of each kind of graph; it varies with the batch, which the
    range covers. Experts that every token passes leave most.
    """
    if shape.arch in {"deepseek2", "glm4moe"}:
        return 5
    if shape.shared_width:
        return 3
    if shape.arch in {"gpt-oss", "falcon-h1"}:
        return 1
    if shape.experts or on_device:
        return 0
    if shape.arch == "phi3":
        return 2 if settings.cells < _LONG_CELLS else 0
    if shape.window_tokens:
        return 0
    is_long = settings.cells >= (8 if settings.has_flash_attention else 1) * _LONG_CELLS
    return 1 if is_long else 0


def _attention(shape: LlamaShape, settings: LlamaSettings) -> float:
    scores = 0 if settings.has_flash_attention else shape.heads * settings.cells
    if shape.latent is not None:
        dims = shape.latent
        if shape.has_split_latent:
            each = 2 * dims.kv_rank + dims.rope_dim + dims.key_dim + dims.value_dim
        else:
            # Keys and values of every head are made of the latent row, then put together anew.
            each = 3 * dims.key_dim + 2 * dims.value_dim
        return scores + shape.embedding + shape.heads * each
    kv_heads = max(shape.kv_heads, default=0)
    heads = 2 * shape.heads * shape.key_dim + 2 * kv_heads * shape.key_dim
    if scores and shape.arch == "phi3":
        return scores + heads - 2 * shape.embedding
    return scores + heads


def _state_width(shape: LlamaShape) -> int:
    """Channels of a state-space layer: what is convolved and what comes out."""
    state = shape.state
    return 0 if state is None else state.conv_dim + state.inner_size


def _feed_forward_width(shape: LlamaShape) -> int:
    dense = 0 if shape.experts and not shape.dense_layers and shape.moe_step == 1 else shape.width
    return max(dense, shape.experts_used * shape.expert_width)
