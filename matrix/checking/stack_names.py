"""Which framework a package or an image belongs to, as the catalogue and usage name them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from matrix.checking.answering import SERVING_KINDS
from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.queries.remembered import RememberedFor

# Packages that go by another name than the framework that they belong to.
OTHER_PACKAGES: Mapping[str, str] = {
    "text-generation-server": "tgi",
    "text-generation": "tgi",
    "mistralrs": "mistral.rs",
    "mistralrs-cuda": "mistral.rs",
    "kt-kernel": "ktransformers",
}
# Image repositories as their projects publish them; recorded images are looked up first.
IMAGE_REPOSITORIES: Mapping[str, str] = {
    "vllm/vllm-openai": "vllm",
    "vllm/vllm-openai-rocm": "vllm",
    "vllm/vllm-tpu": "tpu-inference",
    "rocm/vllm": "vllm",
    "public.ecr.aws/q9t5s3a7/vllm-release-repo": "vllm",
    "quay.io/ascend/vllm-ascend": "vllm-ascend",
    "lmsysorg/sglang": "sglang",
    "lmsysorg/sglang-rocm": "sglang",
    "nvcr.io/nvidia/tensorrt-llm/release": "tensorrt-llm",
    "ghcr.io/huggingface/text-generation-inference": "tgi",
    "openmmlab/lmdeploy": "lmdeploy",
    "ghcr.io/ggml-org/llama.cpp": "llama.cpp",
    "ghcr.io/ggerganov/llama.cpp": "llama.cpp",
    "ollama/ollama": "ollama",
    "intel/llm-scaler-vllm": "llm-scaler-vllm",
    "ghcr.io/ericlbuehler/mistral.rs": "mistral.rs",
}
LONGEST_REFERENCE = 400

_REFERENCE = re.compile(
    r"(?P<repository>[a-z0-9]+(?:[._/:-]+[a-z0-9]+)*?)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
    r"(?:@(?P<digest>sha256:[0-9a-f]{64}))?",
    re.ASCII,
)
_VERSION_OF_TAG = re.compile(r"v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev)\d+)?)(?![\w])", re.ASCII)
_BUILD_OF_TAG = re.compile(r"(?:^|-)(b\d{3,6})$", re.ASCII)


@dataclass(frozen=True, slots=True)
class ImageReference:
    """An image as it is written: without a registry it is one of Docker Hub."""

    repository: str
    tag: str
    digest: str
    raw: str

    @property
    def version(self) -> str:
        """The version that the tag begins or ends with; empty where it names none."""
        match = _VERSION_OF_TAG.match(self.tag)
        if match:
            return match[1]
        build = _BUILD_OF_TAG.search(self.tag)
        return build[1] if build else ""


def read_image(text: str) -> ImageReference:
    """The parts of an image reference. **Raises**: ``InvalidValue``."""
    accepted = Phrase("an image such as vllm/vllm-openai:v0.11.0, with a tag or a sha256 digest")
    bare = text.strip()
    match = _REFERENCE.fullmatch(bare) if len(bare) <= LONGEST_REFERENCE else None
    if match is None or not (match["tag"] or match["digest"]):
        raise InvalidValue(name="image", value=bare[:120], accepted=accepted)
    repository = match["repository"]
    for prefix in ("docker.io/", "index.docker.io/", "registry-1.docker.io/"):
        repository = repository.removeprefix(prefix)
    return ImageReference(
        repository=repository, tag=match["tag"] or "", digest=match["digest"] or "", raw=bare
    )


_names: RememberedFor[Mapping[str, str]] = RememberedFor()


def framework_of_package(catalogue: Catalogue, package: str) -> str:
    """The slug of the framework that a package installs; empty for any other package."""
    return _names.get(catalogue, "packages", lambda: _packages(catalogue)).get(package, "")


def _packages(catalogue: Catalogue) -> Mapping[str, str]:
    """Canonical package names of the frameworks that serve models, by slug and by known name."""
    found: dict[str, str] = {}
    area = catalogue.area("framework")
    serving = [node for node in area.values() if node.kind in SERVING_KINDS]
    for node in serving:
        found.setdefault(canonicalize_name(node.slug), node.slug)
    for node in serving:
        for alias in (node.name, *node.aliases):
            if " " not in alias and "/" not in alias:
                found.setdefault(canonicalize_name(alias), node.slug)
    known = {name: slug for name, slug in OTHER_PACKAGES.items() if slug in area}
    return {**found, **known}
