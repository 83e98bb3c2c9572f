"""The page of kept bytes: inert lines with the cited one marked, and who cites them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from ingest.models import Snapshot
from ingest.pages.fragment import Cited, Line, cited_lines, show_lines, text_of
from ingest.queries_snapshots import citing_claims, count_citing_claims, path_of, retrievals_of
from matrix.domain import codec
from matrix.domain.claims import NOWHERE, Locator
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.pages.evidence import place_query

LINES_SHOWN = 400
LINES_BEFORE = 40
MOST_CHARACTERS = 400_000
_LONGEST_WORD = 300
_LINES = re.compile(r"([0-9]{1,7})(?:[-–]([0-9]{1,7}))?")
PARAMETERS = ("line", "row", "column", "heading", "from")


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim that rests on the bytes, with the address of its place in them."""

    uid: str
    framework: str
    statement: str
    level: str
    kind: str
    standing: bool
    release: str
    place: str
    address: str


@dataclass(frozen=True, slots=True)
class Taking:
    """One time that the bytes were taken."""

    retrieved_at: datetime
    url: str
    what: str


@dataclass(frozen=True, slots=True)
class SnapshotPage:
    """Everything on the page of kept bytes; ``missed`` says that the cited place is not there."""

    sha256: str
    path: str
    size_bytes: int
    media_type: str
    charset: str
    first_seen_at: datetime
    doubtful: bool
    lines: Sequence[Line]
    first: int
    last: int
    total: int
    cited: Cited | None
    cited_words: str
    missed: bool
    previous_url: str
    next_url: str
    download_url: str
    takings: Sequence[Taking]
    citations: Sequence[Citation]
    citing: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an address asks to see: a place, or the lines from one on."""

    locator: Locator
    start: int | None


def read_wanted(words: Mapping[str, str]) -> Wanted:
    """What the words of an address ask for. **Raises**: ``InvalidValue``."""
    line, line_end = _read_lines("line", words.get("line", ""))
    start, _end = _read_lines("from", words.get("from", ""))
    heading = words.get("heading", "")[:_LONGEST_WORD].strip()
    locator = Locator(
        line=line,
        line_end=line_end,
        row=words.get("row", "")[:_LONGEST_WORD].strip(),
        column=words.get("column", "")[:_LONGEST_WORD].strip(),
        heading=(heading,) if heading else (),
    )
    return Wanted(locator=locator, start=start)


def _read_lines(name: str, text: str) -> tuple[int | None, int | None]:
    if not text.strip():
        return None, None
    match = _LINES.fullmatch(text.strip())
    if match is None or int(match[1]) < 1:
        raise InvalidValue(
            name=name, value=text[:40], accepted=Phrase("a line such as 12, or 12-14")
        )
    return int(match[1]), int(match[2]) if match[2] else None


def build_snapshot_page(snapshot: Snapshot, wanted: Wanted) -> SnapshotPage:
    """The page of kept bytes. **Queries**: 4."""
    text = text_of(snapshot)
    path = path_of(snapshot.sha256)
    asked = wanted.locator != NOWHERE
    cited = cited_lines(text, wanted.locator, path=path) if asked else None
    total = len(text.lines)
    first = wanted.start or (max(1, cited[0] - LINES_BEFORE) if cited else 1)
    first = min(first, max(1, total))
    last = _last_line(text.lines, first)
    address = reverse("snapshot", args=[snapshot.sha256])
    return SnapshotPage(
        sha256=snapshot.sha256,
        path=path,
        size_bytes=snapshot.size_bytes,
        media_type=snapshot.media_type,
        charset=snapshot.charset,
        first_seen_at=snapshot.first_seen_at,
        doubtful=text.doubtful,
        lines=show_lines(text.lines, first=first, last=last, cited=cited),
        first=first,
        last=last,
        total=total,
        cited=cited,
        cited_words=codec.locator_text(wanted.locator),
        missed=asked and cited is None,
        previous_url=f"{address}?from={max(1, first - LINES_SHOWN)}" if first > 1 else "",
        next_url=f"{address}?from={last + 1}" if last < total else "",
        download_url=reverse("snapshot-raw", args=[snapshot.sha256]),
        takings=_takings(snapshot.sha256),
        citations=_citations(snapshot.sha256, address),
        citing=count_citing_claims(snapshot.sha256),
    )


def _last_line(lines: Sequence[str], first: int) -> int:
    """The last line of a window that is short in lines and in characters."""
    held = 0
    last = first
    for number in range(first, min(first + LINES_SHOWN - 1, len(lines)) + 1):
        held += len(lines[number - 1])
        if held > MOST_CHARACTERS and number > first:
            break
        last = number
    return last


def _takings(sha256: str) -> list[Taking]:
    return [
        Taking(
            retrieved_at=row.retrieved_at,
            url=row.final_url or row.url,
            what=" ".join(filter(None, (row.framework, row.version, row.path))) or _("no page"),
        )
        for row in retrievals_of(sha256)
    ]


def _citations(sha256: str, address: str) -> list[Citation]:
    found = []
    for claim in citing_claims(sha256):
        locator = codec.locator_from_plain(claim.locator)
        found.append(
            Citation(
                uid=claim.uid,
                framework=claim.framework,
                statement=claim.statement,
                level=claim.level,
                kind=claim.kind,
                standing=claim.standing,
                release=claim.release,
                place=codec.locator_text(locator),
                address=address + place_query(locator),
            )
        )
    return found


def plain_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """What is known about kept bytes, as plain data. **Queries**: 3."""
    address = reverse("snapshot", args=[snapshot.sha256])
    return {
        "sha256": snapshot.sha256,
        "size_bytes": snapshot.size_bytes,
        "git_blob": snapshot.git_blob,
        "media_type": snapshot.media_type or None,
        "charset": snapshot.charset or None,
        "first_seen_at": moment_text(snapshot.first_seen_at),
        "retrievals": [
            {
                "url": row.url or None,
                "final_url": row.final_url or None,
                "status": row.status or None,
                "feed": row.feed or None,
                "framework": row.framework or None,
                "version": row.version or None,
                "path": row.path or None,
                "retrieved_at": moment_text(row.retrieved_at),
            }
            for row in retrievals_of(snapshot.sha256)
        ],
        "claims_count": count_citing_claims(snapshot.sha256),
        "claims": [
            {"uid": claim.uid, "release": claim.release, "locator": dict(claim.locator)}
            for claim in citing_claims(snapshot.sha256)
        ],
        "links": {"page": address, "raw": reverse("snapshot-raw", args=[snapshot.sha256])},
    }


def moment_text(moment: datetime | None) -> str | None:
    """A moment as ISO 8601 in UTC."""
    return moment.isoformat().replace("+00:00", "Z") if moment else None
