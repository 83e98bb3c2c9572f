"""Writes the runs of an upload in bulk; a run that is here already is pointed to, not repeated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from benchmarks_app.domain.levels import RunState
from benchmarks_app.domain.merging import CandidateRun, PartRole
from benchmarks_app.domain.sameness import identities_of
from benchmarks_app.models import (
    Measurement,
    Run,
    RunFile,
    SampleSet,
    StoredFile,
    Upload,
    UploadFile,
)
from benchmarks_app.services.environment import read_pasted
from benchmarks_app.services.logs import FINISHED, log_texts
from benchmarks_app.services.resolving import Resolver, write_nodes
from benchmarks_app.services.run_rows import RunRows, ValueRow, build_rows
from benchmarks_app.services.same_runs import find_same_runs
from benchmarks_app.services.stated_facts import (
    StatedFacts,
    facts_from_plain,
    masked_facts,
    state_facts,
)
from benchmarks_app.services.uids import new_uid
from benchmarks_app.services.unknown_names import decided_names, hold_names, note_unknown

# The code of the notice by which a file points to a run of another upload.
SAME_RUN = "same_run"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and the runs of other uploads that the files repeat."""

    runs: list[Run]
    same: list[str]

    @property
    def run_count(self) -> int:
        """Runs that the upload tells of."""
        return len(self.runs) + len(self.same)


def build_all(
    candidates: Sequence[CandidateRun],
    *,
    upload: Upload,
    files: Sequence[UploadFile],
    resolver: Resolver,
    now: datetime,
) -> list[RunRows]:
    """The rows of all runs, unsaved. **Queries**: none but for logs."""
    pasted = masked_facts(read_pasted(upload.pasted)) if upload.pasted else {}
    digests = _digests(candidates)
    stored = {row.name: row.file for row in files}
    built = []
    for number, (candidate, digest) in enumerate(zip(candidates, digests, strict=True), 1):
        known = StatedFacts(masked_facts(candidate.run.facts))
        stated = state_facts(known, pasted=pasted, declared=upload.declared)
        built.append(
            build_rows(
                candidate, stated, upload=upload, number=number, uid=new_uid(), digest=digest,
                resolver=resolver, now=now, logs=_logs(candidate, stored),
            )
        )  # fmt: skip
    return built


def _logs(candidate: CandidateRun, stored: Mapping[str, StoredFile]) -> list[str]:
    if candidate.run.status.value in FINISHED:
        return []
    attached = (part.name for part in candidate.parts if part.role is PartRole.ATTACHMENT)
    return log_texts(stored[name] for name in attached if name in stored)


def _digests(candidates: Sequence[CandidateRun]) -> list[str]:
    """Each run's digest; exact repetitions of one file are told apart by their order."""
    by_file: dict[tuple[str, str], list[int]] = {}
    for at, one in enumerate(candidates):
        by_file.setdefault((one.tool, one.primary), []).append(at)
    found = [""] * len(candidates)
    for (tool, _file), places in by_file.items():
        for at, digest in zip(
            places, identities_of([candidates[p].run for p in places], tool=tool), strict=True
        ):
            found[at] = digest
    return found


def write_runs(
    upload: Upload, files: Sequence[UploadFile], built: Sequence[RunRows], *, resolver: Resolver
) -> Written:
    """Writes everything inside the caller's transaction.

    Imports write one after the other, so that two uploads of the same content see each other.
    ``resolver`` is the one that the rows were built with. **Queries**: 9, and 1 for each 2,000
    values.
    """
    hold_names()
    _follow_decisions(built, resolver)
    upload.runs.filter(state=RunState.DRAFT.value).delete()
    by_name = {row.name: row for row in files}
    known = find_same_runs(upload, built)
    fresh = []
    same: dict[str, None] = {}
    for one in built:
        uid = known.get(one.run.uid)
        if uid is None:
            fresh.append(one)
        else:
            same.setdefault(uid)
            _point_to(uid, one.candidate, by_name)
    _insert(fresh, by_name)
    note_unknown((pair for one in fresh for pair in one.unknown), now=upload.received_at)
    return Written([one.run for one in fresh], list(same))


def _follow_decisions(built: Sequence[RunRows], resolver: Resolver) -> None:
    """Resolves the rows anew where somebody decided a name since they were built."""
    decided = decided_names()
    if decided == resolver.decided:
        return
    newer = Resolver(resolver.catalogue, decided)
    for one in built:
        write_nodes(one.run, newer.resolve(facts_from_plain(one.run.facts).facts))


def _point_to(uid: str, candidate: CandidateRun, by_name: Mapping[str, UploadFile]) -> None:
    for part in candidate.parts:
        row = by_name.get(part.name)
        if row is not None:
            notice = {"code": SAME_RUN, "detail": uid, "pointer": part.pointer[:300]}
            row.notices = [*row.notices, notice]


def _copy_runs(runs: Sequence[Run]) -> None:
    """Writes runs by COPY, with keys taken from the table's own sequence."""
    if not runs:
        return
    fields = [field for field in Run._meta.concrete_fields if field.attname != "id"]
    columns = ", ".join(("id", *(str(field.column) for field in fields)))
    table = Run._meta.db_table
    with connection.wrap_database_errors, connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [table, len(runs)],
        )
        keys = [row[0] for row in cursor.fetchall()]
        # The names are the model's own.
        with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for key, run in zip(keys, runs, strict=True):
                run.pk = key
                values: list[object] = [key]
                values += (
                    field.get_db_prep_save(field.pre_save(run, add=True), connection)
                    for field in fields
                )
                copy.write_row(values)
                run._state.adding, run._state.db = False, connection.alias


def _copy_values(runs: Iterable[RunRows]) -> None:
    """Writes measurements by COPY, which takes a fraction of the time of an insert."""
    # The names are literals of this app: the table's and those of ``ValueRow``.
    columns = ", ".join(("run_id", *ValueRow._fields))
    command = f"COPY {Measurement._meta.db_table} ({columns}) FROM STDIN"
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(command) as copy,
    ):
        for one in runs:
            for row in one.measurements:
                copy.write_row((one.run.pk, *row))


def _insert(fresh: Sequence[RunRows], by_name: Mapping[str, UploadFile]) -> None:
    _copy_runs([one.run for one in fresh])
    _copy_values(fresh)
    SampleSet.objects.bulk_create(
        [one.samples for one in fresh if one.samples is not None], batch_size=20
    )
    parts = []
    for one in fresh:
        placed = set()
        for part in one.candidate.parts:
            row = by_name.get(part.name)
            if row is not None and row.pk not in placed:
                placed.add(row.pk)
                parts.append(RunFile(run=one.run, upload_file=row, part=part.role.value))
    RunFile.objects.bulk_create(parts, batch_size=2_000)
