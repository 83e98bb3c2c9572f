"""Writes an installation into an archive, from one snapshot, while it goes on being used."""

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from matrix.site.archives.errors import ArchiveError
from matrix.site.archives.tables import (
    Summing,
    Table,
    TableSum,
    content_hash_of,
    list_tables,
    read_lines,
    set_forms,
    sum_table,
)

FORMAT, FORMAT_VERSION = "runproof-backup", 1
MANIFEST, MANIFEST_SUM = "manifest.json", "manifest.sha256"
_COMPRESSION = 6


@dataclass(frozen=True, slots=True)
class Written:
    """What an archive holds."""

    path: Path
    tables: int
    rows: int
    byte_count: int
    content_hash: str


@contextmanager
def snapshot() -> Iterator[Any]:
    """A cursor that sees one moment of the database, whatever is written meanwhile."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        set_forms(cursor)
        yield cursor


def content_hash() -> str:
    """The hash of all that an archive would hold now."""
    with snapshot() as cursor:
        return content_hash_of([sum_table(cursor, table) for table in list_tables(cursor)])


def member_name(table: str) -> str:
    """Where a table lies in the archive."""
    return f"tables/{table}.copy.gz"


def write_archive(path: Path) -> Written:
    """Writes the archive; the file is there when it is whole, never before.

    It holds hashes of passwords and tokens, so that only its owner may read it.
    **Raises**: ``ArchiveError`` where the file exists or cannot be written.
    """
    if path.exists():
        raise ArchiveError(f"{path} exists; accepted: the name of a new file.")
    if not path.parent.is_dir():
        raise ArchiveError(f"{path.parent} is no folder; accepted: a file in a folder that exists.")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        partial = Path(name)
    except OSError as error:
        raise ArchiveError(f"{path.parent} cannot be written to: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            written = _write(file, path)
            file.flush()
            os.fsync(file.fileno())
        # Unlike a move, a link never replaces a file that somebody made meanwhile.
        os.link(partial, path)
    except FileExistsError as error:
        raise ArchiveError(f"{path} exists; accepted: the name of a new file.") from error
    except OSError as error:
        raise ArchiveError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return written


def _write(file: Any, path: Path) -> Written:
    with tarfile.open(fileobj=file, mode="w") as tar, snapshot() as cursor:
        tables = list_tables(cursor)
        if not tables:
            raise ArchiveError("The database holds no tables; run manage.py migrate.")
        sums = [_write_table(tar, cursor, table, folder=path.parent) for table in tables]
        manifest = _manifest(cursor, sums)
        data = json.dumps(manifest, indent=1, sort_keys=True).encode()
        _add(tar, MANIFEST, data)
        _add(tar, MANIFEST_SUM, hashlib.sha256(data).hexdigest().encode())
    return Written(
        path=path,
        tables=len(sums),
        rows=sum(one.rows for one in sums),
        byte_count=sum(one.byte_count for one in sums),
        content_hash=str(manifest["content_hash"]),
    )


def _write_table(tar: tarfile.TarFile, cursor: Any, table: Table, *, folder: Path) -> TableSum:
    summing = Summing(table)
    with tempfile.TemporaryFile(dir=folder) as packed:
        with gzip.GzipFile("", "wb", _COMPRESSION, packed, mtime=0) as stream:
            for piece in summing.passing(read_lines(cursor, table)):
                stream.write(piece)
        info = tarfile.TarInfo(member_name(table.name))
        info.size = packed.tell()
        packed.seek(0)
        tar.addfile(info, packed)
    return summing.total()


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def _manifest(cursor: Any, sums: list[TableSum]) -> dict[str, Any]:
    cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
    migrations = [list(row) for row in cursor.fetchall()]
    cursor.execute("SHOW server_version")
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "postgresql": cursor.fetchone()[0],
        "migrations": migrations,
        "content_hash": content_hash_of(sums),
        "tables": [
            {
                "name": one.name,
                "columns": list(one.columns),
                "rows": one.rows,
                "bytes": one.byte_count,
                "sha256": one.sha256,
            }
            for one in sums
        ],
    }
