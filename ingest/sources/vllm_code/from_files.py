"""vLLM's facts from the source files of a release, over the layouts of 0.2 to today."""

from ingest.reading.python_code import PythonModule, Value, named_strings, string_keys
from ingest.sources.code_facts import Json
from ingest.sources.code_files import CodeFiles, CodeReader, Facts
from ingest.sources.vllm_code.files_builds import read_build_files
from ingest.sources.vllm_code.files_methods import read_method_files

_REGISTRY = "vllm/model_executor/models/registry.py"
_OLD_REGISTRY = "vllm/model_executor/models/__init__.py"
_MODELS_SUFFIX = "_MODELS"
_FALLBACK = "_FALLBACK_MODEL"
_ROCM_UNSUPPORTED = "_ROCM_UNSUPPORTED_MODELS"
_ROCM_PARTIAL = "_ROCM_PARTIALLY_SUPPORTED_MODELS"
_NO_GROUPS = frozenset(
    {
        "_VLLM_MODELS",
        "_OOT_MODELS",
        _ROCM_UNSUPPORTED,
        _ROCM_PARTIAL,
        "_PREVIOUSLY_SUPPORTED_MODELS",
        "_OOT_SUPPORTED_MODELS",
    }
)


def _read(files: CodeFiles) -> Facts:
    return {**read_method_files(files), **_read_registry(files), **read_build_files(files)}


def _read_registry(files: CodeFiles) -> Facts:
    """The groups of the model registry, and what it says of former and plug-in models."""
    module = _registry(files)
    groups: dict[str, Json] = {}
    for name in dict.fromkeys(module.assigned_names()):
        if (name.endswith(_MODELS_SUFFIX) or name == _FALLBACK) and name not in _NO_GROUPS:
            names = _architectures(module, name)
            if names:
                groups[name.removeprefix("_").lower()] = list[Json](names)
    if len(groups) > 1:
        # The table that joins the groups repeats their names.
        groups.pop("models", None)
    return {
        "model_architectures": groups,
        "previously_supported_models": _plain(module, "_PREVIOUSLY_SUPPORTED_MODELS"),
        "oot_supported_models": _plain(module, "_OOT_SUPPORTED_MODELS"),
        "rocm_model_notes": _rocm_notes(module),
    }


def _registry(files: CodeFiles) -> PythonModule:
    module = files.python(_REGISTRY, _OLD_REGISTRY)
    assert module is not None, "a reader is called with the files that it needs"
    return module


def _architectures(module: PythonModule, name: str) -> list[str]:
    """The keys that a registry table states itself, sorted.

    What it takes over from another table by a rule is registered there already.
    """
    node = module.assigned(name)
    return sorted(set(string_keys(node))) if node is not None else []


def _plain(module: PythonModule, name: str) -> Value:
    value = module.literal_or_none(name)
    return value if isinstance(value, dict) and value else None


def _rocm_notes(module: PythonModule) -> Value:
    """What old registries say of single models on ROCm; a reason may be a constant's name."""
    partly = module.assigned(_ROCM_PARTIAL)
    none = module.literal_or_none(_ROCM_UNSUPPORTED)
    if partly is None and not isinstance(none, list):
        return None
    return {
        "unsupported": none if isinstance(none, list) else [],
        "partially": {**named_strings(partly)} if partly is not None else {},
    }


READER = CodeReader(
    framework="vllm",
    source="vllm-code",
    paths=(
        r"vllm/model_executor/models/(registry|__init__|deepseek_v4)\.py",
        r"vllm/model_executor/layers/quantization/.*\.py",
        r"vllm/models/.*/quant_config\.py",
        r"vllm/platforms/[^/]+\.py",
        r"requirements[^/]*\.txt",
        r"requirements/[^/]+\.txt",
        r"(docker/)?Dockerfile[^/]*",
        r"CMakeLists\.txt",
        r"pyproject\.toml",
        r"setup\.py",
    ),
    needed=(
        (r"vllm/model_executor/models/(registry|__init__)\.py",),
        (r"vllm/model_executor/layers/quantization/__init__\.py",),
    ),
    read=_read,
    address="https://github.com/vllm-project/vllm/tree/v{version}",
    commit_key="git_commit",
)
