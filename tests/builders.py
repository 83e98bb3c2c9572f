"""Builders of domain values for tests; small worlds with literal catalogues."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from matrix.domain.claims import Claim, Document, Locator, Observation, Validity
from matrix.domain.coordinates import Cell, Condition, NodeSet, NumberRange, Scope, Trees
from matrix.domain.index import ClaimIndex
from matrix.domain.levels import (
    Axis,
    EvidenceKind,
    NumberAxis,
    SupportLevel,
)
from matrix.domain.surroundings import FrameworkFacts, Surroundings
from matrix.domain.trees import Tree
from matrix.domain.versions import Release, ReleaseHistory, order_releases

HARDWARE = Tree(
    {
        "nvidia": None,
        "nvidia-volta": "nvidia",
        "nvidia-v100": "nvidia-volta",
        "nvidia-turing": "nvidia",
        "nvidia-t4": "nvidia-turing",
        "nvidia-ampere": "nvidia",
        "nvidia-a100": "nvidia-ampere",
        "amd": None,
        "amd-mi300x": "amd",
        "google-tpu": None,
    }
)
QUANTIZATION = Tree(
    {
        "none": None,
        "bf16": "none",
        "awq": None,
        "awq-w4a16": "awq",
        "awq-marlin": "awq",
        "fp8": None,
        "fp8-w8a8": "fp8",
        "fp8-w8a16": "fp8",
        "gguf": None,
        "gguf-q4-k": "gguf",
        "gguf-q4-k-m": "gguf-q4-k",
        "kv-cache": None,
        "kv-fp8": "kv-cache",
    },
    asides=frozenset({"awq-marlin"}),
)
MODEL = Tree(
    {
        "llamaforcausallm": None,
        "llama-3": "llamaforcausallm",
        "meta--llama-3-8b": "llama-3",
        "qwen3forcausallm": None,
    }
)
FEATURE = Tree(
    {
        "lora": None,
        "speculative-decoding": None,
        "eagle": "speculative-decoding",
        "tensor-parallel": None,
        "pipeline-parallel": None,
        "prefix-caching": None,
    }
)
BACKEND = Tree({"cuda": None, "rocm": None, "vulkan": None, "tpu": None})

TREES = Trees(
    by_axis={
        Axis.HARDWARE: HARDWARE,
        Axis.QUANTIZATION: QUANTIZATION,
        Axis.KV_DTYPE: QUANTIZATION,
        Axis.MODEL: MODEL,
        Axis.BACKEND: BACKEND,
    },
    features=FEATURE,
)

# One release a month from 2025-01-15 on: 0.1.0, 0.2.0, …, 0.12.0.
FIRST_RELEASE_ON = date(2025, 1, 15)
VERSIONS = tuple(f"0.{number}.0" for number in range(1, 13))
TODAY = date(2026, 1, 10)


def released_on(version: str) -> date:
    """The day of a test release."""
    return FIRST_RELEASE_ON + timedelta(days=30 * VERSIONS.index(version))


def history_of(framework: str = "vllm", versions: Iterable[str] = VERSIONS) -> ReleaseHistory:
    """A release history with monthly releases."""
    releases = [
        Release(
            framework=framework,
            version=version,
            released_at=datetime.combine(released_on(version), datetime.min.time(), tzinfo=UTC),
        )
        for version in versions
    ]
    return ReleaseHistory(framework, tuple(order_releases(releases, scheme="pep440")))


def surroundings(**changes: object) -> Surroundings:
    """The test world: vllm, and vllm-ascend as its plug-in."""
    world = Surroundings(
        trees=TREES,
        histories={"vllm": history_of(), "vllm-ascend": history_of("vllm-ascend")},
        frameworks={
            "vllm": FrameworkFacts(slug="vllm"),
            "vllm-ascend": FrameworkFacts(
                slug="vllm-ascend",
                parent="vllm",
                inherits=True,
                upstream={version: version for version in VERSIONS},
            ),
        },
        default_backends={"nvidia": ("cuda",), "amd": ("rocm",), "google-tpu": ("tpu",)},
        backend_hardware={"cuda": "nvidia", "rocm": "amd"},
    )
    return replace(world, **changes)  # type: ignore[arg-type]


def scope(
    *,
    features: Iterable[str] = (),
    numbers: Mapping[NumberAxis, NumberRange] | None = None,
    exclude: Mapping[Axis, Iterable[str]] | None = None,
    **nodes: str | Iterable[str],
) -> Scope:
    """``scope(hardware="nvidia-t4", quantization=["awq"], features=["lora"])``."""
    found: dict[Axis, NodeSet] = {}
    for name, slugs in nodes.items():
        include = {slugs} if isinstance(slugs, str) else set(slugs)
        found[Axis(name)] = NodeSet(include=frozenset(include))
    for axis, slugs in (exclude or {}).items():
        base = found.get(axis, NodeSet())
        found[axis] = NodeSet(include=base.include, exclude=frozenset(slugs))
    return Scope(nodes=found, features=frozenset(features), numbers=numbers or {})


def claim(
    level: SupportLevel | str,
    *,
    about: Scope,
    seen: Iterable[str] = ("0.6.0",),
    framework: str = "vllm",
    kind: EvidenceKind = EvidenceKind.DOCUMENTATION,
    uid: str = "",
    note: str = "",
    conditions: Iterable[Condition] = (),
    gone: str = "",
    **changes: object,
) -> Claim:
    """A claim observed at the given releases."""
    versions = list(seen)
    level = SupportLevel(level)
    observations = tuple(
        Observation(
            document=Document(
                key=f"{framework}:{version}:docs/page.md",
                url=f"https://example.org/{version}/page.md",
                version=version,
                stated_on=released_on(version),
            ),
            locator=Locator(row="row", column="column", line=1),
            release=version,
            stated_on=released_on(version),
            raw="sign",
        )
        for version in versions
    )
    built = Claim(
        uid=uid or f"{level}-{kind}-{'-'.join(versions)}-{hash(repr(about)) & 0xFFFF:x}",
        framework=framework,
        source="test:rule",
        statement="statement",
        scope=about,
        level=level,
        kind=kind,
        validity=Validity(
            first=versions[0],
            last=versions[-1],
            gone=gone,
            gone_on=released_on(gone) if gone else None,
        ),
        observations=observations,
        note=note or ("a part of it" if level is SupportLevel.PARTIAL else ""),
        conditions=tuple(conditions),
        recorded_at=datetime(2025, 1, 1, tzinfo=UTC),
    )
    return replace(built, **changes)  # type: ignore[arg-type]


def cell(
    version: str | None = "0.6.0",
    *,
    framework: str = "vllm",
    features: Iterable[str] = (),
    numbers: Mapping[NumberAxis, float] | None = None,
    settings: Mapping[str, str] | None = None,
    **nodes: str,
) -> Cell:
    """``cell("0.6.0", hardware="nvidia-t4", quantization="awq")``."""
    return Cell(
        framework=framework,
        version=version,
        nodes={Axis(name): slug for name, slug in nodes.items()},
        features=frozenset(features),
        numbers=numbers or {},
        settings=settings or {},
    )


def index_of(*claims: Claim, **changes: object) -> ClaimIndex:
    """An index of the claims in the test world."""
    return ClaimIndex(claims, surroundings(**changes))
