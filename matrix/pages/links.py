"""Addresses of pages for questions, and names of catalogue nodes as people read them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Protocol
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from matrix.asking import cell_words
from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue, Node
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis
from matrix.pages.words import axis_word

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
    return label_of(node) if node else slug


class Named(Protocol):
    """A node of the catalogue, or one of a grid."""

    @property
    def slug(self) -> str:
        """What addresses name it by."""
        ...

    @property
    def name(self) -> str:
        """Its English name."""
        ...


def label_of(node: Named) -> str:
    """The name of a node in the reader's language where it is made of words; else its own name."""
    # The empty message is the header of the translations.
    return _(node.name) if node.name else node.slug


def summary_of(node: Node) -> str:
    """What a feature is, in the reader's language; empty where the catalogue does not say."""
    text = str(node.facts.get("summary", ""))
    return _(text) if text else ""


def names_in(catalogue: Catalogue, line: str) -> str:
    """A line such as ``hardware: nvidia-t4, not nvidia-l4`` with names in place of slugs."""
    axis, colon, rest = line.partition(": ")
    if not colon or (axis not in _AREA_OF_NAME and axis not in {a.value for a in Axis}):
        return line
    words = []
    for word in rest.split(", "):
        bare = word.removeprefix("not ")
        words.append(word.replace(bare, node_name(catalogue, axis, bare)))
    return f"{axis_word(axis)}: {', '.join(words)}"


def cell_subject(catalogue: Catalogue, cell: Cell) -> str:
    """What a cell asks about besides the framework: ``Qwen3 × AWQ × NVIDIA Turing``."""
    order: Sequence[Axis] = (Axis.MODEL, Axis.QUANTIZATION, Axis.HARDWARE)
    rest = [axis for axis in cell.nodes if axis not in order]
    parts = [
        node_name(catalogue, axis.value, cell.nodes[axis])
        for axis in (*order, *rest)
        if axis in cell.nodes
    ]
    parts += [node_name(catalogue, "feature", slug) for slug in sorted(cell.features)]
    parts += [f"{axis_word(axis.value)} {n:g}" for axis, n in cell.numbers.items()]
    parts += [f"{name}={value}" for name, value in cell.settings.items()]
    return " × ".join(parts)


def cell_phrase(catalogue: Catalogue, cell: Cell) -> str:
    """The same as a phrase: ``Qwen3 in AWQ on NVIDIA Turing with LoRA``."""
    nodes = dict(cell.nodes)

    def take(axis: Axis) -> str:
        return node_name(catalogue, axis.value, nodes.pop(axis)) if axis in nodes else ""

    model, scheme, hardware = take(Axis.MODEL), take(Axis.QUANTIZATION), take(Axis.HARDWARE)
    phrase = _("%(model)s in %(scheme)s") if model and scheme else "%(model)s%(scheme)s"
    phrase = phrase % {"model": model, "scheme": scheme}
    rest = cell_subject(catalogue, replace(cell, nodes=nodes))
    if not phrase:
        phrase, rest = (rest, "") if rest else (hardware, "")
        hardware = "" if phrase == hardware else hardware
    if hardware:
        words = {"what": phrase, "hardware": hardware}
        phrase = _("%(what)s on %(hardware)s") % words
    return _("%(what)s with %(rest)s") % {"what": phrase, "rest": rest} if rest else phrase
