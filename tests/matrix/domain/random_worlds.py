"""Small random worlds of claims and cells, the same for the same seed."""

import random
from dataclasses import replace

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell, Condition, NumberRange, Scope
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind, NumberAxis, SupportLevel
from tests.builders import VERSIONS, cell, claim, released_on, scope

HARDWARE = ("nvidia", "nvidia-volta", "nvidia-turing", "nvidia-t4", "nvidia-a100", "amd-mi300x")
SCHEMES = ("awq", "awq-w4a16", "fp8", "fp8-w8a8", "fp8-w8a16", "gguf-q4-k", "bf16")
MODELS = ("llamaforcausallm", "llama-3", "meta--llama-3-8b", "qwen3forcausallm")
FEATURES = ("lora", "speculative-decoding", "eagle", "prefix-caching")
KINDS = (
    EvidenceKind.DOCUMENTATION,
    EvidenceKind.DOCUMENTATION,
    EvidenceKind.SOURCE_CODE,
    EvidenceKind.CAPABILITY_GATE,
    EvidenceKind.RELEASE_NOTE,
    EvidenceKind.USER_REPORT,
    EvidenceKind.BENCHMARK_RUN,
)


def random_scope(draw: random.Random) -> Scope:
    """A scope that restricts at least one axis."""
    nodes: dict[str, str] = {}
    for axis, slugs, chance in (
        ("hardware", HARDWARE, 0.6),
        ("quantization", SCHEMES, 0.5),
        ("model", MODELS, 0.3),
        ("backend", ("cuda", "rocm"), 0.15),
    ):
        if draw.random() < chance:
            nodes[axis] = draw.choice(slugs)
    features = draw.sample(FEATURES, draw.choice((0, 0, 0, 1, 1, 2)))
    numbers = {}
    if draw.random() < 0.1:
        numbers[NumberAxis.TENSOR_PARALLEL] = NumberRange(minimum=draw.choice((2, 4)))
    exclude = {}
    if nodes.get("hardware") == "nvidia" and draw.random() < 0.4:
        exclude[Axis.HARDWARE] = ["nvidia-volta"]
    if not nodes and not features:
        nodes["hardware"] = draw.choice(HARDWARE)
    return scope(features=features, numbers=numbers, exclude=exclude, **nodes)


def random_claim(draw: random.Random, number: int, *, framework: str = "vllm") -> Claim:
    """A claim seen at one to three releases, perhaps gone later, perhaps under a condition."""
    seen = sorted(draw.sample(VERSIONS, draw.choice((1, 1, 2, 3))), key=VERSIONS.index)
    later = VERSIONS[VERSIONS.index(seen[-1]) + 1 :]
    gone = draw.choice(later) if later and draw.random() < 0.3 else ""
    conditions = []
    if draw.random() < 0.15:
        conditions = [Condition(kind=ConditionKind.FLAG, name="--flag", op="=", value="a")]
    return claim(
        draw.choice((SupportLevel.SUPPORTED, SupportLevel.UNSUPPORTED, SupportLevel.PARTIAL)),
        about=random_scope(draw),
        seen=seen,
        framework=framework,
        kind=draw.choice(KINDS),
        uid=f"claim-{number}",
        gone=gone,
        conditions=conditions,
    )


def random_claims(draw: random.Random) -> list[Claim]:
    """Two to twelve claims of one framework."""
    return [random_claim(draw, number) for number in range(draw.randint(2, 12))]


def random_cell(draw: random.Random) -> Cell:
    """A cell at some release with one to four axes and perhaps a feature."""
    nodes: dict[str, str] = {}
    for axis, slugs, chance in (
        ("hardware", HARDWARE, 0.85),
        ("quantization", SCHEMES, 0.6),
        ("model", MODELS, 0.4),
    ):
        if draw.random() < chance:
            nodes[axis] = draw.choice(slugs)
    if not nodes:
        nodes["hardware"] = draw.choice(HARDWARE)
    features = draw.sample(FEATURES, draw.choice((0, 0, 1)))
    settings = {"--flag": draw.choice(("a", "b"))} if draw.random() < 0.2 else {}
    return cell(draw.choice(VERSIONS), features=features, settings=settings, **nodes)


def known_by(claims: list[Claim], version: str) -> list[Claim]:
    """The claims with only what was observed by the day of a release."""
    day = released_on(version)
    found = []
    for held in claims:
        seen = tuple(o for o in held.observations if o.stated_on <= day)
        if not seen:
            continue
        validity = held.validity
        if validity.gone_on is not None and validity.gone_on > day:
            validity = replace(validity, gone="", gone_on=None)
        found.append(replace(held, observations=seen, validity=validity))
    return found
