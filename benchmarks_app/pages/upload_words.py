"""Words and signs of uploads and their files, as people read them."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from benchmarks_app.contract import FileRole
from benchmarks_app.domain.levels import UploadState
from matrix.pages.words import Sign

UPLOAD_SIGNS: Mapping[UploadState, Sign] = {
    UploadState.RECEIVED: Sign(
        "received", "…", pgettext_lazy("upload", "received"), _("received"),
        _("All bytes are kept; reading begins in a moment."),
    ),
    UploadState.READING: Sign(
        "reading", "…", pgettext_lazy("upload", "being read"), _("reading"),
        _("Its files are being read."),
    ),
    UploadState.READ: Sign(
        "read", "✓", pgettext_lazy("upload", "read"), _("read"),
        _("Its files were read; see what was understood."),
    ),
    UploadState.REJECTED: Sign(
        "rejected", "✕", pgettext_lazy("upload", "rejected"), _("rejected"),
        _("None of its files holds a run that can be read."),
    ),
    UploadState.FAILED: Sign(
        "failed", "!", pgettext_lazy("upload", "failed"), _("failed"),
        _("We failed, not the file. Its bytes are kept, and are read again when sent again."),
    ),
}  # fmt: skip
ROLE_SIGNS: Mapping[str, tuple[str, Promise]] = {
    "": ("…", _("not read yet")),
    FileRole.RUNS: ("✓", _("holds runs")),
    FileRole.SIDECAR: ("+", _("says something of the runs beside it")),
    FileRole.ATTACHMENT: ("⎘", _("kept beside the runs")),
    FileRole.REJECTED: ("✕", _("not taken")),
}
AXIS_FACT_WORDS: Mapping[str, Promise] = {
    "framework": _("Framework"),
    "model": _("Model"),
    "quantization": _("Quantization"),
    "hardware": _("Hardware"),
    "backend": _("Backend"),
}
