"""Reads the shipped catalogue files (``matrix/catalog``) into values; pure, no database."""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any

from matrix.domain.catalogue import (
    NODE_AREAS,
    CatalogSource,
    Catalogue,
    MaintenancePeriod,
    Node,
    Placement,
)
from matrix.domain.levels import EvidenceKind, MaintenanceStatus
from matrix.domain.versions import Release

CATALOG_FOLDER = Path(__file__).parent / "catalog"
_TABLES = {*NODE_AREAS, "source", "split", "period", "placement", "alias"}
_NODE_KEYS = {"slug", "name", "kind", "parent", "aliases", "moved", "source"}


SHOWN_PROBLEMS = 50


class BrokenCatalogFile(ValueError):
    """Files that cannot be read: ``problems`` names each file, entry and what is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        shown = "\n".join(self.problems[:SHOWN_PROBLEMS])
        super().__init__(f"{len(self.problems)} catalogue entries cannot be read:\n{shown}")


@dataclass
class _Reader:
    """Collects the entries of all files, and what is wrong with any of them."""

    nodes: dict[str, dict[str, Node]] = field(default_factory=lambda: {a: {} for a in NODE_AREAS})
    splits: dict[str, dict[str, tuple[str, ...]]] = field(
        default_factory=lambda: {a: {} for a in NODE_AREAS}
    )
    ambiguous: dict[str, dict[str, tuple[str, ...]]] = field(
        default_factory=lambda: {a: {} for a in NODE_AREAS}
    )
    sources: dict[str, CatalogSource] = field(default_factory=dict)
    periods: list[MaintenancePeriod] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    aliases: list[tuple[str, str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def read(self, path: Path) -> None:
        """Takes in one file; each entry that cannot be read becomes a problem."""
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            self.problems.append(f"{path.name}: {error}")
            return
        if unknown := sorted(set(data) - _TABLES):
            accepted = ", ".join(sorted(_TABLES))
            self.problems.append(f"{path.name}: holds {unknown}; accepted: {accepted}")
        own_area = next((area for area in NODE_AREAS if data.get(area)), "")
        self._each(path, data, "source", self._take_source)
        for area in NODE_AREAS:
            self._each(path, data, area, partial(self._take_node, area))
        self._each(path, data, "split", partial(self._take_split, own_area))
        self._each(path, data, "period", lambda entry: self.periods.append(_period(entry)))
        self._each(path, data, "placement", lambda e: self.placements.append(_placement(e)))
        self._each(
            path, data, "alias", lambda e: self.aliases.append((e["area"], e["word"], e["slug"]))
        )

    def _each(
        self, path: Path, data: Mapping[str, Any], table: str, take: Callable[[Any], None]
    ) -> None:
        for number, entry in enumerate(data.get(table, ()), 1):
            try:
                take(entry)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                reason = f"lacks {error}" if isinstance(error, KeyError) else str(error)
                name = entry.get("slug") or entry.get("name") or entry.get("key") or number
                self.problems.append(f"{path.name}: {table} {name!r} {reason}")

    def _take_source(self, entry: Mapping[str, Any]) -> None:
        self.sources.setdefault(entry["key"], _source(entry))

    def _take_node(self, area: str, entry: Mapping[str, Any]) -> None:
        node = _node(area, entry)
        if node.slug in self.nodes[area]:
            raise ValueError("stands twice")
        self.nodes[area][node.slug] = node

    def _take_split(self, own_area: str, entry: Mapping[str, Any]) -> None:
        area = entry.get("area", own_area)
        means = entry.get("means", "all")
        if means not in {"all", "one"} or area not in NODE_AREAS:
            raise ValueError(f"has area {area!r} and means {means!r}; accepted: all or one")
        words = self.splits if means == "all" else self.ambiguous
        words[area][entry["name"]] = tuple(entry["nodes"])

    def add_aliases(self) -> None:
        """Gives the curated names to their nodes, which any file may hold."""
        for area, word, slug in self.aliases:
            node = self.nodes.get(area, {}).get(slug)
            if node is None:
                self.problems.append(f"alias {word!r} is of {area} {slug!r}, which no file lists")
            elif word not in node.aliases:
                self.nodes[area][slug] = replace(node, aliases=(*node.aliases, word))


def read_catalogue(folder: Path = CATALOG_FOLDER) -> Catalogue:
    """The whole catalogue of a folder.

    **Raises**: ``BrokenCatalogFile`` listing every file and entry that cannot be read.
    """
    reader = _Reader()
    for path in sorted(folder.rglob("*.toml")):
        reader.read(path)
    reader.add_aliases()
    releases, upstreams = _read_releases(folder / "releases", reader.problems)
    if reader.problems:
        raise BrokenCatalogFile(reader.problems)
    return Catalogue(
        nodes=reader.nodes,
        splits=reader.splits,
        ambiguous=reader.ambiguous,
        sources=reader.sources,
        releases=releases,
        upstreams=upstreams,
        periods=tuple(reader.periods),
        placements=tuple(reader.placements),
    )


def read_placements(folder: Path = CATALOG_FOLDER) -> tuple[Placement, ...]:
    """Where captures without a tag stand on the release lines; the database does not hold this.

    **Raises**: ``BrokenCatalogFile``.
    """
    reader = _Reader()
    reader.read(folder / "placements.toml")
    if reader.problems:
        raise BrokenCatalogFile(reader.problems)
    return tuple(reader.placements)


def _keys(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)  # type: ignore[arg-type]


def _source(entry: Mapping[str, Any]) -> CatalogSource:
    return CatalogSource(
        key=entry["key"],
        title=entry.get("title", entry["key"]),
        url=entry.get("url", ""),
        read_on=_day(entry.get("read_on")),
        version=str(entry.get("version", "")),
        commit=str(entry.get("commit", "")),
    )


def _node(area: str, entry: Mapping[str, Any]) -> Node:
    return Node(
        area=area,
        slug=entry["slug"],
        name=entry["name"],
        kind=entry.get("kind", area),
        parent=entry.get("parent"),
        aliases=tuple(entry.get("aliases", ())),
        moved=tuple(entry.get("moved", ())),
        sources=_keys(entry.get("source")),
        facts={key: value for key, value in entry.items() if key not in _NODE_KEYS},
    )


def _day(value: object) -> date | None:
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return date.fromisoformat(str(value)[:10])


def _required_day(value: object) -> date:
    day = _day(value)
    if day is None:
        raise KeyError("a date")
    return day


def _period(entry: Mapping[str, Any]) -> MaintenancePeriod:
    kind = str(entry.get("evidence_kind", "documentation"))
    known = {item.value for item in EvidenceKind}
    return MaintenancePeriod(
        framework=entry["framework"],
        status=MaintenanceStatus(entry["status"]),
        start=_required_day(entry["start"]),
        start_kind=str(entry.get("start_kind", "exact")),
        end=_day(entry.get("end")),
        component=str(entry.get("component", "")),
        note=str(entry.get("note", "")),
        evidence_kind=EvidenceKind(kind) if kind in known else EvidenceKind.USER_REPORT,
        strength=str(entry.get("strength", kind)),
        url=str(entry.get("url", "")),
        commit=str(entry.get("commit", "")),
        locator=str(entry.get("locator", "")),
        stated_on=_day(entry.get("stated_on")),
    )


def _placement(entry: Mapping[str, Any]) -> Placement:
    day = entry.get("date") or entry.get("date_to") or entry.get("date_from")
    return Placement(
        framework=entry["framework"],
        label=str(entry["label"]),
        release=str(entry.get("release", "")),
        placed=str(entry.get("placed", "exact")),
        before=str(entry.get("before", "")),
        stated_on=_day(day),
        commit=str(entry.get("commit", "")),
        how=str(entry.get("how", "")),
        trust=str(entry.get("trust", "")),
    )


def _read_releases(
    folder: Path, problems: list[str]
) -> tuple[dict[str, tuple[Release, ...]], dict[str, dict[str, str]]]:
    releases: dict[str, tuple[Release, ...]] = {}
    upstreams: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        found = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                upstream = entry["upstream"]["version"] if "upstream" in entry else ""
                found.append(_release(path.stem, entry))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                reason = f"lacks {error}" if isinstance(error, KeyError) else str(error)
                problems.append(f"{path.name}, line {number}: {reason}")
                continue
            if upstream:
                upstreams.setdefault(path.stem, {})[entry["version"]] = upstream
        releases[path.stem] = tuple(found)
    return releases, upstreams


def _release(framework: str, entry: Mapping[str, Any]) -> Release:
    return Release(
        framework=framework,
        version=entry["version"],
        released_at=_moment(entry["date"]),
        line=entry.get("line", "stable"),
        commit=entry.get("commit"),
        tag=entry.get("tag"),
        yanked=bool(entry.get("yanked", False)),
    )


def _moment(text: str) -> datetime:
    if len(text) == 7:
        text += "-01"
    if len(text) == 10:
        return datetime.combine(date.fromisoformat(text), time(), tzinfo=UTC)
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
