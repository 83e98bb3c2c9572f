"""What a code host's lists leave out: commits of releases, and dates of tags without release."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ingest.contract import UnexpectedPage
from ingest.domain.tag_names import DEV, NIGHTLY, RC, name_tag
from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched
from ingest.models import Retrieval
from ingest.services.json_pages import UnusableAnswer
from ingest.services.listing import UnusableListing
from ingest.services.poll_context import Poll, is_about_one_page
from ingest.services.vanished import value_of
from ingest.sources.code_host import (
    HostTag,
    read_commit_moment,
    read_reference,
    read_releases,
    read_tag_object,
    read_tags,
)
from ingest.sources.json_answers import object_of
from matrix.domain.published import PublishedRelease
from matrix.domain.versions import normalise_version
from matrix.models import Release
from matrix.releasing import record_releases

# Two requests each; what is left is asked for at the next polls.
_TAGS_PER_POLL = 15
# Where a project publishes releases, its other tags announce nothing but finished work.
_ANNOUNCING = (RC, DEV, NIGHTLY)


def follow_tags(poll: Poll) -> None:
    """Dates the tags that no list dates, then finds the commits of releases that lack one."""
    base = next((e for e in poll.feed.endpoints if e.endswith("{repository}")), "")
    if not base:
        return
    url = poll.feed.fill(base)
    try:
        for tag in _undated_tags(poll)[:_TAGS_PER_POLL]:
            _date_tag(poll, url, tag)
        rows = Release.objects.filter(
            framework__slug=poll.feed.framework, feed=poll.feed.name, commit=""
        ).exclude(tag="")
        for row in rows.order_by("-released_at")[:_TAGS_PER_POLL]:
            _find_commit(poll, url, row)
    except UnexpectedPage as error:
        raise UnusableAnswer(error) from error


def _undated_tags(poll: Poll) -> list[HostTag]:
    """Tags of versions that are no release on record, highest name first.

    **Queries**: 3.
    """
    framework = poll.feed.framework
    tags, releases = _last_value(poll, "/tags"), _last_value(poll, "/releases")
    if not isinstance(tags, list):
        return []
    published = bool(releases) and bool(
        read_releases(releases, framework=framework, url=poll.feed.name)
    )
    rows = Release.objects.filter(framework__slug=framework).values_list("version", "tag")
    known = {normalise_version(name) for row in rows for name in row if name}
    return [
        tag
        for tag in read_tags(tags, framework=framework, url=poll.feed.name)
        if normalise_version(tag.version) not in known
        and normalise_version(tag.tag) not in known
        and not (published and tag.line in _ANNOUNCING)
    ]


def _last_value(poll: Poll, part: str) -> Any:
    """The newest kept answer of the feed's list whose address holds a part."""
    urls = [poll.feed.fill(template) for template in poll.feed.endpoints if part in template]
    last = (
        Retrieval.objects.filter(feed=poll.feed.name, url__in=urls)
        .select_related("snapshot")
        .order_by("-retrieved_at", "-id")
        .first()
    )
    return value_of(last.snapshot) if last else None


def _date_tag(poll: Poll, base: str, tag: HostTag) -> None:
    """A tag without release is dated by its tagger, else by its commit."""
    made_at, commit = _resolve(poll, base, tag.tag)
    if commit and made_at is None:
        value = _ask(poll, f"{base}/commits/{commit}")
        made_at = read_commit_moment(value, url=base) if value is not None else None
    if made_at is None:
        return
    named = name_tag(poll.feed.framework, tag.tag, published=made_at.date())
    release = PublishedRelease(
        framework=poll.feed.framework,
        version=tag.version,
        line=named.line if named else tag.line,
        released_at=made_at,
        tag=tag.tag,
        commit=commit or tag.commit,
    )
    _record(poll, release)


def _find_commit(poll: Poll, base: str, row: Release) -> None:
    _, commit = _resolve(poll, base, row.tag)
    if commit:
        release = PublishedRelease(
            framework=poll.feed.framework, version=row.version, line=row.line,
            released_at=row.released_at, tag=row.tag, commit=commit,
        )  # fmt: skip
        _record(poll, release)


def _record(poll: Poll, release: PublishedRelease) -> None:
    changes = record_releases(
        [release], framework=poll.feed.framework, feed=poll.feed.name, now=poll.now
    )
    poll.changed = poll.changed or changes.any


def _resolve(poll: Poll, base: str, tag: str) -> tuple[datetime | None, str]:
    """Moment and commit of a tag; the moment is known of annotated tags alone."""
    url = f"{base}/git/ref/tags/{tag}"
    value = _ask(poll, url)
    if value is None:
        return None, ""
    target = read_reference(value, url=url)
    if target.kind != "tag":
        return None, target.sha if target.kind == "commit" else ""
    url = f"{base}/git/tags/{target.sha}"
    value = _ask(poll, url)
    if value is None:
        return None, ""
    found = read_tag_object(value, url=url)
    return found.made_at, found.sha if found.kind == "commit" else ""


def _ask(poll: Poll, url: str) -> Mapping[str, Any] | None:
    """One answer, kept; ``None`` where the host has none of that name."""
    try:
        answer = poll.ask(url)
    except FetchFailed as error:
        if not is_about_one_page(error):
            raise
        return None
    assert isinstance(answer, Fetched), "a request without condition has a whole answer"
    try:
        value = json.loads(answer.body)
    except ValueError as error:
        raise UnusableListing(url, f"no JSON ({error})") from error
    poll.keep(answer, url=url)
    return object_of(value, url=url, what="a tag")
