"""What a truth row asked of its engine, as a request for an estimate."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.values import Layout, MemoryRequest, ModelShape
from matrix.domain.phrases import Phrase

_FILE_TYPE = re.compile(r"^(?:I?Q[1-8]|TQ[12]|MXFP4|BF16|F16|F32)[A-Z0-9_]*")
_PLAIN = {"F16": "fp16", "BF16": "bf16", "F32": "fp32"}
# Schemes of start-up logs as they are written there.
_SERVING_SCHEMES: Mapping[str, str] = {
    "bf16": "bf16",
    "fp16": "fp16",
    "awq-int4-g128": "awq-w4a16",
    "awq-int4": "awq-w4a16",
    "gptq-int4-g128": "gptq-w4a16",
    "gptq-int4": "gptq-w4a16",
    "bnb-nf4": "bnb-nf4",
    "w8a8-int8": "int8-w8a8",
    "int8-w8a8": "int8-w8a8",
    "fp32": "fp32",
    "mxfp8": "mxfp8",
    "fp8": "fp8",
    "nvfp4": "nvfp4",
    "mxfp4": "mxfp4",
    "int8": "int8-w8a8",
}
# The cache of those that say no more is in the model's 16 bits.
_CACHE_DTYPES: Mapping[str, str] = {
    **dict.fromkeys(("", "auto", "bf16", "bfloat16", "fp16", "f16", "float16"), ""),
    **dict.fromkeys(("fp8", "fp8_e4m3"), "kv-fp8"),
    "fp8_e5m2": "kv-fp8-e5m2",
    "int8": "kv-int8",
}


def load_request(row: Mapping[str, object], shape: ModelShape) -> MemoryRequest:
    """The request of a load: its arguments are those of llama.cpp's tools."""
    args = [str(word) for word in _words(row["args"])]
    is_dry = "--no-alloc" in args
    devices = args.count("--rpc")
    options: dict[str, object] = {
        "context_is_total": True,
        "ubatch_tokens": int(_after(args, "-ub", "512")),
        "flash_attention": _after(args, "-fa", "on") != "off",
        "type_k": _after(args, "-ctk", "f16"),
        "type_v": _after(args, "-ctv", "f16"),
        "kv_unified": "--kv-unified" in args,
        "swa_full": "--swa-full" in args,
        "mmap": not is_dry and "--no-mmap" not in args,
        "repack": "--no-repack" not in args,
        "experts_type": "",
        "offload_layers": int(_after(args, "-ngl", "999")) if devices else 0,
    }
    outputs = _after(args, "-nout", "")
    if outputs:
        options["outputs"] = int(outputs)
    return MemoryRequest(
        shape=shape,
        scheme=_scheme_of_file(str(row["quant"])),
        engine="llama.cpp",
        context_tokens=int(_after(args, "-c", "4096")),
        sequences=int(_after(args, "-np", "1")),
        layout=Layout(pipeline_parallel=max(devices, 1)),
        options=options,
    )


def size_request(quant: str, shape: ModelShape, *, label: str = "") -> MemoryRequest:
    """The request for a file's size, of the file type that ``quant`` begins with.

    The file is one made of full-width weights, but where the label says that experts stay MXFP4.
    """
    kept = "mxfp4" if "experts" in label and "MXFP4" in label else ""
    return MemoryRequest(
        shape=shape,
        scheme=_scheme_of_file(quant),
        engine="llama.cpp",
        options={"experts_type": kept},
    )


def log_request(row: Mapping[str, object], shape: ModelShape) -> MemoryRequest:
    """The request of a load whose log was published: every layer is on the devices."""
    if row.get("mla") is False:
        shape = replace(shape, raw={**shape.raw, "mla_split": False})
    buffers = row.get("compute_MiB")
    names = list(buffers) if isinstance(buffers, Mapping) else []
    devices = sum(not name.startswith(("CPU", "CUDA_Host")) for name in names)
    return MemoryRequest(
        shape=shape,
        scheme=_scheme_of_file(str(row.get("quant", ""))),
        engine="llama.cpp",
        context_tokens=_count(row, "n_ctx", 4096),
        sequences=_count(row, "n_seq", 1),
        layout=Layout(pipeline_parallel=max(devices, 1)),
        options={
            "context_is_total": True,
            "ubatch_tokens": _count(row, "n_ubatch", 512),
            "flash_attention": row.get("fa") is not False,
            "type_k": str(row.get("type_k", "f16")),
            "type_v": str(row.get("type_v", "f16")),
            "kv_unified": row.get("kv_unified") is True,
        },
    )


def serving_request(
    row: Mapping[str, object], shape: ModelShape
) -> tuple[MemoryRequest, int | None]:
    """The request of a serving engine's start-up, and how many tokens its cache held.

    ``scheme`` is empty where the row names none that is known here.
    """
    tokens = row.get("kv_tokens")
    blocks = row.get("gpu_blocks")
    if tokens is None and isinstance(blocks, int):
        tokens = blocks * _count(row, "block_size", 16)
    held = tokens if isinstance(tokens, int) else None
    word = str(row.get("quant", "")).split("(")[0].strip().lower()
    kept = str(row.get("kv_dtype") or "").split("+")[0].strip().lower()
    request = MemoryRequest(
        # The cache of many sequences is asked for as one, beyond the model's own context.
        shape=replace(shape, max_context_tokens=None),
        scheme=_SERVING_SCHEMES.get(word, ""),
        engine=str(row.get("engine", "")),
        context_tokens=held or 1024,
        # An unknown word stays one: then the cache is not estimated.
        kv_dtype=_CACHE_DTYPES.get(kept, f"kv-{kept}"),
        layout=Layout(tensor_parallel=_count(row, "tp", 1)),
    )
    return request, held


def _scheme_of_file(quant: str) -> str:
    found = _FILE_TYPE.match(quant.upper())
    if found is None:
        return ""
    word = found.group().rstrip("_")
    return _PLAIN.get(word, f"gguf-{word.lower().replace('_', '-')}")


def _words(value: object) -> Sequence[object]:
    if isinstance(value, list):
        return value
    raise MemoryInputError(key="args", value=value, accepted=Phrase("a list of words"))


def _after(args: Sequence[str], name: str, otherwise: str) -> str:
    at = args.index(name) if name in args else len(args)
    return args[at + 1] if at + 1 < len(args) else otherwise


def _count(row: Mapping[str, object], name: str, otherwise: int) -> int:
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
