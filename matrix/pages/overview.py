"""The context of the overview: frameworks, how fresh their sources are, what changed lately."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.domain.versions import Release
from matrix.grids import coverage_on
from matrix.index import Knowledge
from matrix.mentions import EMPTY, Mentions, mentions_of
from matrix.pages.changes import CHANGE_WORDS
from matrix.pages.links import label_of, node_name, with_query
from matrix.queries import Change, ChangeKind, changes_between, maintenance_on

LATELY_DAYS = 30
MOST_CHANGES = 8

# Worked examples: what to ask, as parameters of the cell page.
EXAMPLES: tuple[tuple[Promise, Mapping[str, str]], ...] = (
    (
        _("AWQ on Turing in vLLM 0.11"),
        {"framework": "vllm", "version": "0.11.0", "quantization": "awq", "hardware": "turing"},
    ),
    (
        _("FP8 on Ampere"),
        {"framework": "vllm", "quantization": "fp8", "hardware": "ampere"},
    ),
)


@dataclass(frozen=True, slots=True)
class FrameworkRow:
    """One framework of the overview. **Units**: ages in days at the asked day."""

    slug: str
    name: str
    kind: str
    parent: str
    maintenance: Mapping[str, Any]
    newest: Release | None
    release_age: int | None
    mentions: Mentions
    evidence_age: int | None


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """How many statements of one framework changed on one day, by kind."""

    on: date
    framework: str
    name: str
    releases: str
    counts: Sequence[tuple[str, Promise, int]]
    url: str


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything on the overview page."""

    rows: Sequence[FrameworkRow]
    silent: Sequence[FrameworkRow]
    claims: int
    changes: Sequence[ChangeSummary]
    changes_total: int
    changes_from: date
    examples: Sequence[tuple[Promise, str]]
    as_of: date
    revision: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many cells of a framework's standard grid are answered."""

    slug: str
    answered: int
    asked: int

    @property
    def percent(self) -> int | None:
        """Share of answered cells; unknown without cells."""
        return round(100 * self.answered / self.asked) if self.asked else None


def framework_coverage(knowledge: Knowledge, slug: str, *, as_of: date) -> Coverage:
    """The coverage of one framework; fetched after the page, because it asks every cell."""
    answered, asked = coverage_on(knowledge, slug, as_of=as_of)
    return Coverage(slug=slug, answered=answered, asked=asked)


def framework_row(knowledge: Knowledge, slug: str, *, as_of: date) -> FrameworkRow:
    """One framework as the lists show it."""
    catalogue = knowledge.catalogue
    node = catalogue.area("framework")[slug]
    history = catalogue.histories[slug]
    rank = history.latest_rank(as_of=as_of)
    newest = None if rank is None else history.releases[rank]
    mentions = mentions_of(knowledge).get(slug, EMPTY)
    seen = mentions.newest
    return FrameworkRow(
        slug=slug,
        name=label_of(node),
        kind=node.kind,
        parent=node.parent or "",
        maintenance=maintenance_on(catalogue, slug, as_of=as_of),
        newest=newest,
        release_age=(as_of - newest.released_on).days if newest else None,
        mentions=mentions,
        evidence_age=(as_of - seen).days if seen else None,
    )


def build_overview(knowledge: Knowledge, *, as_of: date) -> Overview:
    """The overview on a day."""
    area = knowledge.catalogue.area("framework")
    mentions = mentions_of(knowledge)
    order = sorted(area, key=lambda slug: (-mentions.get(slug, EMPTY).claims, slug))
    rows = [framework_row(knowledge, slug, as_of=as_of) for slug in order]
    start = as_of - timedelta(days=LATELY_DAYS)
    changes = changes_between(start, as_of, revision=knowledge.revision)
    return Overview(
        rows=[row for row in rows if row.mentions.claims],
        silent=[row for row in rows if not row.mentions.claims],
        claims=sum(row.mentions.claims for row in rows),
        changes=_summaries(knowledge, changes)[:MOST_CHANGES],
        changes_total=len(changes),
        changes_from=start,
        examples=[(label, with_query(reverse("cell"), pairs.items())) for label, pairs in EXAMPLES],
        as_of=as_of,
        revision=knowledge.revision,
    )


def _summaries(knowledge: Knowledge, changes: Sequence[Change]) -> list[ChangeSummary]:
    """Changes counted by day and framework, newest first."""
    groups: dict[tuple[date, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.on, change.framework), []).append(change)
    found = []
    for (on, framework), members in groups.items():
        kinds = Counter(change.kind for change in members)
        releases = sorted({change.release for change in members if change.release})
        found.append(
            ChangeSummary(
                on=on,
                framework=framework,
                name=node_name(knowledge.catalogue, "framework", framework),
                releases=", ".join(releases[:3]) + (" …" if len(releases) > 3 else ""),
                counts=[(*CHANGE_WORDS[kind], kinds[kind]) for kind in ChangeKind if kinds[kind]],
                url=with_query(
                    reverse("changes"),
                    [
                        ("framework", framework),
                        ("from", (on - timedelta(days=1)).isoformat()),
                        ("to", on.isoformat()),
                    ],
                ),
            )
        )
    return found
