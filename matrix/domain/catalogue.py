"""The catalogue as values: nodes of all axes, releases, maintenance periods and what follows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from matrix.domain.aliases import NameTable, Vocabulary, build_name_table
from matrix.domain.coordinates import Trees
from matrix.domain.levels import Axis, EvidenceKind, MaintenanceStatus
from matrix.domain.published import RepositoryFacts
from matrix.domain.surroundings import FrameworkFacts, Surroundings
from matrix.domain.trees import Tree
from matrix.domain.versions import Release, ReleaseHistory, order_releases

FactValue = str | int | float | bool | list[str] | date

# Catalogue areas and the axes on which their slugs are used.
NODE_AREAS = ("framework", "backend", "hardware", "model", "quantization", "container", "feature")
_AXES_OF_AREA: Mapping[str, tuple[Axis, ...]] = {
    "backend": (Axis.BACKEND,),
    "hardware": (Axis.HARDWARE,),
    "model": (Axis.MODEL,),
    "quantization": (Axis.QUANTIZATION, Axis.KV_DTYPE),
    "container": (Axis.CONTAINER,),
    "feature": (Axis.ATTENTION_BACKEND,),
}
AREA_OF_AXIS: Mapping[Axis, str] = {
    axis: area for area, axes in _AXES_OF_AREA.items() for axis in axes
}


@dataclass(frozen=True, slots=True)
class Node:
    """One catalogue row: a slug with its names, its place in the tree and its facts.

    **Units**: every number in ``facts`` has its unit in the key (``memory_bytes``).
    """

    area: str
    slug: str
    name: str
    kind: str
    parent: str | None = None
    aliases: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    facts: Mapping[str, FactValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CatalogSource:
    """Where catalogue rows come from. **Dates**: ``read_on`` is the day we read it."""

    key: str
    title: str
    url: str
    read_on: date | None = None
    version: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class MaintenancePeriod:
    """A maintenance status of a framework or one of its components, with evidence.

    **Dates**: ``start`` and ``end`` are valid time, ``stated_on`` the evidence's date.
    """

    framework: str
    status: MaintenanceStatus
    start: date
    start_kind: str = "exact"
    end: date | None = None
    component: str = ""
    note: str = ""
    evidence_kind: EvidenceKind = EvidenceKind.DOCUMENTATION
    strength: str = ""
    url: str = ""
    commit: str = ""
    locator: str = ""
    stated_on: date | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """At which release a capture without a tag is observed, and how we know.

    ``release`` is the newest release known to be older than the text (or its own), ``before`` the
    first known to hold it; a text is counted as observed at the latter, never too early.
    """

    framework: str
    label: str
    release: str
    placed: str
    before: str = ""
    stated_on: date | None = None
    commit: str = ""
    how: str = ""
    trust: str = ""


@dataclass(frozen=True)
class Catalogue:
    """Everything that is not a claim.

    **Shapes**: ``nodes`` per area and slug; ``splits`` are words of an area that cover several
    nodes, ``ambiguous`` words that mean one of several; ``releases`` per framework, unordered.
    """

    nodes: Mapping[str, Mapping[str, Node]]
    splits: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    ambiguous: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    sources: Mapping[str, CatalogSource] = field(default_factory=dict)
    releases: Mapping[str, tuple[Release, ...]] = field(default_factory=dict)
    upstreams: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    periods: tuple[MaintenancePeriod, ...] = ()
    placements: tuple[Placement, ...] = ()
    repositories: Mapping[str, RepositoryFacts] = field(default_factory=dict)

    def area(self, area: str) -> Mapping[str, Node]:
        """The nodes of an area by slug."""
        return self.nodes.get(area, {})

    @cached_property
    def trees(self) -> Trees:
        """The trees of all axes."""
        by_area = {
            area: Tree(
                {slug: node.parent for slug, node in self.area(area).items()},
                asides=frozenset(s for s, n in self.area(area).items() if _is_aside(area, n)),
            )
            for area in NODE_AREAS
        }
        by_axis = {axis: by_area[area] for axis, area in AREA_OF_AXIS.items()}
        return Trees(by_axis=by_axis, features=by_area["feature"])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The name tables of all areas; also ``llamacpp_arch`` for llama.cpp's own names."""
        tables = {area: self._name_table(area) for area in NODE_AREAS}
        tables["llamacpp_arch"] = self._llamacpp_table()
        tables["kv_dtype"] = tables["quantization"]
        tables["attention_backend"] = tables["feature"]
        return Vocabulary(tables=tables)

    def _name_table(self, area: str) -> NameTable:
        nodes = self.area(area).values()
        entries: list[tuple[str, tuple[str, ...]]] = [(n.slug, (n.slug,)) for n in nodes]
        entries += [(n.name, (n.slug,)) for n in nodes]
        entries += [(w, (n.slug,)) for n in nodes for w in (*n.aliases, *n.moved)]
        entries += list(self.splits.get(area, {}).items())
        table = build_name_table(area, entries)
        one_of = build_name_table(area, self.ambiguous.get(area, {}).items())
        return NameTable(
            axis=area,
            names=table.names,
            display={n.slug: n.name for n in nodes},
            ambiguous=one_of.names,
        )

    def _llamacpp_table(self) -> NameTable:
        by_arch: dict[str, list[str]] = {}
        for node in self.area("model").values():
            for arch in strings_of(node.facts.get("llamacpp_arch")):
                by_arch.setdefault(arch, []).append(node.slug)
        return build_name_table("llamacpp_arch", ((a, tuple(s)) for a, s in by_arch.items()))

    @cached_property
    def histories(self) -> Mapping[str, ReleaseHistory]:
        """The ordered releases of each framework; one without releases has an empty history."""
        return {
            slug: ReleaseHistory(
                framework=slug,
                releases=tuple(
                    order_releases(
                        self.releases.get(slug, ()),
                        scheme=str(node.facts.get("version_scheme", "pep440")),
                    )
                ),
            )
            for slug, node in self.area("framework").items()
        }

    @cached_property
    def surroundings(self) -> Surroundings:
        """What the verdict index needs besides claims."""
        frameworks = {
            slug: FrameworkFacts(
                slug=slug,
                parent=node.parent,
                inherits=node.facts.get("relation") in {"plugin", "fork", "binding", "bundles"},
                on_other_hardware=node.facts.get("relation") == "plugin",
                upstream=self.upstreams.get(slug, {}),
                backends=frozenset(strings_of(node.facts.get("backends"))),
            )
            for slug, node in self.area("framework").items()
        }
        backends = self.area("backend")
        default: dict[str, list[tuple[int, str]]] = {}
        implied: dict[str, str] = {}
        for slug, node in backends.items():
            for order, root in enumerate(strings_of(node.facts.get("default_for"))):
                default.setdefault(root, []).append((order, slug))
            roots = strings_of(node.facts.get("hardware_roots"))
            if len(roots) == 1:
                implied[slug] = roots[0]
        models = self.area("model").values()
        schemes = self.area("quantization").values()
        return Surroundings(
            trees=self.trees,
            histories=self.histories,
            frameworks=frameworks,
            default_backends={r: tuple(s for _, s in sorted(v)) for r, v in default.items()},
            backend_hardware=implied,
            model_quantization={
                n.slug: str(n.facts["quantization"]) for n in models if "quantization" in n.facts
            },
            native_formats={
                n.slug: frozenset(strings_of(n.facts["native_formats"]))
                for n in self.area("hardware").values()
                if "native_formats" in n.facts
            },
            natural_containers={
                n.slug: str(n.facts["natural_container"])
                for n in schemes
                if "natural_container" in n.facts
            },
        )


def _is_aside(area: str, node: Node) -> bool:
    """A loader or kernel name of a scheme, or an alternative library of a back end."""
    if area == "quantization":
        return node.kind == "method"
    return area == "backend" and node.parent is not None


def strings_of(value: FactValue | None) -> list[str]:
    """A fact that names one thing or several, as a list."""
    if value is None:
        return []
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(value)]
