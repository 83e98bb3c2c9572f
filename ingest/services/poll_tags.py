"""Documentation at tags: each release of the catalogue once, file by file, resumable."""

from collections.abc import Iterable, Sequence

from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched, NotModified
from ingest.models import PageRecord
from ingest.services.listing import (
    ListedFile,
    Target,
    files_in,
    releases_to_poll,
    target_of,
)
from ingest.services.poll_context import Poll, is_about_one_page
from ingest.services.snapshots import find_blobs
from ingest.services.states import keep_cursor
from ingest.services.taking import history_of, note_retrieved
from matrix.domain.versions import Release

_JSON = ("application/json", "application/vnd.github+json")
_LISTINGS_KEPT = 20


def poll_tags(poll: Poll) -> None:
    """Takes releases that are new, and asks whether the newest one taken is still the same."""
    history = history_of(poll.catalogue, poll.feed.framework)
    done = poll.state.cursor.get("done", [])
    take_releases(poll, releases_to_poll(poll.feed, history, done))


def take_releases(poll: Poll, releases: Sequence[Release], *, again: bool = True) -> None:
    """Takes the releases one after the other; each that is done is noted at once.

    **Shapes**: without ``again`` releases that are done are passed over.
    """
    for number, release in enumerate(releases, 1):
        target = target_of(poll.feed, release)
        done = poll.state.cursor.setdefault("done", [])
        if target is None or (not again and release.version in done):
            continue
        poll.progress(f"[{number}/{len(releases)}] {poll.feed.framework} {release.version}")
        failures = len(poll.failures)
        try:
            take_target(poll, target)
        except FetchFailed as error:
            # A release without its tag keeps no other release from being read.
            if not is_about_one_page(error):
                raise
            poll.failures.append(error)
        if release.version not in done and len(poll.failures) == failures:
            done.append(release.version)
        keep_cursor(poll.state)


def take_target(poll: Poll, target: Target) -> None:
    """Lists a version, fetches what is not kept yet, reads and settles the whole of it."""
    listings = poll.state.cursor.setdefault("listings", {})
    known = listings.get(target.label, {}) if target.version in poll.state.cursor["done"] else {}
    url = poll.feed.fill(poll.feed.listing_url, ref=target.ref)
    answer = poll.ask(url, media_types=_JSON, etag=known.get("etag", ""))
    if isinstance(answer, NotModified):
        paths = PageRecord.objects.filter(
            framework=poll.feed.framework, version=target.label
        ).values_list("path", flat=True)
        if not poll.take_version(target.label, list(paths)):
            note_retrieved(poll.feed.framework, target.label, now=poll.now)
        return
    files = files_in(answer.body, url=url, sources=poll.sources)
    fetch_files(poll, target, files)
    poll.take_version(target.label, [file.path for file in files])
    listings[target.label] = {"etag": answer.etag}
    for label in list(listings)[:-_LISTINGS_KEPT]:
        del listings[label]


def fetch_files(poll: Poll, target: Target, files: Sequence[ListedFile]) -> None:
    """Makes the content of all files be here, and a record of each.

    Content that is kept already, of whatever version, is not fetched again.
    """
    blobs = find_blobs(file.blob for file in files)
    recorded = dict(_recorded(poll, target))
    for number, file in enumerate(files, 1):
        sha256 = blobs.get(file.blob)
        if sha256 is not None and recorded.get(file.path) == sha256:
            continue
        if sha256 is None:
            sha256 = _fetch_file(poll, target, file)
        if sha256 is not None:
            poll.note_page(target, file.path, sha256, day=None)
        if number % 50 == 0:
            poll.progress(f"  {target.label}: {number} of {len(files)} files")


def _recorded(poll: Poll, target: Target) -> Iterable[tuple[str, str]]:
    return PageRecord.objects.filter(
        framework=poll.feed.framework, version=target.label, snapshot__isnull=False
    ).values_list("path", "snapshot_id")


def _fetch_file(poll: Poll, target: Target, file: ListedFile) -> str | None:
    url = poll.feed.fill(poll.feed.page_url, ref=target.ref, path=file.path)
    try:
        answer = poll.ask(url)
    except FetchFailed as error:
        poll.fail_page(target, file.path, url, error)
        return None
    assert isinstance(answer, Fetched), "a request without condition has a whole answer"
    return poll.keep(answer, url=url, path=file.path, version=target.label)
