"""The data rules of the catalogue: trees, names, sources, units, releases and periods."""

from collections.abc import Iterator, Mapping

from matrix.domain.aliases import normalise_name
from matrix.domain.catalogue import NODE_AREAS, Catalogue, Node, strings_of
from matrix.domain.data_rules import Breach, DataRule

# What a number in the facts may be called, by the end of its key: its unit, or what it counts.
_UNITS = (
    "_bytes", "_bytes_per_s", "_w", "_tokens", "_bits", "_bits_per_weight", "_bits_per_value",
    "_days", "_ms", "_s", "_hz", "_usd",
)  # fmt: skip
_PLAIN_UNITS = ("bits_per_weight", "bits_per_value")
# Counts of elements, heads, layers or weights, under the names that model files use.
_COUNT_STARTS = ("num_", "parameters_")
_COUNT_ENDS = ("_dim", "_rank", "_size")

# Facts that name nodes of another area.
_AREA_OF_FACT: Mapping[tuple[str, str], str] = {
    ("model", "quantization"): "quantization",
    ("model", "base"): "model",
    ("quantization", "containers"): "container",
    ("quantization", "natural_container"): "container",
    ("quantization", "kernels"): "feature",
    ("quantization", "schemes"): "quantization",
    ("framework", "backends"): "backend",
    ("backend", "hardware_roots"): "hardware",
    ("backend", "default_for"): "hardware",
}
# Kinds from the widest to the narrowest; a node never stands below a narrower one.
_KIND_ORDER: Mapping[str, tuple[str, ...]] = {
    "hardware": ("vendor", "family", "architecture", "device"),
    "model": ("architecture", "family", "checkpoint"),
    "feature": ("group", "feature"),
}
# Facts that hold for a whole subtree where its top states them.
_NARROWING_FACTS: Mapping[str, tuple[str, ...]] = {
    "hardware": ("compute_capability", "gfx_target", "memory_bytes"),
    "quantization": ("weight_bits", "activation_bits", "kv_bits", "weight_dtype"),
}


def has_unit(key: str) -> bool:
    """Whether the key of a number says its unit or what it counts."""
    if key in _PLAIN_UNITS or key.endswith((*_UNITS, *_COUNT_ENDS)):
        return True
    return key.startswith(_COUNT_STARTS)


def problems_of(catalogue: Catalogue) -> list[str]:
    """Every breach of the catalogue rules, one sentence each; empty when it is sound."""
    return [str(breach) for breach in catalogue_breaches(catalogue)]


def catalogue_breaches(catalogue: Catalogue) -> Iterator[Breach]:
    """Every breach of the catalogue rules.

    **Source**: docs/data-guidelines.md, rules D14–D20.
    """
    for area in NODE_AREAS:
        yield from _tree_breaches(catalogue, area)
        yield from _name_breaches(catalogue, area)
        for node in catalogue.area(area).values():
            yield from _node_breaches(catalogue, node)
    yield from _release_breaches(catalogue)


def _tree_breaches(catalogue: Catalogue, area: str) -> Iterator[Breach]:
    nodes = catalogue.area(area)
    for node in nodes.values():
        if node.parent is not None and node.parent not in nodes:
            what = f"the parent {node.parent!r} does not exist"
            yield _breach(DataRule.SOUND_TREE, node, what)
        seen = {node.slug}
        above = node.parent or ""
        while above in nodes and above not in seen:
            seen.add(above)
            above = nodes[above].parent or ""
        if above == node.slug:
            yield _breach(DataRule.SOUND_TREE, node, "the node is its own ancestor")


def _name_breaches(catalogue: Catalogue, area: str) -> Iterator[Breach]:
    nodes = catalogue.area(area)
    owners: dict[str, str] = {}
    for node in nodes.values():
        for word in dict.fromkeys((node.slug, node.name, *node.aliases, *node.moved)):
            owner = owners.setdefault(normalise_name(word), node.slug)
            if owner != node.slug:
                what = f"the name {word!r} belongs to {owner!r} already"
                yield _breach(DataRule.ONE_OWNER_PER_NAME, node, what)
    words = [*catalogue.splits.get(area, {}).items(), *catalogue.ambiguous.get(area, {}).items()]
    for word, slugs in words:
        where = f"{area} word {word!r}"
        holder = owners.get(normalise_name(word))
        if holder is not None:
            what = f"a word of several nodes is the name of {holder!r}"
            yield Breach(DataRule.ONE_OWNER_PER_NAME, area, where, what)
        for slug in slugs:
            if slug not in nodes:
                what = f"the node {slug!r} does not exist"
                yield Breach(DataRule.NAMED_NODES_EXIST, area, where, what)


def _node_breaches(catalogue: Catalogue, node: Node) -> Iterator[Breach]:
    if not node.sources:
        yield _breach(DataRule.CATALOGUE_SOURCE, node, "no source is cited")
    for key in node.sources:
        if key not in catalogue.sources:
            yield _breach(DataRule.CATALOGUE_SOURCE, node, f"the source {key!r} is not listed")
    for key, value in node.facts.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and not has_unit(key):
            what = f"{key} is a number without a unit; accepted endings: {', '.join(_UNITS)}"
            yield _breach(DataRule.UNITS, node, what)
        area = _AREA_OF_FACT.get((node.area, key))
        for slug in strings_of(value) if area else ():
            if slug not in catalogue.area(area or ""):
                yield _breach(DataRule.NAMED_NODES_EXIST, node, f"{key} names {slug!r}, "
                              f"which does not exist")  # fmt: skip
    yield from _width_breaches(catalogue, node)


def _width_breaches(catalogue: Catalogue, node: Node) -> Iterator[Breach]:
    """Facts by which a node would reach beyond its parent: a device of another capability, a
    scheme of other bits, a checkpoint above a family."""
    above = catalogue.area(node.area).get(node.parent or "")
    if above is None:
        return
    order = _KIND_ORDER.get(node.area, ())
    if node.kind in order and above.kind in order and order.index(node.kind) < order.index(
        above.kind
    ):  # fmt: skip
        what = f"a {node.kind} stands below the {above.kind} {above.slug!r}"
        yield _breach(DataRule.NOT_WIDER_THAN_PARENT, node, what)
    for key in _NARROWING_FACTS.get(node.area, ()):
        ancestor: Node | None = above
        own = node.facts.get(key)
        seen = {node.slug}
        while own is not None and ancestor is not None and ancestor.slug not in seen:
            seen.add(ancestor.slug)
            theirs = ancestor.facts.get(key)
            if theirs is not None and theirs != own:
                what = f"{key} is {own!r}, beyond {theirs!r} of its ancestor {ancestor.slug!r}"
                yield _breach(DataRule.NOT_WIDER_THAN_PARENT, node, what)
            ancestor = catalogue.area(node.area).get(ancestor.parent or "")


def _release_breaches(catalogue: Catalogue) -> Iterator[Breach]:
    frameworks = catalogue.area("framework")
    rule = DataRule.RELEASES_AND_PERIODS
    for slug, releases in catalogue.releases.items():
        if slug not in frameworks:
            yield Breach(rule, "releases", slug, "releases of a framework that does not exist")
        seen: set[str] = set()
        for release in releases:
            if release.version in seen:
                yield Breach(rule, "releases", f"{slug} {release.version}", "is listed twice")
            seen.add(release.version)
    for period in catalogue.periods:
        where = f"maintenance period of {period.framework} from {period.start}"
        if period.framework not in frameworks:
            yield Breach(rule, "maintenance", where, "the framework does not exist")
        if period.end and period.end < period.start:
            yield Breach(rule, "maintenance", where, f"ends on {period.end}, before it starts")


def _breach(rule: DataRule, node: Node, what: str) -> Breach:
    return Breach(rule=rule, group=node.area, where=f"{node.area} {node.slug!r}", what=what)
