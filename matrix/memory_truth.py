"""Measured memory that is shipped, and the shapes of its models."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import RunproofError
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.truth_rows import shape_in_row
from matrix.domain.memory.values import ModelShape
from matrix.memory_shapes import model_of_slug

# In the formats that ``manage.py check_memory`` reads; a quarter of what was measured, drawn by the
# digest of each row's name, every model and every refusal among them.
FOLDER = Path(__file__).resolve().parent / "catalog" / "memory"
Row = Mapping[str, object]


@cache
def measured_rows() -> Sequence[Row]:
    """Loads and quantized files that were measured, then figures that others published."""
    return (*_lines("llamacpp.jsonl"), *_lines("public.jsonl"))


@cache
def peer_rows() -> Sequence[Row]:
    """What other estimators say of the same items, with their names and versions."""
    return tuple(_lines("peers.jsonl"))


def _lines(name: str) -> Iterator[Row]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


class KnownShapes:
    """Shapes by the name of a model: those that rows state, else those of the catalogue."""

    def __init__(self, rows: Sequence[Row], catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[str, ModelShape | None] = {}
        for row in rows:
            name = str(row.get("hf_id") or row.get("model") or "")
            if name in self._known or "hparams" not in row:
                continue
            try:
                self._known[name] = shape_in_row(row)
            except MemoryInputError:
                continue  # The comparison of the row says what is wrong with it.

    def of(self, name: str) -> ModelShape | None:
        """The shape of a model, ``None`` where neither knows it."""
        if name not in self._known:
            self._known[name] = self._from_catalogue(name)
        return self._known[name]

    def _from_catalogue(self, name: str) -> ModelShape | None:
        for slug in self._catalogue.vocabulary.find("model", name):
            try:
                return model_of_slug(slug, self._catalogue).shape
            except RunproofError:
                continue
        return None
