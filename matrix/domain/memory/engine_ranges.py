"""What serving engines take beside weights and cache, as public start-up logs show it."""

from dataclasses import dataclass

from matrix.domain.memory.values import Certainty, MemoryRequest, Part, PartKind, Term
from matrix.domain.phrases import Phrase

GIB = 1024**3


@dataclass(frozen=True, slots=True)
class Receipt:
    """One measured figure. **Units**: GiB on one device."""

    what: str
    engine: str
    model: str
    gib: float
    source: str


# Figures that start-up logs print. ``source`` is the public thread where there is one; the others
# are logs in public repositories, read on 2026-11-30, that the stored copy does not name.
RECEIPTS: tuple[Receipt, ...] = (
    Receipt("activations", "vllm", "Llama-3.1-8B-Instruct bf16, L4", 0.22, "public start-up log"),
    Receipt("activations", "vllm", "DeepSeek-R1 AWQ, 16 devices", 0.37, "vllm-project/vllm#14447"),
    Receipt("activations", "vllm", "Llama-3-8B bf16, A100 40 GB", 9.37, "public start-up log"),
    Receipt("activations", "vllm", "Llama-3.2-11B-Vision, H100", 36.63, "vllm-project/vllm#12126"),
    Receipt("outside-torch", "vllm", "Llama-3.1-8B-Instruct bf16, L4", 0.05, "public start-up log"),
    Receipt("outside-torch", "vllm", "Llama-3-8B bf16, A100 40 GB", 0.1, "public start-up log"),
    Receipt("outside-torch", "vllm", "Llama-3.2-11B-Vision, H100", 0.16, "vllm-project/vllm#12126"),
    Receipt("outside-torch", "vllm", "DeepSeek-R1 AWQ, 16 devices", 0.2, "vllm-project/vllm#14447"),
)

# The ranges those and like logs span, without the outliers above. **Units**: GiB on one device.
_ACTIVATIONS = (0.2, 1.45)
_GRAPHS = (0.04, 0.71)
_OUTSIDE_TORCH_ONE = (0.02, 0.26)
_OUTSIDE_TORCH_MANY = (0.02, 0.93)
_CONTEXT = (0.0, 0.6)
# The same for engines whose parts do not count it: what a process takes of a device at once.
CONTEXT_MOST_BYTES = round(_CONTEXT[1] * GIB)
# The logs are of models up to 8B, whose hidden size is at most this.
_HIDDEN_SIZE_SEEN = 4096

SOURCE = Phrase(
    "start-up logs of vLLM in public threads and repositories, models of 1 to 8 billion weights "
    "at the default batch"
)


def _term(name: str, span: tuple[float, float], *, scale: float = 1.0) -> Term:
    low, high = span[0], span[1] * scale
    numbers: dict[str, float | int | str] = {"low": low, "high": round(high, 2)}
    expression = Phrase("{low} to {high}, as measured (GiB)", low="low", high="high")
    if scale > 1:
        numbers |= {"measured_high": span[1], "hidden_size": round(scale * _HIDDEN_SIZE_SEEN)}
        formula = "measured_high × hidden_size / 4096"
        expression = Phrase("{low} to {formula} (GiB)", low="low", formula=formula)
    return Term(name, round((low + high) / 2 * GIB), expression, numbers)


def compute_scale(request: MemoryRequest) -> float:
    """How much wider the model is than those of the logs; activations grow with the width."""
    return max(1.0, (request.shape.hidden_size or 0) / _HIDDEN_SIZE_SEEN)


def compute_part(request: MemoryRequest) -> Part:
    """Activations and graphs over all devices, as a range."""
    scale = compute_scale(request)
    devices = request.layout.devices
    low = (_ACTIVATIONS[0] + _GRAPHS[0]) * GIB * devices
    high = (_ACTIVATIONS[1] * scale + _GRAPHS[1]) * GIB * devices
    return Part(
        kind=PartKind.COMPUTE,
        certainty=Certainty.RANGE,
        bytes_=round((low + high) / 2),
        low_bytes=round(low),
        high_bytes=round(high),
        terms=(_term("activations", _ACTIVATIONS, scale=scale), _term("graphs", _GRAPHS)),
        source=SOURCE,
    )


def overhead_part(request: MemoryRequest) -> Part:
    """Context, allocator and communication over all devices, as a range."""
    devices = request.layout.devices
    outside = _OUTSIDE_TORCH_MANY if devices > 1 else _OUTSIDE_TORCH_ONE
    low = (outside[0] + _CONTEXT[0]) * GIB * devices
    high = (outside[1] + _CONTEXT[1]) * GIB * devices
    return Part(
        kind=PartKind.OVERHEAD,
        certainty=Certainty.RANGE,
        bytes_=round((low + high) / 2),
        low_bytes=round(low),
        high_bytes=round(high),
        terms=(_term("outside-torch", outside), _term("device-context", _CONTEXT)),
        source=SOURCE,
    )
