"""Runs chosen for a comparison, and the digest of what they say."""

import hashlib
import json
from collections.abc import Sequence

from django.db.models import QuerySet

from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Run
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

FEWEST_RUNS, MOST_RUNS = 2, 50
DIGEST_LENGTH = 16


def runs_by_uid(uids: Sequence[str]) -> list[Run]:
    """The public runs of these identifiers, in the given order and each once.

    **Queries**: 1. **Raises**: ``InvalidValue`` for more than 50, and for an unknown identifier.
    """
    wanted = list(dict.fromkeys(uids))
    if len(wanted) > MOST_RUNS:
        raise InvalidValue(
            name="runs",
            value=f"{len(wanted)} runs",
            accepted=Phrase("up to {most_runs} runs", most_runs=MOST_RUNS),
        )
    known = {run.uid: run for run in Run.objects.public().filter(uid__in=wanted)}
    for uid in wanted:
        if uid not in known:
            raise InvalidValue(
                name="runs", value=uid[:40], accepted=Phrase("identifiers of published runs")
            )
    return [known[uid] for uid in wanted]


def newest_runs(runs: QuerySet[Run]) -> tuple[list[Run], bool]:
    """Up to 50 of the selected runs, newest first, and whether there are more. **Queries**: 1."""
    found = list(runs.order_by("-published_at", "-id")[: MOST_RUNS + 1])
    return found[:MOST_RUNS], len(found) > MOST_RUNS


def newer_versions(runs: Sequence[Run]) -> dict[int, str]:
    """The identifier of the public version that replaces each replaced run.

    **Queries**: 1 where a run was replaced, else none.
    """
    replaced = [run.pk for run in runs if run.state == RunState.REPLACED]
    if not replaced:
        return {}
    rows = Run.objects.public().filter(replaces_id__in=replaced)
    return dict(rows.values_list("replaces_id", "uid"))


def content_digest(runs: Sequence[Run]) -> str:
    """What changes when a run says something else, is withdrawn, or is replaced."""
    said = [[run.uid, run.digest, run.state] for run in runs]
    text = json.dumps(said, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]
