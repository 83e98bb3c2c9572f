"""llama.cpp's code facts, each rule on a small release that we made up."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ingest.contract import Finding, Page, Reading, UnexpectedPage, Vocabulary
from ingest.sources.llama_cpp_code import SOURCE
from matrix.domain.aliases import build_name_table
from matrix.domain.coordinates import NodeSet, Scope


def _tests(ok: int, n: int) -> dict[str, Any]:
    status = "yes" if ok == n else "partial" if ok else "no"
    return {"status": status, "ok": ok, "n": n}


FACTS: Mapping[str, Any] = {
    "framework": "llama.cpp",
    "llama_cpp_commit": "abc",
    "llama_cpp_commit_date": "2025-01-01",
    "llama_version_semver": None,
    "ggml_version": "0.1.0",
    "llama_cpp_tag_in_sdist": ["b100"],
    "architectures": ["llama", "unheard"],
    "ggml_types": ["F16", "Q4_0", "I8", "MXFP4", "Q9_9"],
    "llama_ftypes": ["Q4_0"],
    "quantize_options": [{"name": "Q4_0", "note": "small"}, {"name": "COPY", "note": ""}],
    "ggml_types_removed_comment": [["Q4_1", "support has been removed"]],
    "ggml_backend_dirs": ["cuda"],
    "ggml_cmake_backend_options": ["GGML_CUDA"],
    "cuda_default_architectures_lines": [
        'set(CMAKE_CUDA_ARCHITECTURES "native")',
        'set(CMAKE_CUDA_ARCHITECTURES "60;61;70-virtual")',
        "list(APPEND CMAKE_CUDA_ARCHITECTURES 120a-real 77-real)",
        '#set(CMAKE_CUDA_ARCHITECTURES "50")',
    ],
    "devops_dockerfile_args": {
        "rocm.Dockerfile": {"ROCM_VERSION": "6.4", "ROCM_DOCKER_ARCH": "'gfx906,gfx1100'"},
    },
    "docker_images": [{"tag": "ghcr.io/o/llama.cpp:full", "platforms": ["linux/amd64"]}],
    "ops_csv": {
        "CUDA": {
            "ops": {"ABS": "partial"},
            "mul_mat_by_type_a": {"q4_0": _tests(1, 2), "q5_K": _tests(0, 3)},
            "flash_attn_by_kv_type": {
                "f16": _tests(8, 10),
                "q8_0": _tests(8, 10),
                "q4_0": _tests(1, 10),
                "bf16": _tests(0, 10),
            },
        }
    },
}


@pytest.fixture
def vocabulary() -> Vocabulary:
    """The few names that the made-up release uses."""
    types = [("Q4_0", ("gguf-q4-0",)), ("Q4_1", ("gguf-q4-1",)), ("MXFP4", ("mxfp4",))]
    caches = [(n, (n,)) for n in ("kv-f16", "kv-q8-0", "kv-q4-0", "kv-bf16")]
    hardware = [("gfx906", ("amd-gfx906",)), ("gfx1100", ("amd-gfx1100",))]
    return Vocabulary(
        {
            "quantization": build_name_table("quantization", types),
            "kv_dtype": build_name_table("kv_dtype", caches),
            "llamacpp_arch": build_name_table("llamacpp_arch", [("llama", ("llamaforcausallm",))]),
            "hardware": build_name_table("hardware", hardware),
            "backend": build_name_table("backend", [("cuda", ("cuda",))]),
        }
    )


def _read(rule: str, vocabulary: Vocabulary, **changes: Any) -> Reading:
    parse = next(r.parse for r in SOURCE.rules if r.name == rule)
    text = json.dumps({**FACTS, **changes})
    return parse(Page(framework="llama.cpp", version="0", path="facts.json", text=text), vocabulary)


def _scope(scope: Scope | None) -> str:
    if scope is None:
        return "?"

    def one(nodes: NodeSet) -> str:
        return "+".join(sorted(nodes.include)) + "".join(f"-{s}" for s in sorted(nodes.exclude))

    return " ".join([*(one(scope.nodes[a]) for a in sorted(scope.nodes)), *sorted(scope.features)])


def _claims(reading: Reading) -> list[Finding]:
    return [f for f in reading.findings if f.kind.value == "compatibility"]


def test_types_are_supported_and_a_plain_word_means_the_gguf_type(vocabulary: Vocabulary) -> None:
    reading = _read("types", vocabulary)
    assert [(f.value, f.status.value, _scope(f.scope)) for f in _claims(reading)] == [
        ("F16", "supported", "fp16"),
        ("Q4_0", "supported", "gguf-q4-0"),
        ("MXFP4", "supported", "gguf-mxfp4"),
        ("Q9_9", "supported", "?"),
        ("Q4_0", "supported", "gguf-q4-0"),
        ("Q4_1", "removed", "gguf-q4-1"),
    ]
    assert _claims(reading)[-1].open_ended
    assert [u.word for u in reading.unknown_words] == ["Q9_9"]
    options = [f for f in reading.findings if f.locator.path == ("quantize_options",)]
    assert [(f.value, f.status.value) for f in options] == [
        ("Q4_0", "supported"),
        ("COPY", "not-applicable"),
    ]


def test_architectures_are_looked_up_by_the_projects_own_names(vocabulary: Vocabulary) -> None:
    reading = _read("models", vocabulary)
    assert [(f.value, f.statement, _scope(f.scope)) for f in reading.findings] == [
        ("llama", "architecture/llama", "llamaforcausallm"),
        ("unheard", "architecture/unheard", "?"),
    ]
    assert reading.complete_lists == ("models",)


def test_the_default_cuda_list_refuses_older_devices_only(vocabulary: Vocabulary) -> None:
    reading = _read("builds", vocabulary)
    old = "nvidia-kepler+nvidia-maxwell"
    assert [(f.status.value, _scope(f.scope)) for f in _claims(reading)] == [
        ("supported", "cuda nvidia-nvidia-kepler-nvidia-maxwell default-arch-list"),
        ("unsupported", f"cuda {old} default-arch-list"),
        ("unsupported", f"cuda {old}"),
        ("supported", "rocm amd-gfx906"),
        ("supported", "rocm amd-gfx1100"),
        ("unsupported", "rocm amd-amd-gfx1100-amd-gfx906 docker-image"),
    ]
    assert [c.name for c in _claims(reading)[2].conditions] == ["CMAKE_CUDA_ARCHITECTURES"]
    assert [u.word for u in reading.unknown_words] == ["77"]


def test_a_commented_line_is_no_architecture_list(vocabulary: Vocabulary) -> None:
    lines = ['#set(CMAKE_CUDA_ARCHITECTURES "50")']
    reading = _read("builds", vocabulary, cuda_default_architectures_lines=lines)
    assert not [f for f in _claims(reading) if "default" in f.statement]


def test_a_release_is_named_by_whatever_it_states(vocabulary: Vocabulary) -> None:
    released = [f for f in _read("builds", vocabulary).findings if f.kind.value == "release"]
    assert [(f.locator.path[0], f.value) for f in released] == [
        ("llama_cpp_commit", "abc"),
        ("llama_cpp_commit_date", "2025-01-01"),
        ("ggml_version", "0.1.0"),
        ("llama_cpp_tag_in_sdist", "b100"),
    ]


def test_operators_are_values_at_their_own_level(vocabulary: Vocabulary) -> None:
    reading = _read("ops", vocabulary)
    values = [f for f in reading.findings if f.kind.value == "value"]
    assert [("/".join(f.locator.path[2:]), f.value, f.status.value) for f in values] == [
        ("ops/ABS", "partial", "partial"),
        ("mul_mat_by_type_a/q4_0/status", "partial", "partial"),
        ("mul_mat_by_type_a/q5_K/status", "no", "unsupported"),
        ("flash_attn_by_kv_type/f16/status", "partial", "partial"),
        ("flash_attn_by_kv_type/q8_0/status", "partial", "partial"),
        ("flash_attn_by_kv_type/q4_0/status", "partial", "partial"),
        ("flash_attn_by_kv_type/bf16/status", "no", "unsupported"),
    ]


def test_a_cache_type_is_measured_by_the_plain_cache_and_never_refused(
    vocabulary: Vocabulary,
) -> None:
    claims = _claims(_read("ops", vocabulary))
    assert [(_scope(f.scope), f.status.value, f.execution.value) for f in claims] == [
        ("cuda nvidia kv-f16", "supported", "unstated"),
        ("cuda nvidia kv-q8-0", "supported", "unstated"),
        ("cuda nvidia kv-q4-0", "partial", "unstated"),
        ("cuda nvidia kv-bf16", "partial", "cpu-fallback"),
    ]


@pytest.mark.parametrize("rule", [r.name for r in SOURCE.rules])
def test_facts_without_the_keys_of_a_rule_are_unexpected(vocabulary: Vocabulary, rule: str) -> None:
    parse = next(r.parse for r in SOURCE.rules if r.name == rule)
    page = Page(
        framework="llama.cpp", version="0", path="facts.json", text='{"framework": "llama.cpp"}'
    )
    with pytest.raises(UnexpectedPage, match="the keys"):
        parse(page, vocabulary)
