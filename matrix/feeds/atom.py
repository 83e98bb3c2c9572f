"""Atom documents (RFC 4287) from entries; plain text only, so that nothing in them can run."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.feedgenerator import Atom1Feed

ATOM_TYPE = "application/atom+xml; charset=utf-8"
# Names entries for ever: the same thing has the same identifier on every installation.
_NAMESPACE = uuid.UUID("6f0d2a4e-8f0c-5b8e-9c6b-2f6f1f0f7a11")
# XML has no place for these, whatever a catalogue or release may be called.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of news. **Dates**: ``updated`` moves when more of the same became known.

    **Shapes**: ``key`` says what it is about and never changes; ``path`` is a path of this site.
    """

    key: str
    title: str
    summary: str
    path: str
    published: datetime
    updated: datetime
    category: str


@dataclass(frozen=True, slots=True)
class AtomFeed:
    """A feed with its entries, newest first."""

    key: str
    title: str
    subtitle: str
    path: str
    page_path: str
    entries: Sequence[Entry]


def entry_id(key: str) -> str:
    """The identifier of whatever the key names."""
    return uuid.uuid5(_NAMESPACE, key).urn


def render_atom(feed: AtomFeed, *, base: str, language: str, updated: datetime) -> str:
    """The document; ``base`` is the scheme and host under which the site was asked."""
    document = Atom1Feed(
        title=_clean(feed.title),
        link=base + feed.page_path,
        description="",
        subtitle=_clean(feed.subtitle),
        language=language,
        feed_url=base + feed.path,
        feed_guid=entry_id(feed.key),
        author_name="Runproof",
    )
    for entry in feed.entries:
        document.add_item(
            title=_clean(entry.title),
            link=base + entry.path,
            description=_clean(entry.summary),
            unique_id=entry_id(entry.key),
            pubdate=entry.published,
            updateddate=entry.updated,
            categories=[entry.category],
        )
    newest = max((entry.updated for entry in feed.entries), default=updated)
    document.latest_post_date = lambda: newest  # type: ignore[method-assign]
    return document.writeString("utf-8")


def _clean(text: str) -> str:
    return _NOT_XML.sub("", text)
