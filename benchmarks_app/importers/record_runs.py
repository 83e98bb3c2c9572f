"""Reads a file whose records are one run each: an object, a list of them, or one a line."""

from collections.abc import Iterator
from typing import Protocol

from benchmarks_app.contract import FileReading, FileRole, RunReading
from benchmarks_app.reading.document import Document, Kind


class ReadRecord(Protocol):
    """Maps one record to a run, ``None`` where it is of another shape."""

    def __call__(self, value: object, *, index: int, pointer: str) -> RunReading | None:
        """``pointer`` is the record's place in its file."""


def read_records(document: Document, found: str, *, tool: str, read: ReadRecord) -> FileReading:
    """One run for each record that is one; the others stay as they are."""
    runs: list[RunReading] = []
    unmapped: dict[str, object] = {}
    for pointer, value in placed_records(document):
        run = read(value, index=len(runs), pointer=pointer)
        if run is None:
            unmapped[pointer] = value
        else:
            runs.append(run)
    return FileReading(
        format=found, tool=tool, role=FileRole.RUNS, runs=tuple(runs), unmapped=unmapped
    )


def placed_records(document: Document) -> Iterator[tuple[str, object]]:
    """Each record with its place."""
    if document.kind is Kind.JSON_LINES:
        for record in document.records:
            yield f"line {record.line}", record.value
    elif isinstance(document.value, list):
        for number, value in enumerate(document.value):
            yield f"$[{number}]", value
    else:
        yield "$", document.value
