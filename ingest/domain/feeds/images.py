"""Tags and digests of published container images."""

from datetime import timedelta

from ingest.domain.feeds.feed import Feed, FeedKind

_JSON = (
    "application/json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_HUB = (
    "https://hub.docker.com/v2/repositories/{repository}/tags/?page_size=100&ordering=last_updated"
)
_TAGS = "https://{host}/v2/{repository}/tags/list?n=1000"
_GHCR_TOKEN = "https://ghcr.io/token?scope=repository:{repository}:pull"
_NVCR_TOKEN = "https://nvcr.io/proxy_auth?scope=repository:{repository}:pull"


def _image(
    framework: str,
    host: str,
    repository: str,
    endpoint: str,
    *,
    suffix: str = "image",
    token_url: str = "",
) -> Feed:
    return Feed(
        name=f"{framework}-{suffix}",
        kind=FeedKind.CONTAINER_REGISTRY,
        framework=framework,
        repository=repository,
        host=host,
        cadence=timedelta(hours=12),
        media_types=_JSON,
        endpoints=(endpoint,),
        token_url=token_url,
    )


IMAGE_FEEDS: tuple[Feed, ...] = (
    _image("vllm", "hub.docker.com", "vllm/vllm-openai", _HUB),
    _image("sglang", "hub.docker.com", "lmsysorg/sglang", _HUB),
    _image("tgi", "ghcr.io", "huggingface/text-generation-inference", _TAGS, token_url=_GHCR_TOKEN),
    _image("tensorrt-llm", "nvcr.io", "nvidia/tensorrt-llm/release", _TAGS, token_url=_NVCR_TOKEN),
    _image("vllm-ascend", "quay.io", "ascend/vllm-ascend", _TAGS),
    _image("llama.cpp", "ghcr.io", "ggml-org/llama.cpp", _TAGS, token_url=_GHCR_TOKEN),
)
