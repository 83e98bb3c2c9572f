"""Background work of measured runs: takes names, may run twice, is acknowledged late."""

from typing import Any

from celery import Task, shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from benchmarks_app.models import Upload
from benchmarks_app.queries.waiting import waiting_uploads
from benchmarks_app.services.importing import UploadBusy, import_upload

_MOST_RETRIES = 5
_FIRST_WAIT_SECONDS = 10
# What one turn of the clock reads itself.
_MOST_WAITING = 20


@shared_task(
    bind=True, name="benchmarks.import_upload", max_retries=_MOST_RETRIES, ignore_result=True
)
def import_upload_task(self: "Task[Any, Any]", uid: str) -> str:
    """Reads one upload; returns how it stands after that.

    A database that is gone is waited for. What a file or our code is at fault for is noted with
    the upload and not tried again.
    """
    try:
        return import_upload(uid).state
    except UploadBusy:
        return "busy"
    except Upload.DoesNotExist:
        return "unknown"
    except SoftTimeLimitExceeded:
        return "time-limit"
    except (OperationalError, InterfaceError) as error:
        if self.request.is_eager:
            raise
        wait = _FIRST_WAIT_SECONDS * 2**self.request.retries
        raise self.retry(exc=error, countdown=wait) from error


@shared_task(name="benchmarks.import_waiting", ignore_result=True)
def import_waiting_task() -> int:
    """Reads uploads whose task was lost, or whose worker died; returns how many were read."""
    read = 0
    for uid in waiting_uploads(now=timezone.now(), most=_MOST_WAITING):
        try:
            import_upload(uid)
        except UploadBusy:
            continue
        read += 1
    return read
