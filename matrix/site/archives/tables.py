"""The tables of an installation as streams of lines that are the same on every server."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import sql

# Which migrations are applied stands in the manifest; sessions end with the installation.
LEFT_OUT = frozenset({"django_migrations", "django_session"})
# Rows that the migrations write themselves, and an archive replaces. Before what refers to it.
SEEDED = (
    "auth_group_permissions",
    "auth_permission",
    "auth_group",
    "django_content_type",
)
# How values are written depends on these; they are set for the transaction alone.
_FORMS = (
    ("timezone", "UTC"),
    ("datestyle", "ISO, YMD"),
    ("intervalstyle", "postgres"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("statement_timeout", "0"),
)
_COLUMNS = """
    SELECT c.relname, a.attname, a.attcollation <> 0,
           array_position(i.indkey::int2[], a.attnum)
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      AND a.attgenerated = ''
    ORDER BY c.relname, a.attname
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns by name, and by which of them its rows are ordered.

    ``key`` holds each column with whether it is text, whose order must not depend on a language.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class TableSum:
    """What a table holds. ``sha256`` is that of its lines."""

    name: str
    columns: tuple[str, ...]
    rows: int
    byte_count: int
    sha256: str


def set_forms(cursor: Any) -> None:
    """Makes values be written the same way on every server, until the transaction ends."""
    for name, value in _FORMS:
        cursor.execute("SELECT set_config(%s, %s, true)", [name, value])


def list_tables(cursor: Any) -> list[Table]:
    """All tables that an archive holds, by name."""
    cursor.execute(_COLUMNS)
    found: dict[str, list[tuple[str, bool, int | None]]] = {}
    for name, column, is_text, place in cursor.fetchall():
        if name not in LEFT_OUT:
            found.setdefault(name, []).append((column, is_text, place))
    tables = []
    for name, columns in found.items():
        key = sorted((place, column, text) for column, text, place in columns if place is not None)
        tables.append(
            Table(
                name=name,
                columns=tuple(column for column, _, _ in columns),
                # A table without a key is ordered by all that it holds.
                key=tuple((column, text) for _, column, text in key)
                or tuple((column, text) for column, text, _ in columns),
            )
        )
    return tables


def read_lines(cursor: Any, table: Table) -> Iterator[bytes]:
    """The rows of a table as lines of PostgreSQL's text form, in pieces of any length."""
    order = sql.SQL(", ").join(
        sql.SQL('{} COLLATE "C"' if text else "{}").format(sql.Identifier(column))
        for column, text in table.key
    )
    query = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT").format(
        _names(table), sql.Identifier(table.name), order
    )
    with cursor.copy(query) as copy:
        for piece in copy:
            yield bytes(piece)


def write_lines(cursor: Any, table: Table, pieces: Iterable[bytes]) -> None:
    """Adds rows to a table from such lines."""
    query = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), _names(table))
    with cursor.copy(query) as copy:
        for piece in pieces:
            copy.write(piece)


def _names(table: Table) -> sql.Composable:
    return sql.SQL(", ").join(sql.Identifier(column) for column in table.columns)


class Summing:
    """Passes pieces of a table on and adds them up."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._digest = hashlib.sha256()
        self._rows = self._bytes = 0

    def passing(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The same pieces."""
        for piece in pieces:
            self._digest.update(piece)
            self._rows += piece.count(b"\n")
            self._bytes += len(piece)
            yield piece

    def total(self) -> TableSum:
        """The sum of what has passed."""
        return TableSum(
            name=self._table.name,
            columns=self._table.columns,
            rows=self._rows,
            byte_count=self._bytes,
            sha256=self._digest.hexdigest(),
        )


def sum_table(cursor: Any, table: Table) -> TableSum:
    """What a table holds now."""
    summing = Summing(table)
    for _ in summing.passing(read_lines(cursor, table)):
        pass
    return summing.total()


def content_hash_of(sums: Sequence[TableSum]) -> str:
    """One hash of everything: equal where every table has the same columns and rows."""
    lines = sorted(f"{one.name}\t{','.join(one.columns)}\t{one.rows}\t{one.sha256}" for one in sums)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
