"""Which scheme a checkpoint's ``quantization_config`` names, and which parts it leaves alone."""

import re
from collections.abc import Mapping, Sequence

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.phrases import Phrase

# Names of parts that a checkpoint may leave in 16 bits, and what module names tell them.
_PART_OF_MODULE = (
    ("attention", re.compile(r"self_attn|linear_attn|\.attn\b")),
    ("shared-experts", re.compile(r"shared_expert")),
    ("dense-mlp", re.compile(r"mlp\\?\.\(?(gate|up|down|gate_up)\b.*proj")),
)
# Small tensors beside the matrices; that they stay in 16 bits says nothing of the part.
_BESIDE = re.compile(r"norm|indexer|conv1d|mtp|\.in_proj_[ab]\b")
_LONGEST_LIST = 20_000


def scheme_of_config(config: Mapping[str, object]) -> str:
    """The catalogue slug of the checkpoint's scheme; empty where none or no known one is stated.

    **Raises**: MemoryInputError for a ``quantization_config`` that is no object.
    """
    stated = config.get("quantization_config")
    if stated is None:
        return ""
    if not isinstance(stated, Mapping):
        raise MemoryInputError(
            key="quantization_config",
            value=stated,
            accepted=Phrase("an object"),
            code="unreadable-file",
        )
    method = str(stated.get("quant_method") or "").lower()
    bits = stated.get("bits", stated.get("w_bit"))
    if method in {"awq", "awq_marlin"}:
        return "awq-w4a16" if bits in (None, 4) else ""
    if method == "gptq":
        return f"gptq-w{bits}a16" if bits in (2, 3, 4, 8) else "gptq"
    if method == "fp8":
        return "fp8-w8a8-block" if stated.get("weight_block_size") else "fp8-w8a8"
    if method == "bitsandbytes":
        return "bnb-nf4" if stated.get("load_in_4bit") else "bnb-int8"
    if method in _BY_METHOD:
        return _BY_METHOD[method]
    return _of_groups(stated) or _of_algorithm(stated)


_BY_METHOD: Mapping[str, str] = {
    "mxfp4": "mxfp4",
    "fbgemm_fp8": "fbgemm-fp8",
    "exl2": "exl2",
    "exl3": "exl3",
    "hqq": "hqq",
    "aqlm": "aqlm",
    "eetq": "eetq",
    "auto-round": "auto-round",
    "quark": "quark",
}
_BY_ALGORITHM: Mapping[str, str] = {
    "NVFP4": "nvfp4-w4a4",
    "FP8": "fp8-w8a8-tensor",
    "MXFP8": "mxfp8",
    "W4A16_AWQ": "awq-w4a16",
    "W4A8_AWQ": "awq-w4a8",
    "W8A16": "int8-w8a16",
    "W8A8_SQ_PER_CHANNEL": "smoothquant",
    "MIXED_PRECISION": "modelopt-mixed",
}


def _of_algorithm(stated: Mapping[str, object]) -> str:
    return _BY_ALGORITHM.get(str(stated.get("quant_algo") or "").upper(), "")


def _of_groups(stated: Mapping[str, object]) -> str:
    """The scheme of compressed-tensors groups; several kinds of weights are one mixed scheme."""
    groups = stated.get("config_groups")
    if not isinstance(groups, Mapping):
        return ""
    found = {_of_group(group) for group in groups.values() if isinstance(group, Mapping)}
    return found.pop() if len(found) == 1 else "modelopt-mixed" if found else ""


def _of_group(group: Mapping[str, object]) -> str:
    weights, inputs = group.get("weights"), group.get("input_activations")
    if not isinstance(weights, Mapping):
        return ""
    bits, kind, size = weights.get("num_bits"), weights.get("type"), weights.get("group_size")
    has_inputs = isinstance(inputs, Mapping)
    if kind == "float":
        if bits == 4:
            family = "mxfp4" if size == 32 else "nvfp4"
            return f"{family}-w4a4" if has_inputs else f"{family}-w4a16"
        if bits == 8:
            if size == 32:
                return "mxfp8"
            strategy = weights.get("strategy")
            by_block = {"block": "fp8-w8a8-block", "channel": "fp8-w8a8-row"}
            return by_block.get(str(strategy), "fp8-w8a8") if has_inputs else "fp8-w8a16"
        return ""
    if bits == 8:
        return "int8-w8a8" if has_inputs else "int8-w8a16"
    if bits == 4:
        return "int8-w4a8" if has_inputs else "int4-w4a16"
    return ""


def group_size_of_config(config: Mapping[str, object]) -> int | None:
    """How many weights share a scale, where the checkpoint says so."""
    stated = config.get("quantization_config")
    if not isinstance(stated, Mapping):
        return None
    sizes = [stated.get("group_size"), stated.get("q_group_size")]
    groups = stated.get("config_groups")
    for group in groups.values() if isinstance(groups, Mapping) else ():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if isinstance(weights, Mapping):
            sizes.append(weights.get("group_size"))
    return next((s for s in sizes if isinstance(s, int) and 8 <= s <= 65_536), None)


def kept_parts_of(config: Mapping[str, object], *, layers: int) -> tuple[str, ...] | None:
    """The parts that the checkpoint leaves in 16 bits; None where it has no such list.

    A part counts as left alone when a pattern covers all layers, or names reach half of them.
    """
    stated = config.get("quantization_config")
    if not isinstance(stated, Mapping):
        return None
    named = stated.get("parts_kept")  # The catalogue names the parts themselves.
    if isinstance(named, list):
        return tuple(str(part) for part in named)
    for key in ("ignore", "modules_to_not_convert", "exclude_modules"):
        listed = stated.get(key)
        if isinstance(listed, Sequence) and not isinstance(listed, str):
            if len(listed) > _LONGEST_LIST:
                raise MemoryInputError(
                    key=key,
                    value=f"{len(listed)} names",
                    accepted=Phrase("at most {longest_list}", longest_list=_LONGEST_LIST),
                )
            names = [name for name in listed if isinstance(name, str)]
            return tuple(
                part for part, told in _PART_OF_MODULE if _covers(told, names, layers=layers)
            )
    return None


def _covers(told: re.Pattern[str], names: Sequence[str], *, layers: int) -> bool:
    hits = [name for name in names if told.search(name[:500]) and not _BESIDE.search(name[:500])]
    patterns = [name for name in hits if name.startswith("re:") or ".*." in name]
    return bool(patterns) or len(hits) * 2 >= layers
