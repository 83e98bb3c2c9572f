"""Catalogue rows as plain data, and what a name means."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from matrix.domain.aliases import normalise_name
from matrix.domain.catalogue import NODE_AREAS, Catalogue, Node
from matrix.queries.maintenance import maintenance_on, maintenance_story, story_plain

Plain = dict[str, Any]


def node_of_row(area: str, row: Any) -> Node:
    """The node of a row that may be newer than the catalogue in memory."""
    return Node(
        area=area,
        slug=row.slug,
        name=row.name,
        kind=row.kind,
        parent=row.parent.slug if row.parent else None,
        aliases=tuple(row.aliases),
        moved=tuple(row.moved),
        sources=tuple(row.source_keys),
        facts=row.facts,
    )


def node_plain(catalogue: Catalogue, node: Node) -> Plain:
    """One node with its names, facts and sources."""
    return {
        "area": node.area,
        "slug": node.slug,
        "name": node.name,
        "kind": node.kind,
        "parent": node.parent,
        "aliases": list(node.aliases),
        "former_names": list(node.moved),
        "facts": dict(node.facts),
        "sources": [source_plain(catalogue, key) for key in node.sources],
    }


def source_plain(catalogue: Catalogue, key: str) -> Plain:
    """Where a row comes from; a key without entry keeps its name."""
    source = catalogue.sources.get(key)
    if source is None:
        return {"key": key, "title": None, "url": None, "read_on": None, "version": None,
                "commit": None}  # fmt: skip
    return {
        "key": source.key,
        "title": source.title,
        "url": source.url or None,
        "read_on": source.read_on.isoformat() if source.read_on else None,
        "version": source.version or None,
        "commit": source.commit or None,
    }


def framework_plain(catalogue: Catalogue, node: Node, *, as_of: date) -> Plain:
    """A framework with its maintenance status and newest stable release on a day."""
    history = catalogue.histories.get(node.slug)
    rank = history.latest_rank(as_of=as_of) if history else None
    latest = history.releases[rank] if history and rank is not None else None
    return {
        **node_plain(catalogue, node),
        "as_of": as_of.isoformat(),
        "maintenance": maintenance_on(catalogue, node.slug, as_of=as_of),
        "maintenance_beside": story_plain(maintenance_story(catalogue, node.slug, as_of=as_of)),
        "latest_release": {
            "version": latest.version,
            "released_on": latest.released_on.isoformat(),
            "age_days": (as_of - latest.released_on).days,
        }
        if latest
        else None,
    }


@dataclass(frozen=True, slots=True)
class Meaning:
    """A name and the nodes it means: ``kind`` is slug, name, same, moved, split or ambiguous."""

    area: str
    name: str
    kind: str
    nodes: tuple[str, ...]


def meanings(catalogue: Catalogue) -> Iterator[Meaning]:
    """Every name of every area, sorted by area and name."""
    for area in sorted(NODE_AREAS):
        found = [
            *(_meanings_of_nodes(catalogue, area)),
            *(Meaning(area, n, "split", s) for n, s in catalogue.splits.get(area, {}).items()),
            *(
                Meaning(area, n, "ambiguous", s)
                for n, s in catalogue.ambiguous.get(area, {}).items()
            ),
        ]
        yield from sorted(found, key=lambda m: (normalise_name(m.name), m.name, m.kind))


def _meanings_of_nodes(catalogue: Catalogue, area: str) -> Iterator[Meaning]:
    for node in catalogue.area(area).values():
        spellings = (
            ("slug", (node.slug,)),
            ("name", (node.name,)),
            ("same", node.aliases),
            ("moved", node.moved),
        )
        for kind, names in spellings:
            for name in names:
                yield Meaning(area, name, kind, (node.slug,))
