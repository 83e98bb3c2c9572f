"""Images and pins of releases, as registries and the files of the releases state them."""

from collections.abc import Iterator, Sequence

from django.db.models import Count

from matrix.domain.published import StatedPin
from matrix.models import Release, ReleasePin


def side_counts(framework: str, versions: Sequence[str]) -> dict[str, tuple[int, int]]:
    """How many images and pins are known of each version that has any. **Queries**: 1."""
    rows = (
        Release.objects.filter(framework__slug=framework, version__in=list(versions))
        .annotate(images_known=Count("images", distinct=True))
        .annotate(pins_known=Count("pins", distinct=True))
        .order_by()
        .values_list("version", "images_known", "pins_known")
    )
    return {version: (images, pins) for version, images, pins in rows if images or pins}


def release_row(framework: str, version: str) -> Release | None:
    """The row of a release with its images and pins. **Queries**: 3."""
    return (
        Release.objects.filter(framework__slug=framework, version=version)
        .select_related("framework")
        .prefetch_related("images", "pins")
        .first()
    )


def recorded_pins() -> Iterator[StatedPin]:
    """Every recorded requirement of a release. **Queries**: 1."""
    rows = ReleasePin.objects.select_related("release__framework")
    for row in rows.iterator():
        yield StatedPin(
            framework=row.release.framework.slug,
            version=row.release.version,
            name=row.name,
            status=row.status,
            value=row.value,
            source=row.source,
            statement=row.statement,
            path=row.path,
            url=row.url,
            locator=row.locator,
        )
