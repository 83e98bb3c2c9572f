"""Answers of the OCI distribution interface: the list of tags, and the manifest of one."""

from typing import Any

from ingest.sources.json_answers import list_of, moment_at, object_of, unexpected
from ingest.sources.registries.images import ListedImage, platform_of

_CREATED = "org.opencontainers.image.created"


def read_tag_list(value: Any, *, url: str) -> tuple[str, ...]:
    """The tags of one page of the list; a repository without tags sends none.

    **Raises**: ``UnexpectedPage``.
    """
    answer = object_of(value, url=url, what="a list of tags")
    tags = answer.get("tags")
    if tags is None and "name" in answer:
        return ()
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise unexpected(url, "a list of texts under tags", tags)
    return tuple(tags)


def read_index(value: Any, *, tag: str, digest: str, url: str) -> ListedImage:
    """The image of a tag: an index names its platforms, a single manifest names none.

    **Shapes**: ``digest`` is that of the bytes, which name the manifest.
    **Raises**: ``UnexpectedPage``.
    """
    answer = object_of(value, url=url, what="a manifest")
    if "manifests" not in answer and "config" not in answer:
        raise unexpected(url, "manifests of an index or the config of an image", sorted(answer))
    platforms = set()
    for entry in list_of(answer.get("manifests") or [], url=url, what="manifests"):
        platform = entry.get("platform")
        if isinstance(platform, dict):
            platforms.add(platform_of(platform))
    notes = answer.get("annotations")
    created = moment_at(notes, _CREATED, url=url) if isinstance(notes, dict) else None
    return ListedImage(
        tag=tag, digest=digest, platforms=tuple(sorted(platforms - {""})), pushed_at=created
    )
