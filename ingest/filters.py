"""Filters over the review queue: one definition for the page and for REST."""

from datetime import timedelta
from typing import Any

import django_filters as filters
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem

# How long an item has waited: at least so many days, and less than so many.
AGES: dict[str, tuple[int, int | None]] = {
    "day": (0, 1),
    "week": (1, 7),
    "month": (7, 30),
    "older": (30, None),
}


def _words(values: Any) -> list[tuple[str, str]]:
    return [(value.value, value.value) for value in values]


class ReviewFilters(filters.FilterSet):
    """Review items by state, kind, where they come from, and how long ago they were opened."""

    state = filters.ChoiceFilter(choices=_words(ItemState))
    kind = filters.ChoiceFilter(choices=_words(ItemKind))
    framework = filters.CharFilter(max_length=160)
    source = filters.CharFilter(max_length=80)
    rule = filters.CharFilter(max_length=80)
    version = filters.CharFilter(max_length=120)
    code = filters.CharFilter(max_length=60, help_text=_("Of an alarm, or the axis of a word."))
    statement = filters.CharFilter(lookup_expr="icontains", max_length=100)
    age = filters.ChoiceFilter(
        method="opened_ago",
        choices=[(age, age) for age in AGES],
        help_text=_("Opened within a day, a week, a month, or before."),
    )

    class Meta:
        model = ReviewItem
        fields: tuple[str, ...] = ()

    def opened_ago(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Items that were opened within a span of days before now."""
        least, most = AGES[value]
        now = timezone.now()
        if least:
            rows = rows.filter(opened_at__lte=now - timedelta(days=least))
        return rows if most is None else rows.filter(opened_at__gt=now - timedelta(days=most))
