"""Joins the files of one upload or folder into runs: duplicate forms, sidecars, attachments.

What a run's main file says wins; the other files fill what it leaves open, and a contradiction is
said. Exact repetitions inside one file stay separate runs, because nothing tells that they are
one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from benchmarks_app.contract import Fact, FileReading, FileRole, RunReading
from benchmarks_app.domain.joining import complete_run, join_sibling, rank_form
from benchmarks_app.domain.neighbours import Neighbours
from benchmarks_app.domain.sameness import Number, StatKey, are_one_run, numbers_of
from benchmarks_app.domain.siblings import (
    Neighbour,
    folder_of,
    is_inside,
    runs_spoken_of,
    stem_of,
)


class NamedReading(NamedTuple):
    """A file's name in the upload, folders with slashes, and what was read from it."""

    name: str
    reading: FileReading


class PartRole(StrEnum):
    """What a file gave to a run."""

    PRIMARY = "primary"
    DUPLICATE = "duplicate"  # the same run in another form
    COMPLEMENT = "complement"  # a part of the run that the primary lacks
    SIDECAR = "sidecar"
    ATTACHMENT = "attachment"


@dataclass(frozen=True, slots=True)
class RunPart:
    """One file's share in a run; ``pointer`` says where in the file the run stands."""

    name: str
    role: PartRole
    format: str
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class CandidateRun:
    """One run joined from its files.

    ``parts`` begin with the primary file. ``sources`` name the file of each metric, and of each
    statistic ("ttft.p90") that another file than the metric's completed.
    """

    run: RunReading
    tool: str
    format: str
    parts: tuple[RunPart, ...]
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def primary(self) -> str:
        """The name of the main file."""
        return self.parts[0].name


@dataclass(frozen=True, slots=True)
class Merged:
    """The runs of an upload, and the files that belong to none of them.

    ``loose`` are sidecars and attachments without a run beside them, ``rejected`` files that hold
    no evidence; both keep their reason.
    """

    runs: tuple[CandidateRun, ...]
    loose: tuple[NamedReading, ...] = ()
    rejected: tuple[NamedReading, ...] = ()


@dataclass(frozen=True, slots=True)
class _Form:
    """One run as one file tells it."""

    file: int
    name: str
    reading: FileReading
    run: RunReading
    numbers: Mapping[StatKey, Number]

    @property
    def stem(self) -> str:
        return stem_of(self.name)


def merge_files(files: Sequence[NamedReading]) -> Merged:
    """The runs that the files tell of together, in the order of their main files.

    **Source**: which file complements which is in docs/benchmark-formats.md.
    """
    forms = [
        _Form(number, name.replace("\\", "/"), reading, run, numbers_of(run))
        for number, (name, reading) in enumerate(files)
        if reading.role is FileRole.RUNS
        for run in reading.runs
    ]
    groups = _group_forms([form for form in forms if not form.run.complements])
    candidates = [_join_forms(group) for group in groups]
    for form in forms:
        if form.run.complements:
            _place_complement(candidates, form)
    loose = []
    for name, reading in files:
        if reading.role in (FileRole.SIDECAR, FileRole.ATTACHMENT):
            placed = _place_sibling(candidates, name.replace("\\", "/"), reading, files)
            if not placed:
                loose.append(NamedReading(name, reading))
    rejected = tuple(one for one in files if one.reading.role is FileRole.REJECTED)
    runs = tuple(replace(one, run=complete_run(one.run)) for one in candidates)
    return Merged(runs=runs, loose=tuple(loose), rejected=rejected)


def _group_forms(forms: Sequence[_Form]) -> list[list[_Form]]:
    """Forms of one run together, each file at most once in a group."""
    if len({form.file for form in forms}) < 2:
        return [[form] for form in forms]
    groups: list[list[_Form]] = []
    holding: list[set[int]] = []
    # Forms of one format round alike, so that other numbers there are another run. Said first,
    # because a sweep has a thousand files of one format.
    told: list[dict[str, int]] = []
    near = Neighbours()
    for form in forms:
        home = len(groups)
        exact = hash(frozenset((key, one.value) for key, one in form.numbers.items()))
        for number in near.candidates(form.reading.tool, form.numbers):
            if told[number].get(form.reading.format, exact) != exact:
                continue
            if form.file not in holding[number] and _belongs(groups[number], form):
                home = number
                break
        if home == len(groups):
            groups.append([])
            holding.append(set())
            told.append({})
        groups[home].append(form)
        holding[home].add(form.file)
        told[home][form.reading.format] = exact
        near.add(home, form.reading.tool, form.numbers)
    return groups


def _belongs(group: Sequence[_Form], form: _Form) -> bool:
    return all(_are_forms_of_one(other, form) for other in group)


def _are_forms_of_one(one: _Form, other: _Form) -> bool:
    if one.reading.tool != other.reading.tool or not are_related(one.name, other.name):
        return False
    beside = one.stem == other.stem and one.run.index == other.run.index
    same_form = one.reading.format == other.reading.format
    return are_one_run(
        one.run,
        other.run,
        numbers=(one.numbers, other.numbers),
        same_stem=beside and not same_form,
        same_form=same_form,
    )


def are_related(one: str, other: str) -> bool:
    """Whether two files lie in one folder, or one in a folder inside the other's."""
    a, b = folder_of(one), folder_of(other)
    return a == b or is_inside(a, b) or is_inside(b, a)


def _join_forms(group: Sequence[_Form]) -> CandidateRun:
    # The richest form leads; the order of the files decides between equals.
    ordered = sorted(group, key=lambda form: rank_form(form.run, form.numbers), reverse=True)
    first = ordered[0]
    candidate = CandidateRun(
        run=first.run,
        tool=first.reading.tool,
        format=first.reading.format,
        parts=(RunPart(first.name, PartRole.PRIMARY, first.reading.format, first.run.pointer),),
        sources={one.metric: first.name for one in first.run.metrics},
    )
    for form in ordered[1:]:
        candidate = _with_form(candidate, form, PartRole.DUPLICATE)
    return candidate


def _with_form(candidate: CandidateRun, form: _Form, role: PartRole) -> CandidateRun:
    joined, gained = join_sibling(
        candidate.run, form.run, name=form.name, duplicate=role is PartRole.DUPLICATE
    )
    return replace(
        candidate,
        run=joined,
        parts=(
            *candidate.parts,
            RunPart(form.name, role, form.reading.format, form.run.pointer),
        ),
        sources={**candidate.sources, **dict.fromkeys(gained, form.name)},
    )


def _place_complement(candidates: list[CandidateRun], form: _Form) -> None:
    """Joins a part of a run to the one run beside it that it fits; alone it stays a run."""
    beside = [
        i
        for i, one in enumerate(candidates)
        if one.tool == form.reading.tool
        and folder_of(one.primary) == folder_of(form.name)
        and form.name not in {part.name for part in one.parts}
        and _fits(one.run, form)
    ]
    if len(beside) == 1:
        place = beside[0]
        candidates[place] = _with_form(candidates[place], form, PartRole.COMPLEMENT)
    else:
        candidates.append(_join_forms([form]))


def _fits(run: RunReading, form: _Form) -> bool:
    """Whether nothing that a part states differs from the run; equal numbers are not needed."""
    return are_one_run(run, form.run, same_stem=True) or (
        not numbers_of(run).keys() & form.numbers.keys()
        and are_one_run(replace(run, metrics=()), replace(form.run, metrics=()), same_stem=True)
    )


def _place_sibling(
    candidates: list[CandidateRun],
    name: str,
    reading: FileReading,
    files: Sequence[NamedReading],
) -> bool:
    """Applies a sidecar or attachment to the runs that it speaks of; ``False`` where none is."""
    others = {
        other
        for other, beside in files
        if beside.format == reading.format
        and folder_of(other) == folder_of(name)
        and stem_of(other) != stem_of(name)
    }
    neighbours = [
        Neighbour(one.run, one.tool, tuple(part.name for part in one.parts)) for one in candidates
    ]
    places = runs_spoken_of(neighbours, name, reading, others=others)
    sampled = _holder_of_samples(candidates, places, reading)
    role = PartRole.SIDECAR if reading.role is FileRole.SIDECAR else PartRole.ATTACHMENT
    for place in places:
        candidate = candidates[place]
        told = RunReading(
            index=0,
            status=candidate.run.status,
            facts=_facts_about(candidate.run, reading),
            samples=reading.samples if place == sampled else None,
            command=reading.command,
            notices=reading.notices,
            unmapped=reading.unmapped,
            withheld=reading.withheld,
        )
        joined, _gained = join_sibling(candidate.run, told, name=name, duplicate=False)
        candidates[place] = replace(
            candidate, run=joined, parts=(*candidate.parts, RunPart(name, role, reading.format))
        )
    return bool(places)


def _facts_about(run: RunReading, reading: FileReading) -> Mapping[str, Fact]:
    """The facts that a sibling gives; a log that names a model gives none to a run that does not,
    because nothing then says that it is the log of that run's server."""
    unproven = "model.id" in reading.facts and "model.id" not in run.facts
    return {} if reading.role is FileRole.ATTACHMENT and unproven else reading.facts


def _holder_of_samples(
    candidates: Sequence[CandidateRun], places: Sequence[int], reading: FileReading
) -> int | None:
    """The one run without samples whose number of requests is that of the samples.

    A run that states no number takes them only where it is the only run.
    """
    if reading.samples is None:
        return None
    columns = reading.samples.requests
    length = next(iter(columns.values())).size if columns else None
    ok = columns.get("ok")
    good = None if ok is None else int((ok == 1.0).sum())
    fitting = []
    for place in places:
        run = candidates[place].run
        if run.samples is not None:
            continue
        stated = {run.requests.total, run.requests.completed} - {None}
        counted = length is not None and bool({length, good} & stated)
        if counted or (not stated and len(places) == 1):
            fitting.append(place)
    return fitting[0] if len(fitting) == 1 else None
