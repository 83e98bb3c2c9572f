"""Writes a question back as the words that ask it: canonical slugs, in one order."""

from functools import lru_cache
from urllib.parse import quote_plus

from matrix.asking.names import (
    AS_OF,
    FEATURE,
    FRAMEWORK,
    KNOWN_AT,
    NODE_PARAMETERS,
    NUMBER_PARAMETERS,
    OVER,
    OVER_KIND,
    OVER_PARENT,
    SETTING,
    VERSION,
)
from matrix.asking.reading import Question
from matrix.domain.coordinates import Cell

Pairs = list[tuple[str, str]]


def cell_words(cell: Cell) -> Pairs:
    """The parameters that ask this cell; a version of ``None`` (latest) is left out."""
    pairs: Pairs = [(FRAMEWORK, cell.framework)] if cell.framework else []
    if cell.version is not None:
        pairs.append((VERSION, cell.version))
    pairs += [(n, cell.nodes[axis]) for n, axis in NODE_PARAMETERS.items() if axis in cell.nodes]
    pairs += [
        (
            name,
            f"{cell.numbers[axis]:g}" if cell.numbers[axis] % 1 else str(int(cell.numbers[axis])),
        )
        for name, axis in NUMBER_PARAMETERS.items()
        if axis in cell.numbers
    ]
    pairs += [(FEATURE, slug) for slug in sorted(cell.features)]
    pairs += [(SETTING, f"{name}:{value}") for name, value in sorted(cell.settings.items())]
    return pairs


def question_words(question: Question) -> Pairs:
    """The parameters that ask this question again; ``as_of`` is always pinned."""
    pairs = cell_words(question.cell)
    pairs.append((AS_OF, question.as_of.isoformat()))
    if question.known_at is not None:
        pairs.append((KNOWN_AT, question.known_at.isoformat()))
    if question.over is not None:
        over = question.over
        pairs += [(OVER, over.axis), (OVER_KIND, over.kind), (OVER_PARENT, over.parent)]
    return [(name, value) for name, value in pairs if value]


# The same few slugs stand in all questions of a grid or batch.
_quote = lru_cache(maxsize=4096)(quote_plus)


def question_query(question: Question) -> str:
    """The query string of a question."""
    return "&".join(f"{name}={_quote(value)}" for name, value in question_words(question))
