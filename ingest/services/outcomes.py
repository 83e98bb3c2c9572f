"""What the rules made of pages: readings that may be settled, and what stops the others."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.contract import Page, Reading, Source, Vocabulary
from ingest.domain.derive import PageReading
from ingest.domain.drift import (
    DriftAlarm,
    PageProfile,
    compare_profiles,
    from_plain,
    profile_page,
)
from ingest.domain.review import ItemKind, ItemState, PageState
from ingest.domain.run_rules import Refusal, RuleRun, rules_for, run_rules
from ingest.models import ReviewItem, RuleRecord
from ingest.services.items import Draft, Place, identity_of
from matrix.domain.catalogue import Catalogue
from matrix.domain.codec import locator_to_plain
from matrix.domain.versions import ReleaseHistory

# Source, rule, version label.
RuleVersion = tuple[str, str, str]


def snapshot_of(page: Page) -> str:
    """The name of a page's bytes; a page derived from another file has those of its own text."""
    return page.sha256 or hashlib.sha256(page.text.encode()).hexdigest()


def fingerprint_of(catalogue: Catalogue, framework: str) -> str:
    """A digest of every name and release by which pages of a framework are read."""
    digest = hashlib.sha256()
    for axis, table in sorted(catalogue.vocabulary.tables.items()):
        digest.update(axis.encode())
        for word, slugs in sorted(table.names.items()):
            digest.update(f"\0{word}\1{','.join(slugs)}".encode())
    for release in catalogue.releases.get(framework, ()):
        digest.update(f"\0{release.version}\1{release.released_on}".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class ReadPage:
    """One rule's reading of one page, with its profile and the alarms that it raised."""

    reading: PageReading
    profile: PageProfile
    alarms: tuple[DriftAlarm, ...]

    @property
    def place(self) -> RuleVersion:
        """Source, rule and version."""
        return self.reading.source, self.reading.rule, self.reading.page.version


@dataclass
class Outcome:
    """What reading a set of pages gave.

    **Shapes**: ``stopped`` are the rules and versions of which some page cannot be trusted: none
    of their readings counts. ``notices`` are alarms that stop nothing.
    """

    read: list[ReadPage] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    stopped: set[RuleVersion] = field(default_factory=set)
    pages_read: int = 0
    pages_without_rule: int = 0

    @property
    def notices(self) -> list[tuple[Page, DriftAlarm]]:
        """Alarms that are worth a line and stop nothing."""
        return [
            (item.reading.page, alarm)
            for item in self.read
            for alarm in item.alarms
            if not alarm.quarantines
        ]

    def readings(self) -> list[PageReading]:
        """The readings that may be settled."""
        return [item.reading for item in self.read if item.place not in self.stopped]


def read_pages(
    pages: Sequence[Page],
    sources: Sequence[Source],
    vocabulary: Vocabulary,
    *,
    history: ReleaseHistory,
    feed: str = "",
    run: RuleRun | None = None,
    trusted: bool = False,
) -> Outcome:
    """Reads pages by all rules of the sources, with drift alarms against what was accepted.

    **Shapes**: ``run`` is the finished reading of the same pages where a caller showed progress;
    alarms stop nothing of ``trusted`` pages, which an operator chose.
    """
    if run is None:
        run = RuleRun()
        for _, latest in run_rules(sources, pages, vocabulary):
            run = latest
    outcome = Outcome(
        refusals=list(run.refusals),
        pages_read=run.pages_read,
        pages_without_rule=run.pages_without_rule,
    )
    accepted = _accepted_identities(pages)
    _take_refusals(outcome, accepted, feed=feed)
    before = _Profiles(run.readings, history)
    for reading in run.readings:
        profile = profile_page(reading.page, reading.rule, reading.reading)
        alarms = compare_profiles(before.find(reading), profile)
        outcome.read.append(ReadPage(reading=reading, profile=profile, alarms=alarms))
        if not trusted:
            _take_alarms(outcome, outcome.read[-1], accepted, feed=feed)
    outcome.drafts += _word_drafts(run, feed=feed)
    outcome.stopped |= _stopped_before(pages)
    return outcome


def _accepted_identities(pages: Sequence[Page]) -> set[str]:
    """Alarms and unexpected pages of these pages that a curator let pass. **Queries**: 1."""
    if not pages:
        return set()
    rows = ReviewItem.objects.filter(
        framework=pages[0].framework,
        kind__in=(ItemKind.DRIFT_ALARM, ItemKind.UNEXPECTED_PAGE),
        state=ItemState.ACCEPTED,
    )
    return set(rows.values_list("identity", flat=True))


def _take_refusals(outcome: Outcome, accepted: set[str], *, feed: str) -> None:
    """A refused page stops its rule at this version, unless a curator said that it is right so."""
    for refusal in outcome.refusals:
        page = refusal.page
        identity = identity_of(
            "unexpected", page.framework, refusal.source, refusal.rule, page.version, page.path,
            snapshot_of(page), str(refusal.error),
        )  # fmt: skip
        if identity in accepted:
            nothing = PageReading(
                source=refusal.source,
                rule=refusal.rule,
                parser=refusal.parser,
                page=page,
                reading=Reading(findings=()),
            )
            profile = profile_page(page, refusal.rule, nothing.reading)
            outcome.read.append(ReadPage(reading=nothing, profile=profile, alarms=()))
            continue
        outcome.stopped.add((refusal.source, refusal.rule, page.version))
        outcome.drafts.append(
            Draft(
                identity=identity,
                kind=ItemKind.UNEXPECTED_PAGE,
                place=place_of(page, feed=feed),
                source=refusal.source,
                rule=refusal.rule,
                code="unexpected-page",
                sentence=str(refusal.error),
                old={"expected": refusal.error.expected},
                new={"nearest": refusal.error.nearest},
            )
        )


def _take_alarms(outcome: Outcome, read: ReadPage, accepted: set[str], *, feed: str) -> None:
    page = read.reading.page
    for alarm in read.alarms:
        if not alarm.quarantines:
            continue
        identity = identity_of(
            "alarm", page.framework, *read.place, page.path, snapshot_of(page),
            alarm.code.value, dict(alarm.facts), read.reading.parser,
        )  # fmt: skip
        if identity in accepted:
            continue
        outcome.stopped.add(read.place)
        outcome.drafts.append(
            Draft(
                identity=identity,
                kind=ItemKind.DRIFT_ALARM,
                place=place_of(page, feed=feed),
                source=read.reading.source,
                rule=read.reading.rule,
                code=alarm.code.value,
                sentence=alarm.sentence,
                new=dict(alarm.facts),
            )
        )


def place_of(page: Page, *, feed: str = "") -> Place:
    """Where an item about a whole page stands."""
    return Place(
        framework=page.framework,
        version=page.version,
        release=page.release,
        path=page.path,
        url=page.url,
        feed=feed,
        snapshot_sha256=snapshot_of(page),
    )


def _word_drafts(run: RuleRun, *, feed: str) -> list[Draft]:
    """One item for each word of a source that nothing maps, with the first places it stands at."""
    places: dict[tuple[str, str, str], list[dict[str, object]]] = {}
    first: dict[tuple[str, str, str], tuple[Page, dict[str, object]]] = {}
    for source, page, word in run.unknown_words:
        key = (source, word.axis, word.word)
        locator = locator_to_plain(word.locator)
        first.setdefault(key, (page, locator))
        found = places.setdefault(key, [])
        if len(found) < MOST_PLACES:
            found.append({"version": page.version, "path": page.path, "locator": locator})
    return [
        Draft(
            identity=word_identity(source, axis, word),
            kind=ItemKind.UNKNOWN_WORD,
            place=place_of(page, feed=feed),
            source=source,
            statement=word,
            code=axis,
            new={"axis": axis, "word": word, "places": places[source, axis, word]},
            locator=locator,
        )
        for (source, axis, word), (page, locator) in sorted(first.items(), key=lambda i: i[0])
    ]


MOST_PLACES = 20


def word_identity(source: str, axis: str, word: str) -> str:
    """The identity of the question what a word of a source means."""
    return identity_of("word", source, axis, word)


def _stopped_before(pages: Iterable[Page]) -> set[RuleVersion]:
    """Rules and versions with a quarantined page that is not among those read now.

    **Queries**: 1.
    """
    now = {(page.version, page.path) for page in pages}
    framework = next((page.framework for page in pages), "")
    rows = RuleRecord.objects.filter(
        page__framework=framework,
        page__version__in={version for version, _ in now},
        state=PageState.QUARANTINED,
    ).values_list("source", "rule", "page__version", "page__path")
    return {(source, rule, version) for source, rule, version, path in rows
            if (version, path) not in now}  # fmt: skip


class _Profiles:
    """The accepted profile that a reading is compared with: that of the same path at the same or
    the nearest earlier release, read by the same parser."""

    def __init__(self, readings: Iterable[PageReading], history: ReleaseHistory) -> None:
        self._history = history
        self._found: dict[tuple[str, str, str], list[tuple[int, str, Mapping[str, object]]]] = {}
        readings = list(readings)
        self._add_recorded(readings)

    def _add_recorded(self, readings: Sequence[PageReading]) -> None:
        if not readings:
            return
        rows = RuleRecord.objects.filter(
            page__framework=readings[0].page.framework,
            source__in={r.source for r in readings},
            page__path__in={r.page.path for r in readings},
        ).exclude(profile={})
        for source, rule, path, release, version, profile in rows.values_list(
            "source", "rule", "page__path", "page__release", "page__version", "profile"
        ).iterator():
            rank = self._history.find_rank(release) if release else None
            if rank is not None:
                found = self._found.setdefault((source, rule, path), [])
                found.append((rank, version, profile))

    def find(self, reading: PageReading) -> PageProfile | None:
        """The profile to compare with, or ``None`` for a page that was never accepted."""
        page = reading.page
        rank = self._history.find_rank(page.release) if page.release else None
        known = self._found.get((reading.source, reading.rule, page.path), ())
        # Another parser sees another shape of the same page, which is no drift of the page.
        before = [
            item
            for item in known
            if (rank is None or item[0] <= rank) and item[2].get("parser") == reading.parser
        ]
        if not before:
            return None
        _, _, plain = max(before, key=lambda item: (item[0], item[1] == page.version, item[1]))
        return from_plain(plain)


def matching_rules(sources: Sequence[Source], path: str) -> list[tuple[str, str, str]]:
    """Source, rule and parser of every rule that reads a path."""
    return [
        (source.name, rule.name, f"{source.name}/{source.parser_version}")
        for source in sources
        for rule in rules_for(source, path)
    ]
