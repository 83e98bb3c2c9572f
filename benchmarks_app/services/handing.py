"""Hands uploads to whoever reads them: a worker, or this process where there is no broker."""

from functools import partial

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError as BrokerError

from benchmarks_app.models import Upload
from benchmarks_app.services.importing import import_upload, needs_reading

TASK = "benchmarks.import_upload"


def hand_over(upload: Upload) -> None:
    """Has an upload read once the running transaction is committed.

    A broker that cannot be reached loses nothing: what waits is picked up by the clock.
    """
    if needs_reading(upload):
        transaction.on_commit(partial(_hand_over, upload.uid), robust=True)


def _hand_over(uid: str) -> None:
    if settings.CELERY_TASK_ALWAYS_EAGER:
        import_upload(uid)
        return
    try:
        current_app.send_task(TASK, args=[uid])
    except BrokerError:
        # The upload stays received; ``benchmarks.import_waiting`` finds it.
        return
