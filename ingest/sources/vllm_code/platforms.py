"""Allow-lists of the platforms: which methods a platform accepts and which it refuses."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnknownWord, Vocabulary
from ingest.sources.code_facts import fact_locator, read_facts
from ingest.sources.collecting import Collector, facet_of
from ingest.sources.vllm_code.naming import FRAMEWORK, method_facets, method_named, method_slugs
from matrix.domain.levels import Axis, EvidenceKind, Limit

_KEYS = ("quantization_methods", "platform_supported_quantization")

# Which hardware a platform class stands for. The base class is no platform.
PLATFORMS: Mapping[str, str] = {
    "RocmPlatform": "amd",
    "TpuPlatform": "google-tpu",
    "NeuronPlatform": "aws-neuron",
    "XPUPlatform": "intel",
    "HpuPlatform": "intel-gaudi",
    "CpuPlatform": "cpu",
    "CudaPlatform": "nvidia",
}
_BASE = "Platform"


def read_platforms(page: Page, vocabulary: Vocabulary) -> Reading:
    """One gate a method and platform; an empty list restricts nothing."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.CAPABILITY_GATE)
    registered = facts.words("quantization_methods")
    for platform in facts.table("platform_supported_quantization"):
        allowed = facts.words("platform_supported_quantization", platform)
        if platform == _BASE or not allowed:
            continue
        root = PLATFORMS.get(platform)
        at = fact_locator("platform_supported_quantization", platform)
        if root is None:
            collector.unknown.append(UnknownWord(axis="platform", word=platform, locator=at))
            continue
        for name in allowed:
            _state(collector, platform, root, name, StatementStatus.SUPPORTED)
        for name in _refused(vocabulary, registered, allowed, root):
            _state(collector, platform, root, name, StatementStatus.UNSUPPORTED)
    for name in facts.words("platform_files"):
        _state_file(collector, name)
    return collector.reading()


def _refused(
    vocabulary: Vocabulary, registered: Iterable[str], allowed: tuple[str, ...], root: str
) -> list[str]:
    """The registered methods that a list leaves out and that nothing in it reaches."""
    reached = {(method_slugs(vocabulary, n), method_named(n).features) for n in allowed}
    found = []
    for name in registered:
        method = method_named(name)
        key = (method_slugs(vocabulary, name), method.features)
        if name in allowed or method.shorthand or method.bound_to not in {"", root}:
            continue
        if key not in reached:
            found.append(name)
    return found


def _state(
    collector: Collector, platform: str, root: str, name: str, status: StatementStatus
) -> None:
    at = fact_locator("platform_supported_quantization", platform)
    draft = replace(collector.draft(at, name), value=name)
    if status is StatementStatus.UNSUPPORTED:
        draft = replace(
            draft,
            limit=Limit.FRAMEWORK,
            note=f"a registered method that the list of {platform} leaves out",
        )
    facets = [*method_facets(collector, name, at), facet_of(Axis.HARDWARE, platform, root)]
    collector.state(f"platform-list/{name.lower()}", facets, status, draft)


def _state_file(collector: Collector, name: str) -> None:
    """A platform module of the code; it shows that the platform exists, not what runs on it."""
    draft = replace(collector.draft(fact_locator("platform_files"), name), names={"platform": name})
    collector.value(
        FindingKind.VALUE, f"platform-file/{name}", StatementStatus.VALUE, draft, value=name
    )
