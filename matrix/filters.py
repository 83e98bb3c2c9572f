"""Filters over the tables: one definition for REST, pages and exports."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import django_filters as filters
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from matrix.domain.levels import (
    CLAIM_LEVELS,
    Axis,
    EvidenceKind,
    MaintenanceStatus,
    Tier,
)
from matrix.domain.trees import Tree
from matrix.index import current_knowledge
from matrix.models import Claim, Dossier, HardwarePrice, MaintenancePeriod, Observation, Release

DAY_FORMATS = ("%Y-%m-%d",)


class DayFilter(filters.DateFilter):
    """A day in ISO 8601 only: other spellings swap day and month from country to country."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, input_formats=DAY_FORMATS, **kwargs)


class FlagFilter(filters.TypedChoiceFilter):
    """``true`` or ``false``; anything else is an error, never ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        words = [("true", "true"), ("false", "false")]
        super().__init__(*args, choices=words, coerce=lambda word: word == "true", **kwargs)


def _choices(values: Any) -> list[tuple[str, str]]:
    return [(value.value, value.value) for value in values]


class NodeFilters(filters.FilterSet):
    """Catalogue nodes by kind, parent and text."""

    kind = filters.CharFilter(max_length=40, help_text=_("Level in the tree, such as device."))
    parent = filters.CharFilter(
        field_name="parent__slug", max_length=160, help_text=_("Slug of the direct parent.")
    )
    q = filters.CharFilter(
        method="search", max_length=100, help_text=_("Part of a slug, name or other name.")
    )

    def search(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Rows whose slug, name or other names contain the text."""
        return rows.filter(
            Q(slug__icontains=value)
            | Q(name__icontains=value)
            | Q(aliases__icontains=value)
            | Q(moved__icontains=value)
        )


class ReleaseFilters(filters.FilterSet):
    """Releases by framework, line, date and text."""

    framework = filters.CharFilter(field_name="framework__slug", max_length=160)
    line = filters.CharFilter(
        max_length=20, help_text=_("Release line, such as stable, rc or post.")
    )
    yanked = FlagFilter(help_text=_("Withdrawn from its package index."))
    q = filters.CharFilter(field_name="version", lookup_expr="icontains", max_length=80)
    released_from = DayFilter(field_name="released_at", lookup_expr="date__gte")
    released_to = DayFilter(field_name="released_at", lookup_expr="date__lte")

    class Meta:
        model = Release
        fields: tuple[str, ...] = ()


class PeriodFilters(filters.FilterSet):
    """Maintenance periods by framework, component, status and day."""

    framework = filters.CharFilter(field_name="framework__slug", max_length=160)
    component = filters.CharFilter(max_length=120)
    status = filters.ChoiceFilter(choices=_choices(MaintenanceStatus))
    as_of = DayFilter(method="on_day", help_text=_("A day that the period covers."))

    class Meta:
        model = MaintenancePeriod
        fields: tuple[str, ...] = ()

    def on_day(self, rows: QuerySet[Any], name: str, value: date) -> QuerySet[Any]:
        """Periods that had begun and not ended on the day."""
        return rows.filter(Q(end_on__isnull=True) | Q(end_on__gt=value), start_on__lte=value)


def _day_start(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


class ClaimFilters(filters.FilterSet):
    """Claims by what they say, of what, and when they were said and recorded.

    A node filter finds claims that name the node or one below it.
    """

    framework = filters.CharFilter(field_name="framework__slug", max_length=160)
    level = filters.ChoiceFilter(choices=_choices(CLAIM_LEVELS))
    kind = filters.ChoiceFilter(choices=_choices(EvidenceKind), help_text=_("Kind of evidence."))
    tier = filters.ChoiceFilter(choices=_choices(Tier))
    source = filters.CharFilter(max_length=80)
    statement = filters.CharFilter(lookup_expr="icontains", max_length=100)
    model = filters.CharFilter(method="by_node", max_length=160)
    quantization = filters.CharFilter(method="by_node", max_length=160)
    hardware = filters.CharFilter(method="by_node", max_length=160)
    backend = filters.CharFilter(method="by_node", max_length=160)
    feature = filters.CharFilter(method="by_feature", max_length=160)
    standing = FlagFilter(method="by_standing", help_text=_("Neither superseded nor withdrawn."))
    as_of = DayFilter(
        method="said_on", help_text=_("Stated by that day and not known to have ended by then.")
    )
    known_at = DayFilter(method="recorded_on", help_text=_("In the record on that day."))

    class Meta:
        model = Claim
        fields: tuple[str, ...] = ()

    def by_node(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Claims whose scope includes the node or one below it."""
        trees = current_knowledge().catalogue.trees
        tree = next(t for axis, t in trees.by_axis.items() if axis.value == name)
        return rows.filter(**{f"scope__{name}__include__has_any_keys": _family(tree, value)})

    def by_feature(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Claims that name the feature or one below it."""
        slugs = _family(current_knowledge().catalogue.trees.features, value)
        return rows.filter(scope__features__has_any_keys=slugs)

    def by_standing(self, rows: QuerySet[Any], name: str, value: bool) -> QuerySet[Any]:
        """Claims that stand, or those that do not."""
        stands = Q(superseded_at__isnull=True, withdrawn_at__isnull=True)
        return rows.filter(stands if value else ~stands)

    def said_on(self, rows: QuerySet[Any], name: str, value: date) -> QuerySet[Any]:
        """Claims with an observation by that day that had not ended by then."""
        seen = Observation.objects.filter(claim=OuterRef("pk"), stated_on__lte=value)
        going_on = Q(gone_on__isnull=True) | Q(gone_on__gt=value)
        return rows.filter(going_on, Exists(seen))

    def recorded_on(self, rows: QuerySet[Any], name: str, value: date) -> QuerySet[Any]:
        """Claims that had been recorded and not ended in the record by that day."""
        after = _day_start(value + timedelta(days=1))
        superseded = Q(superseded_at__isnull=True) | Q(superseded_at__gte=after)
        withdrawn = Q(withdrawn_at__isnull=True) | Q(withdrawn_at__gte=after)
        return rows.filter(superseded, withdrawn, recorded_at__lt=after)


class PriceFilters(filters.FilterSet):
    """Prices of hardware; a node filter finds prices of the node and of those below it."""

    hardware = filters.CharFilter(method="by_hardware", max_length=160)
    currency = filters.CharFilter(lookup_expr="iexact", max_length=3)
    provider = filters.CharFilter(lookup_expr="iexact", max_length=120)
    on = DayFilter(
        field_name="effective_on",
        lookup_expr="lte",
        help_text=_("Effective on that day or before."),
    )
    withdrawn = FlagFilter(method="by_withdrawn", help_text=_("Taken back, or not."))

    class Meta:
        model = HardwarePrice
        fields: tuple[str, ...] = ()

    def by_hardware(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Prices of the node or of one below it."""
        tree = current_knowledge().catalogue.trees.tree(Axis.HARDWARE)
        return rows.filter(hardware__in=_family(tree, value))

    def by_withdrawn(self, rows: QuerySet[Any], name: str, value: bool) -> QuerySet[Any]:
        """Prices that were taken back, or those that were not."""
        return rows.filter(withdrawn_at__isnull=not value)


def _family(tree: Tree, slug: str) -> list[str]:
    return sorted({slug, *tree.down(slug)})


class DossierFilters(filters.FilterSet):
    """Dossiers by how they stand and what they belong to."""

    state = filters.ChoiceFilter(choices=[("draft", "draft"), ("frozen", "frozen")])
    series = filters.CharFilter(max_length=24, help_text=_("All versions of one dossier."))
    current = FlagFilter(method="by_current", help_text=_("No newer version exists."))

    class Meta:
        model = Dossier
        fields: tuple[str, ...] = ()

    def by_current(self, rows: QuerySet[Any], name: str, value: bool) -> QuerySet[Any]:
        """Newest versions, or those that were replaced."""
        return rows.filter(replaced_by__isnull=value)
