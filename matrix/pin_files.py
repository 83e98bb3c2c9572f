"""Shipped requirements of releases: ``pins/<framework>.jsonl``, one requirement a line."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from matrix.domain.published import StatedPin

# What a line holds, shortest names first; all are texts but the place.
TEXTS = ("version", "name", "status", "value", "source", "statement", "path", "url")


def read_pins(folder: Path, problems: list[str]) -> list[StatedPin]:
    """The requirements of all files below ``folder``; broken lines are added to ``problems``."""
    found = []
    place = folder / "pins"
    for path in sorted(place.glob("*.jsonl")) if place.is_dir() else ():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                found.append(_pin(path.stem, json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                reason = f"lacks {error}" if isinstance(error, KeyError) else str(error)
                problems.append(f"pins/{path.name}, line {number}: {reason}")
    return found


def write_pins(folder: Path, pins: Iterable[StatedPin]) -> dict[str, int]:
    """Writes the requirements as sorted lines, a file a framework; returns how many each has.

    A framework without requirements has no file.
    """
    lines: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for pin in pins:
        texts = {name: getattr(pin, name) for name in TEXTS}
        entry = {**texts, "locator": dict(pin.locator)}
        order = (pin.version, pin.source, pin.path, pin.statement, pin.value)
        line = json.dumps(entry, ensure_ascii=False)
        lines.setdefault(pin.framework, []).append((order, line))
    place = folder / "pins"
    for path in place.glob("*.jsonl"):
        if path.stem not in lines:
            path.unlink()
    for framework, found in lines.items():
        place.mkdir(exist_ok=True)
        text = "".join(f"{line}\n" for _order, line in sorted(found))
        (place / f"{framework}.jsonl").write_text(text, encoding="utf-8")
    return {framework: len(found) for framework, found in sorted(lines.items())}


def _pin(framework: str, entry: Any) -> StatedPin:
    if not isinstance(entry, Mapping):
        raise TypeError("it is no object")
    texts = {name: entry[name] for name in TEXTS}
    if not all(isinstance(text, str) for text in texts.values()):
        raise TypeError("a member that should be a text is none")
    locator = entry.get("locator", {})
    if not isinstance(locator, Mapping):
        raise TypeError("locator is no object")
    return StatedPin(framework=framework, locator=dict(locator), **texts)
