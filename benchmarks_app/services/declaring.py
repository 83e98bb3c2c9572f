"""Takes in what people state of drafts: facts, pasted output, items that nobody captured."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from benchmarks_app.contract import Fact, Load
from benchmarks_app.contract import Measurement as Measured
from benchmarks_app.domain.levels import LoadMode, RunState
from benchmarks_app.domain.provenance import NOT_CAPTURED
from benchmarks_app.models import Run
from benchmarks_app.services.declared import LONGEST_PASTED, read_declared
from benchmarks_app.services.environment import mask_pasted, read_pasted
from benchmarks_app.services.logs import stored_logs
from benchmarks_app.services.resolving import Resolver
from benchmarks_app.services.run_rows import REPORTED, apply_facts, plain_notice
from benchmarks_app.services.stated_facts import (
    DIFFERS,
    facts_from_plain,
    masked_facts,
    state_facts,
)
from benchmarks_app.services.unknown_names import current_resolver, hold_names, note_unknown
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.services import write_audit

_CHANGED = (
    "facts", "framework", "framework_version", "model", "quantization", "hardware",
    "hardware_count", "backend", "measured_at", "measured_on", "grade", "missing", "label",
    "notices", "outcome", "outcome_detail",
)  # fmt: skip


@transaction.atomic
def declare_facts(
    runs: Sequence[Run],
    *,
    facts: Mapping[str, object],
    pasted: str = "",
    not_captured: Iterable[str] = (),
    actor: str,
) -> list[Run]:
    """The drafts with what was stated; a blank value takes an earlier statement back.

    **Raises**: ``InvalidValue`` for a run that is no draft, a name that is no fact, a long text.
    """
    if len(pasted) > LONGEST_PASTED:
        raise InvalidValue(
            name="pasted output", value=f"{len(pasted)} characters",
            accepted=Phrase("up to {longest_pasted} characters", longest_pasted=LONGEST_PASTED),
        )  # fmt: skip
    hold_names()
    resolver = current_resolver()
    rows = list(
        Run.objects.select_for_update(of=("self",))
        .filter(pk__in=[run.pk for run in runs])
        .select_related("upload")
        .order_by("pk")
    )
    now = timezone.now()
    unstated = list(not_captured)
    unknown: list[tuple[str, str]] = []
    for run in rows:
        if run.state != RunState.DRAFT.value:
            raise InvalidValue(
                name="run", value=f"{run.uid} ({run.state})", accepted=Phrase("a draft")
            )
        unknown += restate(
            run, facts=facts, pasted=pasted, not_captured=unstated, resolver=resolver, now=now
        )
        write_audit(
            actor=actor, action="declare-facts", subject=f"run:{run.uid}",
            after={"facts": sorted(facts), "not_captured": unstated},
        )  # fmt: skip
    Run.objects.bulk_update(rows, _CHANGED, batch_size=200)
    note_unknown(unknown, now=now)
    return rows


def restate(
    run: Run,
    *,
    facts: Mapping[str, object],
    pasted: str = "",
    not_captured: Iterable[str] = (),
    resolver: Resolver,
    now: datetime,
) -> tuple[tuple[str, str], ...]:
    """Writes statements into an unsaved or draft row; returns names that nothing carries."""
    declared = read_declared({**dict.fromkeys(not_captured, NOT_CAPTURED), **facts})
    blank = [name for name in facts if name not in declared]
    known = facts_from_plain(run.facts).without_declared(blank)
    observed = masked_facts(read_pasted(mask_pasted(pasted))) if pasted else {}
    stated = state_facts(known, pasted=observed, declared=declared)
    kept = [one for one in run.notices if one.get("code") != DIFFERS]
    run.notices = [*kept, *(plain_notice(one) for one in stated.notices())]
    kept_as = run.replaces if run.pk is None and run.replaces else run
    return apply_facts(
        run,
        stated,
        load_of(run),
        measured=_measured(kept_as),
        logs=stored_logs(kept_as),
        resolver=resolver,
        now=now,
    )


def _measured(run: Run) -> list[Measured]:
    """The reported values of a stored run, one statistic each."""
    rows = run.measurements.filter(origin=REPORTED)[:1]
    return [Measured(one.metric, one.definition, {one.stat: one.value}) for one in rows]


def facts_of(run: Run) -> dict[str, Fact]:
    """What is stated of a run, "not captured" among it. **Queries**: none."""
    return dict(facts_from_plain(run.facts).facts)


def load_of(run: Run) -> Load:
    """The load of a run's row."""
    plain = dict(run.load)
    mode = plain.pop("mode", None)
    known = {name: value for name, value in plain.items() if name in Load.__dataclass_fields__}
    return Load(mode=LoadMode(mode) if mode else None, **known)
