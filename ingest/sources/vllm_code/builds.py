"""What the builds of a release compile for: architecture lists, Dockerfiles, images."""

from collections.abc import Iterable
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnknownWord, Vocabulary
from ingest.sources.capabilities import nvidia_node
from ingest.sources.code_facts import CodeFacts, fact_locator, plain, read_facts
from ingest.sources.collecting import Collector, Facet
from ingest.sources.vllm_code.naming import FRAMEWORK
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.levels import Axis, EvidenceKind, Limit

_KEYS = ("cmake", "dockerfiles")
_AMD = "amd"


def read_builds(page: Page, vocabulary: Vocabulary) -> Reading:
    """The architectures that the build knows, and the images and build arguments it names."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for position, stated in enumerate(facts.words("cmake", "CUDA_SUPPORTED_ARCHS")):
        _state_cuda(collector, position, stated)
    hip = facts.words("cmake", "HIP_SUPPORTED_ARCHS")
    for stated in hip:
        _state_hip(collector, stated)
    for key in facts.table("cmake"):
        if not isinstance(facts.at("cmake", key), list) and facts.at("cmake", key) is not None:
            _state_value(collector, facts, ("cmake", key), FindingKind.REQUIREMENT)
    _read_dockerfiles(collector, facts)
    return collector.reading()


def _state_cuda(collector: Collector, position: int, stated: str) -> None:
    """One branch of the CUDA list, as an artefact fact.

    The branches depend on the toolkit, and a build can name other architectures, so neither
    presence nor absence is a claim about the hardware.
    """
    at = fact_locator("cmake", "CUDA_SUPPORTED_ARCHS")
    slugs = []
    for word in stated.split(";"):
        node = nvidia_node(float(word)) if word.replace(".", "", 1).isdigit() else None
        if node is None:
            collector.unknown.append(UnknownWord(axis="hardware", word=word, locator=at))
        else:
            slugs.append(node)
    _state_artefact(collector, f"cuda-architectures/{position}", at.path, stated, slugs)


def _state_hip(collector: Collector, stated: str) -> None:
    """The whole HIP list: an artefact fact, and a gate for every AMD target outside of it."""
    at = fact_locator("cmake", "HIP_SUPPORTED_ARCHS")
    slugs: list[str] = []
    for word in stated.split(";"):
        found = collector.vocabulary.find(Axis.HARDWARE.value, word)
        if not found:
            collector.unknown.append(UnknownWord(axis="hardware", word=word, locator=at))
        slugs.extend(found)
    _state_artefact(collector, "hip-architectures", at.path, stated, slugs)
    if not slugs:
        return
    gate = replace(
        collector.draft(at, stated[:80]),
        evidence=EvidenceKind.CAPABILITY_GATE,
        limit=Limit.ARTEFACT,
        value=stated,
        note="not among the GPU targets that the build supports",
    )
    others = Facet(
        axis=Axis.HARDWARE,
        word="AMD GPU targets outside of the list",
        slugs=frozenset({_AMD}),
        exclude=frozenset(slugs),
        key="others",
    )
    collector.state("hip-gate", [others], StatementStatus.UNSUPPORTED, gate)


def _state_artefact(
    collector: Collector, statement: str, path: tuple[str, ...], stated: str, slugs: Iterable[str]
) -> None:
    draft = replace(
        collector.draft(fact_locator(*path), stated[:80]),
        scope=Scope(nodes={Axis.HARDWARE: NodeSet(include=frozenset(slugs))}),
        names={"hardware": stated},
    )
    collector.value(FindingKind.ARTEFACT, statement, StatementStatus.VALUE, draft, value=stated)


def _read_dockerfiles(collector: Collector, facts: CodeFacts) -> None:
    for name in facts.table("dockerfiles"):
        for argument in facts.table("dockerfiles", name, "args"):
            path = ("dockerfiles", name, "args", argument)
            _state_value(collector, facts, path, FindingKind.ARTEFACT)
        for image in facts.words("dockerfiles", name, "from"):
            _state_word(collector, ("dockerfiles", name, "from"), image, StatementStatus.VALUE)
    for image in facts.words("docker_images_mentioned"):
        _state_word(collector, ("docker_images_mentioned",), image, StatementStatus.VALUE)


def _state_value(
    collector: Collector, facts: CodeFacts, path: tuple[str, ...], kind: FindingKind
) -> None:
    stated = plain(facts.at(*path))
    draft = replace(collector.draft(fact_locator(*path), stated[:80]), names={"name": path[-1]})
    collector.value(kind, "/".join(path).lower(), StatementStatus.VALUE, draft, value=stated)


def _state_word(
    collector: Collector, path: tuple[str, ...], stated: str, status: StatementStatus
) -> None:
    draft = replace(collector.draft(fact_locator(*path), stated[:80]), names={"image": stated})
    statement = "/".join((*path, stated)).lower()
    collector.value(FindingKind.ARTEFACT, statement, status, draft, value=stated)
