"""Reads curated claims: files that people wrote by hand, shipped beside the generated ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.lint import overlaps
from matrix.domain.phrases import Phrase
from matrix.entering.claims import ClaimReader
from matrix.entering.lines import Entry, read_lines
from matrix.entering.problems import BrokenEntry, Problem, with_rule

CURATED_FOLDER = "curated"
# Tells curated claims from those that programs read and those that are entered here.
CURATED_PARSER = "curated/1"
CURATED_SOURCE = "curated:"


@dataclass(frozen=True, slots=True)
class Written:
    """One claim and the line of its file that says it."""

    line: int
    claim: Claim


def read_entries(
    entries: Iterable[Entry], reader: ClaimReader, *, source: str, parser: str
) -> tuple[list[Written], list[Problem]]:
    """The claims of the lines, and every problem of the others; a repeated line is one."""
    found: list[Written] = []
    problems: list[Problem] = []
    lines: dict[str, int] = {}
    for entry in entries:
        try:
            claim = reader.read(entry.given, source=source, parser=parser)
        except BrokenEntry as error:
            problems += [problem.at(entry.line) for problem in error.problems]
            continue
        if first := lines.get(claim.uid):
            problems.append(
                Problem("", Phrase("says the same as line {first}", first=first), line=entry.line)
            )
            continue
        lines[claim.uid] = entry.line
        found.append(Written(entry.line, claim))
    return found, problems


def overlap_problems(
    written: Iterable[Written], standing: Iterable[Claim], reader: ClaimReader
) -> list[Problem]:
    """Lines by which one source says the same twice, among themselves or beside what stands."""
    lines = {item.claim.uid: item for item in written}
    claims = [item.claim for item in lines.values()]
    problems = []
    for breach in overlaps([*claims, *standing], reader.catalogue.histories):
        uid = breach.where.rpartition(" ")[2]
        what = _named_by_lines(breach.what, lines)
        line = lines[uid].line if uid in lines else 0
        problems.append(Problem("statement", with_rule(what, breach.rule), line=line))
    return problems


def _named_by_lines(what: str, lines: Mapping[str, Written]) -> str:
    """The sentence with lines in place of the identifiers that nobody has seen yet."""
    if not isinstance(what, Phrase):
        return what
    values = {
        name: Phrase("line {line}", line=lines[value].line)
        if isinstance(value, str) and value in lines
        else value
        for name, value in what.values.items()
    }
    return Phrase(what.template, **values)


def curated_files(folder: Path) -> list[Path]:
    """The curated files of a catalogue folder, in a fixed order."""
    return sorted((folder / CURATED_FOLDER).glob("*.jsonl"))


def read_curated(
    folder: Path, catalogue: Catalogue, *, today: date
) -> tuple[list[Claim], list[str]]:
    """The curated claims of a catalogue folder, and every problem with its file and line."""
    claims: list[Claim] = []
    problems: list[str] = []
    reader = ClaimReader(catalogue, today=today)
    places: dict[str, str] = {}
    for path in curated_files(folder):
        name = f"{CURATED_FOLDER}/{path.name}"
        written, found = read_curated_file(path, reader)
        for item in written:
            place = f"{name}, line {item.line}"
            first = places.setdefault(item.claim.uid, place)
            if first == place:
                claims.append(item.claim)
            else:
                problems.append(
                    Phrase("{place}: says the same as {first}", place=place, first=first)
                )
        problems += [f"{name}, {problem}" for problem in found]
    return claims, problems


def read_curated_file(path: Path, reader: ClaimReader) -> tuple[list[Written], list[Problem]]:
    """The claims of one curated file and its problems; its name is the source of its claims."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return [], [Problem("file", Phrase("cannot be read: {strerror}", strerror=error.strerror))]
    entries, problems = read_lines(data, form="jsonl")
    source = f"{CURATED_SOURCE}{path.stem}"[:80]
    written, found = read_entries(entries, reader, source=source, parser=CURATED_PARSER)
    problems += found
    for item in written:
        if not item.claim.source.startswith(CURATED_SOURCE):
            what = Phrase(
                "is {source!r}; accepted: a source that begins with curated:",
                source=item.claim.source,
            )
            problems.append(Problem("source", what, line=item.line))
    return written, problems
