"""Reads the shipped catalogue files (``matrix/catalog``) into values; pure, no database."""

import json
import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
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
_NODE_KEYS = {"slug", "name", "kind", "parent", "aliases", "moved", "source"}


class BrokenCatalogFile(ValueError):
    """A catalogue file that cannot be read: names the file, the entry and what is wrong."""


def read_catalogue(folder: Path = CATALOG_FOLDER) -> Catalogue:
    """The whole catalogue of a folder.

    **Raises**: ``BrokenCatalogFile`` naming file and entry.
    """
    nodes: dict[str, dict[str, Node]] = {area: {} for area in NODE_AREAS}
    splits: dict[str, dict[str, tuple[str, ...]]] = {area: {} for area in NODE_AREAS}
    ambiguous: dict[str, dict[str, tuple[str, ...]]] = {area: {} for area in NODE_AREAS}
    sources: dict[str, CatalogSource] = {}
    periods: list[MaintenancePeriod] = []
    placements: list[Placement] = []
    for path in sorted(folder.rglob("*.toml")):
        data = _toml(path)
        try:
            for source in data.get("source", ()):
                sources.setdefault(source["key"], _source(source))
            area_here = ""
            for area in NODE_AREAS:
                for entry in data.get(area, ()):
                    area_here = area_here or area
                    node = _node(area, entry)
                    if node.slug in nodes[area]:
                        raise BrokenCatalogFile(f"{path.name}: {area} {node.slug!r} stands twice")
                    nodes[area][node.slug] = node
            for split in data.get("split", ()):
                area = split.get("area", area_here)
                words = splits if split.get("means", "all") == "all" else ambiguous
                words[area][split["name"]] = tuple(split["nodes"])
            periods += [_period(entry) for entry in data.get("period", ())]
            placements += [_placement(entry) for entry in data.get("placement", ())]
        except (KeyError, TypeError) as error:
            raise BrokenCatalogFile(f"{path.name}: an entry lacks or misuses {error}") from error
    releases, upstreams = _read_releases(folder / "releases")
    return Catalogue(
        nodes=nodes,
        splits=splits,
        ambiguous=ambiguous,
        sources=sources,
        releases=releases,
        upstreams=upstreams,
        periods=tuple(periods),
        placements=tuple(placements),
    )


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BrokenCatalogFile(f"{path.name}: {error}") from error


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
    folder: Path,
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
                found.append(_release(path.stem, entry))
            except (ValueError, KeyError, TypeError) as error:
                raise BrokenCatalogFile(f"{path.name}, line {number}: {error!r}") from error
            if upstream := entry.get("upstream"):
                upstreams.setdefault(path.stem, {})[entry["version"]] = upstream["version"]
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
