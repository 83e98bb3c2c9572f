"""Versions, default build architectures, images and build arguments of a release."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnknownWord, Vocabulary
from ingest.sources.capabilities import NVIDIA, nvidia_below, nvidia_node
from ingest.sources.code_facts import CodeFacts, Json, fact_locator, plain, read_facts
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.llama_cpp.words import FRAMEWORK
from matrix.domain.coordinates import Condition, NodeSet, Scope
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind, Limit

_KEYS = ("llama_cpp_commit", "cuda_default_architectures_lines", "devops_dockerfile_args")
_SINGLE_VALUES = (
    "llama_cpp_commit",
    "llama_cpp_commit_date",
    "llama_version_semver",
    "ggml_version",
)
_CUDA_NUMBER = re.compile(r"\b(\d{2,3})[af]?(?:-virtual|-real)?\b")
_GFX = re.compile(r"\bgfx[0-9a-f]+\b")
_ROCM_IMAGE = "rocm"
_DEFAULT_LIST = "default-arch-list"
_IMAGE = "docker-image"
_OWN_LIST = Condition(kind=ConditionKind.BUILD_OPTION, name="CMAKE_CUDA_ARCHITECTURES", op="unset")


def read_builds(page: Page, vocabulary: Vocabulary) -> Reading:
    """What identifies the release, and what its default builds and images compile for."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for key in _SINGLE_VALUES:
        if facts.at(key) is not None:
            _state_value(collector, FindingKind.RELEASE, (key,), plain(facts.at(key)))
    for tag in facts.words("llama_cpp_tag_in_sdist"):
        _state_value(collector, FindingKind.RELEASE, ("llama_cpp_tag_in_sdist",), tag)
    _read_cuda(collector, facts)
    _read_images(collector, facts)
    for key in ("ggml_backend_dirs", "ggml_cmake_backend_options"):
        for name in facts.words(key):
            _state_value(collector, FindingKind.VALUE, (key,), name, part=name)
    for image in facts.items("docker_images"):
        _state_image(collector, image)
    return collector.reading()


def _state_value(
    collector: Collector, kind: FindingKind, path: tuple[str, ...], stated: str, *, part: str = ""
) -> None:
    draft = replace(
        collector.draft(fact_locator(*path), stated[:80]), names={"name": part or path[-1]}
    )
    statement = "/".join((*path, part) if part else path).lower()
    collector.value(kind, statement, StatementStatus.VALUE, draft, value=stated)


def _read_cuda(collector: Collector, facts: CodeFacts) -> None:
    """The default CUDA list: values by line, and a statement about the list as a whole.

    Its lowest entry carries intermediate code, so the default build also runs on everything
    newer; what is older needs a build with its own list.
    """
    key = "cuda_default_architectures_lines"
    at = fact_locator(key)
    numbers: list[int] = []
    for line in facts.words(key):
        # A remark behind the list may name a version of CUDA, which is no architecture.
        found = [int(n) for n in _CUDA_NUMBER.findall(line.partition("#")[0])]
        nodes = [nvidia_node(number / 10) for number in found]
        collector.unknown += [
            UnknownWord(axis="hardware", word=str(number), locator=at)
            for number, node in zip(found, nodes, strict=True)
            if node is None
        ]
        draft = replace(
            collector.draft(at, line[:80]),
            scope=_hardware_scope([node for node in nodes if node]),
            names={"hardware": ", ".join(map(str, found)) or "native"},
        )
        statement = f"cuda-architectures/{'-'.join(map(str, found)) or line[:40]}"
        collector.value(FindingKind.ARTEFACT, statement, StatementStatus.VALUE, draft, value=line)
        numbers += found
    if numbers:
        _state_cuda_floor(collector, min(numbers) / 10)


def _state_cuda_floor(collector: Collector, floor: float) -> None:
    at = fact_locator("cuda_default_architectures_lines")
    below = nvidia_below(floor)
    draft = replace(collector.draft(at, f"{floor:g}"), value=f"{floor:g}")
    refused = replace(
        draft,
        limit=Limit.ARTEFACT,
        note=f"the default list of CUDA architectures starts at {floor:g}",
    )
    backend = facet_of(Axis.BACKEND, "CUDA", "cuda")
    listed = facet_of(FEATURE, "default list", _DEFAULT_LIST)
    old = replace(facet_of(Axis.HARDWARE, f"below {floor:g}", *below), key="below")
    new = Facet(
        axis=Axis.HARDWARE,
        word=f"from {floor:g} on",
        slugs=frozenset({NVIDIA}),
        exclude=below,
        key="from",
    )
    collector.state("default-list", [backend, listed, new], StatementStatus.SUPPORTED, draft)
    collector.state("default-list", [backend, listed, old], StatementStatus.UNSUPPORTED, refused)
    collector.state(
        "default-build",
        [backend, old],
        StatementStatus.UNSUPPORTED,
        replace(refused, conditions=(_OWN_LIST,)),
    )


def _hardware_scope(slugs: list[str]) -> Scope:
    if not slugs:
        return Scope()
    return Scope(nodes={Axis.HARDWARE: NodeSet(include=frozenset(slugs))})


def _read_images(collector: Collector, facts: CodeFacts) -> None:
    """Build arguments of the images; the GPU targets of the ROCm image are statements."""
    for name in facts.table("devops_dockerfile_args"):
        for argument in facts.table("devops_dockerfile_args", name):
            path = ("devops_dockerfile_args", name, argument)
            stated = plain(facts.at(*path))
            targets = _GFX.findall(stated)
            if targets and _ROCM_IMAGE in name:
                _state_targets(collector, path, stated, targets)
            _state_value(collector, FindingKind.ARTEFACT, path, stated)


def _state_targets(
    collector: Collector, path: tuple[str, ...], stated: str, targets: list[str]
) -> None:
    at = fact_locator(*path)
    draft = replace(collector.draft(at, stated[:80]), value=stated)
    backend = facet_of(Axis.BACKEND, "ROCm", "rocm")
    known: set[str] = set()
    for target in targets:
        facet = collector.facet(Axis.HARDWARE, target, at)
        known |= facet.slugs
        collector.state(
            "rocm-image-target",
            [backend, facet],
            StatementStatus.SUPPORTED,
            replace(draft, note="the project's ROCm image is compiled for this target"),
        )
    if known:
        others = Facet(
            axis=Axis.HARDWARE,
            word="other AMD targets",
            slugs=frozenset({"amd"}),
            exclude=frozenset(known),
            key="others",
        )
        collector.state(
            "rocm-image-target",
            [backend, facet_of(FEATURE, "image", _IMAGE), others],
            StatementStatus.UNSUPPORTED,
            replace(
                draft,
                limit=Limit.ARTEFACT,
                note="the project's ROCm image is not compiled for this target",
            ),
        )


def _state_image(collector: Collector, image: Json) -> None:
    if not isinstance(image, dict):
        return
    tag, platforms = str(image.get("tag", "")), image.get("platforms")
    listed = ", ".join(map(str, platforms)) if isinstance(platforms, list) else ""
    draft = replace(
        collector.draft(fact_locator("docker_images"), tag[:80]),
        names={"image": tag, "platforms": listed},
    )
    collector.value(
        FindingKind.ARTEFACT,
        f"image/{tag.rsplit(':', 1)[-1]}",
        StatementStatus.SUPPORTED,
        draft,
        value=tag,
    )
