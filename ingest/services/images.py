"""Answers of image registries become images of releases."""

from collections.abc import Iterable, Mapping

from ingest.domain.tag_names import name_image_tag
from ingest.services.json_pages import JsonPage
from ingest.sources.registries import ListedImage, read_hub_tags, read_tag_list
from matrix.domain.catalogue import Catalogue
from matrix.domain.published import PublishedImage
from matrix.domain.versions import normalise_version
from matrix.models import Release, ReleaseImage
from matrix.releasing import record_images


def read_registry(page: JsonPage, _catalogue: Catalogue) -> bool:
    """Records the images of a hub's list; a bare list of tags has no digests to record yet."""
    if not is_hub_list(page):
        # Its shape is checked; the manifests of its tags are asked for after all its pages.
        read_tag_list(page.value, url=page.url)
        return False
    images = published_images(page.feed.framework, page.feed.repository, listed_in(page))
    number = record_images(
        images,
        framework=page.feed.framework,
        feed=page.feed.name,
        now=page.retrieved_at,
        snapshot_sha256=page.snapshot_sha256,
    )
    return number > 0


def wants_older_images(page: JsonPage, _catalogue: Catalogue) -> bool:
    """Whether the next page is worth asking for: a hub's newest tags come first, others do not."""
    if not is_hub_list(page):
        return True
    images = published_images(page.feed.framework, page.feed.repository, listed_in(page))
    known = set(
        ReleaseImage.objects.filter(repository=page.feed.repository).values_list("tag", "digest")
    )
    # A page of moving tags alone says nothing about the pages behind it.
    return not images or any((image.tag, image.digest) not in known for image in images)


def is_hub_list(page: JsonPage) -> bool:
    """Whether the answer is a hub's own list, which has digests."""
    return isinstance(page.value, dict) and "results" in page.value


def listed_in(page: JsonPage) -> tuple[ListedImage, ...]:
    """The tags of a hub's list. **Raises**: ``UnexpectedPage``."""
    return read_hub_tags(page.value, url=page.url)


def known_versions(framework: str) -> dict[str, str]:
    """The catalogue's spelling of each version by its normalised form. **Queries**: 1."""
    rows = Release.objects.filter(framework__slug=framework).values_list("version", flat=True)
    return {normalise_version(version): version for version in rows}


def published_images(
    framework: str,
    repository: str,
    listed: Iterable[ListedImage],
    *,
    versions: Mapping[str, str] | None = None,
) -> list[PublishedImage]:
    """The images whose tags name a release on record; moving tags name none."""
    known = known_versions(framework) if versions is None else versions
    found = []
    for image in listed:
        named = name_image_tag(framework, image.tag, known)
        if named is not None:
            found.append(
                PublishedImage(
                    framework=framework,
                    version=named.version,
                    repository=repository,
                    tag=image.tag,
                    digest=image.digest,
                    variant=named.variant,
                    platforms=image.platforms,
                    pushed_at=image.pushed_at,
                )
            )
    return found
