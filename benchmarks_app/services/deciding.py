"""Decides what an unknown name means, for all runs that use it, published ones too."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Run, UnknownName
from benchmarks_app.services.publishing import reattach
from benchmarks_app.services.resolving import (
    AXES,
    LONGEST_NAME,
    NAME_FACTS,
    NODES,
    Resolver,
    write_nodes,
)
from benchmarks_app.services.stated_facts import facts_from_plain
from benchmarks_app.services.unknown_names import current_resolver, hold_names, note_unknown
from matrix.domain.errors import InvalidValue
from matrix.domain.errors import UnknownName as NoNode
from matrix.domain.phrases import Phrase
from matrix.index import current_knowledge
from matrix.services import write_audit


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision, how many runs it changed, and how many claims of theirs."""

    row: UnknownName
    runs_changed: int
    claims_changed: int


@transaction.atomic
def decide_name(
    axis: str, name: str, *, slug: str = "", no_node: bool = False, actor: str
) -> Decided:
    """Says what a name means: a node, or none of the catalogue; a later decision replaces it.

    **Raises**: ``InvalidValue`` for both or neither, a name that no run uses or another axis;
    ``matrix.domain.errors.UnknownName`` for a slug that no node has.
    """
    if axis not in AXES:
        raise InvalidValue(name="axis", value=axis, accepted=", ".join(AXES))
    if bool(slug) is no_node:
        raise InvalidValue(
            name="decision", value=slug, accepted=Phrase("a node, or that it means none")
        )
    catalogue = current_knowledge().catalogue
    if slug and slug not in catalogue.area(axis):
        nearest = catalogue.vocabulary.table(axis).nearest(slug)
        raise NoNode(axis=axis, value=slug, nearest=nearest)
    hold_names()
    row = UnknownName.objects.select_for_update().filter(axis=axis, name=name).first()
    if row is None:
        raise InvalidValue(
            name="name", value=name[:80], accepted=Phrase("a name that waits for review")
        )
    before = {"slug": row.slug, "no_node": row.no_node}
    row.slug, row.no_node = slug, no_node
    row.decided_by, row.decided_at = actor, timezone.now()
    row.save(update_fields=["slug", "no_node", "decided_by", "decided_at"])
    write_audit(
        actor=actor, action="decide-name", subject=f"name:{axis}:{name}", before=before,
        after={"slug": slug, "no_node": no_node},
    )  # fmt: skip
    changed = resolve_again(_runs_with(axis, name), resolver=current_resolver())
    published = [run for run in changed if run.state == RunState.PUBLISHED.value]
    claims = reattach(published, actor=actor, reason=f"{name[:100]!r} was decided")
    return Decided(row, len(changed), claims)


def resolve_again(runs: Iterable[Run], *, resolver: Resolver) -> list[Run]:
    """Writes the nodes of runs anew inside the caller's transaction; the runs that changed."""
    changed = []
    unknown: list[tuple[str, str]] = []
    for run in runs:
        found = resolver.resolve(facts_from_plain(run.facts).facts)
        unknown += found.unknown
        if write_nodes(run, found):
            changed.append(run)
    Run.objects.bulk_update(changed, NODES, batch_size=500)
    note_unknown(unknown, now=timezone.now())
    return changed


def runs_named(axis: str, name: str) -> "Q":
    """The condition of runs whose facts may hold a name on an axis, also as a part of a path.

    It finds too many rather than too few: resolving anew changes only what the name is about.
    """
    wanted = name[:LONGEST_NAME]
    spellings = {wanted, wanted.replace("/", "--")}
    tests = [
        Q(**{f"facts__{fact}__value__icontains": spelling})
        for fact in NAME_FACTS[axis]
        for spelling in sorted(spellings)
    ]
    if axis == "quantization":
        # The type is read out of a description, which spells it in another way.
        tests.append(Q(quantization="", facts__has_key="model.desc"))
    return reduce(or_, tests)


def _runs_with(axis: str, name: str) -> Sequence[Run]:
    rows = Run.objects.select_for_update(of=("self",)).select_related("upload")
    return list(rows.filter(runs_named(axis, name)).order_by("pk"))
