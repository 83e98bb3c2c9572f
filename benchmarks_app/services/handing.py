"""Hands uploads to whoever reads them: a worker, or this process where there is no broker."""

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError as BrokerError

from benchmarks_app.models import Upload
from benchmarks_app.services.importing import UploadBusy, import_upload, needs_reading

TASK = "benchmarks.import_upload"


def hand_over(upload: Upload) -> None:
    """Has an upload read once the running transaction is committed.

    A broker that cannot be reached loses nothing: what waits is picked up by the clock.
    """
    if not needs_reading(upload):
        return
    uid = upload.uid

    # Django logs the failure of such a call under its name, which a partial has not.
    def hand_over_committed() -> None:
        _hand_over(uid)

    transaction.on_commit(hand_over_committed, robust=True)


def _hand_over(uid: str) -> None:
    if settings.CELERY_TASK_ALWAYS_EAGER:
        try:
            import_upload(uid)
        except UploadBusy:
            # Who sent the same bytes a moment before has them read.
            return
        return
    try:
        current_app.send_task(TASK, args=[uid])
    except BrokerError:
        # The upload stays received; ``benchmarks.import_waiting`` finds it.
        return
