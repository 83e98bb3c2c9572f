"""Decisions of curators: each in one transaction, audited, and final for the same bytes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from ingest.domain.review import CHANGE_KINDS, QUARANTINE_KINDS, ItemKind, ItemState
from ingest.models import PageRecord, ReviewItem, RuleRecord
from ingest.services.items import Draft, Place, identity_of, open_items
from ingest.services.proposals import apply_accepted
from ingest.services.records import release_rule
from ingest.services.settling import NOTHING_SETTLED, Settlement
from ingest.services.taking import RuleName, load_whole_catalogue, reread_version
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.services import record_claim, write_audit


@dataclass(frozen=True, slots=True)
class Decision:
    """What a decision brought: items decided, what was written, new items that it opened."""

    decided: int
    settlement: Settlement = NOTHING_SETTLED


@transaction.atomic
def accept_items(ids: Iterable[int], *, actor: str, now: datetime, reason: str = "") -> Decision:
    """Accepts open items and records exactly what they say.

    Of a drift alarm or an unexpected page it says that the page is right as it is: its rules read
    it again, and what that changes is settled by the feed's policy. An unknown word is not
    accepted but mapped. What an item proposes about a release, a maintenance status or a model is
    recorded.
    **Raises**: ``InvalidValue`` for an item that is decided already or cannot be accepted;
    ``InvalidClaim`` when a finding breaks a data rule; nothing is decided then.
    """
    items = _open_items(ids)
    for item in items:
        if item.kind == ItemKind.UNKNOWN_WORD:
            raise InvalidValue(
                name="item",
                value=item.pk,
                accepted=Phrase("an item of another kind; map the word instead"),
            )
        _decide(item, ItemState.ACCEPTED, actor=actor, now=now, reason=reason)
        if item.kind == ItemKind.UNEXPECTED_PAGE:
            _do_without(item)
    apply_accepted(items, actor=actor, now=now)
    settled = _reread(
        [i for i in items if i.kind in (*CHANGE_KINDS, *QUARANTINE_KINDS)], actor=actor, now=now
    )
    return Decision(decided=len(items), settlement=settled)


@transaction.atomic
def reject_items(ids: Iterable[int], *, actor: str, now: datetime, reason: str) -> Decision:
    """Refuses open items for ever, as far as the same bytes go; the record stays as it is.

    **Raises**: ``InvalidValue`` without a reason or for an item that is decided already.
    """
    _need_reason(reason)
    items = _open_items(ids)
    for item in items:
        _decide(item, ItemState.REJECTED, actor=actor, now=now, reason=reason)
    _release_rules(items)
    return Decision(decided=len(items))


@transaction.atomic
def edit_item(pk: int, claim: Claim, *, actor: str, now: datetime, reason: str) -> Decision:
    """Records a claim of the curator's own instead of what the page was read as.

    The claim names the snapshot in its evidence; the finding itself stays refused.
    **Raises**: ``InvalidValue``, ``InvalidClaim``.
    """
    _need_reason(reason)
    (item,) = _open_items([pk])
    row = record_claim(claim, actor=actor)
    item.claim_uid = row.uid
    item.save(update_fields=["claim_uid"])
    _decide(item, ItemState.EDITED, actor=actor, now=now, reason=reason)
    _release_rules([item])
    return Decision(decided=1)


@transaction.atomic
def report_problem(
    *, place: Place, statement: str, sentence: str, actor: str, now: datetime
) -> int:
    """Opens an item that a reader of the site asks to have looked at; returns how many are new.

    **Raises**: ``InvalidValue`` without a sentence.
    """
    if not sentence.strip():
        raise InvalidValue(
            name="sentence", value=sentence, accepted=Phrase("what is wrong, in words")
        )
    draft = Draft(
        identity=identity_of("problem", place, statement, sentence.strip(), actor),
        kind=ItemKind.PROBLEM_REPORT,
        place=place,
        statement=statement,
        sentence=sentence.strip(),
        new={"reported_by": actor},
    )
    opened = open_items([draft], now=now)
    if opened:
        write_audit(actor=actor, action="report-problem", subject=statement[:200] or place.path,
                    after={"sentence": sentence.strip()})  # fmt: skip
    return opened


def _do_without(item: ReviewItem) -> None:
    """A page that cannot be had, and that a curator let pass, stops its rule no longer."""
    RuleRecord.objects.filter(
        page__framework=item.framework,
        page__version=item.version,
        page__path=item.path,
        page__snapshot__isnull=True,
        source=item.source,
        rule=item.rule,
    ).delete()


def _release_rules(items: Iterable[ReviewItem]) -> None:
    """Pages of which nothing waits any more are no longer held."""
    places = {(i.framework, i.version, i.source, i.rule) for i in items if i.kind in CHANGE_KINDS}
    for framework, version, source, rule in places:
        waiting = ReviewItem.objects.filter(
            framework=framework,
            version=version,
            source=source,
            rule=rule,
            kind__in=CHANGE_KINDS,
            state=ItemState.OPEN,
        )
        if not waiting.exists():
            release_rule(framework, version, source, rule)


def _need_reason(reason: str) -> None:
    if not reason.strip():
        raise InvalidValue(name="reason", value=reason, accepted=Phrase("a sentence that says why"))


def _open_items(ids: Iterable[int]) -> list[ReviewItem]:
    """The items, locked for the decision.

    **Raises**: ``InvalidValue`` naming those that are decided already or do not exist.
    """
    wanted = sorted(set(ids))
    items = list(ReviewItem.objects.select_for_update().filter(pk__in=wanted).order_by("pk"))
    missing = sorted(set(wanted) - {item.pk for item in items})
    closed = [f"{item.pk} ({item.state})" for item in items if item.state != ItemState.OPEN]
    if missing or closed or not wanted:
        seen = ", ".join([*map(str, missing), *closed]) or "nothing"
        raise InvalidValue(
            name="items", value=seen, accepted=Phrase("identifiers of open review items")
        )
    return items


def _decide(item: ReviewItem, state: ItemState, *, actor: str, now: datetime, reason: str) -> None:
    item.state = state.value
    item.decided_by, item.decided_at, item.reason = actor, now, reason.strip()
    item.save(update_fields=["state", "decided_by", "decided_at", "reason"])
    write_audit(
        actor=actor,
        action=f"review-{state.value}",
        subject=f"review:{item.pk}",
        before={"state": ItemState.OPEN.value, "kind": item.kind, "statement": item.statement},
        after={"state": state.value, "reason": item.reason, "claim": item.claim_uid},
    )


def _reread(items: Sequence[ReviewItem], *, actor: str, now: datetime) -> Settlement:
    """Reads the pages of decided items again, by their rules alone, in the order of releases."""
    places: dict[tuple[str, str], set[RuleName]] = {}
    for item in items:
        if item.rule:
            places.setdefault((item.framework, item.version), set()).add((item.source, item.rule))
    return reread_places(places, actor=actor, now=now) if places else NOTHING_SETTLED


def reread_places(
    places: dict[tuple[str, str], set[RuleName]],
    *,
    actor: str,
    now: datetime,
    catalogue: Catalogue | None = None,
) -> Settlement:
    """Reads rules of versions again from the kept pages; versions in the order of their release.

    **Raises**: ``InvalidClaim``.
    """
    catalogue = catalogue or load_whole_catalogue()
    settled = NOTHING_SETTLED
    for framework, version in sorted(places, key=lambda place: _rank(catalogue, *place)):
        taken = reread_version(
            framework,
            version,
            catalogue=catalogue,
            actor=actor,
            now=now,
            rules=frozenset(places[framework, version]),
        )
        settled += taken.settlement
    return settled


def _rank(catalogue: Catalogue, framework: str, version: str) -> tuple[str, int, str]:
    release = (
        PageRecord.objects.filter(framework=framework, version=version)
        .values_list("release", flat=True)
        .first()
    )
    history = catalogue.histories.get(framework)
    rank = history.find_rank(release) if history and release else None
    return framework, -1 if rank is None else rank, version


def places_of_word(source: str, axis: str, word: str) -> dict[tuple[str, str], set[RuleName]]:
    """Rules and versions whose pages hold a word that nothing mapped. **Queries**: 1."""
    rows = RuleRecord.objects.filter(unknown_words__contains=[[axis, word]])
    if source:
        rows = rows.filter(source=source)
    places: dict[tuple[str, str], set[RuleName]] = {}
    for framework, version, name, rule in rows.values_list(
        "page__framework", "page__version", "source", "rule"
    ):
        places.setdefault((framework, version), set()).add((name, rule))
    return places
