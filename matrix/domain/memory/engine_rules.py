"""What differs between serving engines in how they lay out memory: blocks, windows, shares."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from packaging.version import InvalidVersion, Version

from matrix.domain.phrases import Phrase


@dataclass(frozen=True, slots=True)
class EngineRules:
    """The rules of one engine.

    ``frees_windows_since``: the release from which layers with a window keep only the window;
    empty where no release is known to, None where some configurations do and some do not.
    ``vocabulary_multiple``: rows of the vocabulary are padded to it. ``memory_share``: what of a
    device the engine takes unless told otherwise, ``share_setting`` how it is told.
    ``weights_excess``: by what share its logs state more for the weights than their tensors take.
    **Units**: ``block_tokens`` tokens, ``memory_share`` a share of the device's memory.
    """

    block_tokens: int
    memory_share: float
    share_setting: str
    frees_windows_since: str | None = None
    vocabulary_multiple: int = 64
    is_own: bool = True
    weights_excess: float = 0.0
    source: str = ""


_BORROWED = EngineRules(
    block_tokens=16, memory_share=1.0, share_setting="", is_own=False,
    source=Phrase("rules of vLLM, for want of the engine's own"),
)  # fmt: skip
RULES: Mapping[str, EngineRules] = MappingProxyType(
    {
        "vllm": EngineRules(
            16, 0.9, "gpu_memory_utilization", "0.10.0",
            source=Phrase(
                "{places}; windows: {issue}", issue="#17996",
                places="vLLM v0.33.0, vllm/v1/kv_cache_interface.py, cache.py",
            ),
        ),
        "vllm-ascend": EngineRules(
            128, 0.9, "gpu_memory_utilization", None,
            source=Phrase(
                "{engine}, block size 128 as its start-up logs state", engine="vLLM Ascend"
            ),
        ),
        "sglang": EngineRules(
            1, 0.9, "mem_fraction_static", None, weights_excess=0.06,
            source=Phrase(
                "{places} and start-up logs", places="SGLang v0.5.18, srt/mem_cache/memory_pool.py"
            ),
        ),
        "tensorrt-llm": EngineRules(
            32, 0.9, "free_gpu_memory_fraction", None, vocabulary_multiple=1,
            source=Phrase("{places} and start-up logs", places="TensorRT-LLM 1.0, KvCacheConfig"),
        ),
        "tgi": EngineRules(
            16, 1.0, "cuda-memory-fraction", "", vocabulary_multiple=1,
            source="TGI v3.3.7, server/text_generation_server/models/flash_causal_lm.py",
        ),
        "lmdeploy": EngineRules(
            64, 0.8, "cache_max_entry_count", "", vocabulary_multiple=1,
            source="LMDeploy v0.16.0, lmdeploy/messages.py",
        ),
        "mindie-llm": EngineRules(
            128, 0.8, "npuMemSize", "", vocabulary_multiple=1,
            source=Phrase(
                "{engine}, {setting} of its configuration",
                engine="MindIE LLM 3.0.0", setting="cacheBlockSize",
            ),
        ),
    }
)  # fmt: skip


def rules_of(engine: str) -> EngineRules:
    """The rules of an engine; those of vLLM, marked as borrowed, where its own are not known."""
    return RULES.get(engine, _BORROWED)


def frees_windows(rules: EngineRules, version: str) -> bool | None:
    """Whether layers with a window keep only the window; None where that is not known."""
    since = rules.frees_windows_since
    if since is None:
        return None
    if not since:
        return False
    try:
        return Version(version) >= Version(since)
    except InvalidVersion:
        return None
