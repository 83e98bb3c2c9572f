"""What outer apps measured, asked through functions that the settings name.

The matrix knows no benchmark app; where the settings name none, nothing was measured.
"""

from collections.abc import Sequence
from datetime import date, datetime

from django.conf import settings
from django.utils.module_loading import import_string

from matrix.domain.coordinates import Cell
from matrix.domain.measured import MeasuredRun, Slo, SloThroughput


def measured_runs(
    cell: Cell,
    *,
    version: str | None,
    most: int = 8,
    known_at: datetime | None = None,
    as_of: date | None = None,
) -> Sequence[MeasuredRun]:
    """Runs on the cell and near it, nearest first.

    **Dates**: of those published by ``known_at`` and measured by ``as_of``.

    **Queries**: those of the named function, constant in the number of runs.
    """
    if not settings.MATRIX_MEASURED_RUNS:
        return ()
    found: Sequence[MeasuredRun] = import_string(settings.MATRIX_MEASURED_RUNS)(
        cell, version=version, most=most, known_at=known_at, as_of=as_of
    )
    return found


def throughput_at_slo(
    cell: Cell,
    slo: Slo,
    *,
    version: str | None,
    known_at: datetime | None = None,
    as_of: date | None = None,
) -> SloThroughput:
    """What runs on the cell itself reached while meeting the SLO; unknown with its reason.

    **Dates**: as of ``measured_runs``.
    """
    if not settings.MATRIX_SLO_THROUGHPUT:
        return SloThroughput(why_unknown="no-run")
    found: SloThroughput = import_string(settings.MATRIX_SLO_THROUGHPUT)(
        cell, slo, version=version, known_at=known_at, as_of=as_of
    )
    return found


def measured_by_references(references: Sequence[str]) -> Sequence[MeasuredRun]:
    """The runs of the references as they stand now; unknown ones are left out."""
    if not settings.MATRIX_RUNS_BY_REFERENCE:
        return ()
    found: Sequence[MeasuredRun] = import_string(settings.MATRIX_RUNS_BY_REFERENCE)(references)
    return found


def runs_with_peak_memory() -> Sequence[MeasuredRun]:
    """The runs that state the peak of their device memory, newest first."""
    if not settings.MATRIX_RUNS_WITH_PEAK:
        return ()
    found: Sequence[MeasuredRun] = import_string(settings.MATRIX_RUNS_WITH_PEAK)()
    return found
