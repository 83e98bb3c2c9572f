"""Uploads that nobody reads although they wait for it."""

from datetime import datetime, timedelta

from benchmarks_app.domain.levels import UploadState
from benchmarks_app.models import Upload

# A task that was handed on has begun by then, unless the queue is long or the task was lost.
_GRACE = timedelta(minutes=2)


def waiting_uploads(*, now: datetime, most: int) -> list[str]:
    """Identifiers of uploads received a while ago and neither read nor refused, oldest first.

    One that is just being read is among them: its reader holds its lock. **Queries**: 1.
    """
    states = (UploadState.RECEIVED.value, UploadState.READING.value)
    rows = Upload.objects.filter(state__in=states, received_at__lt=now - _GRACE)
    return list(rows.order_by("received_at").values_list("uid", flat=True)[:most])
