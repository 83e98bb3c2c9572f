"""The context of a release's page: where it comes from, its images and its pins."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from matrix.domain.catalogue import Node
from matrix.index import Knowledge
from matrix.models import Release, ReleaseImage, ReleasePin
from matrix.pages.links import with_query
from matrix.queries.published import release_row


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """Everything on the page of one release."""

    node: Node
    row: Release
    images: Sequence[ReleaseImage]
    pins: Sequence[ReleasePin]
    matrix_url: str


def build_release_page(knowledge: Knowledge, slug: str, version: str) -> ReleasePage | None:
    """The page of one release by its version or tag; ``None`` for an unknown one.

    **Queries**: 3.
    """
    release = knowledge.catalogue.histories[slug].find(version)
    row = release_row(slug, release.version) if release else None
    if row is None:
        return None
    pairs = [("framework", slug), ("version", row.version)]
    return ReleasePage(
        node=knowledge.catalogue.area("framework")[slug],
        row=row,
        images=list(row.images.all()),
        pins=list(row.pins.all()),
        matrix_url=with_query(reverse("matrix"), pairs),
    )
