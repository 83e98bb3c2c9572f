"""vLLM's facts read from a small release of source files that we made up."""

from collections.abc import Mapping
from typing import Any

import pytest

from ingest.contract import Page, UnexpectedPage
from ingest.sources.code_files import read_code
from ingest.sources.code_readers import code_reader_of, facts_pages
from ingest.sources.vllm_code.from_files import READER

QUANT = "vllm/model_executor/layers/quantization"
METHODS = """
from vllm.far import FarConfig as LaterConfig

QuantizationMethods = Literal["awq", "near", "borrowed", "branched", "bare"]
QUANTIZATION_METHODS: list[str] = list(get_args(QuantizationMethods))
DEPRECATED_QUANTIZATION_METHODS = ["near"]


def get_quantization_config(name):
    if new:
        picked = LaterConfig
    else:
        picked = NearConfig
    method_to_config = {
        "awq": AwqConfig,
        "near": NearConfig,
        "borrowed": InheritingConfig,
        "branched": picked,
    }
    return method_to_config[name]
"""
CLASSES = """
class AwqConfig(QuantizationConfig):
    def get_supported_act_dtypes(self):
        return [torch.half]

    @classmethod
    def get_min_capability(cls):
        return 75


class NearConfig(QuantizationConfig):
    def get_min_capability(cls):
        if current_platform.is_rocm():
            return 10
        if emulated():
            return 80
        return 100


class InheritingConfig(AwqConfig):
    def helper(self):
        return 1


class FarConfig(QuantizationConfig):
    def get_min_capability(cls):
        raise NotImplementedError("nowhere")
"""
SCHEME = """
class QuarkW8A8Fp8(QuarkScheme):
    def get_min_capability(cls):
        return 89


class QuarkOther(QuarkScheme):
    def get_min_capability(cls):
        return QuarkW8A8Fp8.get_min_capability()


class NoContainer:
    def get_min_capability(cls):
        return 1
"""
REGISTRY = """
_TEXT_GENERATION_MODELS = {
    "ZebraForCausalLM": ("zebra", "ZebraForCausalLM"),
    # "GoneForCausalLM": ("gone", "GoneForCausalLM"),
    "ApeForCausalLM": ("ape", "ApeForCausalLM"),
}
_EMBEDDING_MODELS = {
    "ApeModel": ("ape", "ApeModel"),
    **{k: v for k, v in _TEXT_GENERATION_MODELS.items() if v},
}
_VLLM_MODELS = {**_TEXT_GENERATION_MODELS, **_EMBEDDING_MODELS}
_PREVIOUSLY_SUPPORTED_MODELS = {"GoneForCausalLM": "0.9.2"}
_OOT_SUPPORTED_MODELS = {"FarModel": "https://host.test/far-plugin"}
"""
ROCM = """
class RocmPlatform(Platform):
    supported_quantization: list[str] = ["awq"]


class Other:
    pass
"""
FILES: Mapping[str, str] = {
    f"{QUANT}/__init__.py": METHODS,
    f"{QUANT}/all.py": CLASSES,
    f"{QUANT}/quark/schemes/some.py": SCHEME,
    f"{QUANT}/kernel.py": "this is = no python, but it holds no class that matters ((",
    "vllm/model_executor/models/registry.py": REGISTRY,
    "vllm/platforms/__init__.py": "",
    "vllm/platforms/interface.py": "class Platform:\n    supported_quantization = []\n",
    "vllm/platforms/rocm.py": ROCM,
    "requirements/common.txt": "transformers >= 4.51.1  # new\nregex\n",
    "requirements/test.txt": "torch==9\n",
    "requirements/rocm.txt": "-r common.txt\ntorch==2.8.0\n",
    "docker/Dockerfile": "ARG CUDA_VERSION=12.8\nARG USE_SCCACHE\nFROM base:1 AS x\nFROM x\n",
    "CMakeLists.txt": (
        'set(PYTHON_SUPPORTED_VERSIONS "3.12")\nset(CUDA_SUPPORTED_ARCHS "7.5;8.0")\n'
        'set(HIP_SUPPORTED_ARCHS "gfx942")\nset(TORCH_SUPPORTED_VERSION_CUDA "2.8.0")\n'
    ),
    "pyproject.toml": (
        '[build-system]\nrequires = ["cmake", "torch == 2.8.0"]\n'
        '[project]\nrequires-python = ">=3.10,<3.13"\n'
        'classifiers = ["Programming Language :: Python :: 3.12"]\n'
    ),
}
NOTHING = {"config_class": None, "min_capability": None, "act_dtypes": None}


def _facts(**changed: str | None) -> dict[str, Any]:
    files = {**FILES, **changed}
    kept = {path: text for path, text in files.items() if text is not None}
    return read_code(READER, kept, version="0.0.1")


def test_the_whole_release_is_read_into_the_facts_that_the_rules_expect() -> None:
    assert _facts() == {
        "framework": "vllm",
        "version": "0.0.1",
        "quantization_methods": ["awq", "near", "borrowed", "branched", "bare"],
        "deprecated_quantization_methods": ["near"],
        "quant_method_config": {
            "awq": {
                "config_class": "AwqConfig",
                "min_capability": 75,
                "act_dtypes": "[torch.half]",
            },
            "near": {
                "config_class": "NearConfig",
                "min_capability": [100, 80],
                "act_dtypes": None,
            },
            "borrowed": {
                "config_class": "InheritingConfig",
                "min_capability": 75,
                "act_dtypes": "[torch.half]",
            },
            "branched": {"config_class": "picked", "min_capability": None, "act_dtypes": None},
            "bare": NOTHING,
        },
        "scheme_min_capability": {
            "QuarkOther": "QuarkW8A8Fp8.get_min_capability()",
            "QuarkW8A8Fp8": 89,
        },
        "platform_supported_quantization": {"Platform": [], "RocmPlatform": ["awq"]},
        "platform_files": ["interface", "rocm"],
        "model_architectures": {
            "text_generation_models": ["ApeForCausalLM", "ZebraForCausalLM"],
            "embedding_models": ["ApeModel"],
        },
        "previously_supported_models": {"GoneForCausalLM": "0.9.2"},
        "oot_supported_models": {"FarModel": "https://host.test/far-plugin"},
        "rocm_model_notes": None,
        "requires_python": "<3.13,>=3.10",
        "classifiers_python": ["3.12"],
        "requirements_pins": {
            "requirements/common.txt": ["transformers >= 4.51.1"],
            "requirements/rocm.txt": ["torch==2.8.0"],
        },
        "build_torch": ["torch == 2.8.0"],
        "cmake": {
            "PYTHON_SUPPORTED_VERSIONS": "3.12",
            "CUDA_SUPPORTED_ARCHS": ["7.5;8.0"],
            "HIP_SUPPORTED_ARCHS": ["gfx942"],
            "TORCH_SUPPORTED_VERSION_CUDA": "2.8.0",
            "TORCH_SUPPORTED_VERSION_ROCM": None,
        },
        "dockerfiles": {
            "docker/Dockerfile": {"args": {"CUDA_VERSION": "12.8"}, "from": ["base:1"]}
        },
    }


def test_branches_that_agree_on_a_floor_state_it() -> None:
    facts = _facts(
        **{
            f"{QUANT}/all.py": CLASSES.replace(
                'raise NotImplementedError("nowhere")', "return NearConfig.get_min_capability()"
            )
        }
    )
    assert facts["quant_method_config"]["branched"]["min_capability"] == [100, 80]


def test_the_registry_of_the_first_releases_stands_in_the_package() -> None:
    old = """
_MODELS = {"ApeForCausalLM": ("ape", "ApeForCausalLM")}
_ROCM_UNSUPPORTED_MODELS = ["NoForCausalLM"]
_REASON = "sliding"
_ROCM_PARTIALLY_SUPPORTED_MODELS: Dict[str, str] = {"ApeForCausalLM": _REASON, "B": "plain"}
"""
    facts = _facts(
        **{
            "vllm/model_executor/models/registry.py": None,
            "vllm/model_executor/models/__init__.py": old,
            f"{QUANT}/__init__.py": "QUANTIZATION_METHODS = {'awq': AwqConfig}\n",
        }
    )
    assert facts["model_architectures"] == {"models": ["ApeForCausalLM"]}
    assert facts["rocm_model_notes"] == {
        "unsupported": ["NoForCausalLM"],
        "partially": {"ApeForCausalLM": "_REASON", "B": "plain"},
    }
    assert facts["quantization_methods"] == ["awq"]
    assert facts["previously_supported_models"] is None


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (f"{QUANT}/__init__.py", None, "a source file .*quantization/__init__"),
        (f"{QUANT}/__init__.py", "def broken(", "expected Python source"),
        ("pyproject.toml", "= broken", "expected a TOML file"),
        (
            "vllm/model_executor/models/registry.py",
            "_A_MODELS = {'a': 1}\n_OOT_SUPPORTED_MODELS = " + "+".join(["b"] * 2_500),
            "nest as programs do",
        ),
    ],
)
def test_a_missing_or_broken_file_is_named(path: str, text: str | None, said: str) -> None:
    with pytest.raises(UnexpectedPage, match=said):
        _facts(**{path: text})


def _pages(files: Mapping[str, str], version: str = "0.0.1") -> list[Page]:
    return [
        Page(framework="vllm", version=version, path=path, text=text, commit="abc", release="0.0.1")
        for path, text in files.items()
    ]


def test_a_versions_pages_become_one_facts_page_that_every_rule_reads() -> None:
    made = list(facts_pages("vllm", [*_pages(FILES), *_pages({"README.md": "hi"}, "0.0.2")]))
    assert [(page.version, page.path, page.commit, page.release) for page in made] == [
        ("0.0.1", "facts.json", "abc", "0.0.1")
    ]
    assert made[0].url == "https://github.com/vllm-project/vllm/tree/v0.0.1"
    assert '"git_commit": "abc"' in made[0].text
    assert len(made[0].sha256) == 64


def test_prepared_facts_and_other_frameworks_are_left_alone() -> None:
    pages = [*_pages(FILES), *_pages({"facts.json": "{}"})]
    assert list(facts_pages("vllm", pages)) == []
    assert list(facts_pages("sglang", _pages(FILES))) == []


def test_readers_are_found_by_the_name_of_their_source() -> None:
    assert code_reader_of("vllm-code") is READER
    assert code_reader_of("vllm") is None
    assert READER.wants("vllm/platforms/rocm.py")
    assert not READER.wants("docs/README.md")
