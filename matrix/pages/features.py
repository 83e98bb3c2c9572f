"""Service features by framework and release: what each cell of the overview says, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import EndpointKind, SupportLevel, Tier
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import Candidate, Verdict
from matrix.domain.versions import Release
from matrix.index import Knowledge
from matrix.pages.evidence import condition_line
from matrix.pages.feature_words import FEATURE_GROUPS, SERVICE_FRAMEWORKS
from matrix.pages.links import cell_url, label_of, names_in, node_name, summary_of
from matrix.pages.words import TIER_WORDS

MOST_DEPENDENCIES = 3


@dataclass(frozen=True, slots=True)
class FeatureColumn:
    """One framework at the release that answers. ``pinned`` holds where a release was chosen."""

    slug: str
    name: str
    release: Release | None
    pinned: str


@dataclass(frozen=True, slots=True)
class FeatureCell:
    """What one framework's release says of one feature.

    **Dates**: ``stated_on`` is the newest day of the deciding evidence, ``None`` without any.
    """

    level: SupportLevel
    since: str
    conditions: Sequence[str]
    depends_on: Sequence[str]
    more: str
    notes: Sequence[str]
    marks: Sequence[str | Promise]
    stated_on: date | None
    release: str
    evidence: str
    evidence_url: str
    stale: bool
    conflicting: bool
    url: str


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """One feature with its cells in the order of the columns."""

    slug: str
    name: str
    summary: str
    cells: Sequence[FeatureCell]


@dataclass(frozen=True, slots=True)
class FeatureSection:
    """One group of rows, and how many of its cells are known."""

    code: str
    title: Promise
    rows: Sequence[FeatureRow]
    known: int
    total: int


@dataclass(frozen=True, slots=True)
class FeaturesPage:
    """Everything on the overview of features."""

    columns: Sequence[FeatureColumn]
    sections: Sequence[FeatureSection]
    as_of: date
    known: int
    total: int
    revision: int


def shown_frameworks(catalogue: Catalogue, asked: Sequence[str]) -> list[str]:
    """The asked frameworks, each once; without any those that serve most, as far as known."""
    area = catalogue.area("framework")
    return [slug for slug in dict.fromkeys(asked or SERVICE_FRAMEWORKS) if slug in area]


def build_features_page(
    knowledge: Knowledge,
    *,
    as_of: date,
    frameworks: Sequence[str],
    versions: Mapping[str, str] | None = None,
) -> FeaturesPage:
    """The service features of the frameworks on a day, at their newest or the chosen releases.

    **Raises**: ``UnknownVersion``, ``NotReleasedYet`` for a chosen release.
    """
    chosen = {slug: version for slug, version in (versions or {}).items() if version}
    kept = _pages_of(knowledge)
    key = (as_of, tuple(frameworks), tuple(sorted(chosen.items())), get_language())
    page = kept.get(key)
    if page is None:
        page = _build(knowledge, as_of=as_of, frameworks=frameworks, chosen=chosen)
        if len(kept) >= _MOST_PAGES:
            kept.clear()
        kept[key] = page
    return page


# The knowledge itself is kept beside what was found in it, so that its identity stays its own.
_Key = tuple[date, tuple[str, ...], tuple[tuple[str, str], ...], str | None]
_held: tuple[Knowledge, dict[_Key, FeaturesPage]] | None = None
_MOST_PAGES = 64


def _pages_of(knowledge: Knowledge) -> dict[_Key, FeaturesPage]:
    """The overviews built so far of this knowledge."""
    global _held
    held = _held
    if held is None or held[0] is not knowledge:
        held = _held = (knowledge, {})
    return held[1]


def _build(
    knowledge: Knowledge, *, as_of: date, frameworks: Sequence[str], chosen: Mapping[str, str]
) -> FeaturesPage:
    columns = [
        column_of(knowledge.catalogue, slug, as_of=as_of, pinned=chosen.get(slug, ""))
        for slug in frameworks
    ]
    shared = SharedLegs()
    sections = []
    for group in FEATURE_GROUPS:
        rows = [
            _row(knowledge, slug, columns, as_of=as_of, shared=shared)
            for slug in group.features
            if slug in knowledge.catalogue.area("feature")
        ]
        if rows:
            known, total = _count(rows)
            sections.append(FeatureSection(group.code, group.title, rows, known, total))
    return FeaturesPage(
        columns=columns,
        sections=sections,
        as_of=as_of,
        known=sum(section.known for section in sections),
        total=sum(section.total for section in sections),
        revision=knowledge.revision,
    )


def _count(rows: Sequence[FeatureRow]) -> tuple[int, int]:
    cells = [cell for row in rows for cell in row.cells]
    return sum(cell.level is not SupportLevel.UNKNOWN for cell in cells), len(cells)


def column_of(catalogue: Catalogue, slug: str, *, as_of: date, pinned: str = "") -> FeatureColumn:
    """The column of a framework. **Raises**: ``UnknownVersion``, ``NotReleasedYet``."""
    history = catalogue.histories[slug]
    rank = history.asked_rank(pinned or None, as_of=as_of)
    release = history.releases[rank] if rank is not None else None
    return FeatureColumn(
        slug=slug,
        name=node_name(catalogue, "framework", slug),
        release=release,
        pinned=release.version if pinned and release else "",
    )


def _row(
    knowledge: Knowledge,
    slug: str,
    columns: Sequence[FeatureColumn],
    *,
    as_of: date,
    shared: SharedLegs,
) -> FeatureRow:
    node = knowledge.catalogue.area("feature")[slug]
    return FeatureRow(
        slug=slug,
        name=label_of(node),
        summary=summary_of(node),
        cells=[
            feature_cell(knowledge, column, slug, as_of=as_of, shared=shared) for column in columns
        ],
    )


def feature_cell(
    knowledge: Knowledge,
    column: FeatureColumn,
    feature: str,
    *,
    as_of: date,
    shared: SharedLegs | None = None,
) -> FeatureCell:
    """What the column's release says of the feature, with its deciding evidence."""
    cell = Cell(framework=column.slug, version=column.pinned or None, features=frozenset({feature}))
    verdict = knowledge.index.verdict_for(cell, as_of=as_of, shared=shared)
    deciding = verdict.deciding
    newest = max(deciding, key=lambda c: (c.rank, c.observation.stated_on), default=None)
    depends = [names_in(knowledge.catalogue, line) for line in verdict.depends_on]
    return FeatureCell(
        level=verdict.level,
        since=since_sentence(verdict, knowledge.catalogue),
        conditions=[condition_line(c).text for c in verdict.conditions],
        depends_on=depends[:MOST_DEPENDENCIES],
        more=_more_sentence(len(depends) - MOST_DEPENDENCIES),
        notes=tuple(dict.fromkeys(c.claim.note for c in deciding if c.claim.note)),
        marks=[TIER_WORDS[verdict.tier]] if deciding and verdict.tier is not Tier.OFFICIAL else [],
        stated_on=newest.observation.stated_on if newest else None,
        release=newest.observation.release if newest else "",
        evidence=_evidence_sentence(newest, stale=verdict.stale) if newest else "",
        evidence_url=newest.observation.document.url if newest else "",
        stale=verdict.stale,
        conflicting=verdict.conflicting,
        url=cell_url(cell, as_of=as_of),
    )


def _more_sentence(number: int) -> str:
    if number <= 0:
        return ""
    text = ngettext("and %(n)d more restriction", "and %(n)d more restrictions", number)
    return text % {"n": number}


def _evidence_sentence(newest: Candidate, *, stale: bool) -> str:
    words = {"day": newest.observation.stated_on.isoformat(), "release": newest.observation.release}
    if stale:
        return _("evidence of %(day)s at %(release)s, not repeated since") % words
    return _("evidence of %(day)s at %(release)s") % words


def since_sentence(verdict: Verdict, catalogue: Catalogue) -> str:
    """Since which release the deciding "yes" holds, as far as its sources say; blank for others."""
    history = catalogue.histories[verdict.cell.framework]
    positive = [c for c in verdict.deciding if not c.negative and not c.inherited_from]
    if verdict.level in (SupportLevel.UNSUPPORTED, SupportLevel.UNKNOWN) or not positive:
        return ""

    def first_rank(candidate: Candidate) -> int:
        rank = history.find_rank(candidate.claim.validity.first)
        return candidate.rank if rank is None else rank

    validity = min(positive, key=first_rank).claim.validity
    words = {"first": validity.first, "after": validity.after}
    if validity.first_kind is EndpointKind.BETWEEN:
        return _("first seen at %(first)s, not yet at %(after)s") % words
    if validity.first_kind is EndpointKind.EXACT:
        return _("since %(first)s") % words
    return _("first seen at %(first)s") % words
