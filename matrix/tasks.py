"""Background work of the knowledge: takes nothing, may run twice, is acknowledged late."""

from celery import shared_task

from matrix.dossiers import recheck_due


@shared_task(name="matrix.recheck_due_dossiers", ignore_result=True)
def recheck_due_dossiers_task() -> int:
    """Re-checks the dossiers that are due today; returns how many.

    What was re-checked is due again on its next day only, so a second run finds nothing.
    """
    return len(recheck_due())
