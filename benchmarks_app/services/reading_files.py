"""Reads the stored files of an upload one after another, and notes what each of them was."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks_app.contract import FileReading, FileRole
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.merging import NamedReading
from benchmarks_app.importers import read_file
from benchmarks_app.models import UploadFile
from benchmarks_app.services.masking import mask, storable, storable_text
from benchmarks_app.services.run_rows import plain_notice
from benchmarks_app.services.spooling import PIECE_BYTES
from benchmarks_app.services.storing import small_files_bytes, stored_bytes

# Small files are fetched together, as long as they take little memory.
_BATCH_FILES = 50


@dataclass(slots=True)
class ReadFile:
    """A file's row with what was read; no reading where it is broken, at ``place``."""

    row: UploadFile
    reading: FileReading | None = None
    place: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether nothing of the file can be kept as evidence."""
        return self.reading is None or self.reading.role is FileRole.REJECTED


def read_files(rows: Sequence[UploadFile], *, tool: str) -> Iterator[ReadFile]:
    """Each file read; its row says the role, format, tool and what is wrong, unsaved.

    A file chosen as another tool's is an error of that file alone.
    """
    for at in range(0, len(rows), _BATCH_FILES):
        batch = rows[at : at + _BATCH_FILES]
        small = small_files_bytes([r.file for r in batch if r.file.size_bytes <= PIECE_BYTES])
        for row in batch:
            yield _read_one(row, small, tool)


def _read_one(row: UploadFile, small: dict[int, bytes], tool: str) -> ReadFile:
    """One file; the bytes are handed on without keeping them, so that parsing may free them."""
    found = ReadFile(row)
    row.notices, row.unmapped, row.withheld, row.error_code = [], {}, [], ""
    try:
        if row.file_id in small:
            reading = read_file(row.name, small.pop(row.file_id), tool=tool)
        else:
            reading = read_file(row.name, stored_bytes(row.file), tool=tool)
    except ResultError as error:
        _note_error(row, error)
        found.place = storable_text(str(error.facts.get("place", "")))[:300]
        return found
    row.role = reading.role.value
    row.format, row.tool = reading.format[:80], reading.tool[:60]
    row.reason = mask(storable_text(reading.reason))[:2_000]
    if reading.role is FileRole.REJECTED:
        row.error_code = "not-recognised"
    if reading.role is not FileRole.RUNS:
        # Of a file of runs, the runs themselves keep this.
        row.unmapped = storable(dict(reading.unmapped))
    row.notices = [plain_notice(one) for one in reading.notices]
    row.withheld = [storable_text(place)[:300] for place in reading.withheld]
    found.reading = reading
    return found


def _note_error(row: UploadFile, error: ResultError) -> None:
    row.role = FileRole.REJECTED.value
    row.format = row.tool = ""
    row.error_code = error.code[:60]
    row.reason = mask(storable_text(error.message))[:2_000]


def named_readings(files: Sequence[ReadFile]) -> list[NamedReading]:
    """What the files say, for joining them into runs."""
    return [
        NamedReading(one.row.name, _with_file_notices(one.reading))
        for one in files
        if one.reading is not None
    ]


def _with_file_notices(reading: FileReading) -> FileReading:
    """What is said of a file of runs is said of each of its runs."""
    if reading.role is not FileRole.RUNS or not (reading.notices or reading.withheld):
        return reading
    runs = tuple(
        replace(
            run,
            notices=(*run.notices, *reading.notices),
            withheld=(*run.withheld, *reading.withheld),
        )
        for run in reading.runs
    )
    return replace(reading, runs=runs, notices=(), withheld=())


def sentence_of(row: UploadFile) -> str:
    """What is wrong with a file, with its name."""
    return f"{row.name}: {row.reason}"
