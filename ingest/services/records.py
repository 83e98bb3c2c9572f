"""The memory of pages: which were read by which rules, and their content again as pages."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ingest.contract import Page
from ingest.domain.drift import to_plain
from ingest.domain.review import PageState
from ingest.models import PageRecord, RuleRecord, Snapshot
from ingest.reading import decode_page
from ingest.reading.lines import normalise_newlines
from ingest.services.outcomes import Outcome, ReadPage, RuleVersion, snapshot_of

_BATCH_ROWS = 500
PageKey = tuple[str, str, str]


def key_of(page: Page) -> PageKey:
    """Framework, version and path."""
    return page.framework, page.version, page.path


def note_pages(pages: Sequence[Page], names: Mapping[PageKey, str]) -> None:
    """Creates the records of pages or brings them up to date; their content is kept already.

    **Shapes**: ``names`` are the SHA-256 of the kept contents. **Queries**: 1 for each 500.
    """
    rows = [
        PageRecord(
            framework=page.framework,
            version=page.version,
            path=page.path,
            url=page.url,
            commit=page.commit,
            release=page.release,
            stated_on=page.stated_on,
            snapshot_id=names[key_of(page)],
        )
        for page in pages
    ]
    PageRecord.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["framework", "version", "path"],
        update_fields=["url", "commit", "release", "stated_on", "snapshot"],
        batch_size=_BATCH_ROWS,
    )


def records_of(pages: Iterable[Page]) -> dict[PageKey, PageRecord]:
    """The records that exist of pages. **Queries**: 1 for each framework."""
    found: dict[PageKey, PageRecord] = {}
    wanted = {key_of(page) for page in pages}
    for framework in {key[0] for key in wanted}:
        versions = {key[1] for key in wanted if key[0] == framework}
        rows = PageRecord.objects.filter(framework=framework, version__in=versions)
        for row in rows:
            key = (row.framework, row.version, row.path)
            if key in wanted:
                found[key] = row
    return found


def note_outcome(
    outcome: Outcome,
    records: Mapping[PageKey, PageRecord],
    *,
    fingerprint: str,
    waiting: frozenset[tuple[str, str]],
    now: datetime,
) -> None:
    """Records what each rule made of each page, and how the pages stand after that.

    **Shapes**: ``waiting`` holds claim source and version of what has statements in review.
    """
    rows = []
    pages: set[int] = set()
    for item in outcome.read:
        reading = item.reading
        record = records[key_of(reading.page)]
        state = _state(item.place, reading.claim_source, outcome.stopped, waiting)
        pages.add(record.pk)
        rows.append(
            RuleRecord(
                page=record,
                source=reading.source,
                rule=reading.rule,
                parser=reading.parser,
                snapshot_sha256=snapshot_of(reading.page),
                fingerprint=fingerprint,
                state=state.value,
                findings=len(reading.reading.findings),
                unknown_words=[[w.axis, w.word] for w in reading.reading.unknown_words],
                profile=_profile(item, state),
                read_at=now,
            )
        )
    rows += _refused_rows(outcome, records, fingerprint=fingerprint, now=now)
    pages |= {row.page_id for row in rows}
    _write_rules(rows)
    refresh_pages(pages, read_at=now)


def refresh_pages(pages: Iterable[int], *, read_at: datetime | None = None) -> None:
    """Sets the state of pages to the worst of what their rules made of them.

    **Shapes**: ``pages`` are primary keys. **Queries**: 1 and 1 for each state.
    """
    states: dict[int, PageState] = {}
    rows = RuleRecord.objects.filter(page__in=list(pages)).values_list("page_id", "state")
    for pk, state in rows.iterator():
        states[pk] = _worse(states.get(pk), PageState(state))
    by_state: dict[PageState, list[int]] = {}
    for pk, found in states.items():
        by_state.setdefault(found, []).append(pk)
    changes = {"read_at": read_at} if read_at else {}
    for found, keys in by_state.items():
        PageRecord.objects.filter(pk__in=keys).update(state=found.value, **changes)


def release_rule(framework: str, version: str, source: str, rule: str) -> None:
    """A rule of a version has nothing that waits any more. **Queries**: 5 at most."""
    held = RuleRecord.objects.filter(
        page__framework=framework,
        page__version=version,
        source=source,
        rule=rule,
        state=PageState.HELD,
    )
    pages = list(held.values_list("page_id", flat=True))
    held.update(state=PageState.ACCEPTED)
    refresh_pages(pages)


def _profile(item: ReadPage, state: PageState) -> dict[str, object]:
    """The profile with the parser that made it; only an accepted one is a base to compare with."""
    if state is PageState.QUARANTINED:
        return {}
    return to_plain(item.profile) | {"parser": item.reading.parser}


def _refused_rows(
    outcome: Outcome,
    records: Mapping[PageKey, PageRecord],
    *,
    fingerprint: str,
    now: datetime,
) -> list[RuleRecord]:
    read = {(*item.place, item.reading.page.path) for item in outcome.read}
    rows = []
    for refusal in outcome.refusals:
        page = refusal.page
        record = records[key_of(page)]
        if (refusal.source, refusal.rule, page.version, page.path) in read:
            continue
        rows.append(
            RuleRecord(
                page=record,
                source=refusal.source,
                rule=refusal.rule,
                parser=refusal.parser,
                snapshot_sha256=snapshot_of(page),
                fingerprint=fingerprint,
                state=PageState.QUARANTINED.value,
                read_at=now,
            )
        )
    return rows


def _write_rules(rows: Sequence[RuleRecord]) -> None:
    """A quarantined reading leaves the accepted profile alone: later pages are compared with it."""
    columns = ["parser", "snapshot_sha256", "fingerprint", "state", "findings", "unknown_words"]
    for stopped in (False, True):
        RuleRecord.objects.bulk_create(
            [row for row in rows if (row.state == PageState.QUARANTINED) is stopped],
            update_conflicts=True,
            unique_fields=["page", "source", "rule"],
            update_fields=[*columns, "read_at", *([] if stopped else ["profile"])],
            batch_size=_BATCH_ROWS,
        )


def _state(
    place: RuleVersion,
    claim_source: str,
    stopped: set[RuleVersion],
    waiting: frozenset[tuple[str, str]],
) -> PageState:
    if place in stopped:
        return PageState.QUARANTINED
    return PageState.HELD if (claim_source, place[2]) in waiting else PageState.ACCEPTED


_ORDER = (PageState.ACCEPTED, PageState.HELD, PageState.QUARANTINED)


def _worse(left: PageState | None, right: PageState) -> PageState:
    return right if left is None else max(left, right, key=_ORDER.index)


def pages_from(records: Sequence[PageRecord]) -> list[Page]:
    """The pages of records, from their kept bytes.

    **Queries**: 1 for each 200 records. **Raises**: ``UndecodablePage``.
    """
    pages = []
    for start in range(0, len(records), 200):
        part = records[start : start + 200]
        names = {row.snapshot_id for row in part if row.snapshot_id}
        texts = {
            sha256: decode_snapshot(bytes(body), charset)
            for sha256, body, charset in Snapshot.objects.filter(sha256__in=names).values_list(
                "sha256", "body", "charset"
            )
        }
        for row in part:
            if row.snapshot_id is None:
                continue
            pages.append(
                Page(
                    framework=row.framework,
                    version=row.version,
                    path=row.path,
                    text=texts[row.snapshot_id],
                    url=row.url,
                    commit=row.commit,
                    release=row.release,
                    stated_on=row.stated_on,
                    sha256=row.snapshot_id,
                )
            )
    return pages


def decode_snapshot(body: bytes, charset: str) -> str:
    """The text of kept bytes; what the fetcher found to be no UTF is read as it found it.

    **Raises**: ``UndecodablePage``.
    """
    if not charset or charset.lower().startswith("utf"):
        return decode_page(body)
    return normalise_newlines(body.decode(charset))
