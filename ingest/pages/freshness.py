"""The context of the freshness page: feeds, sources, and claims that are due for a re-check."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from django.urls import reverse
from django.utils.functional import Promise

from ingest.domain.feeds import FeedKind, registry
from ingest.pages.freshness_words import HEALTH_SIGNS, ORIGIN_SIGNS, kind_word
from ingest.queries_feeds import feed_standings
from ingest.queries_freshness import (
    FeedHealth,
    FeedLine,
    Origin,
    SourceLine,
    feed_lines,
    source_lines,
)
from matrix.asking import UnknownParameter
from matrix.domain import codec
from matrix.domain.aliases import build_name_table
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell, Scope
from matrix.domain.errors import InvalidValue, UnknownName
from matrix.domain.phrases import Phrase
from matrix.domain.verdict_values import RECHECK_AFTER_DAYS
from matrix.pages.evidence import scope_lines
from matrix.pages.links import cell_url, node_name, with_query
from matrix.queries.freshness import DueClaim, due_claims, source_standings

PARAMETERS = ("framework", "health", "kind", "origin", "source", "page")
CLAIMS_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class FreshnessQuestion:
    """Which part of the page is asked for; blank words ask for everything."""

    framework: str = ""
    health: str = ""
    kind: str = ""
    origin: str = ""
    source: str = ""
    page: int = 1

    def pairs(self, **changes: str) -> list[tuple[str, str]]:
        """The words of an address that asks this again, with changes."""
        words = {
            "framework": self.framework,
            "health": self.health,
            "kind": self.kind,
            "origin": self.origin,
            "source": self.source,
            "page": str(self.page) if self.page > 1 else "",
        }
        return list({**words, **changes}.items())


@dataclass(frozen=True, slots=True)
class FeedRow:
    """One feed with its signs."""

    line: FeedLine
    icon: str
    word: Promise
    kind_word: str | Promise


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source with its signs. **Units**: ``due_percent`` is a share of those that can fall due;
    unknown where none can."""

    line: SourceLine
    icon: str
    word: Promise
    framework_name: str
    due_percent: int | None
    due_url: str


@dataclass(frozen=True, slots=True)
class DueRow:
    """One claim that is due, with the cell that it speaks about."""

    claim: DueClaim
    framework_name: str
    about: str
    cell_url: str
    days_over: int


@dataclass(frozen=True, slots=True)
class FreshnessPage:
    """Everything on the page. **Shapes**: chips are (sign, word, count, address, chosen)."""

    question: FreshnessQuestion
    feeds: Sequence[FeedRow]
    feed_total: int
    healths: Sequence[tuple[str, Promise, int, str, bool]]
    sources: Sequence[SourceRow]
    origins: Sequence[tuple[str, Promise, int, str, bool]]
    frameworks: Sequence[tuple[str, str]]
    kinds: Sequence[tuple[str, str | Promise]]
    due: Sequence[DueRow]
    due_total: int
    claims_total: int
    previous_url: str
    next_url: str
    recheck_days: int
    now: datetime


def read_freshness_question(
    words: Mapping[str, str], *, catalogue: Catalogue, today: date
) -> FreshnessQuestion:
    """What an address asks. **Raises**: ``UnknownParameter``, ``UnknownName``, ``InvalidValue``."""
    for name in words:
        if name not in PARAMETERS:
            raise UnknownParameter(name=name, accepted=PARAMETERS)
    given = {name: value.strip() for name, value in words.items()}
    framework, source = given.get("framework", ""), given.get("source", "")
    if framework and framework not in catalogue.area("framework"):
        table = catalogue.vocabulary.table("framework")
        found = table.find(framework)
        if len(found) != 1:
            near = table.nearest(framework)
            raise UnknownName(axis="framework", value=framework, nearest=near)
        framework = found[0]
    if source:
        _check_source(source, today)
    page = given.get("page") or "1"
    if not (page.isascii() and page.isdigit() and int(page[:9]) >= 1):
        raise InvalidValue(name="page", value=page[:40], accepted=Phrase("a whole number from 1"))
    return FreshnessQuestion(
        framework=framework,
        health=_one_of("health", given.get("health", ""), FeedHealth),
        kind=_one_of("kind", given.get("kind", ""), FeedKind),
        origin=_one_of("origin", given.get("origin", ""), Origin),
        source=source,
        page=int(page[:9]),
    )


def _check_source(source: str, today: date) -> None:
    """Raises ``UnknownName`` for a source that neither feeds nor claims name. **Queries**: 0-1."""
    known = {name for feed in registry.FEEDS for name in feed.sources}
    if source in known:
        return
    known |= {found.source.partition(":")[0] for found in source_standings(today)}
    if source not in known:
        table = build_name_table("source", ((name, (name,)) for name in sorted(known)))
        raise UnknownName(axis="source", value=source[:80], nearest=table.nearest(source[:80]))


def _one_of(name: str, value: str, accepted: type[StrEnum]) -> str:
    names = [item.value for item in accepted]
    if value and value not in names:
        raise InvalidValue(
            name=name, value=value[:60], accepted=Phrase("one of {names}", names=", ".join(names))
        )
    return value


def build_freshness_page(
    question: FreshnessQuestion, *, catalogue: Catalogue, now: datetime
) -> FreshnessPage:
    """The page. **Queries**: 5, however many claims there are."""
    standings = feed_standings(now)
    lines = [line for line in feed_lines(standings, now=now) if _is_asked(line, question)]
    sources = source_lines(source_standings(now.date()), standings)
    if question.framework:
        sources = [s for s in sources if s.framework == question.framework]
    if question.source:
        sources = [s for s in sources if s.source == question.source]
    healths = Counter(line.health for line in lines)
    origins = Counter(line.origin for line in sources)
    start = (question.page - 1) * CLAIMS_PER_PAGE
    due, total = _due_page(question, start, now)
    if not due and start:
        # A page past the end says nothing about how many there are.
        question = replace(question, page=1)
        start = 0
        due, total = _due_page(question, start, now)
    shown = [s for s in sources if question.origin in ("", s.origin.value)]
    named = {s.framework for s in standings if s.framework} | {s.framework for s in sources}
    return FreshnessPage(
        question=question,
        feeds=[
            FeedRow(line, *HEALTH_SIGNS[line.health], kind_word=kind_word(line.standing.kind))
            for line in lines
            if question.health in ("", line.health.value)
        ],
        feed_total=len(lines),
        healths=_chips(HEALTH_SIGNS, healths, question, "health"),
        sources=[_source_row(line, question, catalogue) for line in shown],
        origins=_chips(ORIGIN_SIGNS, origins, question, "origin"),
        frameworks=sorted((slug, node_name(catalogue, "framework", slug)) for slug in named),
        kinds=[(kind.value, kind_word(kind.value)) for kind in FeedKind],
        due=[_due_row(claim, catalogue, now) for claim in due],
        due_total=total,
        claims_total=sum(line.claims for line in shown),
        previous_url=_page_url(question, question.page - 1) if question.page > 1 else "",
        next_url=_page_url(question, question.page + 1) if start + len(due) < total else "",
        recheck_days=RECHECK_AFTER_DAYS,
        now=now,
    )


def _due_page(question: FreshnessQuestion, start: int, now: datetime) -> tuple[list[DueClaim], int]:
    return due_claims(
        now.date(),
        framework=question.framework,
        source=question.source,
        start=start,
        most=CLAIMS_PER_PAGE,
    )


def _is_asked(line: FeedLine, question: FreshnessQuestion) -> bool:
    standing = line.standing
    return (
        question.framework in ("", standing.framework)
        and question.kind in ("", standing.kind)
        and (not question.source or question.source in standing.sources)
    )


def _page_url(question: FreshnessQuestion, page: int) -> str:
    return with_query(reverse("freshness"), question.pairs(page=str(page))) + "#due"


def _chips(
    signs: Mapping[FeedHealth, tuple[str, Promise]] | Mapping[Origin, tuple[str, Promise]],
    counts: Mapping[FeedHealth, int] | Mapping[Origin, int],
    question: FreshnessQuestion,
    name: str,
) -> list[tuple[str, Promise, int, str, bool]]:
    """The values that occur; choosing the chosen one again takes the filter off."""
    chosen = getattr(question, name)
    found = {str(value): count for value, count in counts.items()}
    address = reverse("freshness")
    chips = []
    for value, (icon, word) in signs.items():
        active = value == chosen
        if found.get(value) or active:
            url = with_query(
                address, question.pairs(**{name: "" if active else str(value), "page": ""})
            )
            chips.append((icon, word, found.get(value, 0), url, active))
    return chips


def _source_row(line: SourceLine, question: FreshnessQuestion, catalogue: Catalogue) -> SourceRow:
    share = line.due_share
    pairs = question.pairs(framework=line.framework, source=line.source, page="")
    return SourceRow(
        line,
        *ORIGIN_SIGNS[line.origin],
        framework_name=node_name(catalogue, "framework", line.framework),
        # A share that is not quite nothing or all is never rounded to either.
        due_percent=None if share is None else _percent(share),
        due_url=with_query(reverse("freshness"), pairs) + "#due" if line.due else "",
    )


def _percent(share: float) -> int:
    if 0 < share < 1:
        return min(99, max(1, round(100 * share)))
    return round(100 * share)


def _due_row(claim: DueClaim, catalogue: Catalogue, now: datetime) -> DueRow:
    scope = codec.scope_from_plain(claim.scope)
    return DueRow(
        claim=claim,
        framework_name=node_name(catalogue, "framework", claim.framework),
        about=" · ".join(scope_lines(catalogue, scope)),
        cell_url=cell_url(cell_of(claim.framework, scope)),
        days_over=(now.date() - claim.recheck_on).days,
    )


def cell_of(framework: str, scope: Scope) -> Cell:
    """A cell that a claim of that scope speaks about: the first node of each named axis."""
    nodes = {axis: min(named.include) for axis, named in scope.nodes.items() if named.include}
    return Cell(framework=framework, nodes=nodes, features=frozenset(scope.features))
