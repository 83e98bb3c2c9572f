"""llama.cpp's facts read from a small release of source files that we made up."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ingest.contract import Page, UnexpectedPage
from ingest.sources.code_files import read_code
from ingest.sources.llama_cpp_code import SOURCE
from ingest.sources.llama_cpp_code.from_files import READER
from tests.ingest.sources.said import rule_named, said, vocabulary_of

ARCHITECTURES = """
static const std::map<llm_arch, const char *> LLM_ARCH_NAMES = {
    { LLM_ARCH_LLAMA,   "llama"     },
    // { LLM_ARCH_GONE, "gone" },
    { LLM_ARCH_APE,     "ape-moe"   },
    { LLM_ARCH_UNKNOWN, "(unknown)" },
};
"""
TYPES = """
    enum ggml_type {
        GGML_TYPE_F32  = 0,
        GGML_TYPE_Q4_0 = 2,
        // GGML_TYPE_Q4_2 = 4, support has been removed
        // GGML_TYPE_Q4_3 (5) is skipped
        GGML_TYPE_COUNT,
    };
"""
FILE_TYPES = """
    enum llama_ftype {
        LLAMA_FTYPE_ALL_F32     = 0,
        LLAMA_FTYPE_MOSTLY_Q4_0 = 2, // except 1d tensors
        // LLAMA_FTYPE_MOSTLY_Q4_2 = 5, // support has been removed
        LLAMA_FTYPE_GUESSED = 1024, // not specified in the model file
    };
"""
OPTIONS = """
static const std::vector<quant_option> QUANT_OPTIONS = {
    { "Q4_0", LLAMA_FTYPE_MOSTLY_Q4_0, " 4.34G, +0.4685 ppl", },
    { "COPY", LLAMA_FTYPE_ALL_F32,     "only copy"              },
};
"""
CUDA = """
    if (NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES "52;61;70") # lowest CUDA 12 standard
        list(APPEND CMAKE_CUDA_ARCHITECTURES 120a-real)
        #set(CMAKE_CUDA_ARCHITECTURES "OFF") # faster
        set(CMAKE_CUDA_ARCHITECTURES ${NATIVE})
"""
TESTS = """backend_name,op_name,op_params,test_mode,supported,error_message,backend_reg_name
"X0","ABS","type=f16","support","1","yes","X"
"X0","MUL_MAT","type_a=q4_0,type_b=f32","support","1","yes","X"
"X0","MUL_MAT","type_a=q4_0,type_b=f16","support","0","no","X"
"X0","FLASH_ATTN_EXT","hsk=40,type_KV=f16","support","0","no","X"
"""
CONVERTER = """
class Model:
    @classmethod
    def register(cls, *names): ...


@Model.register("LlamaForCausalLM", "OldForCausalLM")
class LlamaModel(Model):
    model_arch = gguf.MODEL_ARCH.LLAMA


@Model.register("SeeingForCausalLM")
class SeeingModel(LlamaModel):
    pass


@Model.register("SeeingForCausalLM")
class SeeingPart(Model):
    model_arch = gguf.MODEL_ARCH.MMPROJ


@Model.register("NamelessForCausalLM")
class Nameless(Model):
    pass
"""
CONSTANTS = 'MODEL_ARCH_NAMES = {MODEL_ARCH.LLAMA: "llama", MODEL_ARCH.MMPROJ: "clip"}\n'
FILES: Mapping[str, str] = {
    "src/llama-arch.cpp": ARCHITECTURES,
    "ggml/include/ggml.h": TYPES,
    "include/llama.h": FILE_TYPES,
    "tools/quantize/quantize.cpp": OPTIONS,
    "CMakeLists.txt": "set(LLAMA_VERSION_MAJOR 0)\nset(LLAMA_VERSION_MINOR 5)\n",
    "ggml/CMakeLists.txt": (
        "set(GGML_VERSION_MAJOR 0)\nset(GGML_VERSION_MINOR 25)\nset(GGML_VERSION_PATCH 3)\n"
        'option(GGML_CUDA "ggml: use CUDA" OFF)\noption(GGML_CUDA_F16 "more" OFF)\n'
        "option(GGML_ET OFF)\n"
    ),
    "ggml/src/ggml-cuda/CMakeLists.txt": CUDA,
    "ggml/src/ggml-cann/common.h": "",
    ".devops/rocm.Dockerfile": (
        "ARG ROCM_VERSION=6.4\nARG IGC_VERSION=2\nARG ROCM_DOCKER_ARCH='gfx906,gfx1100'\n"
        "ARG CUDA_VERSION=$ROCM_VERSION\n"
    ),
    ".devops/empty.Dockerfile": "FROM scratch\n",
    "docs/docker.md": (
        "1. `ghcr.io/o/l.cpp:full`: all of it. (platforms: `linux/amd64`, `linux/arm64`)\n"
        "- `ghcr.io/o/l.cpp:bare`: nothing told\n"
    ),
    "docs/ops/X.csv": TESTS,
    "convert_hf_to_gguf.py": CONVERTER,
    "gguf-py/gguf/constants.py": CONSTANTS,
}


def _facts(**changed: str | None) -> dict[str, Any]:
    files = {**FILES, **changed}
    kept = {path: text for path, text in files.items() if text is not None}
    return read_code(READER, kept, version="b1")


def test_the_whole_release_is_read_into_the_facts_that_the_rules_expect() -> None:
    partial = {"status": "partial", "ok": 1, "n": 2}
    none = {"status": "no", "ok": 0, "n": 1}
    assert _facts() == {
        "framework": "llama.cpp",
        "version": "b1",
        "llama_cpp_commit": None,
        "llama_version_semver": None,
        "ggml_version": "0.25.3",
        "architectures": ["llama", "ape-moe"],
        "ggml_types": ["F32", "Q4_0"],
        "ggml_types_removed_comment": [["Q4_2", "support has been removed"]],
        "llama_ftypes": ["F32", "Q4_0"],
        "quantize_options": [
            {"name": "Q4_0", "note": "4.34G, +0.4685 ppl"},
            {"name": "COPY", "note": "only copy"},
        ],
        "ggml_backend_dirs": ["cann", "cuda"],
        "ggml_cmake_backend_options": ["GGML_CUDA", "GGML_ET"],
        "cuda_default_architectures_lines": [
            'set(CMAKE_CUDA_ARCHITECTURES "52;61;70") # lowest CUDA 12 standard',
            "list(APPEND CMAKE_CUDA_ARCHITECTURES 120a-real)",
            '#set(CMAKE_CUDA_ARCHITECTURES "OFF") # faster',
        ],
        "devops_dockerfile_args": {
            "rocm.Dockerfile": {"ROCM_VERSION": "6.4", "ROCM_DOCKER_ARCH": "'gfx906,gfx1100'"}
        },
        "docker_images": [
            {"tag": "ghcr.io/o/l.cpp:full", "platforms": ["linux/amd64", "linux/arm64"]}
        ],
        "ops_csv": {
            "X": {
                "rows": 4,
                "backend_names": [["X0", "X"]],
                "ops": {"ABS": "yes", "FLASH_ATTN_EXT": "no", "MUL_MAT": "partial"},
                "mul_mat_by_type_a": {"q4_0": partial},
                "flash_attn_by_kv_type": {"f16": none},
            }
        },
        "hf_architectures": {
            "LlamaForCausalLM": ["llama"],
            "OldForCausalLM": ["llama"],
            "SeeingForCausalLM": ["clip", "llama"],
        },
    }


def test_releases_before_the_folders_keep_everything_at_the_top() -> None:
    facts = read_code(
        READER,
        {"llama.cpp": ARCHITECTURES, "ggml.h": TYPES, "llama.h": FILE_TYPES},
        version="b0",
    )
    assert facts["architectures"] == ["llama", "ape-moe"]
    assert (facts["ggml_types"], facts["llama_ftypes"]) == (["F32", "Q4_0"], ["F32", "Q4_0"])
    assert facts["ops_csv"] is facts["hf_architectures"] is None


@pytest.mark.parametrize(
    ("path", "text", "named"),
    [
        ("src/llama-arch.cpp", "enum a { B };", "the table LLM_ARCH_NAMES"),
        ("include/llama.h", None, "a source file .*llama"),
        ("docs/ops/X.csv", "op,yes\nABS,1\n", "a list of operator tests"),
        (
            "docs/ops/X.csv",
            TESTS + "X0,ABS," + "x" * 200_000 + "\n",
            "a list of operator tests, one a line",
        ),
        ("convert_hf_to_gguf.py", "def broken(", "expected Python source"),
    ],
)
def test_a_missing_or_unknown_file_is_named(path: str, text: str | None, named: str) -> None:
    with pytest.raises(UnexpectedPage, match=named):
        _facts(**{path: text})


def test_a_conversion_is_a_value_and_no_claim() -> None:
    page = Page(framework="llama.cpp", version="b1", path="facts.json", text=json.dumps(_facts()))
    vocabulary = vocabulary_of(model={"LlamaForCausalLM": "llama-1"})
    assert said(rule_named(SOURCE, "converter").parse(page, vocabulary)) == [
        "supported converter/llamaforcausallm/llama (value) = llama",
        "supported converter/oldforcausallm/llama (value) = llama",
        "supported converter/seeingforcausallm/clip (value) = clip",
        "supported converter/seeingforcausallm/llama (value) = llama",
    ]


def test_a_version_of_cuda_in_a_remark_is_no_architecture() -> None:
    page = Page(framework="llama.cpp", version="b1", path="facts.json", text=json.dumps(_facts()))
    reading = rule_named(SOURCE, "builds").parse(page, vocabulary_of())
    assert [word.word for word in reading.unknown_words if word.word == "12"] == []
    floors = {f.value for f in reading.findings if f.statement.startswith("default-list")}
    assert floors == {"5.2"}
