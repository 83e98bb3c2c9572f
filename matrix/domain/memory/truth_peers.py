"""Other estimators' errors beside ours on the same rows."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.llamacpp import llamacpp_parts
from matrix.domain.memory.parameters import parameters_by_role
from matrix.domain.memory.truth_requests import size_request
from matrix.domain.memory.truth_sums import median_of, percentile_of
from matrix.domain.memory.values import AttentionKind, LayerShape, ModelShape, PartKind

ShapeOf = Callable[[str], ModelShape | None]


@dataclass(frozen=True, slots=True)
class PeerLine:
    """One estimator and quantity.

    ``rows`` is how many both answer: all errors are over those. ``no_answer`` is how many the
    other leaves open, ``own_rows`` how many are answered here. **Units**: shares, absolute.
    """

    peer: str
    what: str
    rows: int
    no_answer: int
    median: float
    worst: float
    own_rows: int
    own_median: float
    own_worst: float


def compare_peers(rows: Sequence[Mapping[str, object]], *, shape_of: ShapeOf) -> list[PeerLine]:
    """The errors by estimator and quantity, over the rows that both give a figure for."""
    grouped: dict[tuple[str, str], list[Mapping[str, object]]] = defaultdict(list)
    for row in rows:
        grouped[str(row["peer"]), str(row["what"])].append(row)
    return [_line(peer, what, own, shape_of) for (peer, what), own in sorted(grouped.items())]


def _line(
    peer: str, what: str, rows: Sequence[Mapping[str, object]], shape_of: ShapeOf
) -> PeerLine:
    theirs: list[float] = []
    ours: list[float] = []
    no_answer = own_rows = 0
    for row in rows:
        truth, value = row["truth"], row["value"]
        if not isinstance(truth, int | float) or not truth:
            continue
        own = _own_value(str(row["model"]), what, shape_of)
        no_answer += not isinstance(value, int | float)
        own_rows += own is not None
        if own is not None and isinstance(value, int | float):
            theirs.append(value / truth - 1)
            ours.append(own / truth - 1)
    return PeerLine(
        peer=peer,
        what=what,
        rows=len(theirs),
        no_answer=no_answer,
        median=median_of(theirs),
        worst=percentile_of(theirs, 1.0),
        own_rows=own_rows,
        own_median=median_of(ours),
        own_worst=percentile_of(ours, 1.0),
    )


def _own_value(model: str, what: str, shape_of: ShapeOf) -> int | None:
    try:
        if what.startswith("gguf_"):
            return _own_gguf(model, what, shape_of)
        shape = shape_of(model)
        if shape is None:
            return None
        return _own_weights(shape) if what == "weights_bf16" else _own_cache(shape, what)
    except MemoryInputError:
        return None


def _own_gguf(model: str, what: str, shape_of: ShapeOf) -> int | None:
    """A file is named by its model and its file type, with a hyphen between them."""
    name, _, quant = model.removesuffix(".gguf").rpartition("-")
    shape = shape_of(name)
    if shape is None:
        return None
    parts = {part.kind: part for part in llamacpp_parts(size_request(quant, shape))}
    if what == "gguf_kv_4096":
        return parts[PartKind.CACHE].bytes_
    terms = parts[PartKind.WEIGHTS].terms
    return next((term.bytes_ for term in terms if term.name == "gguf-tensors"), None)


def _own_weights(shape: ModelShape) -> int | None:
    counted = parameters_by_role(shape)
    return None if counted is None else 2 * counted.total


def _own_cache(shape: ModelShape, what: str) -> int | None:
    """Keys and values of 16 bits for one sequence, each window full."""
    tokens = int(what.rpartition("_")[2])
    return sum(_layer_bytes(layer, tokens) for layer in shape.layers) or None


def _layer_bytes(layer: LayerShape, tokens: int) -> int:
    held = tokens if layer.window_tokens is None else min(tokens, layer.window_tokens)
    if layer.attention is AttentionKind.LATENT:
        return 2 * held * layer.key_dim
    return 2 * held * layer.kv_heads * (layer.key_dim + layer.value_dim)
