"""Generated claims in the shape of the shipped ones, for speed scripts only.

The number of nodes grows with the number of claims, as it does in reality: a claim set becomes ten
times larger because it speaks about ten times as many models and releases, not because one pair
of nodes gets a million statements.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from matrix.domain.claims import Claim, Document, Locator, Observation, Validity
from matrix.domain.coordinates import Cell, NodeSet, Scope, Trees
from matrix.domain.levels import Axis, EvidenceKind, SupportLevel
from matrix.domain.surroundings import FrameworkFacts, Surroundings
from matrix.domain.trees import Tree
from matrix.domain.versions import Release, ReleaseHistory

FRAMEWORKS = tuple(f"framework-{n}" for n in range(10))
RELEASE_COUNT = 60
FIRST_ON = date(2023, 1, 1)
TODAY = date(2026, 11, 30)
LEVELS = (SupportLevel.SUPPORTED, SupportLevel.UNSUPPORTED, SupportLevel.SUPPORTED)


@dataclass(frozen=True)
class World:
    """Surroundings and the node names that claims and questions are drawn from."""

    surroundings: Surroundings
    schemes: tuple[str, ...]
    devices: tuple[str, ...]
    models: tuple[str, ...]


def make_world(claim_count: int) -> World:
    """A world whose nodes grow with the claims: 20 vendors × 5 architectures × 4 devices, …"""
    hardware: dict[str, str | None] = {}
    for vendor, arch in itertools.product(range(20), range(5)):
        hardware[f"v{vendor}"] = None
        hardware[f"v{vendor}-a{arch}"] = f"v{vendor}"
        for device in range(4):
            hardware[f"v{vendor}-a{arch}-d{device}"] = f"v{vendor}-a{arch}"
    schemes: dict[str, str | None] = {}
    for family, scheme in itertools.product(range(20), range(5)):
        schemes[f"q{family}"] = None
        schemes[f"q{family}-s{scheme}"] = f"q{family}"
    models: dict[str, str | None] = {}
    for arch in range(max(40, claim_count // 2_000)):
        models[f"m{arch}"] = None
        for family in range(5):
            models[f"m{arch}-f{family}"] = f"m{arch}"
    trees = Trees(
        by_axis={
            Axis.HARDWARE: Tree(hardware),
            Axis.QUANTIZATION: Tree(schemes),
            Axis.MODEL: Tree(models),
        }
    )
    histories = {name: _history(name) for name in FRAMEWORKS}
    facts = {name: FrameworkFacts(slug=name) for name in FRAMEWORKS}
    return World(
        surroundings=Surroundings(trees=trees, histories=histories, frameworks=facts),
        schemes=tuple(s for s in schemes if "-" in s),
        devices=tuple(h for h in hardware if h.count("-") == 2),
        models=tuple(m for m in models if "-" in m),
    )


def _history(framework: str) -> ReleaseHistory:
    releases = [
        Release(
            framework=framework,
            version=f"0.{n}.0",
            released_at=datetime(2023, 1, 1, tzinfo=UTC) + timedelta(days=20 * n),
        )
        for n in range(RELEASE_COUNT)
    ]
    return ReleaseHistory(framework, tuple(releases))


def generate_claims(count: int, world: World) -> Iterator[Claim]:
    """Claims about (quantization × hardware), (model) and (model × quantization × hardware)."""
    made = 0
    hardware = [*world.devices, *{d.rsplit("-", 1)[0] for d in world.devices}]
    pairs = itertools.cycle(itertools.product(world.schemes, hardware))
    models = itertools.cycle(world.models)
    scopes: dict[tuple[str, ...], Scope] = {}
    while made < count:
        scheme, device = next(pairs)
        model = next(models)
        kind = made % 3
        key = ((scheme, device), (model,), (model, scheme, device))[kind]
        scope = scopes.get(key) or scopes.setdefault(key, _scope(kind, scheme, device, model))
        release = (made // 7) % RELEASE_COUNT
        yield _claim(made, FRAMEWORKS[made % len(FRAMEWORKS)], scope, release)
        made += 1


def _scope(kind: int, scheme: str, device: str, model: str) -> Scope:
    nodes: dict[Axis, NodeSet] = {}
    if kind in {0, 2}:
        nodes[Axis.QUANTIZATION] = NodeSet(include=frozenset({scheme}))
        nodes[Axis.HARDWARE] = NodeSet(include=frozenset({device}))
    if kind in {1, 2}:
        nodes[Axis.MODEL] = NodeSet(include=frozenset({model}))
    return Scope(nodes=nodes)


_DOCUMENTS: dict[tuple[str, int], Document] = {}


def _claim(number: int, framework: str, scope: Scope, release: int) -> Claim:
    version = f"0.{release}.0"
    day = FIRST_ON + timedelta(days=20 * release)
    document = _DOCUMENTS.get((framework, release))
    if document is None:
        document = Document(
            key=f"{framework}:{version}:page", url="https://example.org/", version=version,
            stated_on=day,
        )  # fmt: skip
        _DOCUMENTS[framework, release] = document
    return Claim(
        uid=f"{number:020x}",
        framework=framework,
        source="generated",
        statement=str(number),
        scope=scope,
        level=LEVELS[number % 3],
        kind=EvidenceKind.DOCUMENTATION,
        validity=Validity(first=version, last=version),
        observations=(
            Observation(
                document=document, locator=Locator(line=number % 900), release=version,
                stated_on=day, raw="+",
            ),
        ),
        recorded_at=datetime(2025, 1, 1, tzinfo=UTC),
    )  # fmt: skip


def cells(world: World, count: int) -> list[Cell]:
    """Questions spread over all frameworks, schemes, devices and models."""
    found = []
    for n in range(count):
        nodes = {
            Axis.QUANTIZATION: world.schemes[n * 7 % len(world.schemes)],
            Axis.HARDWARE: world.devices[n * 13 % len(world.devices)],
            Axis.MODEL: world.models[n * 17 % len(world.models)],
        }
        framework = FRAMEWORKS[n % len(FRAMEWORKS)]
        found.append(Cell(framework=framework, version=f"0.{n % 60}.0", nodes=nodes))
    return found
