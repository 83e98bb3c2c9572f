"""What one value of a KV cache takes, by the catalogue's cache schemes."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class KvValue:
    """**Units**: bits per value from least to most; scale bytes per head and token, for K and V
    together. ``is_latent_layout`` is the layout of 656 bytes for a latent row of 576 values."""

    bits: float
    low_bits: float
    high_bits: float
    scale_bytes: int = 0
    is_latent_layout: bool = False


def _plain(bits: float, *, scale_bytes: int = 0) -> KvValue:
    return KvValue(bits, bits, bits, scale_bytes=scale_bytes)


KV_VALUES: Mapping[str, KvValue] = MappingProxyType(
    {
        "": _plain(16),  # Engines keep the cache in the model's 16 bits unless told otherwise.
        "kv-bf16": _plain(16),
        "kv-f16": _plain(16),
        "kv-f32": _plain(32),
        "kv-fp8": _plain(8),
        "kv-fp8-e4m3": _plain(8),
        "kv-fp8-e5m2": _plain(8),
        "kv-fp8-inc": _plain(8),
        "kv-fp8-ds-mla": KvValue(8, 8, 8, is_latent_layout=True),
        "kv-int8": KvValue(8, 8, 8, scale_bytes=8),
        "kv-int4": KvValue(4, 4, 4, scale_bytes=8),
        "kv-fp4": KvValue(4.5, 4.25, 4.5),
        "kv-nvfp4": _plain(4.5),
        "kv-mxfp8": _plain(8.25),
        "kv-q8-0": _plain(8.5),
        "kv-q5-1": _plain(6),
        "kv-q5-0": _plain(5.5),
        "kv-q4-1": _plain(5),
        "kv-q4-0": _plain(4.5),
        "kv-iq4-nl": _plain(4.5),
    }
)

# A latent row of 512 8-bit values with four f32 scales, and 64 position values in 16 bits.
LATENT_LAYOUT_BYTES = 656
# The key that a sparse-attention indexer keeps of a token: 8-bit values and one f32 scale, or 16
# bits where the engine keeps it unquantised.
INDEX_SCALE_BYTES = 4
