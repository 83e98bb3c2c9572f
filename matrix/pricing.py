"""Writes prices of hardware: recorded and withdrawn, never edited; one transaction each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from matrix.asking import QuestionReader
from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.need import read_text
from matrix.domain.phrases import Phrase, join_phrases
from matrix.entering.problems import BrokenEntries
from matrix.models import HardwarePrice
from matrix.price_lines import COLUMNS, PriceDraft, read_price, read_prices
from matrix.services import write_audit

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
LONGEST_REASON = 500
# Held while prices are compared with the recorded ones, so that two of one table record it once.
_LOCK = 0x52505052


class PriceConflict(RunproofError):
    """A write that the present state of a price does not allow."""

    def __init__(self, message: str) -> None:
        super().__init__(message=message, code="conflict")


class InvalidPrice(RunproofError):
    """A price that cannot be recorded; ``problems`` lists everything that is wrong with it."""

    def __init__(self, *, problems: Sequence[str]) -> None:
        super().__init__(
            message=Phrase(
                "The price cannot be recorded: {problems}.", problems=join_phrases("; ", problems)
            ),
            code="invalid-price",
            facts={"problems": list(problems)},
        )


@dataclass(frozen=True, slots=True)
class PriceImport:
    """What an import of prices did, or would do. ``lines`` counts the prices read."""

    lines: int
    new: tuple[PriceDraft, ...]
    unchanged: tuple[PriceDraft, ...]
    recorded: tuple[HardwarePrice, ...] = ()


@transaction.atomic
def record_price(given: Mapping[str, Any], reader: QuestionReader, *, actor: str) -> HardwarePrice:
    """Records one price as somebody wrote it.

    **Raises**: ``InvalidPrice`` with every problem; ``PriceConflict`` where the same stands.
    """
    draft, problems = read_price(given, reader)
    if draft is None:
        raise InvalidPrice(problems=[str(problem) for problem in problems])
    _lock()
    held = _standing_ones([draft]).get(_key_of(draft))
    if held:
        raise PriceConflict(
            Phrase(
                "The same price of {hardware} from {effective_on} on stands as "
                "{held}; accepted: another price, or that one withdrawn before.",
                hardware=draft.hardware,
                effective_on=draft.effective_on,
                held=held,
            )
        )
    row = _store([draft], actor=actor)[0]
    write_audit(actor=actor, action="record-price", subject=f"price:{row.uid}", after=_plain(draft))
    return row


@transaction.atomic
def import_prices(
    data: bytes, reader: QuestionReader, *, actor: str, dry_run: bool = False, name: str = ""
) -> PriceImport:
    """Records the prices of a table, all or none; one that stands already is left as it is.

    **Raises**: ``BrokenEntries`` listing every problem by line; nothing is written then.
    """
    drafts, problems = read_prices(data, reader)
    if problems:
        raise BrokenEntries(problems, name=name)
    if not dry_run:
        _lock()
    held = _standing_ones(drafts)
    seen: set[tuple[object, ...]] = set()
    new: list[PriceDraft] = []
    unchanged: list[PriceDraft] = []
    for draft in drafts:
        key = _key_of(draft)
        (unchanged if key in held or key in seen else new).append(draft)
        seen.add(key)
    rows = [] if dry_run else _store(new, actor=actor)
    if rows:
        write_audit(
            actor=actor,
            action="import-prices",
            subject=f"prices:{len(rows)}",
            after={"prices": {row.uid: _plain(d) for row, d in zip(rows, new, strict=True)}},
        )
    return PriceImport(len(drafts), tuple(new), tuple(unchanged), tuple(rows))


@transaction.atomic
def withdraw_price(uid: str, *, actor: str, reason: str) -> HardwarePrice:
    """Takes a price back; it stays readable and counts no more.

    **Raises**: ``InvalidValue`` for no reason or an unknown price, ``PriceConflict`` for one that
    was withdrawn already.
    """
    text = read_text("reason", reason, longest=LONGEST_REASON)
    if not text:
        raise InvalidValue(
            name="reason",
            value=reason[:60],
            accepted=Phrase("1 to {longest_reason} characters", longest_reason=LONGEST_REASON),
        )
    row = HardwarePrice.objects.select_for_update().filter(uid=uid).first()
    if row is None:
        raise InvalidValue(name="uid", value=uid[:40], accepted=Phrase("the identifier of a price"))
    if row.withdrawn_at is not None:
        raise PriceConflict(
            Phrase(
                "The price {uid} was withdrawn on {withdrawn_at} by {withdrawn_by}.",
                uid=uid,
                withdrawn_at=row.withdrawn_at.date(),
                withdrawn_by=row.withdrawn_by,
            )
        )
    row.withdrawn_at, row.withdrawn_by, row.reason = timezone.now(), actor, text
    row.save(update_fields=["withdrawn_at", "withdrawn_by", "reason"])
    write_audit(
        actor=actor, action="withdraw-price", subject=f"price:{uid}", after={"reason": text}
    )
    return row


def _lock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _key_of(price: PriceDraft | HardwarePrice) -> tuple[object, ...]:
    return tuple(getattr(price, name) for name in COLUMNS)


def _standing_ones(drafts: Sequence[PriceDraft]) -> dict[tuple[object, ...], str]:
    """The identifiers of standing prices of the same hardware by what they say. **Queries**: 1."""
    rows = HardwarePrice.objects.filter(
        hardware__in={draft.hardware for draft in drafts}, withdrawn_at__isnull=True
    )
    return {_key_of(row): row.uid for row in rows}


def _store(drafts: Sequence[PriceDraft], *, actor: str) -> list[HardwarePrice]:
    now = timezone.now()
    return HardwarePrice.objects.bulk_create(
        HardwarePrice(
            uid=get_random_string(12, _LETTERS),
            recorded_by=actor,
            recorded_at=now,
            **{name: getattr(draft, name) for name in COLUMNS},
        )
        for draft in drafts
    )


def _plain(draft: PriceDraft) -> dict[str, object]:
    plain = {one.name: getattr(draft, one.name) for one in fields(draft) if one.name != "line"}
    return {
        name: value if isinstance(value, int) else str(value)
        for name, value in plain.items()
        if value != ""
    }
