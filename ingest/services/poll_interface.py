"""Interfaces of code hosts, registries and model hubs: JSON that is kept, then read by its reader.

The readers are named in ``READERS``, one for each kind of feed; a kind without reader is kept all
the same and can be read from its snapshots later.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction

from ingest.contract import UnexpectedPage
from ingest.domain.feeds.feed import Feed, FeedKind
from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import NotModified
from ingest.models import Retrieval
from ingest.services.code_host import read_code_host, wants_older_releases
from ingest.services.images import read_registry, wants_older_images
from ingest.services.json_pages import JsonPage, ReadJson, UnusableAnswer
from ingest.services.listing import UnusableListing
from ingest.services.manifests import follow_manifests, registry_headers
from ingest.services.model_facts import read_model_hub
from ingest.services.poll_context import Poll, content_of
from ingest.services.states import keep_cursor
from ingest.services.tag_dates import follow_tags
from matrix.domain.catalogue import Catalogue

__all__ = ["JsonPage", "ReadJson", "endpoint_urls", "links_of", "poll_interface", "read_json"]

READERS: Mapping[FeedKind, ReadJson] = {
    FeedKind.CODE_HOST: read_code_host,
    FeedKind.CONTAINER_REGISTRY: read_registry,
    FeedKind.MODEL_HUB: read_model_hub,
}
# Whether the next page of a list is worth asking for; lists of other kinds have one page.
WANTS_MORE: Mapping[FeedKind, ReadJson] = {
    FeedKind.CODE_HOST: wants_older_releases,
    FeedKind.CONTAINER_REGISTRY: wants_older_images,
}
# What is asked after the endpoints, one request for each thing that the lists do not say.
FOLLOW_UPS: Mapping[FeedKind, Callable[[Poll], None]] = {
    FeedKind.CODE_HOST: follow_tags,
    FeedKind.CONTAINER_REGISTRY: follow_manifests,
}
_MOST_PAGES = 60
# A hub is asked for some of its models at each poll, and goes on from there at the next.
_MODELS_PER_POLL = 150
# A model that is gated or gone says nothing about the others.
_CLOSED = (401, 403, 404, 410)


def poll_interface(poll: Poll) -> None:
    """Asks for every address of the feed and hands on what is new."""
    headers = registry_headers(poll)
    for template, url in _due_urls(poll):
        try:
            _poll_list(poll, template, url, headers)
        except UnexpectedPage as error:
            raise UnusableAnswer(error) from error
        except FetchFailed as error:
            if poll.feed.kind is not FeedKind.MODEL_HUB or not _is_closed(error):
                raise
            poll.progress(f"not open: {url}")
    if follow_up := FOLLOW_UPS.get(poll.feed.kind):
        follow_up(poll)


def _is_closed(error: FetchFailed) -> bool:
    return error.code == "http-status" and error.facts.get("seen") in _CLOSED


def _due_urls(poll: Poll) -> list[tuple[str, str]]:
    """The addresses of this poll: all of them, or the next ones of a long list."""
    every = list(endpoint_urls(poll.feed, poll.catalogue))
    if poll.feed.kind is not FeedKind.MODEL_HUB or len(every) <= _MODELS_PER_POLL:
        return every
    start = int(poll.state.cursor.get("from", 0)) % len(every)
    poll.state.cursor["from"] = (start + _MODELS_PER_POLL) % len(every)
    keep_cursor(poll.state)
    return [*every, *every][start : start + _MODELS_PER_POLL]


def _poll_list(poll: Poll, template: str, url: str, headers: Mapping[str, str]) -> None:
    """All pages of one list are kept first; then they are read, the first one last.

    A poll that is cut off between leaves the first page unread, so that the next one asks again.
    """
    pages: list[JsonPage] = []
    address = url
    while address and len(pages) < _MOST_PAGES:
        page, links = _ask(poll, template, address, headers)
        if page is not None:
            pages.append(page)
        address = _next_address(poll, page, links, asked=address)
    for page in reversed(pages):
        with transaction.atomic():
            read_json(page, poll.catalogue)
            poll.state.cursor.setdefault("read", {})[page.url] = page.snapshot_sha256
            poll.state.save(update_fields=["cursor"])
        poll.changed = True


def _ask(
    poll: Poll, template: str, url: str, headers: Mapping[str, str]
) -> tuple[JsonPage | None, Mapping[str, str]]:
    """The answer where it is a new one, and in any case the links of the present one."""
    read = poll.state.cursor.setdefault("read", {})
    last = Retrieval.objects.filter(feed=poll.feed.name, url=url).order_by("-retrieved_at").first()
    whole = last is not None and read.get(url) == last.snapshot_id
    answer = poll.ask(
        url, etag=last.headers.get("etag", "") if last and whole else "", headers=headers
    )
    if isinstance(answer, NotModified):
        return None, links_of(last.headers.get("link", "") if last else "")
    links = links_of(answer.headers.get("link", ""))
    sha256 = content_of(answer).sha256
    if read.get(url) == sha256:
        return None, links
    value = _value(answer.body, url)
    sha256 = poll.keep(answer, url=url)
    page = JsonPage(
        feed=poll.feed,
        template=template,
        url=url,
        value=value,
        snapshot_sha256=sha256,
        retrieved_at=answer.retrieved_at,
        links=links,
    )
    return page, links


def _next_address(
    poll: Poll, page: JsonPage | None, links: Mapping[str, str], *, asked: str
) -> str:
    """The address of the next page where it is wanted; it is never another host's."""
    following = links.get("next", "")
    if (
        page is not None
        and isinstance(page.value, dict)
        and isinstance(page.value.get("next"), str)
    ):
        following = page.value["next"]
    if following.startswith("/"):
        parts = urlsplit(asked)
        following = f"{parts.scheme}://{parts.netloc}{following}"
    if not following or urlsplit(following).netloc != urlsplit(asked).netloc:
        return ""
    if page is None:
        # Lists of a registry are in the order of names: a new one may stand on any page.
        return following if poll.feed.kind is FeedKind.CONTAINER_REGISTRY else ""
    wants = WANTS_MORE.get(poll.feed.kind)
    return following if wants is not None and wants(page, poll.catalogue) else ""


def read_json(page: JsonPage, catalogue: Catalogue) -> bool:
    """Lets the reader of the feed's kind write what an answer says; whether it wrote anything."""
    reader = READERS.get(page.feed.kind)
    return reader(page, catalogue) if reader is not None else False


def _value(body: bytes, url: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise UnusableListing(url, f"no JSON ({error})") from error


def endpoint_urls(feed: Feed, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Each template of the feed with each address that it stands for."""
    for template in feed.endpoints:
        if "{model}" not in template:
            yield template, feed.fill(template)
            continue
        for model in hub_models(catalogue):
            yield template, feed.fill(template, model=model)


def hub_models(catalogue: Catalogue) -> list[str]:
    """Names of the catalogue's checkpoints as the model hub writes them ("organisation/name")."""
    nodes = catalogue.area("model").values()
    return sorted({n.name for n in nodes if n.kind == "checkpoint" and n.name.count("/") == 1})


def links_of(header: str) -> dict[str, str]:
    """The addresses of a Link header by their relation."""
    found = {}
    for part in header.split(","):
        address, _, rest = part.partition(";")
        if 'rel="' in rest:
            found[rest.partition('rel="')[2].partition('"')[0]] = address.strip().strip("<>")
    return found
