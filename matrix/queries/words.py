"""Which words the claims use on the axes that have no catalogue."""

from django.db import connection

from matrix.domain.levels import Axis
from matrix.index import Knowledge
from matrix.queries.remembered import RememberedFor

_WORDS_SQL = """
    SELECT DISTINCT word FROM matrix_claim,
    jsonb_array_elements_text(
        COALESCE(scope -> %s -> 'include', '[]') || COALESCE(scope -> %s -> 'exclude', '[]')
    ) AS word
"""


_remembered: RememberedFor[frozenset[str]] = RememberedFor()


def words_of_axis(knowledge: Knowledge, axis: Axis) -> frozenset[str]:
    """The words of an axis in the scopes of all claims. **Queries**: 1 per axis and revision."""
    return _remembered.get(knowledge, axis, lambda: _read_words(axis.value))


def _read_words(axis: str) -> frozenset[str]:
    with connection.cursor() as cursor:
        cursor.execute(_WORDS_SQL, [axis, axis])
        return frozenset(word for (word,) in cursor.fetchall())
