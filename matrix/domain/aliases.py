"""Names to catalogue slugs: an unknown name is an error with the nearest names, never a guess."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from matrix.domain.errors import AmbiguousName, UnknownName

_RUNS = re.compile(r"[\s_\-]+")


def normalise_name(name: str) -> str:
    """The name as it is compared: NFKC, lower case, runs of blanks, ``-``, ``_`` as one ``-``."""
    folded = unicodedata.normalize("NFKC", name).replace("\ufe0f", "").replace("\ufe0e", "")
    return _RUNS.sub("-", folded.strip().lower()).strip("-")


@dataclass(frozen=True)
class NameTable:
    """All known spellings of one axis.

    **Shapes**: ``names`` maps a normalised spelling to one or more slugs (several for a word that
    covers all of them); ``ambiguous`` maps a word that means one of several nodes, which only
    its surroundings can tell, so it is never looked up as all of them.
    """

    axis: str
    names: Mapping[str, tuple[str, ...]]
    display: Mapping[str, str] = field(default_factory=dict)
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, word: str) -> tuple[str, ...]:
        """The slugs that the word means, or an empty tuple; never a guess."""
        return self.names.get(normalise_name(word), ())

    def resolve(self, word: str) -> str:
        """The one slug that the word means.

        **Raises**: ``UnknownName`` with the nearest names; ``AmbiguousName`` for a split word.
        """
        slugs = self.find(word) or self.ambiguous.get(normalise_name(word), ())
        if not slugs:
            raise UnknownName(axis=self.axis, value=word, nearest=self.nearest(word))
        if len(slugs) > 1:
            raise AmbiguousName(axis=self.axis, value=word, nodes=slugs)
        return slugs[0]

    def nearest(self, word: str, *, limit: int = 5) -> tuple[str, ...]:
        """Known names close to the word, closest first, as people write them."""
        wanted = normalise_name(word)
        close = difflib.get_close_matches(wanted, self.names, n=limit * 2, cutoff=0.55)
        inside = sorted((name for name in self.names if wanted and wanted in name), key=len)
        slugs: dict[str, None] = {}
        for name in [*close[:limit], *inside[: limit * 2], *close[limit:]]:
            for slug in self.names[name]:
                slugs.setdefault(slug)
        return tuple(self.display.get(slug, slug) for slug in list(slugs)[:limit])


def build_name_table(axis: str, entries: Iterable[tuple[str, tuple[str, ...]]]) -> NameTable:
    """A table from (spelling, slugs) pairs; a later pair never overrides an earlier one."""
    names: dict[str, tuple[str, ...]] = {}
    for word, slugs in entries:
        names.setdefault(normalise_name(word), slugs)
    return NameTable(axis=axis, names=names)


@dataclass(frozen=True)
class Vocabulary:
    """The name tables of all axes, as sources and questions use them."""

    tables: Mapping[str, NameTable]

    def table(self, axis: str) -> NameTable:
        """The table of an axis; an axis without catalogue has an empty one."""
        return self.tables.get(axis) or NameTable(axis=axis, names={})

    def find(self, axis: str, word: str) -> tuple[str, ...]:
        """The slugs a word means on an axis, or an empty tuple."""
        return self.table(axis).find(word)

    def resolve(self, axis: str, word: str) -> str:
        """The one slug a word means; **Raises** ``UnknownName`` or ``AmbiguousName``."""
        return self.table(axis).resolve(word)
