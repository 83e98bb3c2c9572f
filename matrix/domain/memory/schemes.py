"""What a quantization scheme makes of a weight outside GGUF: bits with scales, and of which parts.

**Source**: layouts of AutoAWQ, GPTQ, compressed-tensors, ModelOpt and bitsandbytes checkpoints as
vLLM 0.33.0 loads them; the OCP Microscaling specification 1.0; checked against start-up logs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.values import Certainty
from matrix.domain.phrases import Phrase


class Reach(StrEnum):
    """Which matrices a scheme quantises; embedding, head, norms and router stay in 16 bits."""

    ALL = "all"  # everything, the unquantised schemes
    MATRICES = "matrices"
    EXPERTS = "experts"


@dataclass(frozen=True, slots=True)
class SchemeBits:
    """Bits a quantised weight takes: ``bits`` the figure, with scales, and its range.

    ``kept_parts_vary``: makers leave attention or shared experts in 16 bits in some checkpoints
    and not in others. **Units**: bits per weight.
    """

    bits: float
    low: float
    high: float
    reach: Reach = Reach.MATRICES
    certainty: Certainty = Certainty.CLOSE
    kept_parts_vary: bool = False
    note: str = ""


def _exactly(bits: float, *, reach: Reach = Reach.ALL) -> SchemeBits:
    return SchemeBits(bits, bits, bits, reach=reach, certainty=Certainty.EXACT)


def _grouped(bits: int, *, zeros: bool) -> SchemeBits:
    """Groups of 128 with a 16-bit scale (and a zero point of ``bits``): from one scale a row to
    groups of 32."""

    def with_group(size: int) -> float:
        return bits + (16 + (bits if zeros else 0)) / size

    return SchemeBits(with_group(128), float(bits), with_group(32))


def _scaled(bits: float, *, least: float, vary: bool = False) -> SchemeBits:
    return SchemeBits(bits, least, bits, kept_parts_vary=vary)


def _at_least(low: float, high: float, note: str) -> SchemeBits:
    return SchemeBits(low, low, high, certainty=Certainty.LOWER_BOUND, note=note)


_AWQ = _grouped(4, zeros=True)
_INT4 = _grouped(4, zeros=False)
_FP8_BLOCK = SchemeBits(8 + 32 / (128 * 128), 8.0, 8 + 32 / (128 * 128))
_FP8 = SchemeBits(8.0, 8.0, 8.02)
_INT8 = SchemeBits(8.01, 8.0, 8.02)
_NVFP4 = SchemeBits(4 + 8 / 16, 4 + 8 / 16, 4 + 8 / 16, kept_parts_vary=True)
_MXFP4 = SchemeBits(4 + 8 / 32, 4 + 8 / 32, 4 + 8 / 32, kept_parts_vary=True)
_NF4 = SchemeBits(4 + 32 / 64, 4.127, 4 + 32 / 64)

SCHEMES: Mapping[str, SchemeBits] = MappingProxyType(
    {
        "none": _exactly(16),
        "bf16": _exactly(16),
        "fp16": _exactly(16),
        "fp32": _exactly(32),
        "w16a16sc": _at_least(8, 16, "sparse-share-unknown"),
        "awq": _AWQ,
        "awq-marlin": _AWQ,
        "cpu-awq": _AWQ,
        "awq-w4a16": _AWQ,
        "awq-w4a8": _grouped(4, zeros=False),
        "gptq": _at_least(2, 8.2, "bits-not-named"),
        "cpu-gptq": _at_least(2, 8.2, "bits-not-named"),
        "gptq-bitblas": _at_least(2, 8.2, "bits-not-named"),
        "gptq-marlin": _at_least(4, 8.2, "bits-not-named"),
        "gptq-marlin-24": _at_least(2, 8.2, "bits-not-named"),
        "marlin-format": _grouped(4, zeros=False),
        "gptq-w2a16": _grouped(2, zeros=True),
        "gptq-w3a16": _grouped(3, zeros=True),
        "gptq-w4a8": _grouped(4, zeros=True),
        "gptq-w4a16": _grouped(4, zeros=True),
        "gptq-w8a16": _grouped(8, zeros=True),
        "moe-wna16": _at_least(4, 8.2, "bits-not-named"),
        "fp8": _FP8,
        "fp8-w8a8": _FP8,
        "fp8-w8a8-row": _FP8,
        "fp8-w8a8-tensor": _FP8,
        "fp8-w8a8-block": _FP8_BLOCK,
        "fp8-block-ue8m0": SchemeBits(8 + 8 / 16384, 8.0, 8 + 32 / 16384),
        "fp8-w8a16": _FP8,
        "fbgemm-fp8": _FP8,
        "ptpc-fp8": _FP8,
        "deepseek-v4-fp8": _FP8,
        "modelopt-fp8": _FP8,
        "torchao-fp8dq": _FP8,
        "torchao-fp8wo": _FP8,
        "int8": _INT8,
        "int8-w8a8": _INT8,
        "int8-w8a8-dynamic": _INT8,
        "int8-w8a8-static": _INT8,
        "int8-w8a8-block": _FP8_BLOCK,
        "int8-w8a8sc": _at_least(4, 8.02, "sparse-share-unknown"),
        "int8-pd-mix": _INT8,
        "smoothquant": _INT8,
        "int8-w8a16": _INT8,
        "tpu-int8": _INT8,
        "eetq": _INT8,
        "bnb-int8": _INT8,
        "auto-round-int8": _INT8,
        "torchao-int8dq": _INT8,
        "torchao-int8wo": _INT8,
        "inc-w8a8": _INT8,
        "experts-int8": SchemeBits(8.01, 8.0, 8.02, reach=Reach.EXPERTS),
        "int4": _at_least(4, 4.5, "group-size-not-named"),
        "int4-w4a16": _INT4,
        "int4-w4a4": SchemeBits(4.01, 4.0, 4.5),
        "int8-w4a8": _INT4,
        "w4a8-dynamic": _INT4,
        "w4afp8": _INT4,
        "qqq": _INT4,
        "mxfp4": _MXFP4,
        "mxfp4-w4a4": _MXFP4,
        "mxfp4-w4a8": _MXFP4,
        "mxfp4-w4a16": _MXFP4,
        "gpt-oss-mxfp4": SchemeBits(4.25, 4.25, 4.25, reach=Reach.EXPERTS),
        "mxfp6": _scaled(6 + 8 / 32, least=6.25, vary=True),
        "mxfp8": _scaled(8 + 8 / 32, least=8.25, vary=True),
        "modelopt-mxfp8": _scaled(8 + 8 / 32, least=8.25, vary=True),
        "nvfp4": _NVFP4,
        "nvfp4-per-token": _NVFP4,
        "nvfp4-w4a4": _NVFP4,
        "nvfp4-w4a8": _NVFP4,
        "nvfp4-w4a16": _NVFP4,
        "petit-nvfp4": _NVFP4,
        "modelopt-fp4": _NVFP4,
        "modelopt-mixed": SchemeBits(
            4.5, 4.5, 16.0, certainty=Certainty.LOWER_BOUND, kept_parts_vary=True,
            note="mixed-by-layer",
        ),
        "bnb-4bit": _NF4,
        "bnb-nf4": _NF4,
        "bnb-fp4": _NF4,
        "sparse-24": _at_least(9, 9, "sparse-layout"),
        "sparse-24-w4a16": _at_least(2, 4.5, "sparse-layout"),
        "squeezellm": _at_least(4, 5, "bits-not-named"),
        "quark-int4fp8-moe": SchemeBits(4.13, 4.0, 4.5, reach=Reach.EXPERTS),
        "mlx-q4": _at_least(4, 4.5, "group-size-not-named"),
        "mlx-q4-k-m": _at_least(4, 5, "mix-not-named"),
        "mlx-q4-k-dynamic": _at_least(4, 5, "mix-not-named"),
        "torchao-int4wo": _at_least(4, 5, "group-size-not-named"),
    }
)  # fmt: skip

# What people write for four or eight bits, without saying how.
_OPEN_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "q4": ("gguf-q4-k-m", "gguf-q4-0", "awq-w4a16", "gptq-w4a16"),
        "4bit": ("gguf-q4-k-m", "awq-w4a16", "gptq-w4a16", "bnb-nf4"),
        "w4": ("awq-w4a16", "gptq-w4a16", "int4-w4a16"),
        "q5": ("gguf-q5-k-m", "gguf-q5-0"),
        "q8": ("gguf-q8-0", "int8-w8a8"),
        "8bit": ("gguf-q8-0", "int8-w8a8", "fp8-w8a8"),
        "fp4": ("nvfp4", "mxfp4"),
    }
)


def scheme_bits(scheme: str) -> SchemeBits | None:
    """The bits of a scheme; None where its layout is not known here.

    **Raises**: MemoryInputError for a word that means several schemes.
    """
    word = scheme.strip().lower()
    plain = word.replace("-", "").replace("_", "").replace(" ", "")
    if word not in SCHEMES and plain in _OPEN_WORDS:
        raise MemoryInputError(
            key="quantization", value=scheme, code="ambiguous-scheme",
            accepted=Phrase("one scheme, because each lays out its weights in its own way"),
            nearest=_OPEN_WORDS[plain],
        )  # fmt: skip
    return SCHEMES.get(word)


def bits_with_group(found: SchemeBits, *, scheme: str, group: int | None) -> SchemeBits:
    """The scheme with the group size that the checkpoint states, where it counts."""
    if group is None or found not in (_AWQ, _INT4, _grouped(8, zeros=True)):
        return found
    base = int(found.low)
    zeros = base if scheme.startswith(("awq", "gptq")) else 0
    bits = base + (16 + zeros) / group
    return SchemeBits(bits, bits, bits, reach=found.reach)
