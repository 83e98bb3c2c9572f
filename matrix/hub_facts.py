"""Facts of checkpoints that a model hub states: kept apart, so that no load loses them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from matrix.models import NODE_MODELS, CuratedFacts
from matrix.services import raise_revision, write_audit

MODEL_AREA = "model"


def contradictions_of(slug: str, facts: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Facts that the catalogue states otherwise: (catalogue, hub) by name. **Queries**: 1."""
    rows = NODE_MODELS[MODEL_AREA].objects.filter(slug=slug)
    known = rows.values_list("facts", flat=True).first() or {}
    return {
        name: (known[name], value)
        for name, value in facts.items()
        if known.get(name) is not None and known[name] != value
    }


@transaction.atomic
def record_facts(
    slug: str,
    facts: Mapping[str, Any],
    *,
    url: str,
    revision: str,
    snapshot_sha256: str,
    actor: str,
    now: datetime,
) -> bool:
    """Keeps facts of a checkpoint and adds them to its node; whether that changed anything.

    What was kept before stays unless it is stated anew.
    """
    row, created = CuratedFacts.objects.select_for_update().get_or_create(
        area=MODEL_AREA,
        slug=slug,
        defaults={"facts": {}, "actor": actor, "recorded_at": now},
    )
    before = dict(row.facts)
    row.facts = {**before, **facts}
    if row.facts == before and not created:
        return False
    row.url, row.revision, row.snapshot_sha256 = url, revision, snapshot_sha256
    row.actor, row.recorded_at = actor, now
    row.save()
    apply_facts(MODEL_AREA, slugs=[slug])
    changed = {key: value for key, value in facts.items() if before.get(key) != value}
    write_audit(
        actor=actor,
        action="record-facts",
        subject=f"{MODEL_AREA}:{slug}",
        before={key: before[key] for key in changed if key in before},
        after=changed,
    )
    raise_revision()
    return True


def apply_facts(area: str, *, slugs: list[str] | None = None) -> int:
    """Lays the kept facts over those of the nodes; returns how many nodes that changed.

    **Queries**: 2 and 1 for all nodes that change.
    """
    kept = CuratedFacts.objects.filter(area=area)
    if slugs is not None:
        kept = kept.filter(slug__in=slugs)
    facts = dict(kept.values_list("slug", "facts"))
    if not facts:
        return 0
    changed = []
    for row in NODE_MODELS[area].objects.filter(slug__in=list(facts)):
        whole = {**row.facts, **facts[row.slug]}
        if whole != row.facts:
            row.facts = whole
            changed.append(row)
    NODE_MODELS[area].objects.bulk_update(changed, ["facts"], batch_size=500)
    return len(changed)
