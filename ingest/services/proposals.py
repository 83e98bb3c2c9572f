"""Review items about releases, maintenance and models, and what accepting one of them writes.

They say nothing about a cell, so they hold flat facts instead of statements; ``code`` tells them
apart, and ``rule`` is blank, because no page has to be read again.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from ingest.domain.maintenance_periods import Proposal, is_known
from ingest.domain.review import ItemKind
from ingest.models import ReviewItem
from ingest.services.items import Draft, Place, identity_of, open_items
from ingest.services.json_pages import JsonPage
from matrix.domain.catalogue import MaintenancePeriod
from matrix.domain.codec import locator_to_plain
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import EvidenceKind, MaintenanceStatus
from matrix.domain.phrases import Phrase
from matrix.hub_facts import record_facts
from matrix.maintaining import record_period
from matrix.models import Release
from matrix.releasing import MovedTag, mark_removed, replace_commit

CODE_HOST, MAINTENANCE, MODEL_HUB = "code-host", "maintenance", "model-hub"


class ProposalCode(StrEnum):
    """What an item proposes."""

    MAINTENANCE_PERIOD = "maintenance-period"
    RELEASE_REMOVED = "release-removed"
    TAG_MOVED = "tag-moved"
    REPOSITORY_MOVED = "repository-moved"
    MODEL_FACTS = "model-facts"


def propose_to_curator(
    proposals: Iterable[Proposal],
    standing: Iterable[MaintenancePeriod],
    *,
    feed: str,
    now: datetime,
) -> int:
    """Opens an item for each period that is not on record yet; returns how many.

    The same status of the same part is asked once, however many versions of a page repeat it.
    """
    known = tuple(standing)
    drafts = [_period_draft(p, feed=feed) for p in proposals if not is_known(p.period, known)]
    return open_items(drafts, now=now) if drafts else 0


def _period_draft(proposal: Proposal, *, feed: str) -> Draft:
    period, page = proposal.period, proposal.page
    part = f" of {period.component}" if period.component else ""
    moved = f", moved to {proposal.moved_to}" if proposal.moved_to else ""
    return Draft(
        identity=identity_of(
            "period", period.framework, period.component, period.status.value, proposal.moved_to
        ),
        kind=ItemKind.ADDED,
        place=Place(
            framework=period.framework, version=page.version, release=page.release,
            path=page.path, url=page.url, feed=feed, snapshot_sha256=page.sha256,
        ),
        source=MAINTENANCE,
        statement=proposal.finding.statement,
        code=ProposalCode.MAINTENANCE_PERIOD.value,
        sentence=(
            f"The page states the maintenance status {period.status.value}{part} of "
            f"{period.framework} {period.start_kind} {period.start}{moved}; it waits for a person."
        ),
        new=_period_to_plain(period) | {"raw": proposal.finding.raw, "moved_to": proposal.moved_to},
        locator=locator_to_plain(proposal.finding.locator),
    )  # fmt: skip


def _period_to_plain(period: MaintenancePeriod) -> dict[str, Any]:
    return {
        "framework": period.framework,
        "component": period.component,
        "status": period.status.value,
        "start_on": period.start.isoformat(),
        "start_kind": period.start_kind,
        "note": period.note,
        "evidence_kind": period.evidence_kind.value,
        "strength": period.strength,
        "url": period.url,
        "commit": period.commit,
        "place": period.locator,
        "stated_on": period.stated_on.isoformat() if period.stated_on else "",
    }


def _period_of_plain(plain: Mapping[str, Any]) -> MaintenancePeriod:
    moved = str(plain.get("moved_to", ""))
    note = " ".join(filter(None, (str(plain["note"]), f"Moved to {moved}." if moved else "")))
    stated = str(plain.get("stated_on", ""))
    return MaintenancePeriod(
        framework=str(plain["framework"]),
        component=str(plain["component"]),
        status=MaintenanceStatus(plain["status"]),
        start=date.fromisoformat(str(plain["start_on"])),
        start_kind=str(plain["start_kind"]),
        note=note,
        evidence_kind=EvidenceKind(plain["evidence_kind"]),
        strength=str(plain["strength"]),
        url=str(plain["url"]),
        commit=str(plain["commit"]),
        locator=str(plain["place"]),
        stated_on=date.fromisoformat(stated) if stated else None,
    )


def _place_at(page: JsonPage, release: str = "") -> Place:
    return Place(
        framework=page.feed.framework, version=release, release=release, url=page.url,
        feed=page.feed.name, snapshot_sha256=page.snapshot_sha256,
    )  # fmt: skip


def removed_release_draft(page: JsonPage, row: Release, *, listed_in: str) -> Draft:
    """The question whether a release that the list lost was taken back."""
    return Draft(
        identity=identity_of("removed", page.feed.framework, row.version, page.snapshot_sha256),
        kind=ItemKind.GONE,
        place=_place_at(page, row.version),
        source=CODE_HOST,
        statement=f"release/{row.version}",
        code=ProposalCode.RELEASE_REMOVED.value,
        sentence=(
            f"The list of releases no longer holds {row.tag}, which it held before; accept when it "
            "was taken back."
        ),
        old={"tag": row.tag, "released_on": row.released_at.date().isoformat(),
             "snapshot": listed_in},
        new={"removed_on": page.retrieved_at.date().isoformat(),
             "snapshot": page.snapshot_sha256},
    )  # fmt: skip


def moved_tag_draft(page: JsonPage, moved: MovedTag) -> Draft:
    """The question whether a release is another commit now."""
    return Draft(
        identity=identity_of("tag", page.feed.framework, moved.tag, moved.recorded, moved.seen),
        kind=ItemKind.CHANGED,
        place=_place_at(page, moved.version),
        source=CODE_HOST,
        statement=f"release/{moved.version}/commit",
        code=ProposalCode.TAG_MOVED.value,
        sentence=(
            f"The tag {moved.tag} leads to commit {moved.seen[:10]}; on record is "
            f"{moved.recorded[:10]}."
        ),
        old={"commit": moved.recorded},
        new={"commit": moved.seen},
    )


def moved_repository_draft(page: JsonPage, moved_to: str) -> Draft:
    """The note that a repository goes by another name; accepting it writes nothing."""
    asked = page.feed.repository
    return Draft(
        identity=identity_of("moved", page.feed.framework, asked, moved_to),
        kind=ItemKind.CHANGED,
        place=_place_at(page),
        source=CODE_HOST,
        statement="repository",
        code=ProposalCode.REPOSITORY_MOVED.value,
        sentence=f"The repository {asked} answers as {moved_to}; renew the catalogue's address.",
        old={"repository": asked},
        new={"repository": moved_to},
    )


def model_facts_draft(
    page: JsonPage, slug: str, contradicting: Mapping[str, tuple[Any, Any]], *, revision: str
) -> Draft:
    """The question whether the hub is right where the catalogue states otherwise."""
    stated = {name: hub for name, (_, hub) in contradicting.items()}
    names = ", ".join(sorted(stated))
    return Draft(
        identity=identity_of("facts", slug, sorted(stated.items())),
        kind=ItemKind.CHANGED,
        place=_place_at(page),
        source=MODEL_HUB,
        statement=f"model/{slug}",
        code=ProposalCode.MODEL_FACTS.value,
        sentence=f"The hub states {names} of {slug} otherwise than the catalogue.",
        old={name: known for name, (known, _) in contradicting.items()},
        new={"model": slug, "facts": stated, "revision": revision},
    )


def apply_accepted(items: Iterable[ReviewItem], *, actor: str, now: datetime) -> int:
    """Writes what accepted items propose, in the caller's transaction; how many of them do.

    **Raises**: ``InvalidValue`` for a proposal that cannot be recorded.
    """
    applied = 0
    for item in items:
        write = _WRITES.get(item.code) if not item.rule else None
        if write is not None:
            write(item, actor, now)
            applied += 1
    return applied


def _write_period(item: ReviewItem, actor: str, now: datetime) -> None:
    try:
        period = _period_of_plain(item.new)
    except (KeyError, ValueError) as error:
        raise InvalidValue(name="item", value=item.pk, accepted=Phrase("a whole period")) from error
    record_period(period, actor=actor, now=now, snapshot_sha256=item.snapshot_sha256,
                  reason=item.reason)  # fmt: skip


def _write_removal(item: ReviewItem, actor: str, now: datetime) -> None:
    day = date.fromisoformat(str(item.new["removed_on"]))
    mark_removed(item.framework, item.version, on=day, actor=actor, reason=item.reason)


def _write_commit(item: ReviewItem, actor: str, now: datetime) -> None:
    commit = str(item.new["commit"])
    replace_commit(item.framework, item.version, commit=commit, actor=actor, reason=item.reason)


def _write_facts(item: ReviewItem, actor: str, now: datetime) -> None:
    record_facts(
        str(item.new["model"]), item.new["facts"], url=item.url,
        revision=str(item.new["revision"]), snapshot_sha256=item.snapshot_sha256, actor=actor,
        now=now,
    )  # fmt: skip


_WRITES: Mapping[str, Callable[[ReviewItem, str, datetime], None]] = {
    ProposalCode.MAINTENANCE_PERIOD.value: _write_period,
    ProposalCode.RELEASE_REMOVED.value: _write_removal,
    ProposalCode.TAG_MOVED.value: _write_commit,
    ProposalCode.MODEL_FACTS.value: _write_facts,
}
