"""Folders of captured pages: what is new is kept, read and accepted at the operator's word."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from ingest.contract import Page, Source
from ingest.domain.feeds.policy import ACCEPT_EVERYTHING
from ingest.domain.run_rules import RuleRun
from ingest.models import RuleRecord
from ingest.services.outcomes import fingerprint_of, matching_rules, snapshot_of
from ingest.services.records import PageKey, key_of, note_pages
from ingest.services.snapshots import Bytes, keep_all
from ingest.services.taking import Taken, Terms, take_pages
from matrix.domain.catalogue import Catalogue

# Bytes that are held at a time while they are written.
_PAGES_AT_A_TIME = 200


def pages_to_read(
    pages: Sequence[Page], sources: Sequence[Source], catalogue: Catalogue
) -> list[Page]:
    """The pages of those versions of which anything is new since they were read last.

    New is what has other bytes, another place in time or address, a newer parser, or was read when
    other words or releases were known. **Queries**: 1.
    """
    if not pages:
        return []
    framework = pages[0].framework
    fingerprint = fingerprint_of(catalogue, framework)
    known = set(
        RuleRecord.objects.filter(page__framework=framework).values_list(
            "page__version",
            "page__path",
            "source",
            "rule",
            "parser",
            "snapshot_sha256",
            "fingerprint",
            "page__release",
            "page__stated_on",
            "page__url",
            "page__commit",
        )
    )
    changed = {
        page.version
        for page in pages
        if any(
            (
                page.version,
                page.path,
                *rule,
                snapshot_of(page),
                fingerprint,
                page.release,
                page.stated_on,
                page.url,
                page.commit,
            )
            not in known
            for rule in matching_rules(sources, page.path)
        )
    }
    return [page for page in pages if page.version in changed]


def take_folder(
    pages: Sequence[Page],
    files: Mapping[tuple[str, str], Path],
    *,
    sources: Sequence[Source],
    catalogue: Catalogue,
    run: RuleRun,
    actor: str,
    now: datetime,
) -> Taken:
    """Keeps the bytes of read pages and accepts what was read; inside the caller's transaction.

    **Raises**: ``InvalidClaim``.
    """
    wanted = [page for page in pages if matching_rules(sources, page.path)]
    names: dict[PageKey, str] = {}
    for start in range(0, len(wanted), _PAGES_AT_A_TIME):
        contents = {
            key_of(page): _content(page, files) for page in wanted[start : start + _PAGES_AT_A_TIME]
        }
        names |= {key: content.sha256 for key, content in contents.items()}
        keep_all(contents.values(), now=now)
    note_pages(wanted, names)
    return take_pages(
        wanted,
        sources=sources,
        catalogue=catalogue,
        terms=Terms(policy=ACCEPT_EVERYTHING, actor=actor, now=now, trusted=True),
        run=run,
    )


def _content(page: Page, files: Mapping[tuple[str, str], Path]) -> Bytes:
    """The bytes of a page; one that was put together, or whose file changed meanwhile, as read."""
    file = files.get((page.version, page.path))
    data = file.read_bytes() if file is not None else b""
    if hashlib.sha256(data).hexdigest() != snapshot_of(page):
        data = page.text.encode()
    return Bytes(body=data)
