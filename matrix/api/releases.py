"""Releases and maintenance periods."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import KnowledgeEndpoint
from matrix.api.catalogue import find_node
from matrix.api.errors import NoSuchThing
from matrix.api.tables import TableEndpoint, checked_day, checked_name, one_of
from matrix.asking import QuestionReader
from matrix.convert import period_value
from matrix.domain.catalogue import Catalogue
from matrix.domain.phrases import Phrase
from matrix.filters import PeriodFilters, ReleaseFilters
from matrix.index import Knowledge
from matrix.models import MaintenancePeriod, Release, ReleaseImage, ReleasePin
from matrix.queries import period_plain


def _check_line(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
    lines = sorted({r.line for releases in catalogue.releases.values() for r in releases})
    return one_of("line", lines, value)


def _check_component(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
    return one_of(
        "component", sorted({p.component for p in catalogue.periods if p.component}), value
    )


class ReleaseList(TableEndpoint):
    """Releases, newest first."""

    filterset_class = ReleaseFilters
    page_ordering = ("-released_at", "-pk")
    checks = {"framework": checked_name("framework"), "line": _check_line}

    def get_queryset(self) -> Any:
        """All releases with their framework."""
        return Release.objects.select_related("framework")

    @schemas.table_schema("releases_list", schemas.Release)
    def get(self, request: Request) -> HttpResponse:
        """A page of releases."""
        return self.table_answer(request, lambda _, rows: [release_plain(row) for row in rows])


def release_plain(row: Release) -> dict[str, Any]:
    """One release."""
    return {
        "framework": row.framework.slug,
        "version": row.version,
        "released_at": row.released_at.isoformat().replace("+00:00", "Z"),
        "line": row.line,
        "commit": row.commit or None,
        "tag": row.tag or None,
        "yanked": row.yanked,
        "removed_upstream_on": row.removed_on.isoformat() if row.removed_on else None,
        "url": row.url or None,
        "first_seen_at": _moment(row.first_seen_at),
        "upstream_version": row.upstream_version or None,
    }


def image_plain(row: ReleaseImage) -> dict[str, Any]:
    """One image of a release."""
    return {
        "repository": row.repository,
        "tag": row.tag,
        "digest": row.digest,
        "variant": row.variant or None,
        "platforms": list(row.platforms),
        "pushed_at": _moment(row.pushed_at),
        "first_seen_at": _moment(row.first_seen_at),
    }


def pin_plain(row: ReleasePin) -> dict[str, Any]:
    """One requirement of a release."""
    return {
        "name": row.name,
        "status": row.status,
        "value": row.value,
        "source": row.source,
        "path": row.path or None,
        "url": row.url or None,
    }


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


class ReleaseDetail(KnowledgeEndpoint):
    """One release of one framework."""

    @extend_schema(operation_id="releases_retrieve", responses=schemas.ReleaseAnswer)
    def get(self, request: Request, framework: str, version: str) -> HttpResponse:
        """The release, by its version or tag."""

        def build(knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
            slug = find_node(knowledge.catalogue, "framework", framework).slug
            history = knowledge.catalogue.histories[slug]
            release = history.find(version)
            if release is None:
                near = history.nearest(version[:80])
                raise NoSuchThing(
                    what=Phrase("release of {slug}", slug=slug), value=version, nearest=near
                )
            row = Release.objects.select_related("framework").get(
                framework__slug=slug, version=release.version
            )
            return {
                "revision": knowledge.revision,
                **release_plain(row),
                "images": [image_plain(image) for image in row.images.all()],
                "pins": [pin_plain(pin) for pin in row.pins.all()],
            }

        return self.knowledge_answer(request, build)


class PeriodList(TableEndpoint):
    """Maintenance periods of frameworks and their components."""

    filterset_class = PeriodFilters
    page_ordering = ("pk",)
    checks = {
        "framework": checked_name("framework"),
        "component": _check_component,
        "as_of": checked_day("as_of"),
    }

    def get_queryset(self) -> Any:
        """All periods with their framework."""
        return MaintenancePeriod.objects.select_related("framework")

    @schemas.table_schema("maintenance_periods_list", schemas.Period)
    def get(self, request: Request) -> HttpResponse:
        """A page of periods."""
        return self.table_answer(
            request, lambda _, rows: [period_plain(period_value(row)) for row in rows]
        )
