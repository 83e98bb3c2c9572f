"""SGLang's code: source files that we made up become facts, and facts become statements."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ingest.contract import Page, Reading, UnexpectedPage, Vocabulary
from ingest.sources.code_files import read_code
from ingest.sources.sglang_code import SOURCE
from ingest.sources.sglang_code.conditions import hardware_of
from ingest.sources.sglang_code.from_files import READER
from tests.ingest.sources.said import rule_named, said, unknown, vocabulary_of

ROOT = "python/sglang/srt"
METHODS = """
try:
    from vllm.quantization.gguf import GGUFConfig
except ImportError:
    GGUFConfig = Dummy

from sglang.srt.layers.quantization.fp8 import Fp8Config

BASE_QUANTIZATION_METHODS: Dict[str, Type[QuantizationConfig]] = {
    "fp8": Fp8Config,
    "awq": AwqConfig,
    "newquant": AwqConfig,
}

if is_cuda() or (_is_mxfp_supported and is_hip()):
    BASE_QUANTIZATION_METHODS.update({"mxfp4": Mxfp4Config})
elif on_mars():
    BASE_QUANTIZATION_METHODS.update({"mxfp4": Fp8Config})

CPU_QUANTIZATION_METHODS = {"awq": AwqCpuConfig}
VLLM_QUANTIZATION_METHODS = {"gguf": GGUFConfig, "gptq": AwqConfig}
QUANTIZATION_METHODS = {**BASE_QUANTIZATION_METHODS, **VLLM_QUANTIZATION_METHODS}
"""
CLASSES = """
class Fp8Config(QuantizationConfig):
    def get_min_capability(self):
        if is_npu():
            return 0
        if _is_musa:
            return 31
        if not is_cuda():
            return 12
        return 100 if self.use_mxfp8 else 80


class AwqConfig(QuantizationConfig):
    def get_min_capability(cls):
        return 75 if not _is_hip else 9


class Mxfp4Config(QuantizationConfig):
    def get_min_capability(cls):
        return 80
"""
ARGUMENTS = """
QUANTIZATION_CHOICES = ["awq", "fp8"]


class ServerArgs:
    kv_cache_dtype: A[str, Arg(help="...", choices=["auto", "fp8_e5m2"])] = "auto"

    def add(parser):
        parser.add_argument("--device", type=str, choices=["cuda", "xpu"])
        parser.add_argument("--quantization", choices=QUANTIZATION_CHOICES)
        parser.add_argument("--other", choices=["never"])
"""
PROJECT = """
[project]
requires-python = ">=3.10"
dependencies = ["torch==2.13.0", "requests", "flashinfer_python>=0.6"]
[project.optional-dependencies]
srt_hip = ["vllm"]
test = ["torch"]
all = ["sglang[test]", "torch"]
"""
FILES: Mapping[str, str] = {
    f"{ROOT}/layers/quantization/__init__.py": METHODS,
    f"{ROOT}/layers/quantization/all.py": CLASSES,
    f"{ROOT}/models/llama.py": (
        "class LlamaForCausalLM: ...\n\nEntryClass = [LlamaForCausalLM, UnheardForCausalLM]\n"
    ),
    f"{ROOT}/models/wrap.py": "EntryClass = TransformersForCausalLM\n",
    f"{ROOT}/models/late.py": "if modern:\n    EntryClass = LateForCausalLM\n",
    f"{ROOT}/models/registry.py": "entry = module.EntryClass\n",
    f"{ROOT}/models/layers.py": "no python, and no entry ((\n",
    f"{ROOT}/server_args.py": ARGUMENTS,
    "python/pyproject.toml": PROJECT,
}
OLD = "nvidia-kepler,nvidia-maxwell,nvidia-pascal,nvidia-volta"
NOT_OLD = "-nvidia-kepler,-nvidia-maxwell,-nvidia-pascal,-nvidia-volta"
NOT_TURING = "-nvidia-kepler,-nvidia-maxwell,-nvidia-pascal,-nvidia-turing,-nvidia-volta"


@pytest.fixture
def vocabulary() -> Vocabulary:
    """The few names that the made-up release uses."""
    return vocabulary_of(
        quantization={"fp8": "fp8", "awq": "awq", "mxfp4": "mxfp4", "gguf": "gguf", "gptq": "gptq"},
        model={"LlamaForCausalLM": "llama", "LateForCausalLM": "late"},
    )


def _facts(**changed: str | None) -> dict[str, Any]:
    files = {**FILES, **changed}
    kept = {path: text for path, text in files.items() if text is not None}
    return read_code(READER, kept, version="v0.0.1")


def _read(rule: str, vocabulary: Vocabulary, **changed: str | None) -> Reading:
    page = Page(
        framework="sglang", version="v0.0.1", path="facts.json", text=json.dumps(_facts(**changed))
    )
    return rule_named(SOURCE, rule).parse(page, vocabulary)


def test_files_become_facts() -> None:
    facts = _facts()
    floors = {name: told["min_capability"] for name, told in facts["quantization_methods"].items()}
    assert floors == {"fp8": [100, 80], "awq": 75, "newquant": 75, "gguf": None, "gptq": 75}
    assert facts["quantization_methods"]["gguf"]["needs"] == "vllm"
    assert [(c["method"], c["condition"]) for c in facts["conditional_methods"]] == [
        ("mxfp4", "is_cuda() or (_is_mxfp_supported and is_hip())"),
        ("mxfp4", "on_mars()"),
    ]
    assert facts["model_architectures"] == {
        "late": ["LateForCausalLM"],
        "llama": ["LlamaForCausalLM", "UnheardForCausalLM"],
        "wrap": ["TransformersForCausalLM"],
    }
    assert facts["choices"] == {
        "quantization": ["awq", "fp8"],
        "kv_cache_dtype": ["auto", "fp8_e5m2"],
        "device": ["cuda", "xpu"],
    }
    assert facts["requirements_pins"] == {
        "python/pyproject.toml": ["torch==2.13.0", "flashinfer_python>=0.6"],
        "python/pyproject.toml[srt_hip]": ["vllm"],
    }


def test_a_borrowed_method_needs_the_package_it_is_borrowed_from(vocabulary: Vocabulary) -> None:
    reading = _read("methods", vocabulary)
    assert said(reading) == [
        "supported method/fp8/fp8 [quantization=fp8]",
        "supported method/awq/awq [quantization=awq]",
        "supported method/newquant/newquant [?]",
        "supported method/gguf/gguf [quantization=gguf]",
        "supported method/gptq/gptq [quantization=gptq]",
    ]
    conditions = [(f.value, c.name) for f in reading.findings for c in f.conditions]
    assert conditions == [("gguf", "vllm"), ("gptq", "vllm")]
    assert unknown(reading) == ["quantization: newquant"]
    assert {f.evidence.value for f in reading.findings} == {"source-code"}


def test_a_floor_is_the_one_of_nvidia_and_a_pass_is_only_a_gate(vocabulary: Vocabulary) -> None:
    reading = _read("gates", vocabulary)
    assert [line for line in said(reading) if "newquant" not in line] == [
        "value min-capability/fp8 (value) = [100, 80]",
        "unsupported gate/fp8/refused/fp8/below "
        "[quantization=fp8 hardware=nvidia-kepler,nvidia-maxwell,nvidia-pascal,"
        "nvidia-turing,nvidia-volta]",
        f"supported gate/fp8/passed/fp8/nvidia [quantization=fp8 hardware=nvidia,{NOT_TURING}]",
        "value min-capability/awq (value) = 75",
        f"unsupported gate/awq/refused/awq/below [quantization=awq hardware={OLD}]",
        f"supported gate/awq/passed/awq/nvidia [quantization=awq hardware=nvidia,{NOT_OLD}]",
        "value min-capability/gptq (value) = 75",
        f"unsupported gate/gptq/refused/gptq/below [quantization=gptq hardware={OLD}]",
        f"supported gate/gptq/passed/gptq/nvidia [quantization=gptq hardware=nvidia,{NOT_OLD}]",
    ]
    assert {f.evidence.value for f in reading.findings} == {"capability-gate"}


def test_modelopt_stands_for_its_fp8_format_alone(vocabulary: Vocabulary) -> None:
    methods = METHODS.replace('"newquant": AwqConfig', '"modelopt": Fp8Config')
    changed: dict[str, str | None] = {f"{ROOT}/layers/quantization/__init__.py": methods}
    refused = [line for line in said(_read("gates", vocabulary, **changed)) if "refused" in line]
    assert sum("gate/modelopt/refused/modelopt-fp8/below" in line for line in refused) == 1
    assert not any("modelopt" in line for line in said(_read("platforms", vocabulary, **changed)))


def test_where_a_method_is_registered_and_what_the_cpu_takes_are_gates(
    vocabulary: Vocabulary,
) -> None:
    reading = _read("platforms", vocabulary)
    assert said(reading) == [
        "supported registered-on/mxfp4/mxfp4/amd-gfx950+nvidia "
        "[quantization=mxfp4 hardware=amd-gfx950,nvidia]",
        "supported registered-on/mxfp4/mxfp4/on_mars() [?]",
        "supported cpu-list/awq/awq/cpu-x86-amx [quantization=awq hardware=cpu-x86-amx]",
        "unsupported cpu-list/fp8/fp8/cpu-x86-amx [quantization=fp8 hardware=cpu-x86-amx]",
        "unsupported cpu-list/newquant/newquant/cpu-x86-amx [?]",
        "unsupported cpu-list/gguf/gguf/cpu-x86-amx [quantization=gguf hardware=cpu-x86-amx]",
        "unsupported cpu-list/gptq/gptq/cpu-x86-amx [quantization=gptq hardware=cpu-x86-amx]",
    ]
    assert unknown(reading) == ["platform: on_mars()", "quantization: newquant"]
    assert {f.evidence.value for f in reading.findings} == {"capability-gate"}


def test_entry_classes_are_the_complete_list_of_models(vocabulary: Vocabulary) -> None:
    reading = _read("models", vocabulary)
    assert said(reading) == [
        "supported registry/late [model=late]",
        "supported registry/llama [model=llama]",
        "supported registry/unheardforcausallm [?]",
        "supported wrapper-class/transformersforcausallm (value) = TransformersForCausalLM",
    ]
    assert reading.complete_lists == ("models",)


def test_choices_and_pins_are_values(vocabulary: Vocabulary) -> None:
    assert said(_read("choices", vocabulary))[:2] == [
        "value choice/quantization/awq (value) = awq",
        "value choice/quantization/fp8 (value) = fp8",
    ]
    pins = _read("pins", vocabulary)
    assert [(f.status.value, f.value) for f in pins.findings] == [
        ("pinned", "torch==2.13.0"),
        ("range", "flashinfer_python>=0.6"),
        ("requires", "vllm"),
        ("range", ">=3.10"),
    ]
    scope = pins.findings[2].scope
    assert scope is not None
    assert [nodes.include for nodes in scope.nodes.values()] == [{"amd"}]


def test_a_release_without_tables_of_its_own_states_no_methods(vocabulary: Vocabulary) -> None:
    gone: dict[str, str | None] = {f"{ROOT}/layers/quantization/__init__.py": None}
    for rule in ("methods", "gates", "platforms"):
        assert _read(rule, vocabulary, **gone).findings == ()
    assert len(_read("models", vocabulary, **gone).findings) == 4


@pytest.mark.parametrize(
    ("path", "text", "said_so"),
    [
        (f"{ROOT}/models/wrap.py", "EntryClass = find()\n", "a class or a list of classes"),
        (f"{ROOT}/models/wrap.py", "EntryClass = [((\n", "expected Python source"),
        (f"{ROOT}/layers/quantization/__init__.py", "METHODS = {}\n", "a table of methods"),
        (f"{ROOT}/models/llama.py", None, "a source file .*llama"),
        ("python/pyproject.toml", "= broken", "a TOML file"),
    ],
)
def test_an_unknown_shape_is_named(path: str, text: str | None, said_so: str) -> None:
    with pytest.raises(UnexpectedPage, match=said_so):
        _facts(**{path: text})


@pytest.mark.parametrize("rule", [r.name for r in SOURCE.rules])
def test_facts_without_the_keys_of_a_rule_are_unexpected(rule: str, vocabulary: Vocabulary) -> None:
    page = Page(framework="sglang", version="0", path="facts.json", text='{"framework": "sglang"}')
    with pytest.raises(UnexpectedPage, match="the keys"):
        rule_named(SOURCE, rule).parse(page, vocabulary)


@pytest.mark.parametrize(
    ("condition", "slugs"),
    [
        ("is_npu()", {"ascend"}),
        ("is_cpu() or _is_cuda", {"cpu", "nvidia"}),
        ("mxfp_supported() and is_hip()", {"amd-gfx950"}),
        ("is_cuda() and is_hip()", None),
        ("is_cuda() or on_mars()", None),
        ("not is_cuda()", None),
        ("((", None),
    ],
)
def test_a_condition_names_hardware_or_nothing(condition: str, slugs: set[str] | None) -> None:
    assert hardware_of(condition) == (None if slugs is None else frozenset(slugs))
