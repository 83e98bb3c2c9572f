"""Answers of a code host become releases, repositories, and proposals about maintenance."""

import base64
import binascii
from collections.abc import Sequence
from datetime import date

from ingest.contract import Page
from ingest.domain.maintenance_periods import OFFICIAL, archive_period, propose_periods
from ingest.models import Retrieval
from ingest.reading import UndecodablePage, decode_page
from ingest.services.items import open_items
from ingest.services.json_pages import JsonPage
from ingest.services.listing import UnusableListing
from ingest.services.proposals import (
    moved_repository_draft,
    moved_tag_draft,
    propose_to_curator,
    removed_release_draft,
)
from ingest.services.snapshots import Bytes, keep_all
from ingest.services.vanished import value_of, vanished_tags
from ingest.sources.code_host import (
    HostRelease,
    read_commit_moment,
    read_releases,
    read_repository,
    read_tags,
)
from ingest.sources.json_answers import list_of, object_of, optional_text
from ingest.sources.maintenance_notices import read_notices
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import MaintenanceStatus
from matrix.domain.published import PublishedRelease, RepositoryFacts
from matrix.domain.versions import normalise_version
from matrix.maintaining import end_periods, record_period
from matrix.models import Release
from matrix.releasing import record_releases, record_repository

_README = "README"


def read_code_host(page: JsonPage, catalogue: Catalogue) -> bool:
    """Writes what an answer says; which one it is, its template tells. Whether anything changed."""
    if "/releases" in page.template:
        return _take_releases(page)
    if "/tags" in page.template:
        return _take_tags(page)
    if "/commits?path=" in page.template:
        return False
    if page.template.endswith("/readme"):
        return _take_readme(page, catalogue)
    return _take_repository(page, catalogue)


def wants_older_releases(page: JsonPage, _catalogue: Catalogue) -> bool:
    """Whether a list of releases goes back further than anything on record. **Queries**: 1."""
    if "/releases" not in page.template:
        return False
    listed = read_releases(page.value, framework=page.feed.framework, url=page.url)
    if not listed:
        return False
    rows = Release.objects.filter(framework__slug=page.feed.framework).values_list("tag", "version")
    known = {normalise_version(name) for row in rows for name in row if name}
    return not any(normalise_version(name) in known for r in listed for name in (r.tag, r.version))


def _take_releases(page: JsonPage) -> bool:
    framework = page.feed.framework
    listed = read_releases(page.value, framework=framework, url=page.url)
    changes = record_releases(
        [_published(framework, release) for release in listed],
        framework=framework,
        feed=page.feed.name,
        now=page.retrieved_at,
        snapshot_sha256=page.snapshot_sha256,
    )
    opened = _tell_vanished(page, [(r.tag, r.published_at.date()) for r in listed])
    return changes.any or bool(opened)


def _published(framework: str, release: HostRelease) -> PublishedRelease:
    return PublishedRelease(
        framework=framework,
        version=release.version,
        line=release.line,
        released_at=release.published_at,
        tag=release.tag,
        url=release.url,
        flagged=release.flagged,
    )


def _tell_vanished(page: JsonPage, listed: Sequence[tuple[str, date]]) -> int:
    """Opens an item for each release that the same list held before and does not hold now."""
    gone = vanished_tags(page, listed)
    rows = Release.objects.filter(
        framework__slug=page.feed.framework, tag__in=[tag for tag, _ in gone], removed_on=None
    )
    before = dict(gone)
    drafts = [removed_release_draft(page, row, listed_in=before[row.tag]) for row in rows]
    return open_items(drafts, now=page.retrieved_at)


def _take_tags(page: JsonPage) -> bool:
    """Commits of releases on record; a tag alone has no date yet, which is asked for later."""
    framework = page.feed.framework
    rows = {row.tag: row for row in Release.objects.filter(framework__slug=framework) if row.tag}
    known = [
        PublishedRelease(
            framework=framework,
            version=rows[tag.tag].version,
            line=rows[tag.tag].line,
            released_at=rows[tag.tag].released_at,
            tag=tag.tag,
            commit=tag.commit,
        )
        for tag in read_tags(page.value, framework=framework, url=page.url)
        if tag.tag in rows
    ]
    changes = record_releases(
        known, framework=framework, feed=page.feed.name, now=page.retrieved_at
    )
    drafts = [moved_tag_draft(page, moved) for moved in changes.moved]
    return bool(open_items(drafts, now=page.retrieved_at)) or changes.any


def _take_repository(page: JsonPage, catalogue: Catalogue) -> bool:
    framework = page.feed.framework
    said = read_repository(page.value, asked=page.feed.repository, url=page.url)
    facts = RepositoryFacts(
        name=page.feed.repository,
        full_name=said.full_name,
        url=said.url,
        archived=said.archived,
        pushed_at=said.pushed_at,
        seen_at=page.retrieved_at,
        default_branch=said.default_branch,
        snapshot_sha256=page.snapshot_sha256,
    )
    changed = record_repository(facts, framework=framework, feed=page.feed.name)
    today = page.retrieved_at.date()
    if said.archived is True and not _is_archived(catalogue, framework):
        period = archive_period(
            framework,
            url=said.url or page.url,
            seen_on=today,
            pushed_on=said.pushed_at.date() if said.pushed_at else None,
        )
        record_period(
            period, actor=page.feed.name, now=page.retrieved_at,
            snapshot_sha256=page.snapshot_sha256,
        )  # fmt: skip
    if said.archived is False:
        end_periods(
            framework, MaintenanceStatus.ARCHIVED, strength=OFFICIAL, on=today,
            actor=page.feed.name, reason="the code host no longer shows it as archived",
        )  # fmt: skip
    if said.moved_to:
        open_items([moved_repository_draft(page, said.moved_to)], now=page.retrieved_at)
    return changed


def _is_archived(catalogue: Catalogue, framework: str) -> bool:
    """Whether the archive flag stands on record and has not ended."""
    return any(
        period.framework == framework
        and not period.component
        and period.status is MaintenanceStatus.ARCHIVED
        and period.strength == OFFICIAL
        and period.end is None
        for period in catalogue.periods
    )


def _take_readme(page: JsonPage, catalogue: Catalogue) -> bool:
    """Notices of the README wait for a curator: prose is read, never taken at its word."""
    entry = object_of(page.value, url=page.url, what="a README")
    try:
        body = base64.b64decode(optional_text(entry, "content"))
        text = decode_page(body)
    except (binascii.Error, UndecodablePage) as error:
        raise UnusableListing(page.url, f"a README that cannot be decoded ({error})") from error
    # The text itself is kept beside the answer that wraps it, so that a line of it can be shown.
    content = Bytes(body=body, media_type="text/markdown")
    keep_all([content], now=page.retrieved_at)
    path = optional_text(entry, "path") or _README
    commit, stated_on = _newest_commit(page)
    read = Page(
        framework=page.feed.framework,
        version=commit[:10] or page.retrieved_at.date().isoformat(),
        path=path,
        text=text,
        url=optional_text(entry, "html_url") or page.url,
        commit=commit,
        stated_on=stated_on or page.retrieved_at.date(),
        sha256=content.sha256,
    )
    findings = read_notices(read, catalogue.vocabulary).findings
    proposals = propose_periods([(read, findings)])
    return bool(
        propose_to_curator(proposals, catalogue.periods, feed=page.feed.name, now=page.retrieved_at)
    )


def _newest_commit(page: JsonPage) -> tuple[str, date | None]:
    """Commit and day of the README by the list of its commits that was asked for just before."""
    templates = [t for t in page.feed.endpoints if "/commits?path=" in t]
    urls = [page.feed.fill(template) for template in templates]
    last = (
        Retrieval.objects.filter(feed=page.feed.name, url__in=urls)
        .select_related("snapshot")
        .order_by("-retrieved_at")
        .first()
    )
    if last is None:
        return "", None
    commits = list_of(value_of(last.snapshot), url=last.url, what="commits")
    if not commits:
        return "", None
    return optional_text(commits[0], "sha"), read_commit_moment(commits[0], url=last.url).date()
