"""Uploads: whose they are, what was read from them, and which names wait for a meaning."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from benchmarks_app.domain.levels import RunState, UploadState
from benchmarks_app.models import (
    Receipt,
    Run,
    RunFile,
    StoredFile,
    UnknownName,
    Upload,
    UploadFile,
)
from benchmarks_app.queries.run_rows import is_uid
from benchmarks_app.services.writing_runs import SAME_RUN
from matrix.queries.access import has_right

UPLOAD_RIGHT = "upload-runs"
REVIEW_RIGHT = "review-runs"
# States in which more is still to come.
UNDER_WAY = frozenset({UploadState.RECEIVED.value, UploadState.READING.value})


def may_review(user: Any) -> bool:
    """Whether the user looks after everybody's runs. **Queries**: 1."""
    return bool(user.is_authenticated and has_right(user, REVIEW_RIGHT))


def uploads_seen_by(user: Any) -> QuerySet[Upload]:
    """The uploads that the user may see: sent by the user, or all for curators. **Queries**: 1."""
    if not user.is_authenticated:
        return Upload.objects.none()
    if may_review(user):
        return Upload.objects.all()
    name = user.get_username()
    sent = Receipt.objects.filter(upload=OuterRef("pk"), sent_by=name)
    return Upload.objects.filter(Q(received_by=name) | Exists(sent))


def upload_of(user: Any, uid: str) -> Upload | None:
    """The upload, or ``None`` where the user may not see it. **Queries**: 2."""
    return uploads_seen_by(user).filter(uid=uid).first() if is_uid(uid) else None


def may_change_upload(user: Any, upload: Upload) -> bool:
    """Whether the user may state facts of its drafts, publish or discard them.

    Who sent the same bytes later sees the upload, but its drafts are the first sender's.
    """
    return upload.received_by == user.get_username() or may_review(user)


def listed_uploads(user: Any) -> QuerySet[Upload]:
    """Uploads with a file's name and counts of their files and drafts, newest first."""
    drafts = Run.objects.filter(upload=OuterRef("pk"), state=RunState.DRAFT.value)
    files = UploadFile.objects.filter(upload=OuterRef("pk"))
    return (
        uploads_seen_by(user)
        .annotate(
            file_count=_count_of(files),
            draft_count=_count_of(drafts),
            file_name=Subquery(files.order_by("name", "pk").values("name")[:1]),
        )
        .order_by("-received_at", "-id")
    )


def _count_of(rows: QuerySet[Any]) -> Any:
    """The number of an upload's rows. A join of two kinds of rows would multiply them."""
    counted = rows.order_by().values("upload").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def files_of(upload: Upload) -> Sequence[UploadFile]:
    """The files with their stored bytes' digest and size. **Queries**: 1."""
    return list(upload.files.select_related("file").order_by("name", "id"))


def runs_for_preview(uids: Sequence[str]) -> list[Run]:
    """Runs with their values and files, in the order given. **Queries**: 3."""
    files = RunFile.objects.select_related("upload_file")
    rows = (
        Run.objects.filter(uid__in=uids)
        .select_related("upload")
        .prefetch_related("measurements", Prefetch("files", queryset=files))
    )
    by_uid = {row.uid: row for row in rows}
    return [by_uid[uid] for uid in uids if uid in by_uid]


def may_change(user: Any, run: Run) -> bool:
    """Whether the user may publish, withdraw or correct the run: its sender or a curator."""
    if not user.is_authenticated:
        return False
    if may_review(user):
        return True
    return run.created_by == user.get_username() and has_right(user, UPLOAD_RIGHT)


def run_seen_by(user: Any, uid: str) -> Run | None:
    """A run that the user may see: public, or a draft that own files tell. **Queries**: 1 to 5."""
    rows = Run.objects.select_related("upload", "replaces")
    run = rows.filter(uid=uid).first() if is_uid(uid) else None
    if run is None or run.state != RunState.DRAFT.value:
        return run
    own = upload_of(user, run.upload.uid) is not None
    return run if own or _is_told_again(user, run) else None


def _is_told_again(user: Any, run: Run) -> bool:
    """Whether a file of the user tells the run of another one's upload. **Queries**: 2."""
    told = [{"code": SAME_RUN, "detail": run.uid}]
    files = UploadFile.objects.filter(upload__in=uploads_seen_by(user), notices__contains=told)
    return files.exists()


def stored_file_of(upload_uid: str, sha256: str) -> tuple[StoredFile, str] | None:
    """The bytes of a file of an upload, and its name. **Queries**: 1."""
    if not (is_uid(upload_uid) and sha256.isalnum()):
        return None
    row = (
        UploadFile.objects.select_related("file")
        .filter(upload__uid=upload_uid, file__sha256=sha256)
        .first()
    )
    return (row.file, row.name) if row else None


def waiting_names() -> QuerySet[UnknownName]:
    """Names that nobody has decided on, oldest first."""
    return UnknownName.objects.filter(decided_at=None).order_by("first_seen_at", "pk")


def decided_names() -> QuerySet[UnknownName]:
    """Names that somebody decided on, newest decision first."""
    return UnknownName.objects.exclude(decided_at=None).order_by("-decided_at", "-pk")


def upload_plain(
    upload: Upload, files: Sequence[UploadFile], runs: Sequence[Run]
) -> dict[str, Any]:
    """What a sender is told of an upload: state, each file, each run."""
    return {
        "uid": upload.uid,
        "state": upload.state,
        "done": upload.state not in UNDER_WAY,
        "received_at": upload.received_at.isoformat().replace("+00:00", "Z"),
        "files_count": len(files),
        "files_read": upload.files_read,
        "runs_count": len(runs),
        "error": {
            "code": upload.error_code,
            "detail": upload.error_sentence,
            "place": str(upload.error_facts.get("place", "")) or None,
        }
        if upload.error_code
        else None,
        "files": [
            {
                "name": file.name,
                "sha256": file.file.sha256,
                "size_bytes": file.file.size_bytes,
                "role": file.role or None,
                "format": file.format or None,
                "tool": file.tool or None,
                "reason": file.reason or None,
                "error_code": file.error_code or None,
            }
            for file in files
        ],
        "runs": [
            {
                "uid": run.uid,
                "state": run.state,
                "status": run.status,
                "label": run.label or None,
                "grade": run.grade or None,
                "missing": list(run.missing),
                "claim": run.claim_uid or None,
                "in_upload": run.upload_id == upload.pk,
            }
            for run in runs
        ],
    }
