"""The context of a run's page: what was measured, on what, how sure it is, how to repeat it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from benchmarks_app.domain.levels import RunState
from benchmarks_app.domain.provenance import grade_run
from benchmarks_app.domain.reproduce import Reproduction, reproduce
from benchmarks_app.domain.showing import shown_text, shown_unmapped
from benchmarks_app.models import Run
from benchmarks_app.pages.checklist_words import ChecklistRow, checklist_rows, item_word
from benchmarks_app.pages.notice_words import WEIGHT_WORDS, notice_word, rank_of, weight_of
from benchmarks_app.pages.outcome_words import outcome_words
from benchmarks_app.pages.run_tables import (
    FactRow,
    FileRow,
    SpreadRow,
    column_words,
    fact_groups,
    failure_rows,
    file_rows,
    load_rows,
    spread_rows,
)
from benchmarks_app.pages.run_words import RunLine, run_line
from benchmarks_app.pages.words import GRADE_WORDS
from benchmarks_app.queries.run_list import Headline
from benchmarks_app.queries.runs import RunDetail, facts_of, load_of
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis
from matrix.pages.links import cell_url, with_query

_CELL_AXES = ("model", "quantization", "hardware", "backend")


@dataclass(frozen=True, slots=True)
class NoticeView:
    """A notice in words; ``weight`` decides how it is shown."""

    weight: str
    icon: str
    weight_word: Promise
    sentence: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Version:
    """Another version of the run."""

    uid: str
    label: str
    is_newer: bool


@dataclass(frozen=True, slots=True)
class RunPage:
    """Everything that the page of a run shows.

    **Shapes**: ``values`` are rows of statistics under ``columns``; ``unmapped`` pairs of place
    and masked value as JSON text.
    """

    line: RunLine
    sentence: str
    outcome_detail: str
    notices: Sequence[NoticeView]
    columns: Sequence[str]
    values: Sequence[SpreadRow]
    load: Sequence[tuple[str, str]]
    facts: Sequence[tuple[str, Sequence[FactRow]]]
    grade: str
    grade_word: Promise | str
    lacking: Sequence[str]
    checklist: Sequence[ChecklistRow]
    reproduction: Reproduction
    failures: Sequence[tuple[str, int]]
    files: Sequence[FileRow]
    unmapped: Sequence[tuple[str, str]]
    withheld: Sequence[str]
    versions: Sequence[Version]
    reason: str
    ended_by: str
    is_draft: bool
    is_withdrawn: bool
    is_replaced: bool
    format: str
    pointer: str
    claim_uid: str
    urls: Mapping[str, str]


def build_run_page(
    detail: RunDetail, headlines: Sequence[Headline], catalogue: Catalogue
) -> RunPage:
    """The page of one run."""
    run = detail.run
    facts, load = facts_of(run), load_of(run)
    line = run_line(run, headlines, catalogue)
    reproducibility = grade_run(facts, load, command=run.command)
    return RunPage(
        line=line,
        sentence=run_sentence(line),
        outcome_detail=outcome_words(shown_text(run.outcome_detail)),
        notices=notice_views(run.notices),
        columns=column_words(),
        values=spread_rows(detail.measurements),
        load=load_rows(run),
        facts=fact_groups(facts),
        grade=reproducibility.grade.value,
        grade_word=GRADE_WORDS[reproducibility.grade.value],
        lacking=[item_word(name) for name in reproducibility.lacking],
        checklist=checklist_rows(reproducibility),
        reproduction=reproduce(facts, load, tool=run.tool, command=run.command),
        failures=failure_rows(run.failures),
        files=file_rows(detail.files),
        unmapped=_unmapped_lines(run.unmapped),
        withheld=[shown_text(str(place)) for place in run.withheld],
        versions=_versions(detail),
        reason=run.reason,
        ended_by=run.ended_by,
        is_draft=run.state == RunState.DRAFT,
        is_withdrawn=run.state == RunState.WITHDRAWN,
        is_replaced=run.state == RunState.REPLACED,
        format=run.format,
        pointer=shown_text(run.pointer),
        claim_uid=run.claim_uid,
        urls=_urls(run, headlines, catalogue),
    )


def run_sentence(line: RunLine) -> str:
    """The run in one sentence: what ran on what, under which load, and what came out."""
    words = {
        "subject": subject_sentence(line),
        "load": ", ".join(line.load) or _("unknown load"),
        "values": ", ".join(
            " ".join(part for part in (one.name, one.stat, one.number, one.unit) if part)
            for one in line.values
        ),
    }
    if not words["values"]:
        return _("%(subject)s, %(load)s: no value that sums it up.") % words
    return _("%(subject)s, %(load)s: %(values)s.") % words


def subject_sentence(line: RunLine) -> str:
    """What ran on what."""
    framework = line.framework.name or _("an unknown framework")
    words = {
        "framework": " ".join(part for part in (framework, line.framework_version) if part),
        "model": line.model.name or _("an unknown model"),
        "hardware": line.hardware.name or _("unknown hardware"),
    }
    if line.quantization.name:
        words["model"] = _("%(model)s in %(scheme)s") % {
            "model": words["model"],
            "scheme": line.quantization.name,
        }
    if line.hardware_count:
        words["hardware"] = f"{line.hardware_count} × {words['hardware']}"
    return _("%(framework)s with %(model)s on %(hardware)s") % words


def notice_views(notices: Sequence[Mapping[str, Any]]) -> list[NoticeView]:
    """Notices in words, what misleads most first."""
    views = []
    for notice in sorted(notices, key=lambda one: rank_of(str(one.get("code", "")))):
        code = str(notice.get("code", ""))
        weight = weight_of(code)
        icon, word = WEIGHT_WORDS[weight]
        views.append(
            NoticeView(
                weight=weight.value,
                icon=icon,
                weight_word=word,
                sentence=notice_word(code, shown_text(str(notice.get("detail") or ""))),
                pointer=shown_text(str(notice.get("pointer") or "")),
            )
        )
    return views


def _unmapped_lines(unmapped: Mapping[str, object]) -> list[tuple[str, str]]:
    return [
        (shown_text(place), json.dumps(value, ensure_ascii=False))
        for place, value in shown_unmapped(unmapped).items()
    ]


def _versions(detail: RunDetail) -> list[Version]:
    found = []
    if detail.newer is not None and detail.newer.state != RunState.DRAFT:
        found.append(Version(detail.newer.uid, detail.newer.label or detail.newer.uid, True))
    older = detail.run.replaces
    if older is not None:
        found.append(Version(older.uid, older.label or older.uid, False))
    return found


def run_cell(run: Run, catalogue: Catalogue) -> Cell | None:
    """The cell that the run was measured on, ``None`` while its framework is unknown.

    A version outside the known releases is left open, because no question may name it.
    """
    history = catalogue.histories.get(run.framework) if run.framework else None
    if history is None:
        return None
    known = any(one.version == run.framework_version for one in history.releases)
    nodes = {Axis(axis): getattr(run, axis) for axis in _CELL_AXES if getattr(run, axis)}
    return Cell(run.framework, run.framework_version if known else None, nodes)


def cell_filters(run: Run) -> list[tuple[str, str]]:
    """The filters that select all runs of the same model, framework and hardware."""
    names = ("framework", "model", "quantization", "hardware")
    return [(name, str(getattr(run, name))) for name in names if getattr(run, name)]


def _history_pairs(run: Run, headlines: Sequence[Headline]) -> list[tuple[str, str]]:
    """The history of the run's cell under its load, of the rate that says most about it."""
    pairs = cell_filters(run)
    rates = [one for one in headlines if one.metric.endswith("throughput")]
    for one in (rates or list(headlines))[:1]:
        pairs += [("metric", one.metric), ("stat", one.stat)]
    if run.load_mode:
        pairs.append(("load_mode", run.load_mode))
    if run.max_concurrency:
        number = str(run.max_concurrency)
        pairs += [("concurrency_min", number), ("concurrency_max", number)]
    return pairs


def _urls(run: Run, headlines: Sequence[Headline], catalogue: Catalogue) -> dict[str, str]:
    cell = run_cell(run, catalogue)
    same = cell_filters(run)
    return {
        "page": reverse("benchmark-run", args=[run.uid]),
        "cell": cell_url(cell) if cell else "",
        "same": with_query(reverse("benchmarks"), same) if same else "",
        "compare": with_query(reverse("benchmark-compare"), same) if same else "",
        "history": with_query(reverse("benchmark-history"), _history_pairs(run, headlines))
        if same
        else "",
        "upload": f"{reverse('benchmarks')}uploads/{run.upload.uid}/",
    }
