"""The commands of benchmark clients, each from what is known of a run's settings.

An option is written only where the run states its value; what the command cannot do without and
nobody knows stands as a placeholder.
"""

import re
import shlex
from collections.abc import Callable, Mapping

from benchmarks_app.contract import Load
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.domain.provenance import NOT_CAPTURED
from matrix.domain.redaction import mask_text

# Whose machine an address names is nobody's business; one's own machine is everybody's.
_URL_HOST = re.compile(
    r"(?P<scheme>(?<=[A-Za-z0-9+.-])://)(?!localhost\b|127\.|0\.0\.0\.0|‹host›)[^\s/'\"]+"
)


class CommandWords:
    """The words of one command; remembers which of them stand for something unknown."""

    def __init__(self, *first: str) -> None:
        self.words = [*first]
        self.unknown: list[str] = []

    def add(self, *words: str) -> "CommandWords":
        self.words += [shlex.quote(word) for word in words]
        return self

    def option(self, name: str, value: object) -> "CommandWords":
        """An option with its value; none for what the run does not state."""
        return self if value is None else self.add(name, plain(value))

    def needed(self, name: str, value: object, what: str) -> "CommandWords":
        """An option that the command cannot do without."""
        if value is None:
            self.unknown.append(what)
            value = placeholder(what)
        return self.add(*(word for word in (name, plain(value)) if word))

    def __str__(self) -> str:
        return " ".join(self.words)


def placeholder(what: str) -> str:
    """What stands for an unknown value: ``<model revision: not captured>``."""
    return f"<{what}: {NOT_CAPTURED}>"


def plain(value: object) -> str:
    """A value as a command takes it: 8.0 as 8, masked where it is a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1e15 else "inf"
    # Line breaks and control signs would end the command where it is pasted.
    return " ".join(mask_value(str(value)).split()) if isinstance(value, str) else str(value)


def mask_value(text: str) -> str:
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return _URL_HOST.sub(r"\g<scheme>‹host›", mask_text(printable).text)


def _unbounded_or(load: Load) -> str | None:
    if load.request_rate_unbounded or load.mode is LoadMode.BURST:
        return "inf"
    return None if load.request_rate is None else plain(load.request_rate)


def _vllm(known: Mapping[str, object], load: Load) -> CommandWords:
    if load.mode is LoadMode.OFFLINE_BATCH:
        return _vllm_offline(known, load)
    words = CommandWords("vllm", "bench", "serve")
    words.option("--backend", known.get("client.backend"))
    words.needed("--model", known.get("model.id"), "model")
    words.option("--tokenizer", known.get("tokenizer.id"))
    words.needed("--dataset-name", known.get("load.dataset"), "dataset")
    if known.get("load.dataset") == "random":
        words.needed("--random-input-len", load.isl_target, "input length")
        words.needed("--random-output-len", load.osl_target, "output length")
        words.option("--random-range-ratio", load.range_ratio)
    words.needed("--num-prompts", load.num_prompts, "number of requests")
    words.needed("--request-rate", _unbounded_or(load), "request rate")
    words.option("--burstiness", load.burstiness)
    words.option("--max-concurrency", load.max_concurrency)
    words.option("--seed", known.get("load.seed"))
    return words.add("--ignore-eos") if load.ignore_eos else words


def _vllm_offline(known: Mapping[str, object], load: Load) -> CommandWords:
    kind = "latency" if load.batch_size is not None else "throughput"
    words = CommandWords("vllm", "bench", kind)
    words.needed("--model", known.get("model.id"), "model")
    words.needed("--input-len", load.isl_target, "input length")
    words.needed("--output-len", load.osl_target, "output length")
    words.option("--batch-size", load.batch_size)
    if kind == "throughput":
        words.needed("--num-prompts", load.num_prompts, "number of requests")
    return words.option("--tensor-parallel-size", known.get("parallelism.tp"))


def _sglang(known: Mapping[str, object], load: Load) -> CommandWords:
    words = CommandWords("python", "-m", "sglang.bench_serving")
    words.needed("--backend", known.get("client.backend"), "client backend")
    words.option("--model", known.get("model.id"))
    words.needed("--dataset-name", known.get("load.dataset"), "dataset")
    if str(known.get("load.dataset", "")).startswith("random"):
        words.needed("--random-input-len", load.isl_target, "input length")
        words.needed("--random-output-len", load.osl_target, "output length")
        words.option("--random-range-ratio", load.range_ratio)
    words.needed("--num-prompts", load.num_prompts, "number of requests")
    words.needed("--request-rate", _unbounded_or(load), "request rate")
    words.option("--max-concurrency", load.max_concurrency)
    return words.option("--seed", known.get("load.seed"))


# Releases before b6865 know no words for it, later ones know both.
_SWITCHES: Mapping[object, str] = {"on": "1", "off": "0", True: "1", False: "0"}


def _llama_bench(known: Mapping[str, object], load: Load) -> CommandWords:
    words = CommandWords("llama-bench")
    words.needed("-m", known.get("model.file"), "model file")
    for option, value in (
        ("-p", load.n_prompt),
        ("-n", load.n_gen),
        ("-d", load.n_depth),
        ("-b", load.n_batch),
        ("-ub", load.n_ubatch),
        ("-ngl", load.n_gpu_layers),
        ("-t", load.extra.get("n_threads")),
        ("-fa", _SWITCHES.get(load.extra.get("flash_attn"), load.extra.get("flash_attn"))),
        ("-ctk", known.get("kv_cache.type_k")),
        ("-ctv", known.get("kv_cache.type_v")),
    ):
        words.option(option, value)
    return words.add("-o", "jsonl")


_GUIDELLM_WITH_THESE_OPTIONS = re.compile(r"0\.[1-6](?:\.|$)")


def _guidellm(known: Mapping[str, object], load: Load) -> CommandWords:
    words = CommandWords("guidellm", "benchmark")
    if not _GUIDELLM_WITH_THESE_OPTIONS.match(str(known.get("tool.version", ""))):
        return CommandWords()
    words.needed("--target", None, "target")
    words.option("--model", known.get("model.id"))
    if load.max_concurrency is not None:
        words.add("--rate-type", "concurrent", "--rate", plain(load.max_concurrency))
    elif load.request_rate is not None:
        words.add("--rate-type", "constant", "--rate", plain(load.request_rate))
    else:
        words.needed("--rate-type", None, "rate type")
    words.option("--max-requests", load.num_prompts)
    words.option("--max-seconds", load.duration_target_s)
    return words.needed("--data", known.get("load.dataset"), "dataset")


def _aiperf(known: Mapping[str, object], load: Load) -> CommandWords:
    words = CommandWords("aiperf", "profile")
    words.needed("--model", known.get("model.id"), "model")
    words.option("--tokenizer", known.get("tokenizer.id"))
    words.option("--concurrency", load.max_concurrency)
    words.option("--request-rate", load.request_rate)
    words.option("--request-count", load.num_prompts)
    words.option("--benchmark-duration", load.duration_target_s)
    words.option("--isl", load.isl_target)
    words.option("--osl", load.osl_target)
    return words.add("--streaming") if known.get("load.streaming") is True else words


_Writer = Callable[[Mapping[str, object], Load], CommandWords]
CLIENTS: Mapping[str, _Writer] = {
    "vllm": _vllm,
    "sglang": _sglang,
    "llama_bench": _llama_bench,
    "guidellm": _guidellm,
    "aiperf": _aiperf,
}
