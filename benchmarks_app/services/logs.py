"""Texts of logs beside a run, which may say why it failed."""

from collections.abc import Iterable

from benchmarks_app.domain.levels import RunStatus
from benchmarks_app.models import Run, StoredFile
from benchmarks_app.services.storing import stored_bytes

# A log says early on what broke; larger attachments are records, not logs.
LARGEST_LOG_BYTES = 4 * 1024 * 1024
# A run that came to its end needs no log to say how.
FINISHED = frozenset({RunStatus.OK.value, RunStatus.PARTIAL.value})
_ATTACHMENT = "attachment"


def log_texts(files: Iterable[StoredFile]) -> list[str]:
    """The texts of attachments that may be logs. **Queries**: 1 for each."""
    return [
        stored_bytes(file).decode("utf-8", "replace")
        for file in files
        if file.size_bytes <= LARGEST_LOG_BYTES
    ]


def stored_logs(run: Run) -> list[str]:
    """The texts of logs beside a stored run that did not come to its end."""
    if run.status in FINISHED:
        return []
    rows = run.files.filter(part=_ATTACHMENT).select_related("upload_file__file")
    return log_texts(row.upload_file.file for row in rows)
