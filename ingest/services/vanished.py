"""What a list held before and does not hold any more, as two kept answers tell."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from ingest.contract import UnexpectedPage
from ingest.models import Retrieval, Snapshot
from ingest.services.json_pages import JsonPage
from ingest.sources.code_host import read_releases


def value_of(snapshot: Snapshot) -> Any:
    """The value of a kept answer of an interface, which was JSON when it was kept."""
    return json.loads(bytes(snapshot.body))


def vanished_tags(page: JsonPage, listed: Sequence[tuple[str, date]]) -> list[tuple[str, str]]:
    """Tags of releases that the answer before this one held, each with the SHA-256 of that one.

    A list is cut off after its newest releases: what is older than the oldest one listed now has
    only moved to its next page, which says nothing. **Queries**: 1.
    """
    before = (
        Retrieval.objects.filter(feed=page.feed.name, url=page.url)
        .exclude(snapshot_id=page.snapshot_sha256)
        .select_related("snapshot")
        .order_by("-retrieved_at", "-id")
        .first()
    )
    if before is None:
        return []
    oldest = min((day for _, day in listed), default=date.max)
    whole = "next" not in page.links
    present = {tag for tag, _ in listed}
    try:
        earlier = read_releases(
            value_of(before.snapshot), framework=page.feed.framework, url=page.url
        )
    except UnexpectedPage:
        return []
    return [
        (release.tag, before.snapshot_id)
        for release in earlier
        if release.tag not in present and (whole or release.published_at.date() > oldest)
    ]
