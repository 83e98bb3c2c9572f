"""Digests of images whose registry lists bare tags: one manifest for each tag of a release."""

import json
from collections.abc import Mapping

from ingest.contract import UnexpectedPage
from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched, FetchRequest
from ingest.models import Retrieval
from ingest.services.images import known_versions, published_images
from ingest.services.json_pages import UnusableAnswer
from ingest.services.listing import UnusableListing
from ingest.services.poll_context import Poll, content_of, is_about_one_page
from ingest.services.vanished import value_of
from ingest.sources.registries import ListedImage, read_index, read_tag_list
from matrix.models import ReleaseImage
from matrix.releasing import record_images

MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_LIST = "/tags/list"
# The newest releases first; the others come at the next polls.
_MANIFESTS_PER_POLL = 60


def registry_headers(poll: Poll) -> Mapping[str, str]:
    """The headers that a registry wants: a token that it hands out to everybody, never kept.

    **Raises**: ``FetchFailed``; ``UnusableListing`` for an answer without token.
    """
    if not poll.feed.token_url:
        return {}
    url = poll.feed.fill(poll.feed.token_url)
    answer = poll.fetcher(FetchRequest(url=url, media_types=("application/json",)))
    assert isinstance(answer, Fetched), "a request without condition has a whole answer"
    try:
        value = json.loads(answer.body)
    except ValueError as error:
        raise UnusableListing(url, "no JSON") from error
    token = value.get("token") or value.get("access_token") if isinstance(value, dict) else None
    if not isinstance(token, str) or not token:
        raise UnusableListing(url, "an answer without token")
    return {"authorization": f"Bearer {token}"}


def follow_manifests(poll: Poll) -> None:
    """Asks for the manifests of release tags without a digest on record, newest release first."""
    endpoint = next((e for e in poll.feed.endpoints if _LIST in e), "")
    if not endpoint:
        return
    base = poll.feed.fill(endpoint).partition(_LIST)[0]
    wanted = _tags_without_digest(poll, base)
    if not wanted:
        return
    headers = registry_headers(poll)
    for tag in wanted[:_MANIFESTS_PER_POLL]:
        url = f"{base}/manifests/{tag}"
        try:
            answer = poll.ask(url, media_types=(*MANIFESTS, "application/json"), headers=headers)
        except FetchFailed as error:
            if not is_about_one_page(error):
                raise
            poll.progress(f"no manifest: {url}")
            continue
        assert isinstance(answer, Fetched), "a request without condition has a whole answer"
        _take_manifest(poll, tag, url, answer)


def _take_manifest(poll: Poll, tag: str, url: str, answer: Fetched) -> None:
    """The digest of a manifest is that of its bytes."""
    sha256 = content_of(answer).sha256
    try:
        image = read_index(json.loads(answer.body), tag=tag, digest=f"sha256:{sha256}", url=url)
    except ValueError as error:
        raise UnusableListing(url, f"no JSON ({error})") from error
    except UnexpectedPage as error:
        raise UnusableAnswer(error) from error
    poll.keep(answer, url=url)
    number = record_images(
        published_images(poll.feed.framework, poll.feed.repository, [image]),
        framework=poll.feed.framework,
        feed=poll.feed.name,
        now=answer.retrieved_at,
        snapshot_sha256=sha256,
    )
    poll.changed = poll.changed or number > 0


def _tags_without_digest(poll: Poll, base: str) -> list[str]:
    """Tags of releases in the newest answers of the list, newest release first.

    **Queries**: 1 for each page of the list, and 3.
    """
    tags: dict[str, None] = {}
    read = poll.state.cursor.get("read", {})
    for url in [url for url in read if url.startswith(f"{base}{_LIST}")]:
        last = (
            Retrieval.objects.filter(feed=poll.feed.name, url=url)
            .select_related("snapshot")
            .order_by("-retrieved_at", "-id")
            .first()
        )
        if last is not None:
            tags.update(dict.fromkeys(read_tag_list(value_of(last.snapshot), url=url)))
    known = set(
        ReleaseImage.objects.filter(repository=poll.feed.repository).values_list("tag", flat=True)
    )
    versions = known_versions(poll.feed.framework)
    named = published_images(
        poll.feed.framework,
        poll.feed.repository,
        [ListedImage(tag=tag) for tag in tags if tag not in known],
        versions=versions,
    )
    history = poll.catalogue.histories.get(poll.feed.framework)
    ranks = {
        image.tag: (history.find_rank(image.version) if history else None) or 0 for image in named
    }
    return sorted(ranks, key=lambda tag: (-ranks[tag], tag))
