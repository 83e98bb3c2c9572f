"""Reads the evidence of a claim: documents, where in them it stands, and for which release."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from matrix.domain.claims import Document, Locator, Observation
from matrix.domain.levels import EvidenceKind
from matrix.domain.phrases import Phrase
from matrix.domain.versions import Release, ReleaseHistory
from matrix.entering.fields import Fields, read_day
from matrix.entering.problems import Problem, shown_value, with_nearest

SHORT_KINDS: Mapping[str, EvidenceKind] = {
    "code": EvidenceKind.SOURCE_CODE,
    "docs": EvidenceKind.DOCUMENTATION,
    "maintainer": EvidenceKind.MAINTAINER,
    "user": EvidenceKind.USER_REPORT,
    "gate": EvidenceKind.CAPABILITY_GATE,
    "run": EvidenceKind.BENCHMARK_RUN,
    "test": EvidenceKind.MANUAL_TEST,
}
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LOCATOR_FIELDS = (
    "line", "line_end", "table", "heading", "tabs", "row", "column", "keys", "comment",
)  # fmt: skip
LONGEST_ADDRESS = 800
# A test that was recorded here is named by its place below any address that this site may have.
_REPORT = re.compile(r"/reports/[0-9a-z]{4,24}/")


class ReleaseReader:
    """Versions of one framework as people write them; a day only where the line allows days."""

    def __init__(self, history: ReleaseHistory, *, by_date: bool) -> None:
        self.history = history
        self.by_date = by_date

    def read(self, text: str, path: str, problems: list[Problem]) -> str:
        """The version of the catalogue, or an empty text and a problem."""
        if not text:
            return ""
        release = self.history.find(text)
        if release is not None:
            return release.version
        day = read_day(text)
        if day is None:
            nearest = self.history.nearest(text, limit=4)
            what = Phrase(
                "is {value}; accepted: a known release of {framework}",
                value=shown_value(text),
                framework=self.history.framework,
            )
            problems.append(Problem(path, with_nearest(what, nearest)))
            return ""
        if not self.by_date:
            problems.append(
                Problem(
                    path,
                    Phrase(
                        "is the day {text}; accepted: a release, or a day where the line "
                        'says "release_by_date": true',
                        text=text,
                    ),
                )
            )
            return ""
        return self.on_day(day, path, problems)

    def on_day(self, day: date, path: str, problems: list[Problem]) -> str:
        """The newest stable release on a day."""
        rank = self.history.latest_rank(as_of=day)
        if rank is None:
            what = Phrase(
                "no stable release of {framework} is known by {day}",
                framework=self.history.framework,
                day=day,
            )
            problems.append(Problem(path, what))
            return ""
        return self.history.releases[rank].version

    def find(self, version: str) -> Release | None:
        """The release of a version that was read."""
        return self.history.find(version) if version else None


def read_observation(
    given: Mapping[str, Any],
    releases: ReleaseReader,
    problems: list[Problem],
    *,
    path: str,
    default_release: str,
    today: date,
) -> tuple[Observation | None, EvidenceKind | None]:
    """One document with its place, and the kind of evidence that it is."""
    before = len(problems)
    fields = Fields(given, problems, path=path)
    kind = fields.word("kind", EvidenceKind, also=SHORT_KINDS)
    stated_on = fields.day("stated_on", today=today, required=True)
    version = fields.text("version", longest=80)
    release = _release(fields, releases, version, stated_on, default_release)
    locator = _read_locator(fields)
    document = _read_document(fields, version, stated_on)
    raw = fields.text("raw", longest=200)
    fields.refuse_unknown()
    if len(problems) > before or stated_on is None:
        return None, kind
    seen = Observation(
        document=document, locator=locator, release=release, stated_on=stated_on, raw=raw
    )
    return seen, kind


def _release(
    fields: Fields,
    releases: ReleaseReader,
    version: str,
    stated_on: date | None,
    default_release: str,
) -> str:
    """The release that the document speaks for; nothing is taken from a day unless it is said."""
    by_date = fields.flag("release_by_date") or releases.by_date
    own = ReleaseReader(releases.history, by_date=by_date)
    text = fields.text("release", longest=80)
    if text:
        return own.read(text, fields.place("release"), fields.problems)
    known = releases.find(version)
    if known is not None:
        return known.version
    if by_date and stated_on is not None:
        return own.on_day(stated_on, fields.place("release"), fields.problems)
    if not default_release:
        fields.refuse(
            "release",
            Phrase(
                "is missing; accepted: the release that the document speaks for, or "
                '"release_by_date": true for the newest one on the day it was stated'
            ),
        )
    return default_release


def _read_document(fields: Fields, version: str, stated_on: date | None) -> Document:
    url = fields.text("url", longest=LONGEST_ADDRESS, required=True)
    if url and not _is_address(url) and not _REPORT.fullmatch(url):
        fields.refuse(
            "url", Phrase("is {value}; accepted: an http or https address", value=shown_value(url))
        )
    document = Document(
        key="",
        url=url,
        version=version,
        commit=_hexadecimal(fields, "commit", _COMMIT, "7 to 64 hexadecimal digits"),
        path=fields.text("path", longest=400),
        sha256=_hexadecimal(fields, "sha256", _SHA256, "64 hexadecimal digits"),
        title=fields.text("title", longest=300),
        stated_on=stated_on,
    )
    return replace(document, key=document_key(document))


def document_key(document: Document) -> str:
    """A key of everything that tells one version of a written document from another."""
    parts = [
        document.url, document.version, document.commit, document.path, document.sha256,
        document.title, str(document.retrieved_at or ""), str(document.stated_on or ""),
    ]  # fmt: skip
    return "written:" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host) and not re.search(r"\s", url)


def _hexadecimal(fields: Fields, name: str, form: re.Pattern[str], accepted: str) -> str:
    text = fields.text(name, longest=64).lower()
    if text and not form.fullmatch(text):
        fields.refuse(
            name,
            Phrase("is {value}; accepted: {accepted}", value=shown_value(text), accepted=accepted),
        )
        return ""
    return text


def _read_locator(fields: Fields) -> Locator:
    """The place in the document, from ``locator`` or from the same fields beside the document."""
    value = fields.raw("locator")
    for name in _LOCATOR_FIELDS:
        fields.raw(name)
    if value is not None and not isinstance(value, Mapping):
        fields.refuse(
            "locator",
            Phrase('is {value}; accepted: such as {{"line": 12}}', value=shown_value(value)),
        )
        return Locator()
    given = {name: fields.given[name] for name in _LOCATOR_FIELDS if name in fields.given}
    if value is not None and given:
        fields.refuse(
            "locator",
            Phrase("stands beside {names}; accepted: one of the two", names=", ".join(given)),
        )
    path = fields.place("locator") if value is not None else fields.path
    place = Fields(given if value is None else value, fields.problems, path=path)
    keys = place.texts("keys", longest=200, most=12)
    comment = place.text("comment", longest=100)
    locator = Locator(
        heading=place.texts("heading", longest=300, most=12),
        row=place.text("row", longest=300),
        column=place.text("column", longest=300),
        line=place.whole("line"),
        line_end=place.whole("line_end"),
        table=place.whole("table", least=0),
        tabs=place.texts("tabs", longest=200, most=12),
        path=("comment", comment) if comment else keys,
    )
    place.refuse_unknown()
    if locator.line_end is not None and (locator.line or 10**9) > locator.line_end:
        place.refuse(
            "line_end",
            Phrase("is {line_end}; accepted: a line after line", line_end=locator.line_end),
        )
    return locator
