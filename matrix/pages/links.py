"""Addresses of pages for questions, and names of catalogue nodes as people read them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from urllib.parse import urlencode

from django.urls import reverse

from matrix.asking import cell_words
from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis

Pairs = Iterable[tuple[str, str]]
_AREA_OF_NAME: Mapping[str, str] = {
    **{axis.value: area for axis, area in AREA_OF_AXIS.items()},
    "framework": "framework",
    "feature": "feature",
    "features": "feature",
}


def with_query(path: str, pairs: Pairs) -> str:
    """The path with the given parameters; blank values are left out."""
    query = urlencode([(name, value) for name, value in pairs if value])
    return f"{path}?{query}" if query else path


def dated(pairs: Pairs, *, as_of: date | None, known_at: date | None = None) -> Pairs:
    """The parameters with their dates."""
    yield from pairs
    if as_of is not None:
        yield "as_of", as_of.isoformat()
    if known_at is not None:
        yield "known_at", known_at.isoformat()


def cell_url(cell: Cell, *, as_of: date | None = None, known_at: date | None = None) -> str:
    """The page of a cell; without a date it answers for the day it is opened."""
    return with_query(reverse("cell"), dated(cell_words(cell), as_of=as_of, known_at=known_at))


def node_name(catalogue: Catalogue, axis: str, slug: str) -> str:
    """The name of a node; a slug outside the catalogue is shown as it is."""
    area = _AREA_OF_NAME.get(axis, axis)
    node = catalogue.area(area).get(slug)
    return node.name if node else slug


def names_in(catalogue: Catalogue, line: str) -> str:
    """A line such as ``hardware: nvidia-t4, not nvidia-l4`` with names in place of slugs."""
    axis, colon, rest = line.partition(": ")
    if not colon or (axis not in _AREA_OF_NAME and axis not in {a.value for a in Axis}):
        return line
    words = []
    for word in rest.split(", "):
        bare = word.removeprefix("not ")
        words.append(word.replace(bare, node_name(catalogue, axis, bare)))
    return f"{axis.replace('_', ' ')}: {', '.join(words)}"


def cell_subject(catalogue: Catalogue, cell: Cell, *, hidden: Iterable[str] = ()) -> str:
    """What a cell asks about besides the framework: ``Qwen3 × AWQ × NVIDIA Turing``."""
    order: Sequence[Axis] = (Axis.MODEL, Axis.QUANTIZATION, Axis.HARDWARE)
    rest = [axis for axis in cell.nodes if axis not in order]
    parts = [
        node_name(catalogue, axis.value, cell.nodes[axis])
        for axis in (*order, *rest)
        if axis in cell.nodes and axis.value not in hidden
    ]
    parts += [node_name(catalogue, "feature", slug) for slug in sorted(cell.features)]
    parts += [f"{axis.value.replace('_', ' ')} {n:g}" for axis, n in cell.numbers.items()]
    parts += [f"{name}={value}" for name, value in cell.settings.items()]
    return " × ".join(parts)
