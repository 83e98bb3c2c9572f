"""The page of one review item: both sides, the cited lines, the legend, and what was decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from ingest.contract import Page, ReadingError
from ingest.domain.drift_legend import explain_signs
from ingest.domain.review import CHANGE_KINDS, ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.pages.fragment import Line, cited_lines, show_lines, text_of
from ingest.pages.page_difference import PageDifference, page_difference
from ingest.pages.review_sides import SaidView, build_sides, snapshots_in, statements_of
from ingest.pages.review_words import (
    ACTION_WORDS,
    KIND_SIGNS,
    SET_ASIDE_WORDS,
    STATE_SIGNS,
    accept_effect,
    accept_words,
    item_title,
    reject_words,
)
from ingest.queries_review import audit_trail, earlier_decisions
from ingest.queries_snapshots import find_snapshot, kept_addresses
from ingest.services.deciding import may_reopen
from ingest.services.reader_reports import PROPOSED
from ingest.sources import SOURCES
from matrix.domain import codec
from matrix.domain.catalogue import Catalogue
from matrix.pages.evidence import place_query
from matrix.pages.links import node_name, with_query

LINES_AROUND = 6
MOST_CITED_LINES = 40
LARGEST_LEGEND_BYTES = 2 * 2**20
LONGEST_FACT = 600
MOST_CLAIMS = 50


@dataclass(frozen=True, slots=True)
class Fragment:
    """The cited lines of kept bytes with some around them."""

    lines: Sequence[Line]
    address: str
    place: str
    found: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of an item: as it is on record, and as it is now."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Decided:
    """One line of the history: of this item, or of another one about the same statement."""

    word: str | Promise
    who: str
    at: datetime | None
    reason: str
    about: str
    url: str


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Everything on an item's page."""

    pk: int
    icon: str
    kind: str
    kind_word: str | Promise
    state: str
    state_icon: str
    state_word: str | Promise
    is_open: bool
    is_change: bool
    title: str
    sentence: str
    framework: str
    framework_name: str
    version: str
    release: str
    path: str
    url: str
    feed: str
    source_title: str
    source: str
    parser: str
    code: str
    opened_at: datetime
    decided_at: datetime | None
    decided_by: str
    reason: str
    claim_uid: str
    before: Sequence[SaidView]
    after: Sequence[SaidView]
    facts: Sequence[Fact]
    claims: Sequence[str]
    fragment: Fragment | None
    old_fragment: Fragment | None
    difference: PageDifference | None
    kept_url: str
    legend: Sequence[tuple[str, str]]
    history: Sequence[Decided]
    earlier: Sequence[Decided]
    report: Mapping[str, Any]
    about_url: str
    proposal: bool
    accept_word: str | Promise
    reject_word: str | Promise
    effect: str | Promise
    may_accept: bool
    may_edit: bool
    may_reopen: bool

    @property
    def has_facts_on_record(self) -> bool:
        """Whether some fact has another side to stand beside."""
        return any(fact.before for fact in self.facts)


def build_item_page(item: ReviewItem, catalogue: Catalogue) -> ItemPage:
    """The page of an item. **Queries**: 5 to 10."""
    kept = kept_addresses({*snapshots_in((item.old, item.new)), item.snapshot_sha256})
    before, after = build_sides(item.old, item.new, catalogue=catalogue, kept=kept)
    icon, kind_word = KIND_SIGNS.get(item.kind, ("•", item.kind))
    state_icon, state_word = STATE_SIGNS.get(item.state, ("•", item.state))
    proposal = item.code == PROPOSED
    is_open = item.state == ItemState.OPEN
    # Changes of releases, maintenance and models are read by no rule and hold facts instead.
    is_change = item.kind in CHANGE_KINDS and bool(item.rule)
    title, parser = _source_of(item)
    fragment, legend = _fragment_and_legend(item, kept)
    return ItemPage(
        pk=item.pk,
        icon=icon,
        kind=item.kind,
        kind_word=_("proposed claim") if proposal else kind_word,
        state=item.state,
        state_icon=state_icon,
        state_word=state_word,
        is_open=is_open,
        is_change=is_change,
        title=item_title(item),
        sentence=item.sentence,
        framework=item.framework,
        framework_name=node_name(catalogue, "framework", item.framework),
        version=item.version,
        release=item.release,
        path=item.path,
        url=item.url,
        feed=item.feed,
        source_title=title,
        source=":".join(filter(None, (item.source, item.rule))),
        parser=parser,
        code=item.code,
        opened_at=item.opened_at,
        decided_at=item.decided_at,
        decided_by=item.decided_by,
        reason=item.reason,
        claim_uid=item.claim_uid,
        before=before,
        after=after,
        facts=_facts(item),
        claims=_claims(item),
        fragment=fragment,
        old_fragment=_old_fragment(item, kept),
        difference=page_difference(item),
        kept_url=kept.get(item.snapshot_sha256, ""),
        legend=legend,
        history=_history(item),
        earlier=_earlier(item),
        report=item.new if item.kind == ItemKind.PROBLEM_REPORT else {},
        about_url=_about_url(item),
        proposal=proposal,
        accept_word=accept_words(item.kind, proposal=proposal),
        reject_word=reject_words(item.kind),
        effect=accept_effect(item.kind),
        may_accept=is_open and item.kind != ItemKind.UNKNOWN_WORD,
        may_edit=is_open and (is_change or proposal),
        may_reopen=may_reopen(item),
    )


def _source_of(item: ReviewItem) -> tuple[str, str]:
    """The titles of source and rule, and the parser that reads them now."""
    for source in SOURCES:
        if source.name == item.source:
            rule = next((r for r in source.rules if r.name == item.rule), None)
            title = " › ".join(filter(None, (source.title, rule.title if rule else "")))
            return title, f"{source.name}/{source.parser_version}"
    return "", ""


def fragment_of(
    sha256: str, locator: Mapping[str, Any], *, path: str, address: str
) -> Fragment | None:
    """The cited lines of kept bytes, or ``None`` where nothing is kept. **Queries**: 1."""
    snapshot = find_snapshot(sha256)
    if snapshot is None:
        return None
    text = text_of(snapshot)
    place = codec.locator_from_plain(locator)
    cited = cited_lines(text, place, path=path)
    first, last = (cited[0], min(cited[1], cited[0] + MOST_CITED_LINES)) if cited else (1, 1)
    return Fragment(
        lines=show_lines(
            text.lines, first=first - LINES_AROUND, last=last + LINES_AROUND, cited=cited
        ),
        address=address + place_query(place),
        place=codec.locator_text(place),
        found=cited is not None,
    )


def _fragment_and_legend(
    item: ReviewItem, kept: Mapping[str, str]
) -> tuple[Fragment | None, Sequence[tuple[str, str]]]:
    """What the item cites, and how the page explains its signs."""
    address = kept.get(item.snapshot_sha256)
    if address is None:
        return None, ()
    fragment = (
        fragment_of(item.snapshot_sha256, item.locator, path=item.path, address=address)
        if item.locator
        else None
    )
    return fragment, _legend(item)


def _legend(item: ReviewItem) -> Sequence[tuple[str, str]]:
    snapshot = find_snapshot(item.snapshot_sha256)
    if snapshot is None or snapshot.size_bytes > LARGEST_LEGEND_BYTES or not item.rule:
        return ()
    page = Page(
        framework=item.framework,
        version=item.version,
        path=item.path,
        text="\n".join(text_of(snapshot).lines),
    )
    try:
        return [(sign, "; ".join(dict.fromkeys(words))) for sign, words in
                explain_signs(page).items()]  # fmt: skip
    except ReadingError:
        return ()


def _old_fragment(item: ReviewItem, kept: Mapping[str, str]) -> Fragment | None:
    """The place of what is on record, where its bytes are kept and are other ones."""
    for said in statements_of(item.old)[:1]:
        name = str(said.get("snapshot", ""))
        if name in kept and name != item.snapshot_sha256:
            path, locator = str(said.get("path", "")), said.get("locator", {})
            return fragment_of(name, locator, path=path, address=kept[name])
    return None


def _facts(item: ReviewItem) -> list[Fact]:
    """What an item holds besides statements, by name: of an alarm, a release, a status, a model."""
    if item.kind in (ItemKind.PROBLEM_REPORT, ItemKind.UNKNOWN_WORD):
        return []
    named = [
        name
        for name in dict.fromkeys((*item.old, *item.new))
        if name not in ("statements", "claims")
    ]
    facts = [
        Fact(
            name=name.replace("_", " "),
            before=_fact_text(item.old.get(name)),
            after=_fact_text(item.new.get(name)),
        )
        for name in named
    ]
    if item.kind not in (ItemKind.DRIFT_ALARM, ItemKind.UNEXPECTED_PAGE, ItemKind.DUE_RECHECK):
        return facts
    # The sentence of such an item holds its numbers; a bare one beside it would say less.
    return [f for f in facts if f.before + f.after not in item.sentence]


def _claims(item: ReviewItem) -> list[str]:
    """The claims that a re-check is about, by identifier."""
    found = item.new.get("claims")
    return [str(uid) for uid in found[:MOST_CLAIMS]] if isinstance(found, list) else []


def _fact_text(value: object) -> str:
    """A fact as a line; members of an object one after the other."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {part}" for name, part in value.items())[:LONGEST_FACT]
    return "" if value is None else str(value)[:LONGEST_FACT]


def _history(item: ReviewItem) -> list[Decided]:
    found = []
    for entry in audit_trail(item.pk):
        after = entry.after if isinstance(entry.after, dict) else {}
        found.append(
            Decided(
                word=ACTION_WORDS.get(entry.action, entry.action),
                who=entry.actor,
                at=entry.at,
                reason=str(after.get("reason", "")),
                about="",
                url="",
            )
        )
    return found


def _earlier(item: ReviewItem) -> list[Decided]:
    return [
        Decided(
            word=SET_ASIDE_WORDS.get(other.new.get("set_aside", ""))
            or STATE_SIGNS.get(other.state, ("", other.state))[1],
            who=other.decided_by,
            at=other.decided_at,
            reason=other.reason,
            about=other.version,
            url=reverse("review-item", args=[other.pk]),
        )
        for other in earlier_decisions(item)
    ]


def _about_url(item: ReviewItem) -> str:
    """The page of the answer or claim that a report is about; only pages of this site."""
    if item.kind != ItemKind.PROBLEM_REPORT:
        return ""
    claim = item.new.get("claim")
    cell = item.new.get("cell")
    try:
        if claim:
            return reverse("claim", args=[str(claim)])
    except NoReverseMatch:
        return ""
    if isinstance(cell, list):
        pairs = [(str(p[0]), str(p[1])) for p in cell if isinstance(p, list) and len(p) == 2]
        return with_query(reverse("cell"), pairs)
    return ""
