"""What GGUF descriptions and file names say of a model's weights."""

import re
from collections.abc import Mapping

# How llama.cpp describes file types, as the catalogue spells them.
_DESCRIBED: Mapping[str, str] = {
    "Q2_K - Medium": "Q2_K",
    "Q2_K - Small": "Q2_K_S",
    "Q3_K - Small": "Q3_K_S",
    "Q3_K - Medium": "Q3_K_M",
    "Q3_K - Large": "Q3_K_L",
    "Q4_K - Small": "Q4_K_S",
    "Q4_K - Medium": "Q4_K_M",
    "Q5_K - Small": "Q5_K_S",
    "Q5_K - Medium": "Q5_K_M",
    "IQ3_S mix": "IQ3_M",
    "IQ3_XS mix": "IQ3_XS",
    "MXFP4 MoE": "MXFP4_MOE",
    "all F32": "F32",
}
_TYPE = r"(?:I?Q\d\w*|TQ\d_\d|BF16|F16|F32|MXFP4(?:_MOE| MoE)?|NVFP4)"
_AT_END = re.compile(
    rf"(?P<words>all F32|{_TYPE}(?: - (?:Small|Medium|Large)| mix)?)"
    r"(?:\s+-\s+[\d.]+ bpw(?: ternary)?)?(?:\s*\(guessed\))?\s*$"
)
_IN_FILE = re.compile(rf"[-._](?:UD-)?(?P<words>{_TYPE})$", re.IGNORECASE)
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
# Weights of 16 bits take at least this many a parameter; fewer, and the name is only the base's.
_LEAST_BITS: Mapping[str, float] = {"F16": 14.0, "BF16": 14.0, "F32": 28.0}
_CACHED = re.compile(
    r"models--(?P<owner>[^/\s]+?)--(?P<name>[^/\s]+)(?:/snapshots/(?P<revision>[0-9a-f]{7,40}))?"
)
# Words in the name of a checkpoint by which its weights are no plain 16-bit ones.
_QUANTIZED_NAME = re.compile(
    r"(?i)(?:^|[-_/.])(?:fp8|fp4|nvfp4|mxfp[468]|awq|gptq|int[48]|w[48]a(?:4|8|16)|bnb|gguf|exl[23]|"
    r"4bit|8bit|quantized|mlx|hqq|aqlm|marlin|q\d(?:_\w+)?)(?:$|[-_/.])"
)


def described_type(description: str, *, bits: float | None) -> str:
    """The type in a description such as "llama 1B Q4_K - Medium"; empty where it says none.

    **Units**: ``bits`` are bits a parameter of the whole file, ``None`` where unknown.
    """
    found = _AT_END.search(description)
    if found is None:
        return ""
    word = _DESCRIBED.get(found["words"], found["words"])
    return word if fits_bits(word, bits) else ""


def fits_bits(word: str, bits: float | None) -> bool:
    """Whether a type is possible: "F16" of 5 bits a parameter names the base, not the weights."""
    return bits is None or bits >= _LEAST_BITS.get(word.upper(), 0.0)


def bits_per_weight(size_bytes: object, parameters: object) -> float | None:
    """Bits a parameter; ``None`` where either number is unknown."""
    if isinstance(size_bytes, int) and isinstance(parameters, int) and parameters > 0:
        return size_bytes * 8 / parameters
    return None


def file_stem(name: str) -> str:
    """A model file's name without folders, suffix and the number of its part."""
    base = name.replace("\\", "/").rpartition("/")[2]
    return _SHARD.sub("", re.sub(r"(?i)\.gguf$", "", base))


def split_type(stem: str) -> tuple[str, str]:
    """A stem without the type at its end, and the type."""
    found = _IN_FILE.search(stem)
    return (stem[: found.start()], found["words"].upper()) if found else (stem, "")


def read_cache_path(path: str) -> tuple[str, str]:
    """Model and revision of a path into the hub's cache; empty texts where it is none."""
    found = _CACHED.search(path)
    if found is None:
        return "", ""
    return f"{found['owner']}/{found['name']}", found["revision"] or ""


def names_quantized(model: str) -> bool:
    """Whether a model's name says that its weights are quantized."""
    return bool(_QUANTIZED_NAME.search(model))
