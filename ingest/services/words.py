"""A word that nothing maps becomes a name of a node, and the pages that hold it are read again."""

from datetime import datetime

from django.db import transaction

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.services.reviewing import Decision, places_of_word, reread_places
from matrix.catalog_aliases import add_alias, area_of_axis
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.services import write_audit


@transaction.atomic
def map_word(pk: int, slug: str, *, actor: str, now: datetime, reason: str = "") -> Decision:
    """Makes the word of an item a name of a node; reads all pages again that hold it.

    Open items about the same word of other sources are answered with it.
    **Raises**: ``InvalidValue`` for a decided item or a word of an axis without names;
    ``UnknownName`` with the nearest nodes for an unknown slug; ``InvalidClaim``.
    """
    item = ReviewItem.objects.select_for_update().get(pk=pk)
    if item.kind != ItemKind.UNKNOWN_WORD or item.state != ItemState.OPEN:
        raise InvalidValue(
            name="item",
            value=f"{pk} ({item.kind}, {item.state})",
            accepted=Phrase("an open unknown word"),
        )
    axis, word = item.code, item.statement
    add_alias(area=area_of_axis(axis), word=word, slug=slug, actor=actor, reason=reason, now=now)
    same = ReviewItem.objects.select_for_update().filter(
        kind=ItemKind.UNKNOWN_WORD, state=ItemState.OPEN, code=axis, statement=word
    )
    decided = 0
    for other in same:
        other.state = ItemState.ACCEPTED
        other.decided_by, other.decided_at, other.reason = actor, now, reason.strip()
        other.new = {**other.new, "mapped_to": slug}
        other.save(update_fields=["state", "decided_by", "decided_at", "reason", "new"])
        decided += 1
    write_audit(
        actor=actor,
        action="map-word",
        subject=f"review:{pk}",
        before={"axis": axis, "word": word},
        after={"slug": slug, "reason": reason.strip(), "items": decided},
    )
    settled = reread_places(places_of_word("", axis, word), actor=actor, now=now)
    return Decision(decided=decided, settlement=settled)
