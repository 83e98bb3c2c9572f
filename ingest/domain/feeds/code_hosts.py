"""Releases, tags, archive flags and last pushes from the code hosts' interfaces."""

from dataclasses import replace
from datetime import timedelta

from ingest.domain.feeds.feed import Feed, FeedKind

_JSON = ("application/json", "application/vnd.github+json")
_GITHUB = (
    "https://api.github.com/repos/{repository}",
    "https://api.github.com/repos/{repository}/releases?per_page=100",
    "https://api.github.com/repos/{repository}/tags?per_page=100",
)
_GITCODE = (
    "https://api.gitcode.com/api/v5/repos/{repository}",
    "https://api.gitcode.com/api/v5/repos/{repository}/releases?per_page=100",
    "https://api.gitcode.com/api/v5/repos/{repository}/tags?per_page=100",
)

# The newest commit of the README goes before the README itself, which has no date.
_GITHUB_README = (
    "https://api.github.com/repos/{repository}/commits?path=README.md&per_page=1",
    "https://api.github.com/repos/{repository}/readme",
)

# Framework and repository as the catalogue names them; those with many readers are asked hourly.
_OFTEN: tuple[tuple[str, str], ...] = (
    ("vllm", "vllm-project/vllm"),
    ("sglang", "sgl-project/sglang"),
    ("tensorrt-llm", "NVIDIA/TensorRT-LLM"),
    ("llama.cpp", "ggml-org/llama.cpp"),
    ("tgi", "huggingface/text-generation-inference"),
    ("ollama", "ollama/ollama"),
    ("vllm-ascend", "vllm-project/vllm-ascend"),
    ("lmdeploy", "InternLM/lmdeploy"),
)
_DAILY: tuple[tuple[str, str], ...] = (
    ("hygon-das-vllm", "HYGON-AI/inference-cookbook-das"),
    ("llm-scaler-vllm", "intel/llm-scaler"),
    ("tpu-inference", "vllm-project/tpu-inference"),
    ("vllm-gaudi", "vllm-project/vllm-gaudi"),
    ("vllm-gcu", "EnflameTechnology/vllm-gcu"),
    ("vllm-gguf-plugin", "vllm-project/vllm-gguf-plugin"),
    ("vllm-kunlun", "baidu/vLLM-Kunlun"),
    ("vllm-metax", "MetaX-MACA/vLLM-metax"),
    ("vllm-mlu", "Cambricon/vllm-mlu"),
    ("vllm-musa", "MooreThreads/vllm-musa"),
    ("vllm-musa-2024", "MooreThreads/vllm_musa"),
    ("vllm-neuron", "vllm-project/vllm-neuron"),
    ("tensorrtllm-backend", "triton-inference-server/tensorrtllm_backend"),
    ("sgl-cookbook", "sgl-project/sgl-cookbook"),
    ("sglang-kt", "kvcache-ai/ktransformers"),
    ("ik-llama.cpp", "ikawrakow/ik_llama.cpp"),
    ("llama-box", "gpustack/llama-box"),
    ("llama-cpp-python", "abetlen/llama-cpp-python"),
    ("autoawq", "casper-hansen/AutoAWQ"),
    ("aws-neuron-sdk", "aws-neuron/aws-neuron-sdk"),
    ("nxd-inference", "aws-neuron/neuronx-distributed-inference"),
    ("deepspark-inference", "Deep-Spark/DeepSparkInference"),
    ("gpustack", "gpustack/gpustack"),
    ("ktransformers", "kvcache-ai/ktransformers"),
    ("dlinfer", "DeepLink-org/dlinfer"),
    ("mistral.rs", "EricLBuehler/mistral.rs"),
    ("modelopt", "NVIDIA/Model-Optimizer"),
    ("pytorch", "pytorch/pytorch"),
    ("tensorrt", "NVIDIA/TensorRT"),
    ("torch-musa", "MooreThreads/torch_musa"),
    ("xllm", "jd-opensource/xllm"),
)


def _code_host(framework: str, repository: str, cadence: timedelta) -> Feed:
    return Feed(
        name=f"{framework}-code-host",
        kind=FeedKind.CODE_HOST,
        framework=framework,
        repository=repository,
        host="api.github.com",
        cadence=cadence,
        media_types=_JSON,
        endpoints=_GITHUB,
        accept="application/vnd.github+json",
    )


def _readme(framework: str, repository: str) -> Feed:
    return replace(
        _code_host(framework, repository, timedelta(days=1)),
        name=f"{framework}-readme",
        endpoints=_GITHUB_README,
    )


CODE_HOST_FEEDS: tuple[Feed, ...] = (
    *(_code_host(framework, repository, timedelta(hours=1)) for framework, repository in _OFTEN),
    *(_code_host(framework, repository, timedelta(days=1)) for framework, repository in _DAILY),
    *(_readme(framework, repository) for framework, repository in (*_OFTEN, *_DAILY)),
    Feed(
        name="mindie-llm-code-host",
        kind=FeedKind.CODE_HOST,
        framework="mindie-llm",
        repository="Ascend/MindIE-LLM",
        host="api.gitcode.com",
        cadence=timedelta(days=1),
        media_types=_JSON,
        endpoints=_GITCODE,
    ),
)
