"""Keeps bytes in the database in pieces, each file once, and gives them back."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from benchmarks_app.models import StoredChunk, StoredFile
from benchmarks_app.services.spooling import Spooled

# How many bytes wait in memory before they are sent to the database.
_BATCH_BYTES = 4 * 1024 * 1024


def store_files(files: Sequence[Spooled], *, now: datetime) -> dict[str, StoredFile]:
    """Rows by SHA-256, inside the caller's transaction; known bytes are not written again.

    Two senders of the same new file wait for each other at its row. **Queries**: 3, and one for
    each 4 MiB.
    """
    # In one order, or two senders of some of the same files would wait for each other for good.
    wanted = {file.sha256: file for file in sorted(files, key=lambda file: file.sha256)}
    known = set(StoredFile.objects.filter(sha256__in=list(wanted)).values_list("sha256", flat=True))
    fresh = [
        StoredFile(sha256=file.sha256, size_bytes=file.size_bytes, first_received_at=now)
        for file in wanted.values()
        if file.sha256 not in known
    ]
    StoredFile.objects.bulk_create(fresh, ignore_conflicts=True)
    rows = {row.sha256: row for row in StoredFile.objects.filter(sha256__in=list(wanted))}
    ours = {row.sha256 for row in fresh}
    # A row that another transaction made first has its pieces by now, or was never committed.
    full = set(
        StoredChunk.objects.filter(file__in=[rows[sha] for sha in ours], number=0).values_list(
            "file__sha256", flat=True
        )
    )
    _store_chunks((rows[sha], wanted[sha].pieces()) for sha in wanted if sha in ours - full)
    return rows


def _store_chunks(files: Iterable[tuple[StoredFile, Iterator[bytes]]]) -> None:
    waiting: list[StoredChunk] = []
    size = 0
    for row, pieces in files:
        for number, body in enumerate(pieces):
            waiting.append(StoredChunk(file=row, number=number, body=body))
            size += len(body)
            if size >= _BATCH_BYTES:
                StoredChunk.objects.bulk_create(waiting)
                waiting, size = [], 0
    StoredChunk.objects.bulk_create(waiting)


def stored_pieces(file: StoredFile) -> Iterator[bytes]:
    """The bytes in pieces, one in memory at a time."""
    rows = StoredChunk.objects.filter(file=file).order_by("number")
    for body in rows.values_list("body", flat=True).iterator(chunk_size=1):
        yield bytes(body)


def stored_bytes(file: StoredFile) -> bytes:
    """All bytes of a file; held twice only while they are joined."""
    if file.size_bytes <= _BATCH_BYTES:
        rows = StoredChunk.objects.filter(file=file).order_by("number")
        return b"".join(bytes(body) for body in rows.values_list("body", flat=True))
    return b"".join(stored_pieces(file))


def small_files_bytes(files: Sequence[StoredFile]) -> dict[int, bytes]:
    """The bytes of files of one piece by primary key. **Queries**: 1."""
    rows = StoredChunk.objects.filter(file__in=files, number=0).values_list("file_id", "body")
    found = {file.pk: b"" for file in files}
    found.update((pk, bytes(body)) for pk, body in rows)
    return found
