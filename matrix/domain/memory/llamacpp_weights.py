"""Where llama.cpp puts a file's tensors: on the devices, mapped on the host, laid out anew."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from matrix.domain.memory.gguf_mix import TypedTensor, typed_tensors
from matrix.domain.memory.llamacpp_values import LlamaShape

SOURCE = "llama.cpp 0c1e57098, src/llama-model.cpp, ggml/src/ggml-cpu/repack.cpp"
ALIGNMENT_BYTES = 32
# Types that the CPU backend lays out anew with AVX-512, where the rows come by eights.
_REPACKED_TYPES = frozenset({"Q2_K", "Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})
_REPACKED_ROWS = 8
_EMBEDDING = "token_embd.weight"


@dataclass(frozen=True, slots=True)
class WeightPlaces:
    """The bytes of a file's tensors and where they lie once it is loaded.

    **Units**: bytes. ``file_bytes`` is all tensors, MTP layers too; ``device_bytes`` lies on the
    devices; ``host_bytes`` in main memory, ``repacked_bytes`` of main memory beside it;
    ``twice_bytes`` is what of tied embeddings lies on host and device alike.
    """

    file_bytes: int
    device_bytes: int
    host_bytes: int
    repacked_bytes: int
    twice_bytes: int

    @property
    def all_bytes(self) -> int:
        """Everything that is taken somewhere."""
        return self.device_bytes + self.host_bytes + self.repacked_bytes


@lru_cache(maxsize=256)
def place_weights(
    shape: LlamaShape,
    file_type: str,
    *,
    offload_layers: int | None,
    uses_mmap: bool = True,
    repacks: bool = True,
    experts_type: str = "",
) -> WeightPlaces:
    """The places; ``offload_layers`` ``None`` puts every layer and the output on devices."""
    every = typed_tensors(shape, file_type, experts_type)
    # llama.cpp leaves MTP layers in the file unless it is told to use them.
    loaded = [one for one in every if one.tensor.layer < shape.layers]
    count = shape.layers + shape.mtp_layers
    first = 0 if offload_layers is None else max(count + 1 - offload_layers, 0)
    has_device = offload_layers != 0
    on_device = [one for one in loaded if has_device and _is_offloaded(one, shape, first)]
    names = {one.tensor.name for one in on_device}
    on_host = [one for one in loaded if one.tensor.name not in names]
    embedding = next(one.bytes_ for one in loaded if one.tensor.name == _EMBEDDING)
    twice = embedding if has_device and shape.tied else 0
    again = [one for one in on_host if repacks and _is_repacked(one)]
    return WeightPlaces(
        file_bytes=sum(one.bytes_ for one in every),
        device_bytes=sum(one.bytes_ for one in on_device) + twice,
        host_bytes=_host_bytes(loaded, keep=on_host, again=again, uses_mmap=uses_mmap),
        repacked_bytes=sum(one.bytes_ for one in again),
        twice_bytes=twice,
    )


@lru_cache(maxsize=256)
def fullest_device_bytes(
    shape: LlamaShape, file_type: str, *, devices: int, experts_type: str = ""
) -> int:
    """What the fullest device holds when the layers and the output are spread evenly."""
    held = [0] * devices
    places = shape.layers + 1
    for one in typed_tensors(shape, file_type, experts_type):
        layer = shape.layers if one.tensor.layer < 0 else one.tensor.layer
        is_input = one.tensor.name == _EMBEDDING and not shape.tied
        if layer < places and not is_input:
            held[layer * devices // places] += one.bytes_
    return max(held)


def _is_offloaded(one: TypedTensor, shape: LlamaShape, first: int) -> bool:
    """Blocks from ``first`` on; the output counts as the layer after the last."""
    if one.tensor.name == _EMBEDDING:
        return False
    layer = shape.layers if one.tensor.layer < 0 else one.tensor.layer
    return layer >= first


def _is_repacked(one: TypedTensor) -> bool:
    tensor = one.tensor
    if one.type_name not in _REPACKED_TYPES or tensor.rows % _REPACKED_ROWS:
        return False
    if tensor.dimensions == 2:
        return tensor.name != _EMBEDDING
    return "_exps." in tensor.name


def _host_bytes(
    loaded: Iterable[TypedTensor],
    *,
    keep: list[TypedTensor],
    again: list[TypedTensor],
    uses_mmap: bool,
) -> int:
    """What of the file is mapped: from the first tensor that stays in place to the last."""
    moved = {one.tensor.name for one in again}
    stay = {one.tensor.name for one in keep} - moved
    if not uses_mmap:
        return sum(one.bytes_ for one in keep if one.tensor.name in stay)
    offset = 0
    start, end = None, 0
    for one in loaded:
        if one.tensor.name in stay:
            start = offset if start is None else start
            end = offset + one.bytes_
        offset += -(-one.bytes_ // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
    return end - (start or 0)
