"""Prices of hardware: lists, and which one holds on a day."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from matrix.domain.catalogue import Catalogue
from matrix.domain.cost import PriceValue, lowest_offer
from matrix.domain.levels import Axis
from matrix.index import current_catalogue
from matrix.models import HardwarePrice

# A price of a whole vendor or architecture says nothing about one of its devices.
PRICED_KINDS = ("device",)


@dataclass(frozen=True, slots=True)
class PriceFound:
    """The price that holds, or why there is none: ``no-price``, ``several-currencies``.

    ``offers`` are all that hold on the day, the lowest per device first.
    """

    price: PriceValue | None = None
    why_unknown: str = ""
    offers: tuple[PriceValue, ...] = ()
    currencies: tuple[str, ...] = ()


def price_value(row: HardwarePrice) -> PriceValue:
    """The price of a row."""
    return PriceValue(
        uid=row.uid,
        hardware=row.hardware,
        device_count=row.device_count,
        amount_per_hour=row.amount_per_hour,
        currency=row.currency,
        effective_on=row.effective_on,
        provider=row.provider,
        terms=row.terms,
        url=row.url,
        note=row.note,
        is_demonstration=row.is_demonstration,
    )


def find_price(
    hardware: str,
    *,
    on: date,
    currency: str | None = None,
    known_at: datetime | None = None,
) -> PriceFound:
    """The price of a device that holds on a day, by what was recorded by ``known_at``.

    Of one series (provider, terms, currency, devices together) the newest that holds by the day
    counts. A price of the node itself comes before those of the devices above it. Of several
    offers in one currency that of the lowest price per device is taken and the others counted;
    several currencies without a choice are no price, because nothing here converts them.
    **Queries**: 1, and the catalogue's.
    """
    catalogue = current_catalogue()
    places = _places(hardware, catalogue)
    by_place: dict[str, list[PriceValue]] = {}
    for price in _holding(places, on=on, known_at=known_at):
        by_place.setdefault(price.hardware, []).append(price)
    found = next((by_place[place] for place in places if place in by_place), [])
    currencies = tuple(sorted({price.currency for price in found}))
    if currency:
        found = [price for price in found if price.currency == currency.upper()]
    if not found:
        return PriceFound(why_unknown="no-price", currencies=currencies)
    found = [replace(one, is_of_wider_hardware=one.hardware != hardware) for one in found]
    offers = sorted(found, key=lambda one: (one.currency, one.amount_per_device_hour, one.uid))
    if len({price.currency for price in found}) > 1:
        return PriceFound(
            why_unknown="several-currencies", offers=tuple(offers), currencies=currencies
        )
    return PriceFound(price=lowest_offer(found), offers=tuple(offers), currencies=currencies)


def price_for(
    hardware_slug: str,
    *,
    on: date,
    currency: str | None = None,
    known_at: datetime | None = None,
) -> PriceValue | None:
    """The price of a device that holds on a day; ``None`` where none or no single one does."""
    return find_price(hardware_slug, on=on, currency=currency, known_at=known_at).price


def _places(hardware: str, catalogue: Catalogue) -> list[str]:
    """The node and the devices above it, nearest first; a node nobody knows stands alone."""
    nodes = catalogue.area("hardware")
    places = [hardware]
    node = nodes.get(hardware)
    while node is not None and node.parent:
        node = nodes.get(node.parent)
        if node is None or node.kind not in PRICED_KINDS:
            break
        places.append(node.slug)
    return places


def _holding(places: Sequence[str], *, on: date, known_at: datetime | None) -> list[PriceValue]:
    """The newest price of each series that holds on the day."""
    rows = HardwarePrice.objects.filter(hardware__in=places, effective_on__lte=on)
    rows = _standing(rows, known_at)
    series: dict[tuple[object, ...], PriceValue] = {}
    # Of two that begin on one day the one recorded last corrects the other.
    for row in rows.order_by("-effective_on", "-recorded_at", "-id"):
        key = (row.hardware, row.provider, row.terms, row.currency, row.device_count)
        series.setdefault(key, price_value(row))
    return list(series.values())


def _standing(rows: QuerySet[HardwarePrice], known_at: datetime | None) -> QuerySet[HardwarePrice]:
    if known_at is None:
        return rows.filter(withdrawn_at__isnull=True)
    later = Q(withdrawn_at__isnull=True) | Q(withdrawn_at__gt=known_at)
    return rows.filter(later, recorded_at__lte=known_at)


def listed_prices(
    *, hardware: str = "", currency: str = "", with_withdrawn: bool = True
) -> QuerySet[HardwarePrice]:
    """All recorded prices, by hardware and newest first; of a node also those below it."""
    rows = HardwarePrice.objects.all()
    if hardware:
        tree = current_catalogue().trees.tree(Axis.HARDWARE)
        rows = rows.filter(hardware__in=sorted({hardware, *tree.down(hardware)}))
    if currency:
        rows = rows.filter(currency=currency.upper())
    if not with_withdrawn:
        rows = rows.filter(withdrawn_at__isnull=True)
    return rows.order_by("hardware", "-effective_on", "-id")


def price_row(uid: str) -> HardwarePrice | None:
    """One recorded price. **Queries**: 1, none for what cannot be an identifier."""
    if not uid.isascii() or not uid.isprintable() or len(uid) > 24:
        return None
    return HardwarePrice.objects.filter(uid=uid).first()


def holding_uids(rows: Iterable[HardwarePrice], *, on: date) -> frozenset[str]:
    """Which of the prices hold on a day: of each series the newest that had begun."""
    series: dict[tuple[object, ...], tuple[tuple[object, ...], str]] = {}
    for row in rows:
        if row.withdrawn_at is not None or row.effective_on > on:
            continue
        key = (row.hardware, row.provider, row.terms, row.currency, row.device_count)
        order = (row.effective_on, row.recorded_at, row.pk)
        if key not in series or order > series[key][0]:
            series[key] = (order, row.uid)
    return frozenset(uid for _, uid in series.values())


def prices_stamp() -> list[object]:
    """What every answer about prices depends on. **Queries**: 1."""
    return list(
        HardwarePrice.objects.aggregate(Max("id"), Max("withdrawn_at"), Count("id")).values()
    )


def amount_text(amount: Decimal) -> str:
    """An amount without the zeros that a column pads it with."""
    return f"{amount.normalize():f}"


def price_plain(row: HardwarePrice) -> dict[str, Any]:
    """One recorded price as plain data."""
    return {
        "uid": row.uid,
        "hardware": row.hardware,
        "device_count": row.device_count,
        "amount_per_hour": amount_text(row.amount_per_hour),
        "currency": row.currency,
        "provider": row.provider or None,
        "terms": row.terms or None,
        "effective_on": row.effective_on.isoformat(),
        "url": row.url or None,
        "note": row.note or None,
        "is_demonstration": row.is_demonstration,
        "recorded_by": row.recorded_by,
        "recorded_at": _moment(row.recorded_at),
        "withdrawn_at": _moment(row.withdrawn_at),
        "withdrawn_by": row.withdrawn_by or None,
        "reason": row.reason or None,
    }


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None
