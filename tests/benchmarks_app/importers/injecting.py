"""Adds a field that nobody knows into each object of a result file, to see whether it survives."""

import copy
import json
import re
from collections.abc import Iterator

from benchmarks_app.contract import FileReading
from benchmarks_app.reading.document import Document, Kind

# A name and a value that no tool writes.
STRANGE_KEY = "zz_strange_field"
STRANGE_VALUE = "zz strange value"
# Entries of a list are of one shape, so the first two stand for all.
_MOST_ENTRIES = 2

Path = tuple[str | int, ...]


def with_strange_fields(document: Document) -> Iterator[tuple[str, bytes]]:
    """The file again for each of its objects, with a strange field in it; and where it is."""
    if document.kind is Kind.JSON_LINES:
        values = [record.value for record in document.records]
        for path in object_paths(values):
            changed = _injected(values, path)
            yield _shown(path), "\n".join(json.dumps(one) for one in changed).encode()
    elif document.kind in (Kind.JSON, Kind.YAML):
        for path in object_paths(document.value):
            changed = _injected(document.value, path)
            # JSON is YAML as well, but a reader sniffs; YAML files keep their own look.
            text = _as_yaml(changed) if document.kind is Kind.YAML else json.dumps(changed)
            yield _shown(path), text.encode()


def object_paths(value: object, path: Path = ()) -> Iterator[Path]:
    """The paths of all objects; of a list only those of its first entries."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from object_paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value[:_MOST_ENTRIES]):
            yield from object_paths(inner, (*path, index))


def keeps_strange_field(reading: FileReading) -> bool:
    """Whether the strange field is anywhere in what was read, or its surroundings are withheld."""
    if STRANGE_VALUE in repr(_without_samples(reading)):
        return True
    # A place that is withheld hides what is in it; the bytes keep it.
    places = [*reading.withheld, *(place for run in reading.runs for place in run.withheld)]
    return bool(places) and any(_is_inside(STRANGE_KEY, place) for place in places)


def withheld_places(reading: FileReading) -> list[str]:
    """Every withheld place of a reading, indices left out."""
    places = [*reading.withheld, *(place for run in reading.runs for place in run.withheld)]
    return [plain_place(place) for place in places]


def plain_place(place: str) -> str:
    """A place without indices and root: ``$.a[3].b`` and ``line 2, $.a[3].b`` are ``a.b``."""
    return re.sub(r"\[\d+\]|^line \d+,? ?", "", place).lstrip("$").lstrip(".")


def _is_inside(key: str, place: str) -> bool:
    return place.endswith(key)


def _without_samples(reading: FileReading) -> object:
    runs = [
        (run.facts, run.load, run.unmapped, run.failures, run.notices, run.command, run.identity)
        for run in reading.runs
    ]
    return (reading.facts, reading.unmapped, reading.notices, reading.command, runs)


def _injected(value: object, path: Path) -> object:
    changed = copy.deepcopy(value)
    node = changed
    for step in path:
        node = node[step]  # type: ignore[index]
    node[STRANGE_KEY] = STRANGE_VALUE  # type: ignore[index]
    return changed


def _shown(path: Path) -> str:
    return ".".join(str(step) for step in path if not isinstance(step, int))


def _as_yaml(value: object) -> str:
    import yaml

    return yaml.safe_dump(value, sort_keys=False, width=10_000)
