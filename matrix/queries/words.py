"""Which words the claims use on the axes that have no catalogue."""

from functools import lru_cache

from django.db import connection

from matrix.domain.levels import Axis
from matrix.index import Knowledge

_WORDS_SQL = """
    SELECT DISTINCT word FROM matrix_claim,
    jsonb_array_elements_text(
        COALESCE(scope -> %s -> 'include', '[]') || COALESCE(scope -> %s -> 'exclude', '[]')
    ) AS word
"""


def words_of_axis(knowledge: Knowledge, axis: Axis) -> frozenset[str]:
    """The words of an axis in the scopes of all claims. **Queries**: 1 per axis and revision."""
    return _words(knowledge.revision, axis.value)


@lru_cache(maxsize=32)
def _words(revision: int, axis: str) -> frozenset[str]:
    # The revision is part of the key only: a written claim may bring a new word.
    with connection.cursor() as cursor:
        cursor.execute(_WORDS_SQL, [axis, axis])
        return frozenset(word for (word,) in cursor.fetchall())
