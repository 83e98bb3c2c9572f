"""Documentation and code: at the tags of each project, at its branch, and as a live site."""

from datetime import timedelta

from ingest.domain.feeds.feed import Feed, FeedKind, LivePage

_TEXT = ("text/plain", "text/markdown", "text/html", "text/csv", "application/json")
_HTML = ("text/html", "application/xhtml+xml")
_DAILY = timedelta(hours=24)
_OFTEN = timedelta(hours=6)
# Some projects publish little but candidates.
_WITH_RC = ("stable", "post", "rc")

_GITHUB_TREE = "https://api.github.com/repos/{repository}/git/trees/{ref}?recursive=1"
_GITHUB_BRANCH = "https://api.github.com/repos/{repository}/commits/{ref}"
_GITHUB_FILE = "https://raw.githubusercontent.com/{repository}/{ref}/{path}"
_GITHUB_PAGE = "https://github.com/{repository}/blob/{ref}/{path}"
_GITCODE_TREE = (
    "https://api.gitcode.com/api/v5/repos/{repository}/git/trees/{ref}?recursive=1&per_page=10000"
)
_GITCODE_FILE = "https://raw.gitcode.com/{repository}/raw/{ref}/{path}"
_GITCODE_PAGE = "https://gitcode.com/{repository}/blob/{ref}/{path}"


def _at_tags(
    framework: str,
    repository: str,
    *sources: str,
    cadence: timedelta = _DAILY,
    label: str = "{tag}",
    lines: tuple[str, ...] = ("stable", "post"),
) -> Feed:
    """The files of a repository at each of its release tags."""
    return Feed(
        name=f"{framework}-docs-at-tag",
        kind=FeedKind.DOCUMENTATION_AT_TAG,
        framework=framework,
        sources=sources,
        repository=repository,
        host="raw.githubusercontent.com",
        cadence=cadence,
        media_types=_TEXT,
        listing_url=_GITHUB_TREE,
        page_url=_GITHUB_FILE,
        public_url=_GITHUB_PAGE,
        label=label,
        lines=lines,
    )


def _at_branch(framework: str, repository: str, *sources: str, branch: str = "main") -> Feed:
    """The files of a repository that publishes no tags, at the newest commit of its branch."""
    return Feed(
        name=f"{framework}-docs-at-branch",
        kind=FeedKind.DOCUMENTATION_LIVE,
        framework=framework,
        sources=sources,
        repository=repository,
        host="raw.githubusercontent.com",
        cadence=_DAILY,
        media_types=_TEXT,
        listing_url=_GITHUB_TREE,
        page_url=_GITHUB_FILE,
        public_url=_GITHUB_PAGE,
        branch=branch,
        branch_url=_GITHUB_BRANCH,
        label="{branch}-{commit}",
    )


DOCUMENTATION_FEEDS: tuple[Feed, ...] = (
    _at_tags(
        "vllm", "vllm-project/vllm", "vllm-docs", "vllm-code", cadence=_OFTEN, label="{version}"
    ),
    _at_tags("sglang", "sgl-project/sglang", "sglang-docs", "sglang-code", cadence=_OFTEN),
    _at_branch("sgl-cookbook", "sgl-project/sgl-cookbook", "sgl-cookbook-readme"),
    _at_tags("tensorrt-llm", "NVIDIA/TensorRT-LLM", "tensorrt-llm-docs", cadence=_OFTEN),
    _at_tags(
        "tensorrtllm-backend",
        "triton-inference-server/tensorrtllm_backend",
        "tensorrtllm-backend-docs",
    ),
    _at_tags("tgi", "huggingface/text-generation-inference", "tgi-docs"),
    _at_tags(
        "llama.cpp",
        "ggml-org/llama.cpp",
        "llama.cpp-docs",
        "llama.cpp-code",
        cadence=_OFTEN,
    ),
    # Plug-ins and accelerator stacks.
    _at_tags("vllm-ascend", "vllm-project/vllm-ascend", "vllm-ascend-docs", lines=_WITH_RC),
    _at_tags("vllm-gaudi", "vllm-project/vllm-gaudi", "vllm-gaudi-docs"),
    _at_tags("tpu-inference", "vllm-project/tpu-inference", "tpu-inference-docs"),
    _at_tags("vllm-neuron", "vllm-project/vllm-neuron", "vllm-neuron-readme"),
    # Its documentation lies within that of the SDK, whose tags are not its own.
    _at_branch(
        "vllm-neuron-native", "aws-neuron/aws-neuron-sdk", "vllm-neuron-docs", branch="master"
    ),
    _at_tags("aws-neuron-sdk", "aws-neuron/aws-neuron-sdk", "aws-neuron-docs"),
    _at_tags("vllm-metax", "MetaX-MACA/vLLM-metax", "vllm-metax-docs", lines=_WITH_RC),
    _at_tags("vllm-kunlun", "baidu/vLLM-Kunlun", "vllm-kunlun-docs", lines=_WITH_RC),
    _at_tags("vllm-gcu", "EnflameTechnology/vllm-gcu", "vllm-gcu-docs"),
    _at_branch("vllm-mlu", "Cambricon/vllm-mlu", "vllm-mlu-readme"),
    _at_branch("vllm-musa", "MooreThreads/vllm-musa", "vllm-musa-readme"),
    _at_branch("vllm-musa-2024", "MooreThreads/vllm_musa", "vllm-musa-2024-readme"),
    _at_tags("torch-musa", "MooreThreads/torch_musa", "torch-musa-docs"),
    _at_tags("xllm", "jd-opensource/xllm", "xllm-docs"),
    _at_branch("hygon-das-vllm", "HYGON-AI/inference-cookbook-das", "hygon-cookbook-vllm"),
    _at_branch("hygon-das-sglang", "HYGON-AI/inference-cookbook-das", "hygon-cookbook-sglang"),
    _at_tags("dlinfer", "DeepLink-org/dlinfer", "dlinfer-docs"),
    _at_tags("lmdeploy", "InternLM/lmdeploy", "lmdeploy-docs"),
    _at_tags("deepspark-inference", "Deep-Spark/DeepSparkInference", "deepspark-inference-readme"),
    _at_tags("modelopt", "NVIDIA/Model-Optimizer", "modelopt-docs"),
    Feed(
        name="mindie-llm-docs-at-tag",
        kind=FeedKind.DOCUMENTATION_AT_TAG,
        framework="mindie-llm",
        sources=("mindie-llm-docs",),
        repository="Ascend/MindIE-LLM",
        host="raw.gitcode.com",
        cadence=_DAILY,
        media_types=_TEXT,
        listing_url=_GITCODE_TREE,
        page_url=_GITCODE_FILE,
        public_url=_GITCODE_PAGE,
        lines=_WITH_RC,
    ),
    # The live site speaks for the newest stable release.
    Feed(
        name="vllm-docs-live",
        kind=FeedKind.DOCUMENTATION_LIVE,
        framework="vllm",
        sources=("vllm-docs",),
        host="docs.vllm.ai",
        cadence=_DAILY,
        media_types=_HTML,
        label="live-{day}-{digest}",
        pages=(
            LivePage(
                path="docs/features/quantization/README.md",
                url="https://docs.vllm.ai/en/stable/features/quantization/",
            ),
            LivePage(
                path="docs/features/README.md",
                url="https://docs.vllm.ai/en/stable/features/",
            ),
        ),
    ),
)
