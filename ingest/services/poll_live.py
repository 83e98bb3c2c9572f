"""Live documentation: the pages of a site, or a branch; a version of their own at each change."""

import hashlib
from datetime import datetime

from ingest.fetching.request import NotModified
from ingest.models import PageRecord, Retrieval
from ingest.services.listing import Target, commit_in, files_in
from ingest.services.poll_context import Poll, refuse_kind
from ingest.services.poll_tags import fetch_files
from ingest.services.states import keep_cursor
from ingest.services.taking import note_retrieved

_JSON = ("application/json", "application/vnd.github+json")


def poll_live(poll: Poll) -> None:
    """Takes the present state of a site or branch where it is another one than the last."""
    if poll.feed.branch:
        _poll_branch(poll)
    elif poll.feed.pages:
        _poll_site(poll)
    else:
        refuse_kind(poll.feed)


def _poll_site(poll: Poll) -> None:
    """Asks for every page; one that changed makes a new version of all of them together.

    What came is kept at once, so that a poll that is cut off goes on from it.
    """
    for page in poll.feed.pages:
        poll.ask_again(page.url, path=page.path)
    present = {page.path: _kept(poll, page.url) for page in poll.feed.pages}
    label = str(poll.state.cursor.get("label", ""))
    if label and present == _recorded(poll, label):
        _confirm(poll, label)
        return
    digest = hashlib.sha256(repr(sorted(present.items())).encode()).hexdigest()[:8]
    label = poll.feed.label.format_map({"day": poll.now.date().isoformat(), "digest": digest})
    target = Target(label=label, ref="")
    for path, sha256 in present.items():
        poll.note_page(target, path, sha256, day=poll.now.date())
    poll.take_version(label, present)
    poll.state.cursor["label"] = label
    keep_cursor(poll.state)


def _kept(poll: Poll, url: str) -> str:
    """What the address gave last."""
    rows = Retrieval.objects.filter(feed=poll.feed.name, url=url).order_by("-retrieved_at")
    return str(rows.values_list("snapshot_id", flat=True)[0])


def _recorded(poll: Poll, label: str) -> dict[str, str]:
    rows = PageRecord.objects.filter(framework=poll.feed.framework, version=label)
    return {path: str(sha256) for path, sha256 in rows.values_list("path", "snapshot_id")}


def _confirm(poll: Poll, label: str) -> None:
    """The version is the same; it is read again only where a parser is newer."""
    if not poll.take_version(label, _recorded(poll, label)):
        note_retrieved(poll.feed.framework, label, now=poll.now)


def _poll_branch(poll: Poll) -> None:
    cursor = poll.state.cursor
    url = poll.feed.fill(poll.feed.branch_url, ref=poll.feed.branch)
    answer = poll.ask(url, media_types=_JSON, etag=str(cursor.get("etag", "")))
    label = str(cursor.get("label", ""))
    if isinstance(answer, NotModified):
        _confirm(poll, label)
        return
    commit, moment = commit_in(answer.body, url=url)
    listing_url = poll.feed.fill(poll.feed.listing_url, ref=commit)
    listing = poll.ask(listing_url, media_types=_JSON)
    assert not isinstance(listing, NotModified), "a request without condition has a whole answer"
    files = files_in(listing.body, url=listing_url, sources=poll.sources)
    blobs = {file.path: file.blob for file in files}
    if label and blobs == cursor.get("blobs"):
        _confirm(poll, label)
    else:
        label = poll.feed.label.format_map({"branch": poll.feed.branch, "commit": commit[:10]})
        target = Target(label=label, ref=commit, commit=commit)
        fetch_files(poll, target, files)
        _date_pages(poll, target, moment)
        poll.take_version(label, blobs)
    cursor.update(label=label, etag=answer.etag, blobs=blobs)
    keep_cursor(poll.state)


def _date_pages(poll: Poll, target: Target, moment: str) -> None:
    """Pages of a branch speak for the day of its commit."""
    try:
        day = datetime.fromisoformat(moment).date()
    except ValueError:
        return
    release, stated_on = poll.placer.place(target.label, None, target.commit, day)
    PageRecord.objects.filter(framework=poll.feed.framework, version=target.label).update(
        release=release, stated_on=stated_on
    )
