"""llama.cpp's memory by parts: the file's tensors, the cache, the graph's buffers, the output."""

from collections.abc import Mapping

from matrix.domain.memory.gguf_mix import BASE_TYPES, SAME_AS, lowest_bits
from matrix.domain.memory.gguf_tensors import parameters_of
from matrix.domain.memory.llamacpp_cache import SOURCE as CACHE_SOURCE
from matrix.domain.memory.llamacpp_cache import cache_terms, fullest_cache_bytes, layers_of
from matrix.domain.memory.llamacpp_compute import SOURCE as COMPUTE_SOURCE
from matrix.domain.memory.llamacpp_compute import compute_need
from matrix.domain.memory.llamacpp_settings import LlamaSettings, settings_of
from matrix.domain.memory.llamacpp_shape import BY_NUMBER_ONLY, llama_shape_of
from matrix.domain.memory.llamacpp_values import LlamaShape
from matrix.domain.memory.llamacpp_weights import SOURCE as WEIGHTS_SOURCE
from matrix.domain.memory.llamacpp_weights import (
    WeightPlaces,
    fullest_device_bytes,
    place_weights,
)
from matrix.domain.memory.values import (
    AttentionKind,
    Certainty,
    DeviceShare,
    MemoryRequest,
    ModelShape,
    Part,
    PartKind,
    Term,
)
from matrix.domain.phrases import Phrase

# Schemes that are no GGUF file type by name but that a GGUF file can hold.
_PLAIN_SCHEMES: Mapping[str, str] = {
    "bf16": "BF16",
    "fp16": "F16",
    "fp32": "F32",
    "gguf-mxfp4": "MXFP4_MOE",
    "mxfp4": "MXFP4_MOE",
}
WHY_UNKNOWN = ("no-gguf-inventory", "unknown-file-type", "unknown-cache-shape", "no-parameters")
WARNINGS = (
    "compute-may-be-more",
    "gguf-mix-may-differ",
    "pipeline-copies-vary",
    "experts-on-host-not-counted",
    "older-latent-cache",
)
# Public files differ by up to this from what llama-quantize makes under the same name: other
# mixes, older rules, weights that were trained quantised.
_OTHER_MIX = 0.08
# A compute buffer below this share of everything changes no answer.
_WORTH_A_WARNING = 0.03


def file_type_of(scheme: str) -> str | None:
    """The GGUF file type of a scheme's slug, ``None`` where it names none."""
    if scheme in _PLAIN_SCHEMES:
        return _PLAIN_SCHEMES[scheme]
    word = scheme.removeprefix("gguf-").replace("-", "_").upper()
    word = SAME_AS.get(word, word)
    return word if word in BASE_TYPES and scheme.startswith("gguf-") else None


def llamacpp_parts(request: MemoryRequest) -> tuple[Part, ...]:
    """The four parts over all devices and the host.

    **Raises**: MemoryInputError for settings that llama.cpp refuses.
    """
    settings = settings_of(request)
    llama = llama_shape_of(request.shape)
    return (
        _weights(request, llama, settings),
        _cache(request.shape, llama, settings),
        _compute(llama, settings),
        _output(request.shape, settings),
    )


def llamacpp_share(request: MemoryRequest, parts: tuple[Part, ...]) -> DeviceShare:
    """What lies on the fullest device when layers are spread evenly, and what on the host."""
    settings = settings_of(request)
    llama = llama_shape_of(request.shape)
    by_kind = {part.kind: part for part in parts}
    weights, cache = by_kind[PartKind.WEIGHTS].bytes_, by_kind[PartKind.CACHE].bytes_
    compute = by_kind[PartKind.COMPUTE]
    host = by_kind[PartKind.OVERHEAD].bytes_ or 0
    low, high = compute.low_bytes, compute.high_bytes
    file_type = file_type_of(request.scheme)
    if llama is not None and file_type is not None and settings.offload_layers != 0:
        places = _places(request, llama, file_type, settings)
        need = compute_need(llama, settings)
        weights = places.device_bytes + _difference(request, places)
        if settings.offload_layers is None and settings.devices > 1:
            even = fullest_device_bytes(
                llama,
                file_type,
                devices=settings.devices,
                experts_type=_experts_type(request, llama),
            )
            # As the sum of all devices: it is divided among them below.
            weights = even * settings.devices + _difference(request, places)
        host += places.host_bytes + places.repacked_bytes + need.host_bytes
        low, high = need.fullest_bytes, need.fullest_high_bytes
    fullest = _of_fullest(weights, settings.devices)
    return DeviceShare(
        weights_bytes=fullest,
        cache_bytes=_cache_of_fullest(cache, request.shape, llama, settings),
        compute_low_bytes=low,
        compute_high_bytes=high,
        overhead_low_bytes=0,
        overhead_high_bytes=0,
        host_bytes=host,
        weights_low_bytes=_of_other_mix(request, fullest, -1),
        weights_high_bytes=_of_other_mix(request, fullest, 1),
    )


def llamacpp_warnings(
    request: MemoryRequest, parts: tuple[Part, ...]
) -> tuple[tuple[str, Mapping[str, object]], ...]:
    """What of the estimate may be more than it says, as constant codes with their facts."""
    found: list[tuple[str, Mapping[str, object]]] = []
    by_kind = {part.kind: part for part in parts}
    compute, weights = by_kind[PartKind.COMPUTE], by_kind[PartKind.WEIGHTS]
    total = sum(part.bytes_ or 0 for part in parts)
    low, high = compute.bytes_, compute.high_bytes
    if low is not None and high is not None and high - low > _WORTH_A_WARNING * total:
        found.append(("compute-may-be-more", {"likely_bytes": low, "high_bytes": high}))
    is_by_rule = weights.certainty in {Certainty.EXACT, Certainty.CLOSE}
    if is_by_rule and request.weight_bytes_known is None:
        found.append(("gguf-mix-may-differ", {"scheme": request.scheme}))
    if request.layout.devices > 1:
        found.append(("pipeline-copies-vary", {"devices": request.layout.devices}))
    offload = request.options.get("offload_layers")
    if isinstance(offload, int) and offload > 0 and request.shape.num_experts:
        found.append(("experts-on-host-not-counted", {"offload_layers": offload}))
    if any(term.name == "cache-latent" for term in by_kind[PartKind.CACHE].terms):
        found.append(("older-latent-cache", {}))
    return tuple(found)


def _of_other_mix(request: MemoryRequest, size: int | None, side: int) -> int | None:
    """The end of the range where the file at hand is not known; ``None`` where it is."""
    is_mixed = request.scheme.startswith("gguf-") and request.weight_bytes_known is None
    return round(size * (1 + side * _OTHER_MIX)) if is_mixed and size is not None else None


def _of_fullest(size: int | None, devices: int) -> int | None:
    return None if size is None else -(-size // devices)


def _cache_of_fullest(
    size: int | None, shape: ModelShape, llama: LlamaShape | None, settings: LlamaSettings
) -> int | None:
    layers = shape.layers if llama is None else layers_of(llama)
    count = shape.num_layers or len(layers)
    if not size or not layers:
        return size
    return fullest_cache_bytes(layers, settings, count=count)


def _places(
    request: MemoryRequest, llama: LlamaShape, file_type: str, settings: LlamaSettings
) -> WeightPlaces:
    return place_weights(
        llama,
        file_type,
        experts_type=_experts_type(request, llama),
        offload_layers=settings.offload_layers,
        uses_mmap=settings.uses_mmap,
        repacks=settings.repacks,
    )


def _experts_type(request: MemoryRequest, llama: LlamaShape) -> str:
    """What the experts keep: those of a checkpoint in MXFP4 are not quantised again."""
    stated = request.options.get("experts_type")
    if isinstance(stated, str):
        return stated.upper()
    is_kept = llama.experts and "mxfp4" in request.shape.checkpoint_scheme
    return "MXFP4" if is_kept else ""


def _difference(request: MemoryRequest, places: WeightPlaces) -> int:
    """What the file at hand holds more than the rules say."""
    known = request.weight_bytes_known
    return 0 if known is None else known - places.file_bytes


def _unknown(kind: PartKind, why: str, source: str) -> Part:
    return Part(kind=kind, certainty=Certainty.UNKNOWN, source=source, why_unknown=why)


def _weights(request: MemoryRequest, llama: LlamaShape | None, settings: LlamaSettings) -> Part:
    file_type = file_type_of(request.scheme)
    if llama is None or file_type is None:
        return _weights_without_inventory(request, file_type)
    places = _places(request, llama, file_type, settings)
    known = request.weight_bytes_known
    file_bytes = places.file_bytes if known is None else known
    total = places.all_bytes + _difference(request, places)
    # Without the number of weights, small tensors that no config tells are not settled.
    is_settled = parameters_of(llama) == _text_parameters(request.shape)
    is_checked = known is not None or (is_settled and llama.arch not in BY_NUMBER_ONLY)
    return Part(
        kind=PartKind.WEIGHTS,
        certainty=Certainty.EXACT if is_checked else Certainty.CLOSE,
        bytes_=total,
        low_bytes=total,
        high_bytes=total,
        terms=_weight_terms(places, file_type, file_bytes),
        source=WEIGHTS_SOURCE,
    )


def _text_parameters(shape: ModelShape) -> int | None:
    """The weights that go into the file: what sees pictures is in a file of its own."""
    vision = shape.raw.get("parameters_vision")
    total = shape.parameters_total
    return total - vision if total is not None and isinstance(vision, int) else total


def _weight_terms(places: WeightPlaces, file_type: str, file_bytes: int) -> tuple[Term, ...]:
    terms = [
        Term(
            name="gguf-tensors",
            bytes_=file_bytes,
            expression="Σ rows × row_bytes(type, row_elements)",
            numbers={"file_type": file_type},
        )
    ]
    loaded = places.device_bytes + places.host_bytes - places.twice_bytes
    if places.twice_bytes:
        terms.append(
            Term(
                name="gguf-embedding-twice",
                bytes_=places.twice_bytes,
                expression=Phrase("the tied embedding on the device too"),
            )
        )
    if places.repacked_bytes:
        terms.append(
            Term(
                name="gguf-repacked",
                bytes_=places.repacked_bytes,
                expression=Phrase("tensors laid out anew beside the file"),
            )
        )
    rest = loaded - places.file_bytes
    if rest:
        gap = Phrase("what of the file is not mapped, or moved")
        terms.append(Term("gguf-mapped-gap", rest, gap))
    return tuple(terms)


def _weights_without_inventory(request: MemoryRequest, file_type: str | None) -> Part:
    """The file's bytes where known, else the fewest that its file type can take."""
    known = request.weight_bytes_known
    if known is not None:
        term = Term("gguf-tensors", known, Phrase("Σ tensors of the file"))
        return Part(PartKind.WEIGHTS, Certainty.EXACT, known, known, known, (term,), WEIGHTS_SOURCE)
    if file_type is None:
        return _unknown(PartKind.WEIGHTS, "unknown-file-type", WEIGHTS_SOURCE)
    count = request.shape.parameters_total
    if count is None:
        return _unknown(PartKind.WEIGHTS, "no-parameters", WEIGHTS_SOURCE)
    bits = lowest_bits(file_type)
    size = int(count * bits / 8)
    term = Term(
        name="gguf-lower-bound",
        bytes_=size,
        expression="parameters × bits / 8",
        numbers={"parameters": count, "bits": bits},
    )
    return Part(PartKind.WEIGHTS, Certainty.LOWER_BOUND, size, size, None, (term,), WEIGHTS_SOURCE)


def _cache(shape: ModelShape, llama: LlamaShape | None, settings: LlamaSettings) -> Part:
    if not shape.has_cache:
        return Part(PartKind.CACHE, Certainty.EXACT, 0, 0, 0, (), CACHE_SOURCE)
    layers = shape.layers if llama is None else layers_of(llama)
    if not any(layer.attention is not AttentionKind.NONE for layer in layers):
        return _unknown(PartKind.CACHE, "unknown-cache-shape", CACHE_SOURCE)
    terms = cache_terms(layers, settings)
    size = sum(term.bytes_ for term in terms)
    certainty = Certainty.CLOSE if llama is None else Certainty.EXACT
    return Part(PartKind.CACHE, certainty, size, size, size, terms, CACHE_SOURCE)


def _compute(llama: LlamaShape | None, settings: LlamaSettings) -> Part:
    if llama is None:
        return _unknown(PartKind.COMPUTE, "no-gguf-inventory", COMPUTE_SOURCE)
    need = compute_need(llama, settings)
    return Part(
        kind=PartKind.COMPUTE,
        certainty=Certainty.RANGE,
        bytes_=need.bytes_,
        low_bytes=need.bytes_,
        high_bytes=max(need.high_bytes, need.bytes_),
        terms=need.terms,
        source=COMPUTE_SOURCE,
    )


def _output(shape: ModelShape, settings: LlamaSettings) -> Part:
    """The logits that are handed out, in main memory."""
    if shape.vocab_size is None:
        return _unknown(PartKind.OVERHEAD, "no-gguf-inventory", COMPUTE_SOURCE)
    size = 4 * shape.vocab_size * settings.output_sequences
    term = Term(
        name="output-buffer",
        bytes_=size,
        expression="4 × vocab_size × sequences",
        numbers={"vocab_size": shape.vocab_size, "sequences": settings.output_sequences},
    )
    return Part(PartKind.OVERHEAD, Certainty.EXACT, size, size, size, (term,), COMPUTE_SOURCE)
