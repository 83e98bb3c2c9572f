"""The page of an upload: what each file was, what was understood of each run, what is missing."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from benchmarks_app.domain.levels import RunState, UploadState
from benchmarks_app.domain.showing import shown_text, shown_unmapped
from benchmarks_app.models import Run, Upload, UploadFile
from benchmarks_app.pages.attaching_words import why_not_sentence
from benchmarks_app.pages.checklist_words import item_word
from benchmarks_app.pages.run import NoticeView, notice_views, run_cell, subject_sentence
from benchmarks_app.pages.run_tables import FactRow, fact_groups
from benchmarks_app.pages.run_words import RunLine, run_line
from benchmarks_app.pages.upload_words import ROLE_SIGNS, UPLOAD_SIGNS
from benchmarks_app.queries.run_list import headlines_of
from benchmarks_app.queries.uploads import UNDER_WAY
from benchmarks_app.services.attaching import attachment_of
from benchmarks_app.services.declaring import facts_of
from matrix.domain.catalogue import Catalogue
from matrix.pages.links import cell_url
from matrix.pages.words import LEVEL_SIGNS, Sign

RUNS_SHOWN = 25
MOST_LINES = 60
# Of these files the bytes are sound, but nobody knows what they say.
_READABLE = ("", "not-recognised")


@dataclass(frozen=True, slots=True)
class UploadHead:
    """How an upload stands. **Units**: ``percent`` of its files."""

    uid: str
    sign: Sign
    under_way: bool
    files_read: int
    files_count: int
    percent: int
    error: str
    place: str
    received_by: str
    received_at: datetime
    tool: str
    page_url: str
    status_url: str


@dataclass(frozen=True, slots=True)
class FileView:
    """One file and what was made of it. **Shapes**: ``unmapped`` are place and value, masked."""

    name: str
    sha256: str
    size_bytes: int
    icon: str
    role: Promise | str
    is_taken: bool
    tool: str
    format: str
    reason: str
    notices: Sequence[NoticeView]
    unmapped: Sequence[tuple[str, str]]
    withheld: Sequence[str]
    raw_url: str


@dataclass(frozen=True, slots=True)
class Attaching:
    """Which cell a run speaks for, and what it says there; or why for none."""

    cell_url: str
    level: Sign | None
    statement: str
    reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunCard:
    """One run as its sender checks it before it is published."""

    uid: str
    number: int
    line: RunLine
    is_draft: bool
    from_other: bool
    owner: str
    understood: Sequence[tuple[str, Sequence[FactRow]]]
    notices: Sequence[NoticeView]
    missing: Sequence[str]
    unmapped: Sequence[tuple[str, str]]
    unmapped_count: int
    withheld: Sequence[str]
    attaching: Attaching


def build_head(upload: Upload, *, files_count: int) -> UploadHead:
    """How the upload stands."""
    read = min(upload.files_read, files_count)
    return UploadHead(
        uid=upload.uid,
        sign=UPLOAD_SIGNS[UploadState(upload.state)],
        under_way=upload.state in UNDER_WAY,
        files_read=read,
        files_count=files_count,
        percent=round(100 * read / files_count) if files_count else 0,
        error=upload.error_sentence,
        place=shown_text(str(upload.error_facts.get("place", ""))),
        received_by=upload.received_by,
        received_at=upload.received_at,
        tool=upload.tool,
        page_url=reverse("benchmark-upload", args=[upload.uid]),
        status_url=reverse("benchmark-upload-status", args=[upload.uid]),
    )


def build_files(upload: Upload, files: Iterable[UploadFile], *, with_bytes: bool) -> list[FileView]:
    """The files; those that could not be taken first, as they need a look."""
    views = [_file_view(upload, file, with_bytes=with_bytes) for file in files]
    return sorted(views, key=lambda view: (view.is_taken, view.name))


def _file_view(upload: Upload, file: UploadFile, *, with_bytes: bool) -> FileView:
    icon, word = ROLE_SIGNS.get(file.role, ("?", file.role))
    sha256 = file.file.sha256
    return FileView(
        name=shown_text(file.name),
        sha256=sha256,
        size_bytes=file.file.size_bytes,
        icon=icon,
        role=_("could not be read") if file.error_code not in _READABLE else word,
        is_taken=not file.error_code and file.role != "rejected",
        tool=file.tool,
        format=file.format,
        reason=shown_text(file.reason, longest=600),
        notices=notice_views(file.notices),
        unmapped=unmapped_lines(file.unmapped),
        withheld=withheld_places(file.withheld),
        raw_url=reverse("benchmark-upload-raw", args=[upload.uid, sha256]) if with_bytes else "",
    )


def build_cards(upload: Upload, runs: Sequence[Run], catalogue: Catalogue) -> list[RunCard]:
    """The runs of one page of the upload. **Queries**: 1."""
    values = headlines_of([run.pk for run in runs])
    lines = [(run, run_line(run, values.get(run.pk, ()), catalogue)) for run in runs]
    return [
        RunCard(
            uid=run.uid,
            number=run.number,
            line=line,
            is_draft=run.state == RunState.DRAFT.value,
            from_other=run.upload_id != upload.pk,
            owner=run.created_by,
            understood=fact_groups(facts_of(run)),
            notices=notice_views(run.notices),
            missing=[item_word(name) for name in run.missing],
            unmapped=unmapped_lines(run.unmapped),
            unmapped_count=len(run.unmapped),
            withheld=withheld_places(run.withheld),
            attaching=build_attaching(run, line, catalogue),
        )
        for run, line in lines
    ]


def build_attaching(run: Run, line: RunLine, catalogue: Catalogue) -> Attaching:
    """What publishing the run says on the matrix, or why it says nothing."""
    found = attachment_of(run, catalogue)
    cell = run_cell(run, catalogue)
    claim = found.claim
    return Attaching(
        cell_url=cell_url(cell) if cell is not None and claim is not None else "",
        level=LEVEL_SIGNS[claim.level] if claim is not None else None,
        statement=f"{subject_sentence(line)}: {line.outcome.word}" if claim is not None else "",
        reasons=[str(why_not_sentence(reason)) for reason in found.why_not],
    )


def unmapped_lines(unmapped: Mapping[str, object]) -> list[tuple[str, str]]:
    """Places and masked values of fields that were not understood, the first of them."""
    shown = shown_unmapped(dict(list(unmapped.items())[:MOST_LINES]))
    return [
        (shown_text(place), json.dumps(value, ensure_ascii=False)[:300])
        for place, value in shown.items()
    ]


def withheld_places(places: Sequence[str]) -> list[str]:
    """Places whose content is never shown, the first of them."""
    return [shown_text(place) for place in places[:MOST_LINES]]
