"""Verifies an archive and reads it into an empty database: all of it, or nothing."""

import gzip
import hashlib
import json
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.db import DatabaseError, connection, transaction
from psycopg import sql

from matrix.site.archives.errors import ArchiveError
from matrix.site.archives.tables import (
    SEEDED,
    Summing,
    Table,
    TableSum,
    content_hash_of,
    list_tables,
    set_forms,
    sum_table,
    write_lines,
)
from matrix.site.archives.writing import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    MANIFEST_SUM,
    member_name,
)

_PIECE_BYTES = 2**20
_LARGEST_MANIFEST_BYTES = 16 * 2**20
_DAMAGE = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, KeyError, ValueError)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself, verified."""

    created_at: str
    migrations: frozenset[tuple[str, str]]
    content_hash: str
    sums: Mapping[str, TableSum]


@dataclass(frozen=True, slots=True)
class Restored:
    """What was read into the database."""

    tables: int
    rows: int
    content_hash: str


def read_manifest(path: Path) -> Manifest:
    """The manifest of an archive, its own hash checked. **Raises**: ``ArchiveError``."""
    with _opened(path) as tar:
        data = _member(tar, MANIFEST)
        if hashlib.sha256(data).hexdigest().encode() != _member(tar, MANIFEST_SUM):
            raise ValueError("the manifest does not have its hash")
        try:
            return _manifest_of(path, json.loads(data))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"its manifest cannot be read: {error!r}") from error


def _manifest_of(path: Path, plain: Any) -> Manifest:
    if plain["format"] != FORMAT or plain["format_version"] != FORMAT_VERSION:
        raise ArchiveError(
            f"{path} is of format {plain['format']!r} {plain['format_version']!r}; accepted: "
            f"{FORMAT} {FORMAT_VERSION}."
        )
    sums = {
        str(one["name"]): TableSum(
            name=str(one["name"]),
            columns=tuple(one["columns"]),
            rows=int(one["rows"]),
            byte_count=int(one["bytes"]),
            sha256=str(one["sha256"]),
        )
        for one in plain["tables"]
    }
    return Manifest(
        created_at=str(plain["created_at"]),
        migrations=frozenset((str(app), str(name)) for app, name in plain["migrations"]),
        content_hash=str(plain["content_hash"]),
        sums=sums,
    )


def verify_archive(path: Path) -> Manifest:
    """The manifest of an archive all of whose tables have their hashes.

    **Raises**: ``ArchiveError`` for anything that is damaged, missing or too much.
    """
    manifest = read_manifest(path)
    if content_hash_of(list(manifest.sums.values())) != manifest.content_hash:
        raise ArchiveError(f"{path} is damaged: its manifest contradicts itself.")
    with _opened(path) as tar:
        wanted = {MANIFEST, MANIFEST_SUM, *map(member_name, manifest.sums)}
        if sorted(tar.getnames()) != sorted(wanted):
            raise ValueError("it does not hold the files that its manifest lists")
        for expected in manifest.sums.values():
            for _ in _table_lines(tar, expected):
                pass
    return manifest


def restore_archive(path: Path, manifest: Manifest) -> Restored:
    """Reads a verified archive into the database, in one transaction.

    **Raises**: ``ArchiveError`` where the database holds data or other tables, and where what was
    read is not what was written; nothing has changed then.
    """
    try:
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            set_forms(cursor)
            tables = _matching_tables(cursor, manifest)
            _stop_triggers(cursor, tables)
            _check_empty(cursor, tables)
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
            for name in SEEDED:
                cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
            with _opened(path) as tar:
                for table in tables:
                    write_lines(cursor, table, _table_lines(tar, manifest.sums[table.name]))
            # Every reference is checked here, before the triggers come back.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            _restart_numbers(cursor, tables)
            sums = [sum_table(cursor, table) for table in tables]
            if content_hash_of(sums) != manifest.content_hash:
                raise ArchiveError("What was read has another hash than what was written.")
            _start_triggers(cursor, tables)
    except (DatabaseError, psycopg.Error) as error:
        raise ArchiveError(f"The database refused the archive: {str(error).strip()}") from error
    return Restored(len(sums), sum(one.rows for one in sums), manifest.content_hash)


def _matching_tables(cursor: Any, manifest: Manifest) -> list[Table]:
    tables = list_tables(cursor)
    here = {table.name: table.columns for table in tables}
    there = {one.name: one.columns for one in manifest.sums.values()}
    if here != there:
        names = sorted(name for name in {*here, *there} if here.get(name) != there.get(name))
        raise ArchiveError(
            f"The database and the archive differ in tables: {', '.join(names[:5])}; accepted: a "
            "database with the migrations of the archive, or one without any table."
        )
    return tables


def _check_empty(cursor: Any, tables: list[Table]) -> None:
    full = []
    for table in tables:
        if table.name not in SEEDED:
            cursor.execute(
                sql.SQL("SELECT EXISTS (SELECT 1 FROM {})").format(sql.Identifier(table.name))
            )
            if cursor.fetchone()[0]:
                full.append(table.name)
    if full:
        raise ArchiveError(
            f"The database holds data already, in {', '.join(full[:5])}"
            f"{f' and {len(full) - 5} more tables' if len(full) > 5 else ''}; accepted: an empty "
            "database, such as a new one named in DATABASE_URL."
        )


def _stop_triggers(cursor: Any, tables: list[Table]) -> None:
    """Lets rows in that may not be added later; also holds off every other writer."""
    for table in tables:
        name = sql.Identifier(table.name)
        cursor.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(name))


def _start_triggers(cursor: Any, tables: list[Table]) -> None:
    for table in tables:
        name = sql.Identifier(table.name)
        cursor.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(name))


def _restart_numbers(cursor: Any, tables: list[Table]) -> None:
    """Lets numbers go on behind the highest one that was read."""
    for table in tables:
        for column in table.columns:
            cursor.execute(
                "SELECT pg_get_serial_sequence(quote_ident(%s), %s)", [table.name, column]
            )
            sequence = cursor.fetchone()[0]
            if sequence is None:
                continue
            cursor.execute(
                sql.SQL(
                    "SELECT setval(%s, COALESCE(max({0}), 1), max({0}) IS NOT NULL) FROM {1}"
                ).format(sql.Identifier(column), sql.Identifier(table.name)),
                [sequence],
            )


def _table_lines(tar: tarfile.TarFile, expected: TableSum) -> Iterator[bytes]:
    """The lines of a table in the archive. **Raises**: ``ValueError`` where they are others."""
    file = tar.extractfile(member_name(expected.name))
    if file is None:
        raise ValueError(f"{expected.name} is no file")
    summing = Summing(Table(expected.name, expected.columns, ()))

    def pieces() -> Iterator[bytes]:
        left = expected.byte_count
        with gzip.GzipFile(fileobj=file, mode="rb") as stream:
            while piece := stream.read(_PIECE_BYTES):
                left -= len(piece)
                if left < 0:
                    raise ValueError(f"{expected.name} holds more than its manifest says")
                yield piece

    yield from summing.passing(pieces())
    if summing.total() != expected:
        raise ValueError(f"{expected.name} does not have its hash")


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is no file")
    data = file.read(_LARGEST_MANIFEST_BYTES + 1)
    if len(data) > _LARGEST_MANIFEST_BYTES:
        raise ValueError(f"{name} is too large")
    return data


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    """The archive, its damages turned into one sentence."""
    try:
        with tarfile.open(path, mode="r:") as tar:
            yield tar
    except _DAMAGE as error:
        raise ArchiveError(
            f"{path} is damaged or no backup of Runproof: {error}. Nothing was changed."
        ) from error
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}.") from error
