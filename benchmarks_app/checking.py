"""Reads a file as an upload of its folder would, and compares it with expectations."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks_app.contract import Fact, FileReading, FileRole
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.expected import Compared, compare_file
from benchmarks_app.domain.levels import Origin
from benchmarks_app.domain.provenance import missing_provenance
from benchmarks_app.importers import read_file

# What sits beside a file is read for its statements alone, so large neighbours are passed over.
_LARGEST_SIDECAR_BYTES = 4 * 1024 * 1024


def check_file(expected: Mapping[str, object], folder: Path) -> list[Compared]:
    """Each expected value of one file with what was read.

    **Raises**: ``OSError`` for a file that is not there.
    """
    name = str(expected["file"])
    try:
        reading = read_file(name, (folder / name).read_bytes())
    except ResultError:
        return list(compare_file(expected, None))
    # What is missing is said of the file by itself; its neighbours only complete the values.
    lacking = [missing_provenance(run) for run in reading.runs]
    if reading.role is FileRole.RUNS:
        reading = _with_sidecars(reading, folder, name)
    return list(compare_file(expected, reading, missing_provenance=lacking))


def _with_sidecars(reading: FileReading, folder: Path, name: str) -> FileReading:
    """The reading with facts of sidecars in the same folder where the file itself is silent."""
    facts: dict[str, Fact] = {}
    for path in sorted((folder / name).parent.iterdir()):
        if path.name == Path(name).name or not path.is_file():
            continue
        if path.stat().st_size > _LARGEST_SIDECAR_BYTES:
            continue
        try:
            beside = read_file(path.name, path.read_bytes())
        except ResultError:
            continue
        if beside.role is FileRole.SIDECAR and reading.tool in beside.completes:
            facts |= {n: replace(f, origin=Origin.SIBLING) for n, f in beside.facts.items()}
    runs = tuple(replace(run, facts={**facts, **run.facts}) for run in reading.runs)
    return replace(reading, runs=runs)
