"""The page of the review queue: what waits, filtered, counted and in pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ingest.domain.review import ItemKind, ItemState
from ingest.filters import ReviewFilters
from ingest.models import ReviewItem
from ingest.pages.review_words import AGE_WORDS, KIND_SIGNS, STATE_SIGNS, item_title
from ingest.queries_review import FACETS, facet_counts, queue_page
from ingest.services.reader_reports import PROPOSED
from matrix.domain.errors import InvalidValue
from matrix.pages.links import with_query

FILTERS = ("state", "kind", "framework", "source", "age", "code", "statement")
SIZES = (25, 50, 100, 200)
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class QueueQuestion:
    """What an address asks of the queue. ``filters`` holds only what is asked for."""

    filters: Mapping[str, str]
    size: int
    before: int | None
    after: int | None

    def pairs(self, **changes: str) -> list[tuple[str, str]]:
        """The filters as words of an address, with changes; a blank change drops one."""
        words = {**self.filters, **changes}
        if self.size != PAGE_SIZE:
            words.setdefault("size", str(self.size))
        return [(name, word) for name, word in words.items() if word]

    def facets(self) -> dict[str, str]:
        """The values that are chosen of facets; any state is none."""
        return {
            name: word
            for name, word in self.filters.items()
            if name in FACETS and (name, word) != ("state", ANY_STATE)
        }

    def rows(self, *, without: Sequence[str] = ()) -> QuerySet[ReviewItem]:
        """The items asked for. **Raises**: ``InvalidValue``."""
        words = {name: word for name, word in self.filters.items() if name not in without}
        if words.get("state") == ANY_STATE:
            del words["state"]
        found = ReviewFilters(words, queryset=ReviewItem.objects.all())
        if not found.is_valid():
            name, problems = next(iter(found.errors.items()))
            raise InvalidValue(name=name, value=words[name][:60], accepted=str(problems[0]))
        return found.qs

    @property
    def leaves_out_rechecks(self) -> bool:
        """Whether re-checks are left out: hundreds fall due at once, and would bury the rest.

        Whoever names a kind or another state than open sees them.
        """
        return not self.filters.get("kind") and self.filters.get("state") == ItemState.OPEN


ANY_STATE = "any"


@dataclass(frozen=True, slots=True)
class Chip:
    """One value of a filter with its count and address."""

    icon: str
    word: str | Promise
    count: int
    url: str
    active: bool


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One item as a line. **Shapes**: ``before`` and ``after`` are levels, each once."""

    pk: int
    icon: str
    kind: str
    kind_word: str | Promise
    state_icon: str
    state_word: str | Promise
    is_open: bool
    title: str
    sentence: str
    framework: str
    version: str
    source: str
    before: Sequence[str]
    after: Sequence[str]
    evidence: str
    opened_at: datetime
    age: str
    url: str
    selectable: bool


@dataclass(frozen=True, slots=True)
class QueueList:
    """Everything on the page of the queue; ``rechecks`` counts those that are left out."""

    rows: Sequence[QueueRow]
    total: int
    rechecks: int
    rechecks_url: str
    states: Sequence[Chip]
    kinds: Sequence[Chip]
    frameworks: Sequence[tuple[str, int]]
    sources: Sequence[tuple[str, int]]
    ages: Sequence[tuple[str, str | Promise]]
    shown: Mapping[str, str]
    older_url: str
    newer_url: str
    query: str


def read_queue_question(words: Mapping[str, str]) -> QueueQuestion:
    """What the words of an address ask; open items where they name no state.

    **Raises**: ``InvalidValue``.
    """
    filters = {name: words[name].strip() for name in FILTERS if words.get(name, "").strip()}
    filters.setdefault("state", ItemState.OPEN.value)
    return QueueQuestion(
        filters=filters,
        size=_number("size", words.get("size", ""), SIZES) or PAGE_SIZE,
        before=_number("before", words.get("before", "")),
        after=_number("after", words.get("after", "")),
    )


def _number(name: str, text: str, accepted: Sequence[int] = ()) -> int | None:
    if not text.strip():
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else -1
    if number < 0 or (accepted and number not in accepted):
        words = ", ".join(map(str, accepted)) or "the number of an item"
        raise InvalidValue(name=name, value=text[:40], accepted=words)
    return number


def build_queue_list(question: QueueQuestion, *, now: datetime) -> QueueList:
    """The page. **Queries**: 2 or 3, of which one counts and the others read a page."""
    rows = question.rows()
    if question.leaves_out_rechecks:
        rows = rows.exclude(kind=ItemKind.DUE_RECHECK)
    page = queue_page(rows, size=question.size, before=question.before, after=question.after)
    address = reverse("review")
    counts = facet_counts(question.rows(without=FACETS), question.facets())
    states, kinds = counts["state"], counts["kind"]
    rechecks = kinds.get(ItemKind.DUE_RECHECK, 0) if question.leaves_out_rechecks else 0
    query = with_query("", question.pairs())
    wanted = question.filters
    return QueueList(
        rows=queue_rows(page.items, query=query, now=now),
        total=sum(states.values()) if wanted["state"] == ANY_STATE
        else states.get(wanted["state"], 0) - rechecks,
        rechecks=rechecks,
        rechecks_url=with_query(address, question.pairs(kind=ItemKind.DUE_RECHECK.value)),
        states=_chips(STATE_SIGNS, states, question, "state", off=ANY_STATE),
        kinds=_chips(KIND_SIGNS, kinds, question, "kind", off=""),
        frameworks=[(word, n) for word, n in counts["framework"].items() if word],
        sources=[(word, n) for word, n in counts["source"].items() if word],
        ages=list(AGE_WORDS.items()),
        shown=wanted,
        older_url=with_query(address, question.pairs(before=str(page.older)))
        if page.older is not None else "",
        newer_url=with_query(address, question.pairs(after=str(page.newer)))
        if page.newer is not None else "",
        query=query,
    )  # fmt: skip


def _chips(
    signs: Mapping[str, tuple[str, Promise]],
    counts: Mapping[str, int],
    question: QueueQuestion,
    name: str,
    *,
    off: str,
) -> list[Chip]:
    """The values that some item has; choosing the chosen one again takes the filter off."""
    chosen = question.filters.get(name, "")
    address = reverse("review")
    return [
        Chip(
            icon=icon,
            word=word,
            count=counts.get(value, 0),
            url=with_query(address, question.pairs(**{name: off if value == chosen else value})),
            active=value == chosen,
        )
        for value, (icon, word) in signs.items()
        if counts.get(value) or value == chosen
    ]


def queue_rows(items: Sequence[ReviewItem], *, now: datetime, query: str = "") -> list[QueueRow]:
    """Items as lines of a list."""
    return [_row(item, query=query, now=now) for item in items]


def _row(item: ReviewItem, *, query: str, now: datetime) -> QueueRow:
    icon, word = KIND_SIGNS.get(item.kind, ("•", item.kind))
    state_icon, state_word = STATE_SIGNS.get(item.state, ("•", item.state))
    newest = next(iter(_statements(item.new) or _statements(item.old)), {})
    return QueueRow(
        pk=item.pk,
        icon=icon,
        kind=item.kind,
        kind_word=_("proposed claim") if item.code == PROPOSED else word,
        state_icon=state_icon,
        state_word=state_word,
        is_open=item.state == ItemState.OPEN,
        title=item_title(item),
        sentence=item.sentence,
        framework=item.framework,
        version=item.version,
        source=":".join(filter(None, (item.source, item.rule))),
        before=_levels(item.old),
        after=_levels(item.new),
        evidence=newest.get("kind", ""),
        opened_at=item.opened_at,
        age=age_words(now - item.opened_at),
        url=item_address(item, query),
        selectable=item.state == ItemState.OPEN and item.kind != ItemKind.UNKNOWN_WORD,
    )


def item_address(item: ReviewItem, query: str) -> str:
    """The page on which an item is decided: a word's own, or the item's within its queue."""
    if item.kind == ItemKind.UNKNOWN_WORD and item.state == ItemState.OPEN:
        return reverse("review-word", args=[item.pk])
    return reverse("review-item", args=[item.pk]) + query


def _statements(side: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found = side.get("statements") or ()
    return found if isinstance(found, list) else ()


def _levels(side: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(str(said["level"]) for said in _statements(side) if "level" in said))


def age_words(age: timedelta) -> str:
    """How long something has waited, in whole days or hours."""
    if age.days >= 1:
        return ngettext("%(n)d day", "%(n)d days", age.days) % {"n": age.days}
    hours = age.seconds // 3_600 if age.days >= 0 else 0
    if hours < 1:
        return _("under 1 hour")
    return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
