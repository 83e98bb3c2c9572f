"""vLLM's code facts, each rule on a small release that we made up."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ingest.contract import Finding, Page, Reading, UnexpectedPage, Vocabulary
from ingest.sources.vllm_code import SOURCE
from matrix.domain.aliases import build_name_table
from matrix.domain.coordinates import NodeSet, Scope

FACTS: Mapping[str, Any] = {
    "framework": "vllm",
    "git_commit": "abc123",
    "requires_python": "<3.13,>=3.10",
    "classifiers_python": ["3.12"],
    "quantization_methods": [
        "awq",
        "awq_marlin",
        "gptq",
        "gptq_marlin",
        "tpu_int8",
        "fp8_per_block",
        "hqq",
        "newquant",
    ],
    "deprecated_quantization_methods": ["hqq"],
    "quant_method_config": {
        "awq": {"config_class": "AWQ", "min_capability": 75, "act_dtypes": "[torch.half]"},
        "gptq_marlin": {
            "config_class": "Marlin",
            "min_capability": 80,
            "act_dtypes": "[torch.half, torch.bfloat16]",
        },
        "tpu_int8": {"config_class": "Tpu", "min_capability": "raises", "act_dtypes": None},
        "fp8_per_block": {"config_class": None, "min_capability": None, "act_dtypes": None},
    },
    "scheme_min_capability": {
        "CompressedTensorsScheme": "raises NotImplementedError",
        "CompressedTensorsW4A4Fp4": [100, 80],
        "CompressedTensorsW4A8Int": 1,
        "QuarkW8A8Fp8": 89,
        "QuarkW8A8Fp8PerBlock": "QuarkW8A8Fp8.get_min_capability()",
        "CompressedTensorsW1A1": 75,
    },
    "platform_supported_quantization": {
        "Platform": [],
        "RocmPlatform": ["awq", "gptq"],
        "MarsPlatform": ["awq"],
    },
    "platform_files": ["rocm"],
    "model_architectures": {
        "text_generation_models": ["LlamaForCausalLM", "NobodyForCausalLM"],
        "embedding_models": ["LlamaForCausalLM"],
        "transformers_supported_models": ["ArceeForCausalLM"],
        "transformers_backend_models": ["TransformersForCausalLM"],
    },
    "previously_supported_models": {"GoneForCausalLM": "0.10.2"},
    "oot_supported_models": {"BartModel": "https://example.test/org/bart-plugin"},
    "rocm_model_notes": {"unsupported": [], "partially": {"LlamaForCausalLM": "_ROCM_SWA_REASON"}},
    "requirements_pins": {
        "requirements/common.txt": ["transformers >= 4.51.1", "regex"],
        "requirements/rocm.txt": ["torch==2.8.0; python_version < '4'"],
    },
    "build_torch": ["torch == 2.8.0"],
    "cmake": {
        "PYTHON_SUPPORTED_VERSIONS": '"3.12"',
        "CUDA_SUPPORTED_ARCHS": ["7.5;10.1;99.0"],
        "HIP_SUPPORTED_ARCHS": ["gfx906;gfx942"],
        "TORCH_SUPPORTED_VERSION_ROCM": None,
    },
    "dockerfiles": {"docker/Dockerfile": {"args": {"CUDA_VERSION": "12.8"}, "from": ["base:1"]}},
    "docker_images_mentioned": ["org/image:latest"],
}

Said = tuple[str, str, str, str]


@pytest.fixture
def vocabulary() -> Vocabulary:
    """The few names that the made-up release uses."""
    quantizations = ["awq", "gptq", "hqq"]
    models = ["LlamaForCausalLM", "ArceeForCausalLM", "GoneForCausalLM", "BartModel"]
    hardware = [("gfx906", ("amd-gfx906",)), ("gfx942", ("amd-gfx942",))]
    return Vocabulary(
        {
            "quantization": build_name_table("quantization", [(n, (n,)) for n in quantizations]),
            "model": build_name_table("model", [(n, (n.lower(),)) for n in models]),
            "hardware": build_name_table("hardware", hardware),
        }
    )


def _page(**changes: Any) -> Page:
    return Page(
        framework="vllm",
        version="0.0.1",
        path="facts.json",
        text=json.dumps({**FACTS, **changes}),
    )


def _read(rule: str, vocabulary: Vocabulary, **changes: Any) -> Reading:
    parse = next(r.parse for r in SOURCE.rules if r.name == rule)
    return parse(_page(**changes), vocabulary)


def _scope(scope: Scope | None) -> str:
    if scope is None:
        return "?"

    def one(nodes: NodeSet) -> str:
        return "+".join(sorted(nodes.include)) + "".join(f"-{s}" for s in sorted(nodes.exclude))

    return " ".join([*(one(scope.nodes[a]) for a in sorted(scope.nodes)), *sorted(scope.features)])


def _said(findings: list[Finding]) -> list[Said]:
    return [(f.locator.path[-1], f.value, f.status.value, _scope(f.scope)) for f in findings]


def _claims(reading: Reading) -> list[Finding]:
    return [f for f in reading.findings if f.kind.value == "compatibility"]


def test_registered_methods_are_supported_without_hardware(vocabulary: Vocabulary) -> None:
    reading = _read("methods", vocabulary)
    registered = "quantization_methods"
    assert _said(_claims(reading)) == [
        (registered, "awq", "supported", "awq"),
        (registered, "awq_marlin", "supported", "awq kernel-marlin"),
        (registered, "gptq", "supported", "gptq"),
        (registered, "gptq_marlin", "supported", "gptq kernel-marlin"),
        (registered, "tpu_int8", "supported", "tpu-int8"),
        (registered, "fp8_per_block", "supported", "fp8-w8a8-block"),
        (registered, "hqq", "supported", "hqq"),
        (registered, "newquant", "supported", "?"),
        ("deprecated_quantization_methods", "hqq", "deprecated", "hqq"),
    ]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [("quantization", "newquant")]
    assert reading.complete_lists == ("quantization-methods",)


def test_an_activation_type_is_a_condition_and_no_claim(vocabulary: Vocabulary) -> None:
    values = [f for f in _read("methods", vocabulary).findings if f.kind.value == "value"]
    assert [(f.locator.path[1], [c.value for c in f.conditions]) for f in values] == [
        ("awq", ["float16"]),
        ("gptq_marlin", []),
    ]


def test_a_floor_refuses_what_lies_below_and_lets_the_rest_pass(vocabulary: Vocabulary) -> None:
    reading = _read("gates", vocabulary)
    old = "nvidia-kepler+nvidia-maxwell+nvidia-pascal"
    below75 = f"{old}+nvidia-volta"
    below80 = f"{old}+nvidia-turing+nvidia-volta"
    below89 = f"nvidia-ampere+{below80}"

    def passing(below: str) -> str:
        return "nvidia" + "".join(f"-{slug}" for slug in below.split("+"))

    def gate(key: str, value: str, below: str, rest: str, container: str = "") -> list[Said]:
        front = f"{container} " if container else ""
        return [
            (key, value, "unsupported", f"{front}{below} {rest}"),
            (key, value, "supported", f"{front}{passing(below)} {rest}"),
        ]

    assert _said(_claims(reading)) == [
        *gate("min_capability", "75", below75, "awq"),
        *gate("min_capability", "80", below80, "gptq kernel-marlin"),
        *gate("CompressedTensorsW4A4Fp4", "[100, 80]", below80, "nvfp4-w4a4", "compressed-tensors"),
        *gate("QuarkW8A8Fp8", "89", below89, "fp8-w8a8", "quark"),
        *gate(
            "QuarkW8A8Fp8PerBlock",
            "QuarkW8A8Fp8.get_min_capability()",
            below89,
            "fp8-w8a8-block",
            "quark",
        ),
    ]
    assert {f.evidence.value for f in _claims(reading)} == {"capability-gate"}
    assert [u.word for u in reading.unknown_words] == ["CompressedTensorsW1A1"]


def test_every_stated_minimum_is_also_kept_as_a_value(vocabulary: Vocabulary) -> None:
    values = [f for f in _read("gates", vocabulary).findings if f.kind.value == "value"]
    assert {f.locator.path[1]: f.value for f in values} == {
        "awq": "75",
        "gptq_marlin": "80",
        "tpu_int8": "raises",
        "CompressedTensorsScheme": "raises NotImplementedError",
        "CompressedTensorsW4A4Fp4": "[100, 80]",
        "CompressedTensorsW4A8Int": "1",
        "QuarkW8A8Fp8": "89",
        "QuarkW8A8Fp8PerBlock": "QuarkW8A8Fp8.get_min_capability()",
        "CompressedTensorsW1A1": "75",
    }


def test_a_merged_class_says_nothing_of_the_marlin_kernels(vocabulary: Vocabulary) -> None:
    merged = {"gptq_marlin": {"config_class": "AutoGPTQConfig", "min_capability": 60}}
    reading = _read("gates", vocabulary, quant_method_config=merged, scheme_min_capability={})
    assert _said(_claims(reading))[0] == (
        "min_capability",
        "60",
        "unsupported",
        "nvidia-kepler+nvidia-maxwell gptq",
    )


def test_a_list_refuses_registered_methods_that_nothing_in_it_reaches(
    vocabulary: Vocabulary,
) -> None:
    reading = _read("platforms", vocabulary)
    assert _said(_claims(reading)) == [
        ("RocmPlatform", "awq", "supported", "amd awq"),
        ("RocmPlatform", "gptq", "supported", "amd gptq"),
        ("RocmPlatform", "awq_marlin", "unsupported", "amd awq kernel-marlin"),
        ("RocmPlatform", "gptq_marlin", "unsupported", "amd gptq kernel-marlin"),
        ("RocmPlatform", "hqq", "unsupported", "amd hqq"),
        ("RocmPlatform", "newquant", "unsupported", "?"),
    ]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [
        ("quantization", "newquant"),
        ("platform", "MarsPlatform"),
    ]


def test_a_release_without_lists_restricts_no_platform(vocabulary: Vocabulary) -> None:
    reading = _read("platforms", vocabulary, platform_supported_quantization=None)
    assert _claims(reading) == []


def test_models_are_registered_removed_or_come_by_a_plug_in(vocabulary: Vocabulary) -> None:
    reading = _read("models", vocabulary)
    assert _said(_claims(reading)) == [
        ("text_generation_models", "LlamaForCausalLM", "supported", "llamaforcausallm"),
        ("text_generation_models", "NobodyForCausalLM", "supported", "?"),
        (
            "transformers_supported_models",
            "ArceeForCausalLM",
            "via-transformers",
            "arceeforcausallm",
        ),
        ("GoneForCausalLM", "0.10.2", "removed", "goneforcausallm"),
        ("BartModel", "https://example.test/org/bart-plugin", "via-plugin", "bartmodel"),
        ("LlamaForCausalLM", "_ROCM_SWA_REASON", "partial", "amd llamaforcausallm"),
    ]
    removed, plugin, partial = _claims(reading)[3:]
    assert (removed.open_ended, removed.since) == (True, "0.11.0")
    assert [c.name for c in plugin.conditions] == ["bart-plugin"]
    assert "sliding-window" in partial.note
    assert reading.complete_lists == ("models",)


def test_builds_are_artefacts_and_only_the_hip_list_refuses(vocabulary: Vocabulary) -> None:
    reading = _read("builds", vocabulary)
    assert _said(_claims(reading)) == [
        (
            "HIP_SUPPORTED_ARCHS",
            "gfx906;gfx942",
            "unsupported",
            "amd-amd-gfx906-amd-gfx942",
        )
    ]
    rest = [f for f in reading.findings if f.kind.value != "compatibility"]
    assert _said(rest) == [
        ("CUDA_SUPPORTED_ARCHS", "7.5;10.1;99.0", "value", "nvidia-sm-110+nvidia-sm-75"),
        ("HIP_SUPPORTED_ARCHS", "gfx906;gfx942", "value", "amd-gfx906+amd-gfx942"),
        ("PYTHON_SUPPORTED_VERSIONS", '"3.12"', "value", "?"),
        ("CUDA_VERSION", "12.8", "value", "?"),
        ("from", "base:1", "value", "?"),
        ("docker_images_mentioned", "org/image:latest", "value", "?"),
    ]
    assert [u.word for u in reading.unknown_words] == ["99.0"]


def test_requirements_are_pinned_ranges_or_open(vocabulary: Vocabulary) -> None:
    reading = _read("pins", vocabulary)
    assert [(f.names.get("package"), f.status.value, _scope(f.scope)) for f in reading.findings][
        :4
    ] == [
        ("transformers", "range", ""),
        ("regex", "requires", ""),
        ("torch", "pinned", "amd"),
        ("torch", "pinned", ""),
    ]
    assert [f.status.value for f in reading.findings][4:] == ["range", "supported", "value"]


@pytest.mark.parametrize("rule", [r.name for r in SOURCE.rules])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not json", "a JSON object of code facts"),
        ("[1]", "a JSON object of code facts"),
        ('{"framework": "sglang"}', "code facts of vllm"),
        ('{"framework": "vllm"}', "the keys "),
    ],
)
def test_facts_in_another_shape_are_unexpected(
    vocabulary: Vocabulary, rule: str, text: str, expected: str
) -> None:
    parse = next(r.parse for r in SOURCE.rules if r.name == rule)
    page = Page(framework="vllm", version="0", path="facts.json", text=text)
    with pytest.raises(UnexpectedPage) as caught:
        parse(page, vocabulary)
    assert caught.value.expected.startswith(expected)


def test_a_key_that_changed_its_kind_is_unexpected(vocabulary: Vocabulary) -> None:
    with pytest.raises(UnexpectedPage, match="a list at quantization_methods"):
        _read("methods", vocabulary, quantization_methods={"awq": 1})
