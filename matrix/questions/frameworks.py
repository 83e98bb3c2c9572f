"""Framework words of a question: the framework, and a backend or variant named beside it."""

import re
from dataclasses import dataclass

from matrix.domain.aliases import NameTable
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import Axis
from matrix.questions.words import find_name, scan_names, split_brackets, word_set

_JOINED = re.compile(r"\s+[/+]\s+|\s*,\s*")
_NOISE = word_set("upstream mainline official main docker server backend")


@dataclass(frozen=True, slots=True)
class AskedFramework:
    """The framework, backends named with it, and words about it that nothing maps."""

    slug: str | None
    backends: tuple[str, ...] = ()
    restrictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_framework(text: str, catalogue: Catalogue) -> AskedFramework:
    """The framework that free text names; of several joined ones the first known."""
    table = catalogue.vocabulary.table("framework")
    if named := find_name(text.strip(), table):
        return AskedFramework(slug=named.slugs[0])
    outside, inside = split_brackets(text)
    slug, notes = _first_known(outside, table)
    if slug is None:
        return AskedFramework(slug=None, restrictions=(f"framework {text!r}",))
    backends: list[str] = []
    restrictions: list[str] = []
    for words in inside:
        scan = scan_names(words, catalogue.vocabulary.table(Axis.BACKEND.value), noise=_NOISE)
        backends += scan.slugs
        restrictions += [f"framework variant {word!r}" for word in scan.left]
    return AskedFramework(
        slug=slug, backends=tuple(backends), restrictions=tuple(restrictions), notes=notes
    )


def _first_known(text: str, table: NameTable) -> tuple[str | None, tuple[str, ...]]:
    if named := find_name(text, table):
        return named.slugs[0], ()
    parts = [find_name(part, table) for part in _JOINED.split(text)]
    known = [named.slugs[0] for named in parts if named]
    if not known:
        scan = scan_names(text, table)
        known = list(scan.slugs)
        if not known or scan.left:
            return None, ()
    notes = (f"of {', '.join(known)} the first was asked",) if len(known) > 1 else ()
    return known[0], notes
