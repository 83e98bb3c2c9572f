"""Opens gzip and zip with bounds: sizes are counted while unpacking, never believed."""

import gzip
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.services.file_names import clean_name, is_hidden
from benchmarks_app.services.spooling import MOST_FILES, PIECE_BYTES, Budget, Spooled, spool
from matrix.domain.phrases import Phrase

# Result files are text; what unpacks to more than this is made to fill a disk.
LARGEST_RATIO = 400
# Below this an extreme ratio harms nobody: a megabyte of blanks.
_RATIO_MATTERS_BYTES = 8 * 1024 * 1024
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OTHERS = {
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "RAR",
}
_ACCEPTED = Phrase("a result file, gzip of one file, or a zip archive")
_Members = Callable[[Spooled], Iterator[tuple[str, Iterator[bytes]]]]
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, gzip.BadGzipFile, NotImplementedError)


def unpack(file: Spooled, budget: Budget) -> list[Spooled]:
    """The file itself, or what it packs; the packed bytes no longer count once it is open.

    **Raises**: ``ResultError`` for a broken, encrypted, nested or foreign archive, ``TooLarge``
    for more bytes than are accepted.
    """
    if file.head.startswith(_GZIP):
        return _open(file, budget, _gzip_members)
    if file.head.startswith(_ZIP):
        return _open(file, budget, _zip_members)
    for magic, words in _OTHERS.items():
        if file.head.startswith(magic):
            raise _unsupported(Phrase("The file is a {words} archive", words=words), file.name)
    return [file]


def is_archive(head: bytes) -> bool:
    """Whether bytes begin like an archive of any kind."""
    return head.startswith((_GZIP, *_ZIP, *_OTHERS))


def _open(file: Spooled, budget: Budget, members: _Members) -> list[Spooled]:
    budget.used_bytes -= file.size_bytes
    budget.files -= 1
    found: list[Spooled] = []
    try:
        file.stream.seek(0)
        for name, pieces in members(file):
            inner = spool(clean_name(name), _bounded(pieces, file), budget)
            found.append(inner)
            if is_archive(inner.head):
                raise _unsupported(
                    Phrase("An archive lies inside the archive"), f"{file.name}/{name}"
                )
    except _BROKEN as error:
        _close(found)
        raise ResultError(
            code="broken-archive",
            what=Phrase("The archive is broken ({error})", error=str(error)[:120]),
            place=file.name,
            accepted=Phrase("the whole archive"),
        ) from error
    except BaseException:
        _close(found)
        raise
    finally:
        file.close()
    if not found:
        raise ResultError(
            code="empty-archive", what=Phrase("The archive holds no files"), place=file.name,
            accepted=_ACCEPTED,
        )  # fmt: skip
    return found


def _close(files: Iterable[Spooled]) -> None:
    for file in files:
        file.close()


def _bounded(pieces: Iterable[bytes], file: Spooled) -> Iterator[bytes]:
    unpacked = 0
    for piece in pieces:
        unpacked += len(piece)
        if unpacked > max(_RATIO_MATTERS_BYTES, file.size_bytes * LARGEST_RATIO):
            raise ResultError(
                code="archive-bomb",
                what=Phrase(
                    "{size_bytes} packed bytes unpack to more than {unpacked} bytes",
                    size_bytes=file.size_bytes,
                    unpacked=unpacked,
                ),
                place=file.name,
                accepted=Phrase(
                    "at most {largest_ratio} times the packed size", largest_ratio=LARGEST_RATIO
                ),
            )
        yield piece


def _gzip_members(file: Spooled) -> Iterator[tuple[str, Iterator[bytes]]]:
    name = file.name.removesuffix(".gz")
    with gzip.GzipFile(fileobj=file.stream, mode="rb") as opened:
        yield name, _pieces(opened)


def _zip_members(file: Spooled) -> Iterator[tuple[str, Iterator[bytes]]]:
    with zipfile.ZipFile(file.stream) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if len(infos) > MOST_FILES:
            raise ResultError(
                code="too-many-files",
                what=Phrase("The archive holds {count} files", count=len(infos)),
                place=file.name,
                accepted=Phrase("up to {most_files} files in one upload", most_files=MOST_FILES),
            )
        for info in infos:
            _check_member(info, file.name)
            if not is_hidden(info.filename):
                with archive.open(info) as opened:
                    yield info.filename, _pieces(opened)


def _check_member(info: zipfile.ZipInfo, place: str) -> None:
    where = f"{place}/{clean_name(info.filename)}"
    if info.flag_bits & 0x1:
        raise _unsupported(Phrase("A file in the archive is encrypted"), where)
    parts = info.filename.replace("\\", "/").split("/")
    if info.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        raise ResultError(
            code="unsafe-name",
            what=Phrase("A file in the archive is named by a path outside of it"),
            place=where,
            accepted=Phrase("names below the archive's own folder"),
        )
    if stat.S_ISLNK(info.external_attr >> 16):
        raise _unsupported(Phrase("The archive holds a link"), where)


def _pieces(opened: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while piece := opened.read(PIECE_BYTES):
        yield piece


def _unsupported(what: str, place: str) -> ResultError:
    return ResultError(code="unsupported-archive", what=what, place=place, accepted=_ACCEPTED)
