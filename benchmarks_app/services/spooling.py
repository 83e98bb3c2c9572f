"""Takes in bytes piece by piece: hashed, counted against the limit, kept off memory.

Nothing reaches the database before the last byte is there, so that a slow or broken sender holds
no transaction and leaves nothing behind.
"""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from django.conf import settings

from benchmarks_app.domain.errors import ResultError
from matrix.domain.phrases import Phrase

PIECE_BYTES = 1024 * 1024
MOST_FILES = 2_000
# Up to here a file waits in memory instead of a temporary file.
_IN_MEMORY_BYTES = 256 * 1024


class TooLarge(ResultError):
    """More bytes than are accepted; ``facts`` hold ``size_bytes`` and ``limit_bytes``.

    ``size_bytes`` is what was read when reading stopped, or what the sender announced.
    """

    def __init__(self, *, what: str, place: str, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(
            code="too-large",
            what=Phrase("{what} has {words}", what=what, words=_words(size_bytes)),
            place=place,
            accepted=Phrase("up to {words} in one upload", words=_words(limit_bytes)),
        )
        self.facts |= {"size_bytes": size_bytes, "limit_bytes": limit_bytes}


def _words(size: int) -> str:
    return f"{size / 2**20:.1f} MiB ({size} bytes)"


def upload_limit_bytes() -> int:
    """The most bytes of one upload, unpacked and in sum."""
    return int(settings.RUNPROOF_UPLOAD_LIMIT_BYTES)


@dataclass(slots=True)
class Spooled:
    """One file whose bytes wait to be stored. ``name`` is clean."""

    name: str
    sha256: str
    size_bytes: int
    stream: IO[bytes]
    head: bytes

    def pieces(self) -> Iterator[bytes]:
        """The bytes from the start in pieces of ``PIECE_BYTES``."""
        self.stream.seek(0)
        while piece := self.stream.read(PIECE_BYTES):
            yield piece

    def close(self) -> None:
        """Gives the memory or the temporary file back."""
        self.stream.close()


class Budget:
    """What is left of an upload's bytes and files."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self.files = 0

    def spend(self, size: int, *, what: str = "The upload", place: str = "") -> None:
        """Counts bytes. **Raises**: ``TooLarge``."""
        self.used_bytes += size
        if self.used_bytes > self.limit_bytes:
            raise TooLarge(
                what=what, place=place, size_bytes=self.used_bytes, limit_bytes=self.limit_bytes
            )

    def spend_file(self) -> None:
        """Counts a file. **Raises**: ``ResultError``."""
        self.files += 1
        if self.files > MOST_FILES:
            raise ResultError(
                code="too-many-files",
                what=Phrase("The upload holds more than {most_files} files", most_files=MOST_FILES),
                accepted=Phrase("up to {most_files} files in one upload", most_files=MOST_FILES),
            )


def read_pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """A file-like object in pieces."""
    while piece := stream.read(PIECE_BYTES):
        yield piece


def spool(name: str, pieces: Iterable[bytes], budget: Budget) -> Spooled:
    """The file, hashed. **Raises**: ``TooLarge``; ``ResultError`` for a sender that broke off."""
    budget.spend_file()
    stream = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115
    try:
        sha256, size, head = _fill(stream, pieces, budget, name)
    except BaseException:
        stream.close()
        raise
    return Spooled(name, sha256, size, stream, head)


def _fill(
    stream: IO[bytes], pieces: Iterable[bytes], budget: Budget, name: str
) -> tuple[str, int, bytes]:
    digest = hashlib.sha256()
    size, head = 0, b""
    try:
        for piece in pieces:
            budget.spend(len(piece), place=name)
            digest.update(piece)
            if len(head) < 8:
                head += piece[: 8 - len(head)]
            stream.write(piece)
            size += len(piece)
    except (ConnectionError, TimeoutError) as error:
        raise cut_off(size, place=name) from error
    return digest.hexdigest(), size, head


def cut_off(size: int, *, place: str, announced: int | None = None) -> ResultError:
    """The error of an upload whose bytes ended too early."""
    wanted = f" of {announced} announced" if announced is not None else ""
    return ResultError(
        code="cut-off",
        what=Phrase(
            "The upload broke off after {size} bytes{wanted}; nothing of it was kept",
            size=size,
            wanted=wanted,
        ),
        place=place,
        accepted=Phrase("all bytes of the file, sent again"),
    )
