"""The list of tags of Docker Hub's own interface, which has digests, platforms and dates."""

from typing import Any

from ingest.sources.json_answers import list_of, moment_at, object_of, optional_text, text_at
from ingest.sources.registries.images import ListedImage, platform_of


def read_hub_tags(value: Any, *, url: str) -> tuple[ListedImage, ...]:
    """The tags of one page of the list; one without digest has that of its only image.

    **Raises**: ``UnexpectedPage``.
    """
    answer = object_of(value, url=url, what="a page of tags")
    found = []
    for entry in list_of(answer.get("results"), url=url, what="tags"):
        images = list_of(entry.get("images") or [], url=url, what="images")
        digests = {optional_text(image, "digest") for image in images} - {""}
        only = next(iter(digests)) if len(digests) == 1 else ""
        found.append(
            ListedImage(
                tag=text_at(entry, "name", url=url),
                digest=optional_text(entry, "digest") or only,
                platforms=tuple(sorted({p for i in images if (p := platform_of(i))})),
                pushed_at=moment_at(entry, "tag_last_pushed", "last_updated", url=url),
            )
        )
    return tuple(found)
