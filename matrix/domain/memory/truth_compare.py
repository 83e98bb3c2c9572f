"""Measured memory against the estimate: one row of a truth file to its comparisons."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.estimate import estimate_memory
from matrix.domain.memory.gguf_tensors import parameters_of
from matrix.domain.memory.llamacpp import file_type_of, llamacpp_parts, llamacpp_warnings
from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.parameters import parameters_by_role
from matrix.domain.memory.truth_requests import (
    load_request,
    log_request,
    serving_request,
    size_request,
)
from matrix.domain.memory.truth_rows import shape_in_row
from matrix.domain.memory.values import AttentionKind, MemoryRequest, ModelShape, Part, PartKind
from matrix.domain.phrases import Phrase

QUANTITIES = ("weights", "kv", "compute", "total")
GIB, MIB = 2**30, 2**20
_MOST_BYTES = 2**63
# Rows that differ by more than this are listed with their reason.
TOLERANCES: Mapping[str, float] = {"weights": 0.01, "kv": 0.0, "compute": 0.15, "total": 0.05}
REASONS: Mapping[str, str] = {
    "other-mix": "the file holds another mix of types than llama-quantize makes under this name",
    "allocator-holes": "the allocator left holes in the graph's buffer; within the stated range",
    "beyond-range": "the graph's buffer is beyond the stated range",
    "split-graph": "the graph is cut between devices, or between device and host",
    "other-backend": "a back end whose own buffers no rule here covers",
    "older-format": "an older file or version that keeps the cache in another layout",
    "engine-extra": "the engine keeps more on the device than the checkpoint's tensors",
    "engine-pages": "the engine lays out pages for layers of several kinds in its own way",
    "engine-rounding": "the log states keys and values apart, each rounded, or whole blocks",
    "number-not-stated": "its row lacks a number, so every layer counts as the widest",
    "structure-not-counted": "the architecture's own code has parts that the config does not tell",
}
# Warnings that say nothing of how much is needed.
_OF_DEVICE_ONLY = frozenset(
    {"device-memory-unknown", "device-usable-unknown", "engine-share", "context-beyond-model"}
)
ShapeOf = Callable[[str], ModelShape | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of one row. **Units**: bytes; ``slack_bytes`` is half of the last digit stated."""

    quantity: str
    row: str
    predicted_bytes: int
    measured_bytes: int
    slack_bytes: int = 0
    reason: str = ""
    is_warned: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether the figures are the same within the digits stated."""
        return abs(self.predicted_bytes - self.measured_bytes) <= self.slack_bytes

    @property
    def error(self) -> float:
        """The difference as a share of what was measured, negative where too little was said."""
        if self.is_exact:
            return 0.0
        if not self.measured_bytes:
            return inf
        return (self.predicted_bytes - self.measured_bytes) / self.measured_bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a row came to: its comparisons, what was not estimated and why, a refusal foreseen."""

    kind: str
    comparisons: tuple[Comparison, ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()
    is_refusal: bool = False
    is_foreseen: bool = False


def kind_of_row(row: Mapping[str, object]) -> str:
    """The format of a row, empty where it is none of those known."""
    stated = row.get("kind")
    if stated in {"model_size", "llamacpp_log", "serving_log"}:
        return str(stated)
    if "args" in row and isinstance(row.get("result"), Mapping):
        return "load"
    if "ftype" in row and "total_bytes" in row:
        return "dry-run"
    if "hf_id" in row and "config_source" in row:
        return "model"
    return ""


def compare_row(row: Mapping[str, object], *, name: str, shape_of: ShapeOf) -> Outcome:
    """The comparisons of a row; ``shape_of`` gives the shape of a model by its name.

    **Raises**: MemoryInputError for a row of no known format.
    """
    kind = kind_of_row(row)
    if not kind:
        raise MemoryInputError(
            key=name,
            value=sorted(row),
            accepted=Phrase("a row of a known format"),
            code="unreadable-file",
        )
    model = str(row.get("hf_id") or row.get("model") or "")
    shape = shape_in_row(row) or shape_of(model)
    if shape is None:
        return Outcome(
            kind,
            unknown=((_first_quantity(kind), Phrase("no shape of {model}", model=model or name)),),
        )
    try:
        outcome = _COMPARERS[kind](row, name, shape)
    except MemoryInputError as error:
        return Outcome(kind, unknown=((_first_quantity(kind), error.message),))
    if outcome.comparisons or outcome.unknown or outcome.is_refusal:
        return outcome
    return Outcome(kind, unknown=((_first_quantity(kind), "nothing of it can be compared"),))


def _first_quantity(kind: str) -> str:
    return "weights" if kind in {"dry-run", "model", "model_size"} else "total"


def _parts_by_kind(parts: tuple[Part, ...]) -> Mapping[PartKind, Part]:
    return {part.kind: part for part in parts}


def _tensor_bytes(part: Part) -> int | None:
    """What the file's tensors hold, whatever of it lies where."""
    return next((term.bytes_ for term in part.terms if term.name == "gguf-tensors"), None)


# -- llama.cpp ------------------------------------------------------------------------------------


def _compare_load(row: Mapping[str, object], name: str, shape: ModelShape) -> Outcome:
    result = row["result"]
    assert isinstance(result, Mapping)
    request = load_request(row, shape)
    if "error" in result:
        return _compare_refusal(request, str(result["error"]))
    parts = llamacpp_parts(request)
    by_kind = _parts_by_kind(parts)
    breakdown = result["breakdown"]
    kv, compute = _sum(breakdown, "context"), _sum(breakdown, "compute")
    total = _sum(breakdown, "model") + kv + compute
    is_warned = any(code == "compute-may-be-more" for code, _ in llamacpp_warnings(request, parts))
    reason = _compute_reason(by_kind[PartKind.COMPUTE], compute, request)
    measured = {
        "weights": (_tensor_bytes(by_kind[PartKind.WEIGHTS]), _whole(result["model_size_bytes"])),
        "kv": (by_kind[PartKind.CACHE].bytes_, kv),
        "compute": (by_kind[PartKind.COMPUTE].bytes_, compute),
        "total": (_total_of(by_kind), total),
    }
    return _outcome("load", name, measured, reason=reason, is_warned=is_warned)


def _sum(breakdown: Mapping[str, Mapping[str, int]], column: str) -> int:
    return sum(_whole(buffer[column]) for buffer in breakdown.values())


def _total_of(by_kind: Mapping[PartKind, Part]) -> int | None:
    """The three parts that a load's breakdown has; the output buffer is not among them."""
    sizes = [by_kind[k].bytes_ for k in (PartKind.WEIGHTS, PartKind.CACHE, PartKind.COMPUTE)]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _compute_reason(part: Part, measured: int, request: MemoryRequest) -> str:
    if request.layout.devices > 1 or _is_cut(request):
        return "split-graph"
    if part.high_bytes is not None and measured <= part.high_bytes:
        return "allocator-holes"
    return "beyond-range"


def _is_cut(request: MemoryRequest) -> bool:
    offload = request.options.get("offload_layers")
    layers = (request.shape.num_layers or 0) + request.shape.num_mtp_layers
    return isinstance(offload, int) and 0 < offload <= layers


def _compare_refusal(request: MemoryRequest, error: str) -> Outcome:
    if error != "context failed":
        return Outcome(
            "load", unknown=(("total", Phrase("the engine ended with: {error}", error=error)),)
        )
    try:
        llamacpp_parts(request)
    except MemoryInputError:
        return Outcome("load", is_refusal=True, is_foreseen=True)
    return Outcome("load", is_refusal=True)


def _compare_dry_run(row: Mapping[str, object], name: str, shape: ModelShape) -> Outcome:
    # The file's own number of weights settles small tensors that a config does not tell.
    shape = replace(shape, parameters_total=_whole(row["n_params"]))
    request = size_request(str(row["ftype"]), shape)
    part = _parts_by_kind(llamacpp_parts(request))[PartKind.WEIGHTS]
    figures = {"weights": (_tensor_bytes(part), _whole(row["total_bytes"]))}
    return _outcome("dry-run", name, figures, reason="structure-not-counted")


def _compare_size(row: Mapping[str, object], name: str, shape: ModelShape) -> Outcome:
    label = f"{row['quant']} {row.get('note', '')}"
    request = size_request(str(row["quant"]), shape, label=label)
    if file_type_of(request.scheme) is None:
        return Outcome(
            "model_size",
            unknown=(("weights", Phrase("no file type in {label!r}", label=row["quant"])),),
        )
    parts = llamacpp_parts(request)
    part = _parts_by_kind(parts)[PartKind.WEIGHTS]
    stated = row["model_size_GiB"]
    figures = {"weights": (_tensor_bytes(part), _scaled(stated, GIB))}
    is_warned = any(code == "gguf-mix-may-differ" for code, _ in llamacpp_warnings(request, parts))
    return _outcome(
        "model_size", name, figures, reason="other-mix", slack=_slack(stated, GIB),
        is_warned=is_warned,
    )  # fmt: skip


def _compare_log(row: Mapping[str, object], name: str, shape: ModelShape) -> Outcome:
    request = log_request(row, shape)
    parts = llamacpp_parts(request)
    by_kind = _parts_by_kind(parts)
    weights = by_kind[PartKind.WEIGHTS].bytes_
    kv, compute = by_kind[PartKind.CACHE].bytes_, by_kind[PartKind.COMPUTE].bytes_
    figures: dict[str, tuple[int | None, int]] = {}
    if "kv_MiB" in row:
        figures["kv"] = (kv, _scaled(row["kv_MiB"], MIB))
    buffers, computed = row.get("model_buffer_MiB"), row.get("compute_MiB")
    if isinstance(computed, Mapping):
        figures["compute"] = (compute, _scaled(sum(computed.values()), MIB))
    if isinstance(buffers, Mapping):
        figures["weights"] = (weights, _scaled(sum(buffers.values()), MIB))
    if len(figures) == 3:
        figures["total"] = (_total_of(by_kind), sum(measured for _, measured in figures.values()))
    codes = {code for code, _ in llamacpp_warnings(request, parts)}
    reason = "older-format" if row.get("mla") is False else "other-backend"
    return _outcome(
        "llamacpp_log", name, figures, reason=reason, slack=MIB // 100,
        is_warned="compute-may-be-more" in codes,
    )  # fmt: skip


# -- serving engines and configs ------------------------------------------------------------------


def _compare_serving(row: Mapping[str, object], name: str, shape: ModelShape) -> Outcome:
    request, tokens = serving_request(row, shape)
    # What only states its cache is asked in 16 bits: the weights are not compared.
    estimate = estimate_memory(request if request.scheme else replace(request, scheme="bf16"))
    is_warned = any(code not in _OF_DEVICE_ONLY for code, _ in estimate.warnings)
    is_mixed = len(set(shape.layers)) > 1 or "index_head_dim" in shape.raw
    found: list[Comparison] = []
    unknown: list[tuple[str, str]] = []
    for quantity, predicted, reason in (
        ("weights", estimate.share.weights_bytes, "engine-extra"),
        ("kv", estimate.share.cache_bytes, "engine-pages" if is_mixed else "engine-rounding"),
    ):
        measured, slack, why = _stated_weights(row) if quantity == "weights" else _stated_cache(row)
        if quantity == "weights" and measured is not None and not request.scheme:
            why = Phrase("no scheme is known by {label!r}", label=row.get("quant"))
        elif quantity == "kv" and measured is not None and not tokens:
            why = Phrase("the number of tokens is not stated")
        elif measured is not None and predicted is None:
            why = Phrase("the estimate has no figure")
        if why:
            unknown.append((quantity, why))
        elif measured is not None and predicted is not None:
            found.append(Comparison(quantity, name, predicted, measured, slack, reason, is_warned))
    return Outcome("serving_log", comparisons=tuple(found), unknown=tuple(unknown))


def _stated_weights(row: Mapping[str, object]) -> tuple[int | None, int, str]:
    """What a log states of the weights, half of its last digit, and why it cannot be compared."""
    for key, unit in (("weights_GiB", GIB), ("weights_MiB", MIB)):
        if row.get(key) is not None:
            return _scaled(row[key], unit), _slack(row[key], unit), ""
    if row.get("weights_GB") is not None:
        return None, 0, Phrase("GB may mean 10^9 bytes or 2^30")
    return None, 0, ""


def _stated_cache(row: Mapping[str, object]) -> tuple[int | None, int, str]:
    """What a log states of its cache, in the same way."""
    stated = row.get("kv_GiB", row.get("kv_available_GiB"))
    return (None, 0, "") if stated is None else (_scaled(stated, GIB), _slack(stated, GIB), "")


def _compare_model(row: Mapping[str, object], name: str, shape: ModelShape) -> Outcome:
    figures: dict[str, tuple[int | None, int]] = {}
    reason = "structure-not-counted"
    if "params_total" in row:
        vision = row.get("params_vision", 0)
        measured = _whole(row["params_total"]) - _whole(vision)
        counted = _counted_bytes(shape)
        figures["weights"] = (counted, 2 * measured)
        if counted is not None and counted > 2 * measured:
            reason = "number-not-stated"
    if "kv_bytes_per_token_bf16_all_layers" in row:
        measured = _whole(row["kv_bytes_per_token_bf16_all_layers"])
        figures["kv"] = (_token_bytes(shape), measured)
    return _outcome("model", name, figures, reason=reason)


def _counted_bytes(shape: ModelShape) -> int | None:
    """The weights in 16 bits, counted without what the row says of their number."""
    blind = replace(shape, parameters_total=None)
    llama = llama_shape_of(blind)
    if llama is not None:
        return 2 * parameters_of(llama)
    counted = parameters_by_role(blind)
    return None if counted is None else 2 * counted.total


def _token_bytes(shape: ModelShape) -> int | None:
    """What a token takes in 16 bits over all layers while no window is full."""
    if not shape.layers:
        return None
    latent = AttentionKind.LATENT
    total = 0
    for layer in shape.layers:
        is_latent = layer.attention is latent
        pair = layer.kv_heads * (layer.key_dim + layer.value_dim)
        total += 2 * (layer.key_dim if is_latent else pair)
    return total


def _outcome(
    kind: str,
    name: str,
    figures: Mapping[str, tuple[int | None, int]],
    *,
    reason: str,
    slack: int = 0,
    is_warned: bool = False,
) -> Outcome:
    found = tuple(
        Comparison(quantity, name, predicted, measured, slack, reason, is_warned)
        for quantity, (predicted, measured) in figures.items()
        if predicted is not None
    )
    unknown = tuple(
        (quantity, Phrase("the estimate has no figure"))
        for quantity, (predicted, _) in figures.items()
        if predicted is None
    )
    return Outcome(kind, comparisons=found, unknown=unknown)


def _whole(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_BYTES:
        return value
    raise MemoryInputError(key="row", value=value, accepted=Phrase("a whole number from 0 on"))


def _scaled(value: object, unit: int) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool):
        scaled = value * unit
        if 0 <= scaled <= _MOST_BYTES:
            return round(scaled)
    raise MemoryInputError(key="row", value=value, accepted=Phrase("a number from 0 on"))


def _slack(value: object, unit: int) -> int:
    """Half of the last digit that is stated; a zero at the end may have been left out."""
    digits = max(len(str(value).partition(".")[2]), 2)
    return round(unit / 10.0**digits / 2) + 1


_COMPARERS: Mapping[str, Callable[[Mapping[str, object], str, ModelShape], Outcome]] = {
    "load": _compare_load,
    "dry-run": _compare_dry_run,
    "model_size": _compare_size,
    "llamacpp_log": _compare_log,
    "serving_log": _compare_serving,
    "model": _compare_model,
}
