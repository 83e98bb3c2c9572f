"""The context of the changes page: what sources began, ended or turned to say between two days."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.asking import UnknownParameter
from matrix.domain import codec
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge
from matrix.models import Claim
from matrix.pages.asked import Words, reader_for
from matrix.pages.evidence import scope_lines
from matrix.pages.links import node_name, with_query
from matrix.queries import Change, ChangeKind, Clock, changes_between

CHANGES_PER_PAGE = 60
DEFAULT_DAYS = 90
PARAMETERS = ("from", "to", "framework", "clock", "kind", "source", "page")

CHANGE_WORDS: dict[ChangeKind, tuple[str, Promise]] = {
    ChangeKind.BEGAN: ("+", _("begun")),
    ChangeKind.ENDED: ("−", _("no longer stated")),
    ChangeKind.CHANGED: ("⇄", _("flipped")),
    ChangeKind.REWORDED: ("≈", _("reworded")),
    ChangeKind.RECORDED: ("+", _("recorded")),
    ChangeKind.SUPERSEDED: ("⇄", _("superseded")),
    ChangeKind.WITHDRAWN: ("−", _("withdrawn")),
}
CLOCK_WORDS: dict[Clock, Promise] = {
    Clock.VALID: _("when sources said it"),
    Clock.RECORDED: _("when it was recorded here"),
}


@dataclass(frozen=True, slots=True)
class ChangesQuestion:
    """Which changes are asked for. **Dates**: after ``start``, up to and with ``end``."""

    start: date
    end: date
    framework: str = ""
    clock: Clock = Clock.VALID
    kind: ChangeKind | None = None
    source: str = ""
    page: int = 1

    def pairs(self) -> list[tuple[str, str]]:
        """The parameters that ask this again."""
        return [
            ("from", self.start.isoformat()),
            ("to", self.end.isoformat()),
            ("framework", self.framework),
            ("clock", self.clock.value if self.clock is not Clock.VALID else ""),
            ("kind", self.kind.value if self.kind else ""),
            ("source", self.source),
            ("page", str(self.page) if self.page > 1 else ""),
        ]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change with its sign, its word and the scope in readable names."""

    change: Change
    icon: str
    word: Promise
    scope: str


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Changes of one framework on one day."""

    on: date
    framework: str
    name: str
    changes: Sequence[ChangeRow]


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Everything on the changes page."""

    question: ChangesQuestion
    groups: Sequence[ChangeGroup]
    total: int
    first: int
    last: int
    kinds: Sequence[tuple[str, Promise, int, str, bool]]
    sources: Sequence[tuple[str, int]]
    previous_url: str
    next_url: str


def read_changes_question(words: Words, knowledge: Knowledge) -> ChangesQuestion:
    """What an address asks for; the last 90 days without dates.

    **Raises**: ``InvalidValue``, ``UnknownName``, ``UnknownParameter``.
    """
    reader = reader_for(knowledge)
    for name in words:
        if name not in PARAMETERS:
            raise UnknownParameter(name=name, accepted=PARAMETERS)
    given = {name: (values[-1].strip() if values else "") for name, values in words.items()}
    end = reader.read_day("to", given.get("to")) or reader.today
    start = reader.read_day("from", given.get("from")) or end - timedelta(days=DEFAULT_DAYS)
    if start > end:
        raise InvalidValue(
            name="from", value=start, accepted=Phrase("a day not after {end}", end=end)
        )
    framework = given.get("framework", "")
    page = given.get("page") or "1"
    if not (page.isascii() and page.isdigit() and int(page[:9]) >= 1):
        raise InvalidValue(name="page", value=page[:40], accepted=Phrase("a whole number from 1"))
    return ChangesQuestion(
        start=start,
        end=end,
        framework=reader.resolve("framework", framework) if framework else "",
        clock=Clock(_one_of("clock", given.get("clock") or Clock.VALID.value, Clock)),
        kind=(
            ChangeKind(_one_of("kind", given["kind"], ChangeKind)) if given.get("kind") else None
        ),
        source=given.get("source", "")[:80],
        page=int(page[:9]),
    )


def _one_of(name: str, value: str, accepted: type[Clock] | type[ChangeKind]) -> str:
    names = [item.value for item in accepted]
    if value not in names:
        raise InvalidValue(
            name=name, value=value, accepted=Phrase("one of {names}", names=", ".join(names))
        )
    return value


def build_changes_page(knowledge: Knowledge, question: ChangesQuestion) -> ChangesPage:
    """One page of changes, grouped by day and framework, newest first."""
    found: Sequence[Change] = changes_between(
        question.start,
        question.end,
        revision=knowledge.revision,
        clock=question.clock,
        framework=question.framework or None,
    )
    sources = Counter(change.source for change in found)
    if question.source:
        found = [change for change in found if change.source == question.source]
    kinds = Counter(change.kind for change in found)
    if question.kind:
        found = [change for change in found if change.kind is question.kind]
    found = sorted(found, key=_reading_order)
    pages = max(1, -(-len(found) // CHANGES_PER_PAGE))
    page = min(question.page, pages)
    start = (page - 1) * CHANGES_PER_PAGE
    shown = found[start : start + CHANGES_PER_PAGE]

    def url(**moved: object) -> str:
        return with_query(reverse("changes"), replace(question, **moved).pairs())  # type: ignore[arg-type]

    return ChangesPage(
        question=question,
        groups=_groups(knowledge, shown),
        total=len(found),
        first=start + 1 if shown else 0,
        last=start + len(shown),
        kinds=[
            (
                *CHANGE_WORDS[kind],
                kinds[kind],
                url(kind=None if kind is question.kind else kind, page=1),
                kind is question.kind,
            )
            for kind in ChangeKind
            if kinds[kind]
        ],
        sources=sorted(sources.items()),
        previous_url=url(page=page - 1) if page > 1 else "",
        next_url=url(page=page + 1) if page < pages else "",
    )


_KIND_ORDER = (
    ChangeKind.CHANGED,
    ChangeKind.WITHDRAWN,
    ChangeKind.SUPERSEDED,
    ChangeKind.BEGAN,
    ChangeKind.RECORDED,
    ChangeKind.ENDED,
    ChangeKind.REWORDED,
)


def _reading_order(change: Change) -> tuple[int, str, int, str, str]:
    """Newest day first; within a day and framework what turned comes before what is merely new."""
    return (
        -change.on.toordinal(),
        change.framework,
        _KIND_ORDER.index(change.kind),
        change.source,
        change.statement,
    )


def _groups(knowledge: Knowledge, changes: Sequence[Change]) -> list[ChangeGroup]:
    rows = change_rows(knowledge, changes)
    return [
        ChangeGroup(
            on=on,
            framework=framework,
            name=node_name(knowledge.catalogue, "framework", framework),
            changes=list(members),
        )
        for (on, framework), members in groupby(
            rows, key=lambda row: (row.change.on, row.change.framework)
        )
    ]


def change_rows(knowledge: Knowledge, changes: Sequence[Change]) -> list[ChangeRow]:
    """The changes as rows of a table. **Queries**: 1, for the scopes of the claims."""
    uids = [change.uid for change in changes]
    scopes = dict(Claim.objects.filter(uid__in=uids).values_list("uid", "scope"))
    rows = []
    for change in changes:
        lines = scope_lines(knowledge.catalogue, codec.scope_from_plain(scopes.get(change.uid, {})))
        scope = " · ".join(lines) or change.statement
        rows.append(ChangeRow(change, *CHANGE_WORDS[change.kind], scope))
    return rows
