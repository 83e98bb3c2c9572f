"""Bytes are kept under their hash, once, with each time that they were taken."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ingest.models import Retrieval, Snapshot

_BATCH_ROWS = 200
# What is worth keeping of an answer's headers; the rest is about the connection.
KEPT_HEADERS = ("content-type", "etag", "last-modified", "content-length", "link", "date")


@dataclass(frozen=True, slots=True)
class Bytes:
    """Content to keep. **Shapes**: ``sha256`` and ``git_blob`` follow from the body."""

    body: bytes
    media_type: str = ""
    charset: str = ""

    @property
    def sha256(self) -> str:
        """The name of the content."""
        return hashlib.sha256(self.body).hexdigest()

    @property
    def git_blob(self) -> str:
        """The name that git gives to the content."""
        header = f"blob {len(self.body)}\0".encode()
        return hashlib.sha1(header + self.body, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Taken:
    """Where and when content was taken."""

    url: str
    retrieved_at: datetime
    feed: str = ""
    final_url: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    framework: str = ""
    version: str = ""
    path: str = ""


def keep_all(contents: Iterable[Bytes], *, now: datetime) -> int:
    """Keeps contents that are not kept yet; returns how many. **Queries**: 1 per 200 and 1."""
    by_name = {content.sha256: content for content in contents}
    known = set(Snapshot.objects.filter(sha256__in=list(by_name)).values_list("sha256", flat=True))
    rows = [
        Snapshot(
            sha256=name,
            body=content.body,
            size_bytes=len(content.body),
            git_blob=content.git_blob,
            media_type=content.media_type,
            charset=content.charset,
            first_seen_at=now,
        )
        for name, content in by_name.items()
        if name not in known
    ]
    Snapshot.objects.bulk_create(rows, batch_size=_BATCH_ROWS, ignore_conflicts=True)
    return len(rows)


def keep_snapshot(content: Bytes, taken: Taken) -> str:
    """Keeps content and the time it was taken; returns its SHA-256. **Queries**: 3."""
    keep_all([content], now=taken.retrieved_at)
    sha256 = content.sha256
    Retrieval.objects.create(
        feed=taken.feed,
        url=taken.url,
        final_url=taken.final_url,
        status=taken.status,
        headers={k: v for k, v in taken.headers.items() if k in KEPT_HEADERS},
        snapshot_id=sha256,
        framework=taken.framework,
        version=taken.version,
        path=taken.path,
        retrieved_at=taken.retrieved_at,
    )
    return sha256


def find_blobs(names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of the kept contents by the name that git gives them. **Queries**: 1."""
    rows = Snapshot.objects.filter(git_blob__in=list(names))
    return dict(rows.values_list("git_blob", "sha256"))
