"""Figures of measured runs, for monitoring."""

from collections.abc import Sequence

from django.db.models import Count

from benchmarks_app.domain.levels import RunClass, UploadState
from benchmarks_app.models import Run, UnknownName, Upload
from matrix.domain.figures import Figure


def run_figures() -> Sequence[Figure]:
    """Standing runs by class, uploads by state, names that wait for a decision. **Queries**: 3."""
    runs = dict(Run.objects.standing().order_by().values_list("run_class").annotate(Count("pk")))
    uploads = dict(Upload.objects.order_by().values_list("state").annotate(Count("pk")))
    waiting = UnknownName.objects.filter(decided_at__isnull=True).count()
    return [
        *(
            Figure("runproof_runs", "Standing runs by class.", runs.get(one.value, 0),
                   {"run_class": one.value})
            for one in RunClass
        ),
        *(
            Figure("runproof_uploads", "Uploads by state; received ones wait for a worker.",
                   uploads.get(one.value, 0), {"state": one.value})
            for one in UploadState
        ),
        Figure("runproof_unknown_names", "Names in runs that wait for a curator.", waiting),
    ]  # fmt: skip
