"""Makes runs of an upload: reads its files, joins them, writes all of its runs or none.

Reading holds an advisory lock of its connection and no transaction; a worker that dies lets go of
both, so that the next one starts afresh. Nothing is written of a run before one transaction
writes everything.
"""

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from traceback import extract_tb
from types import TracebackType

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import RunState, UploadState
from benchmarks_app.domain.merging import merge_files
from benchmarks_app.models import Run, Upload, UploadFile
from benchmarks_app.services.publishing import publish_runs
from benchmarks_app.services.reading_files import (
    ReadFile,
    named_readings,
    read_files,
    sentence_of,
)
from benchmarks_app.services.resolving import Resolver
from benchmarks_app.services.run_rows import RunRows
from benchmarks_app.services.unknown_names import current_resolver
from benchmarks_app.services.writing_runs import SAME_RUN, build_all, write_runs
from matrix.domain.phrases import Phrase
from matrix.services import write_audit

_log = logging.getLogger(__name__)
_LOCK_FAMILY = 0x52504249
_FILE_FIELDS = (
    "role", "format", "tool", "reason", "error_code", "notices", "unmapped", "withheld",
)  # fmt: skip
# An update of many rows by cases takes the database longer than reading the files.
_SAVE_FILES = """
UPDATE benchmarks_uploadfile AS kept
SET role = told.role, format = told.format, tool = told.tool, reason = told.reason,
    error_code = told.error_code, notices = told.notices, unmapped = told.unmapped,
    withheld = told.withheld
FROM jsonb_to_recordset(%s::jsonb) AS told(
    id bigint, role text, format text, tool text, reason text, error_code text,
    notices jsonb, unmapped jsonb, withheld jsonb)
WHERE kept.id = told.id
"""
# Progress is written at most this often, in files.
_PROGRESS_FILES = 20


class UploadBusy(ResultError):
    """Another process reads the upload at this moment."""

    def __init__(self, uid: str) -> None:
        super().__init__(
            code="upload-busy",
            what=Phrase("The upload {uid} is being read by another process", uid=uid),
            accepted=Phrase("the same again in a moment"),
        )


def import_upload(uid: str) -> Upload:
    """Reads an upload and writes its runs as drafts, or publishes them where that was asked.

    Safe to call again at any time: what has been read stays as it is. **Raises**: ``UploadBusy``,
    ``Upload.DoesNotExist``, and whatever stopped the reading, after noting it with the upload.
    """
    upload = Upload.objects.get(uid=uid)
    with _hold(upload):
        upload.refresh_from_db()
        if not needs_reading(upload):
            return upload
        finished = False
        try:
            Upload.objects.filter(pk=upload.pk).update(
                state=UploadState.READING.value, files_read=0,
                error_code="", error_facts={}, error_sentence="",
            )  # fmt: skip
            _read(upload)
            finished = True
        finally:
            if not finished:
                _note_failure(upload)
    upload.refresh_from_db()
    return upload


def needs_reading(upload: Upload) -> bool:
    """Whether reading the upload may bring anything: not once it has runs."""
    if upload.state != UploadState.READ.value:
        return True
    return not upload.runs.exists() and not _same_runs(upload)


def runs_of_upload(upload: Upload) -> list[Run]:
    """The upload's runs, and runs of other uploads that say the same. **Queries**: 2."""
    own = list(upload.runs.order_by("number", "version"))
    said = _same_runs(upload)
    return [*own, *Run.objects.filter(uid__in=said).order_by("pk")] if said else own


def _same_runs(upload: Upload) -> list[str]:
    notices = UploadFile.objects.filter(upload=upload).values_list("notices", flat=True)
    return [one["detail"] for found in notices for one in found if one.get("code") == SAME_RUN]


@transaction.atomic
def discard_drafts(upload: Upload, *, actor: str) -> int:
    """Deletes the drafts of an upload, whose bytes are kept; sent again, they are read again."""
    # Locked first: a draft that is being published at this moment is none any more.
    drafts = upload.runs.select_for_update().filter(state=RunState.DRAFT.value).order_by("pk")
    uids = [run.uid for run in drafts.only("uid")]
    upload.runs.filter(uid__in=uids).delete()
    if uids:
        Upload.objects.filter(pk=upload.pk).update(run_count=upload.runs.count())
        write_audit(
            actor=actor, action="discard-drafts", subject=f"upload:{upload.uid}",
            before={"runs": uids},
        )  # fmt: skip
    return len(uids)


@contextmanager
def _hold(upload: Upload) -> Iterator[None]:
    key = upload.pk & 0x7FFFFFFF
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_LOCK_FAMILY, key])
        row = cursor.fetchone()
    if not row or not row[0]:
        raise UploadBusy(upload.uid)
    try:
        yield
    finally:
        # A broken connection has let go of the lock already.
        if connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_LOCK_FAMILY, key])


def _read(upload: Upload) -> None:
    rows = list(upload.files.select_related("file").order_by("name", "pk"))
    files: list[ReadFile] = []
    for one in read_files(rows, tool=upload.tool):
        files.append(one)
        if len(files) % _PROGRESS_FILES == 0 or len(files) == len(rows):
            Upload.objects.filter(pk=upload.pk).update(files_read=len(files))
    merged = merge_files(named_readings(files))
    for one in files:
        one.reading = None if one.is_bad else one.reading
    if merged.runs:
        resolver = current_resolver()
        now = timezone.now()
        built = build_all(merged.runs, upload=upload, files=rows, resolver=resolver, now=now)
        _write(upload, files, built, resolver)
    else:
        _reject(upload, files)


def _write(
    upload: Upload, files: Sequence[ReadFile], built: Sequence[RunRows], resolver: Resolver
) -> None:
    now = timezone.now()
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        written = write_runs(locked, [one.row for one in files], built, resolver=resolver)
        _save_files(files)
        _finish(locked, UploadState.READ, now=now, run_count=written.run_count, files=len(files))
        write_audit(
            actor=locked.received_by, action="import-runs", subject=f"upload:{locked.uid}",
            after={"runs": len(written.runs), "same_runs": len(written.same)},
        )  # fmt: skip
        if locked.publish and written.runs:
            publish_runs(written.runs, actor=locked.received_by)


def _reject(upload: Upload, files: Sequence[ReadFile]) -> None:
    """No run at all: the upload says why, file by file for the first few."""
    bad = [one.row for one in files if one.row.error_code]
    sentences = [sentence_of(row) for row in bad[:3]]
    more = f" And {len(bad) - 3} more." if len(bad) > 3 else ""
    first = bad[0] if bad else None
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        _save_files(files)
        locked.error_code = first.error_code if first else "no-runs"
        locked.error_facts = {
            "files": {row.name: row.error_code for row in bad[:50]},
            "place": next((one.place for one in files if one.place), ""),
        }
        locked.error_sentence = (
            " ".join(sentences) + more
            if sentences
            else "The files say something of runs but hold none; accepted: the result file too."
        )
        _finish(locked, UploadState.REJECTED, now=timezone.now(), run_count=0, files=len(files))


def _finish(
    upload: Upload, state: UploadState, *, now: datetime, run_count: int, files: int
) -> None:
    upload.state, upload.read_at = state.value, now
    upload.run_count, upload.files_read = run_count, files
    upload.save(
        update_fields=["state", "read_at", "run_count", "files_read", "error_code", "error_facts",
                       "error_sentence"]
    )  # fmt: skip


def _save_files(files: Sequence[ReadFile]) -> None:
    """Writes what was read of each file. **Queries**: 1."""
    rows = [
        {"id": one.row.pk, **{name: getattr(one.row, name) for name in _FILE_FIELDS}}
        for one in files
    ]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE_FILES, [json.dumps(rows)])


def _note_failure(upload: Upload) -> None:
    """Marks the upload as failed by our fault; without a database it stays as being read."""
    kind, _error, trace = sys.exc_info()
    name = kind.__name__ if kind else "unknown"
    # The words of an error may quote the file, so only its kind and place are noted.
    _log.error("Reading upload %s failed: %s in %s", upload.uid, name, _place_of(trace))
    if connection.in_atomic_block:
        return
    connection.close_if_unusable_or_obsolete()
    try:
        Upload.objects.filter(pk=upload.pk).update(
            state=UploadState.FAILED.value,
            error_code="reading-failed",
            error_facts={"kind": name},
            error_sentence=f"Reading stopped by a fault of ours ({name}); the files are kept and "
            "are read again when they are sent again.",
        )
    except DatabaseError:
        _log.error("Noting that with upload %s failed as well.", upload.uid)


def _place_of(trace: TracebackType | None) -> str:
    """The innermost line of our own that a fault passed through."""
    frames = [one for one in extract_tb(trace) if "benchmarks_app" in one.filename]
    return f"{frames[-1].name}, line {frames[-1].lineno}" if frames else "another package"
