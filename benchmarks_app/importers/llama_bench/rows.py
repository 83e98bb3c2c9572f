"""Maps one row of llama-bench (JSON, JSON Lines, CSV or SQL) to a run.

**Source**: the fields that llama-bench wrote from its first releases to b11434, as listed in
docs/benchmark-formats.md.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from benchmarks_app.contract import Fact, Load, Measurement, Notice, RunReading, Samples
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.taking import (
    Scalar,
    measure,
    non_finite_notices,
    take_scalar,
    take_settings,
    take_texts,
)
from benchmarks_app.reading.fields import Fields
from matrix.domain.phrases import Phrase

TOOL = "llama-bench"
FRAMEWORK = "llama.cpp"
# What every row of every version holds; an object without them is something else.
NEEDED = ("build_commit", "n_prompt", "n_gen", "avg_ts")
# The number counts commits: 0 outside of a checkout and 1 in a shallow one name no build.
FIRST_BUILD = 2

_NS_PER_S = 1e9
# Versions before September 2024 wrote a flag for each backend instead of their names.
_BACKEND_FLAGS = (
    ("cuda", "CUDA"), ("vulkan", "Vulkan"), ("kompute", "Kompute"), ("metal", "Metal"),
    ("sycl", "SYCL"), ("opencl", "OpenCL"), ("hipblas", "ROCm"), ("gpu_blas", "GPU BLAS"),
    ("blas", "BLAS"),
)  # fmt: skip
_SETTINGS = (
    "n_threads", "cpu_mask", "cpu_strict", "poll", "n_cpu_moe", "split_mode", "main_gpu",
    "devices", "tensor_split", "tensor_buft_overrides", "defrag_thold", "use_mmap",
    "use_direct_io", "load_mode", "lazy_mode", "embeddings", "no_op_offload", "no_host", "repack",
    "fit_target", "fit_min_ctx", "rpc", "numa", "f16_kv", "mul_mat_q", "low_vram",
)  # fmt: skip
_FLAGS = frozenset(
    {"cpu_strict", "no_kv_offload", "use_mmap", "use_direct_io", "embeddings", "no_host", "repack",
     "f16_kv", "mul_mat_q", "low_vram"} | {flag for flag, _name in _BACKEND_FLAGS}
)  # fmt: skip
_INTEGERS = frozenset(
    {"build_number", "model_size", "model_n_params", "n_batch", "n_ubatch", "n_threads", "poll",
     "n_gpu_layers", "n_cpu_moe", "main_gpu", "flash_attn", "no_op_offload", "fit_target",
     "fit_min_ctx", "n_prompt", "n_gen", "n_depth", "avg_ns", "stddev_ns"}
)  # fmt: skip
_DECIMALS = frozenset({"avg_ts", "stddev_ts", "defrag_thold"})


def is_row(value: object) -> bool:
    """Whether a value is one result of llama-bench."""
    return isinstance(value, dict) and all(name in value for name in NEEDED)


def type_row(names: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    """A row of texts, as CSV and SQL hold them, in the types that the JSON has."""
    return {name: _typed(name, cell) for name, cell in zip(names, cells, strict=True)}


def read_row(value: object, *, index: int, pointer: str) -> RunReading:
    """The run of one row.

    **Raises**: ``ResultError`` for a value that is no row, naming its place.
    """
    if not is_row(value):
        raise ResultError(
            code="not-a-row",
            what=Phrase("The value is no result of llama-bench"),
            place=pointer,
            accepted=Phrase("an object with {names}", names=", ".join(NEEDED)),
        )
    fields = Fields(value, pointer)
    facts = _facts(fields)
    load = _load(fields)
    metrics, samples = _metrics(fields, load)
    notices = [*non_finite_notices(fields)]
    if _has_one_repetition(fields, samples):
        notices.append(Notice("single_repetition", pointer=pointer))
    status = RunStatus.OK
    if not metrics:
        status = RunStatus.SUSPECT
        notices.append(Notice("contradicts_itself", "avg_ts", pointer=fields.place("avg_ts")))
    return RunReading(
        index=index,
        status=status,
        pointer=pointer,
        facts=facts,
        load=load,
        metrics=metrics,
        samples=samples,
        notices=tuple(notices),
        unmapped=fields.rest(),
    )


def fixed_facts() -> dict[str, Fact]:
    """What the tool's name alone says."""
    return {"tool.name": Fact(TOOL), "framework.name": Fact(FRAMEWORK)}


def metric_of(n_prompt: int | None, n_gen: int | None) -> str | None:
    """The metric that a test of so many prompt and generated tokens measures."""
    if n_prompt is None or n_gen is None or n_prompt + n_gen <= 0:
        return None
    if n_gen == 0:
        return "prefill_throughput"
    return "mixed_throughput" if n_prompt else "decode_throughput"


def name_flash_attention(value: object) -> str:
    """``on``, ``off`` or ``auto``: a flag in older versions, a number with -1 since."""
    if isinstance(value, str):
        return value
    if value == -1:
        return "auto"
    return "on" if value else "off"


def _typed(name: str, cell: str) -> object:
    if not cell:
        return cell
    if name in _FLAGS and cell in ("0", "1"):
        return cell == "1"
    try:
        if name in _INTEGERS:
            return int(cell)
        if name in _DECIMALS:
            return float(cell)
    except ValueError:
        return cell
    return cell


def _facts(fields: Fields) -> dict[str, Fact]:
    facts = fixed_facts()
    facts |= take_texts(
        fields,
        {
            "host.cpu": "cpu_info",
            "model.desc": "model_type",
            "kv_cache.type_k": "type_k",
            "kv_cache.type_v": "type_v",
            "run.started_at": "test_time",
        },
    )
    commit = fields.text("build_commit")
    if commit and commit.lower() != "unknown":
        facts["framework.commit"] = Fact(commit, pointer=fields.place("build_commit"))
    number = fields.integer("build_number")
    if number and number >= FIRST_BUILD:
        facts["framework.build_number"] = Fact(number, pointer=fields.place("build_number"))
    for fact, name in (("model.size_bytes", "model_size"), ("model.n_params", "model_n_params")):
        count = fields.integer(name)
        if count:
            facts[fact] = Fact(count, pointer=fields.place(name))
    path = fields.text("model_filename")
    if path:
        file = path.replace("\\", "/").rpartition("/")[2] or path
        facts["model.file"] = Fact(file, pointer=fields.place("model_filename"))
    kept_on_host = fields.flag("no_kv_offload")
    if kept_on_host is not None:
        facts["kv_offload"] = Fact(not kept_on_host, pointer=fields.place("no_kv_offload"))
    return facts | _accelerator(fields)


def _accelerator(fields: Fields) -> dict[str, Fact]:
    facts = {}
    backend = fields.text("backends") or _flagged_backend(fields)
    if backend:
        facts["accelerator.backend"] = Fact(backend, pointer=fields.place("backends"))
    names = fields.text("gpu_info")
    if names:
        place = fields.place("gpu_info")
        parts = names.split(", ")
        # Several equal names are several devices; one name says nothing of how many were used.
        if len(parts) > 1 and len(set(parts)) == 1:
            names = parts[0]
            is_remote = backend is not None and "RPC" in backend.split(",")
            uses_all = fields.peek("split_mode") != "none" and not is_remote
            if uses_all and fields.peek("devices") in (None, "auto"):
                facts["accelerator.count"] = Fact(len(parts), pointer=place)
        facts["accelerator.name"] = Fact(names, pointer=place)
    return facts


def _flagged_backend(fields: Fields) -> str | None:
    stated = [(name, fields.flag(flag)) for flag, name in _BACKEND_FLAGS if flag in fields]
    if not stated:
        return None
    used = [name for name, is_used in stated if is_used]
    if any(name not in ("GPU BLAS", "BLAS") for name in used):
        used = [name for name in used if name not in ("GPU BLAS", "BLAS")]
    return ",".join(used) or "CPU"


def take_extra(fields: Fields, names: Iterable[str]) -> dict[str, Scalar]:
    """The stated settings of llama.cpp's tools, with flash attention as a word."""
    extra = take_settings(fields, names)
    attention = take_scalar(fields, "flash_attn")
    if attention is not None:
        extra["flash_attn"] = name_flash_attention(attention)
    return extra


def _load(fields: Fields) -> Load:
    extra = take_extra(fields, _SETTINGS)
    return Load(
        mode=LoadMode.MICROBENCH,
        n_prompt=fields.integer("n_prompt"),
        n_gen=fields.integer("n_gen"),
        n_depth=fields.integer("n_depth"),
        n_batch=fields.integer("n_batch"),
        n_ubatch=fields.integer("n_ubatch"),
        n_gpu_layers=fields.integer("n_gpu_layers"),
        extra=extra,
    )


def _metrics(fields: Fields, load: Load) -> tuple[tuple[Measurement, ...], Samples | None]:
    metric = metric_of(load.n_prompt, load.n_gen)
    if metric is None:
        return (), None
    rate = _mean_and_spread(fields, "avg_ts", "stddev_ts", 1.0)
    time = _mean_and_spread(fields, "avg_ns", "stddev_ns", _NS_PER_S)
    repeats = {}
    rates = fields.numbers("samples_ts")
    if rates is not None and rates.size:
        repeats[metric] = rates
    times = fields.numbers("samples_ns")
    if times is not None and times.size:
        repeats["batch_latency"] = times / np.float64(_NS_PER_S)
    metrics = (
        *measure(metric, rate, pointer=fields.place("avg_ts")),
        *measure("batch_latency", time, pointer=fields.place("avg_ns")),
    )
    return (metrics if rate else ()), (Samples(repeats=repeats) if repeats else None)


def _mean_and_spread(
    fields: Fields, mean: str, spread: str, per_unit: float
) -> Mapping[str, float]:
    found = {}
    for stat, name in (("mean", mean), ("std", spread)):
        value = fields.number(name)
        if value is not None:
            found[stat] = value / per_unit
    return found if "mean" in found else {}


def _has_one_repetition(fields: Fields, samples: Samples | None) -> bool:
    """Whether the test ran once; without samples a spread of exactly 0 ns says so."""
    if samples is not None:
        return max(column.size for column in samples.repeats.values()) == 1
    return fields.peek("stddev_ns") == 0
