"""Maintenance periods that statements of pages and flags of code hosts propose."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from ingest.contract import Finding, FindingKind, Page, StatementStatus
from matrix.domain.catalogue import MaintenancePeriod
from matrix.domain.levels import EvidenceKind, MaintenanceStatus

_STATUSES: Mapping[StatementStatus, MaintenanceStatus] = {
    StatementStatus.MAINTAINED: MaintenanceStatus.ACTIVE,
    StatementStatus.MAINTENANCE: MaintenanceStatus.MAINTENANCE_MODE,
    StatementStatus.DEPRECATED: MaintenanceStatus.DEPRECATED,
    StatementStatus.MOVED: MaintenanceStatus.DEPRECATED,
    StatementStatus.REMOVED: MaintenanceStatus.ARCHIVED,
}
_STATEMENT = "maintenance/"
_FEATURE_BRANCH = "maintenance/feature-branch/"
_SLUG = re.compile(r"[a-z0-9][a-z0-9.+-]*")
OFFICIAL, MAINTAINER, DOCUMENTATION = "official", "maintainer", "documentation"
_LONGEST_COMPONENT = 120


@dataclass(frozen=True, slots=True)
class Proposal:
    """A period that somebody states, with the page and the finding that state it.

    **Shapes**: ``moved_to`` is where the work went, where the notice is about a move.
    """

    period: MaintenancePeriod
    page: Page
    finding: Finding
    moved_to: str = ""


def propose_periods(readings: Iterable[tuple[Page, Iterable[Finding]]]) -> list[Proposal]:
    """The periods that findings about maintenance propose; undated ones propose none.

    **Dates**: a finding that names the day of its announcement starts then; any other one
    "at or before" the day that its page speaks for.
    """
    found = []
    for page, findings in readings:
        for finding in findings:
            if finding.kind is not FindingKind.MAINTENANCE:
                continue
            if not finding.statement.startswith(_STATEMENT):
                continue
            # A branch of work in progress promises nothing to anybody.
            if finding.statement.startswith(_FEATURE_BRANCH):
                continue
            proposal = _propose(page, finding)
            if proposal is not None:
                found.append(proposal)
    return found


def _propose(page: Page, finding: Finding) -> Proposal | None:
    status = _STATUSES.get(finding.status)
    announced = _day(finding.names.get("announced", ""))
    start = announced or page.stated_on
    if status is None or start is None:
        return None
    whole = page.path.upper().startswith("README") and not _component(page, finding)
    place = ", ".join(
        part for part in (page.path, f"line {finding.locator.line}" if finding.locator.line else "")
        if part
    )  # fmt: skip
    return Proposal(
        period=MaintenancePeriod(
            framework=_framework(page, finding),
            component=_component(page, finding),
            status=status,
            start=start,
            start_kind="exact" if announced else "at-or-before",
            note=finding.note,
            evidence_kind=EvidenceKind.MAINTAINER if whole else EvidenceKind.DOCUMENTATION,
            strength=MAINTAINER if whole else DOCUMENTATION,
            url=page.url,
            commit=page.commit,
            locator=place,
            stated_on=page.stated_on,
        ),
        page=page,
        finding=finding,
        moved_to=finding.names.get("moved_to", ""),
    )


def _framework(page: Page, finding: Finding) -> str:
    """The framework that a finding names by its slug; else that of its page."""
    named = finding.names.get("framework", "")
    return named if _SLUG.fullmatch(named) else page.framework


def _component(page: Page, finding: Finding) -> str:
    """The part that a finding speaks about; blank for the whole framework."""
    if "branch" in finding.names:
        return f"branch-{finding.names['branch'].replace('/', '-')}"[:_LONGEST_COMPONENT]
    if finding.names.get("component"):
        return finding.names["component"][:_LONGEST_COMPONENT]
    tail = finding.statement.removeprefix(_STATEMENT)
    return "" if tail in (page.framework, _framework(page, finding)) else (
        tail.replace("/", "-")[:_LONGEST_COMPONENT]
    )  # fmt: skip


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def is_known(proposal: MaintenancePeriod, periods: Iterable[MaintenancePeriod]) -> bool:
    """Whether a period on record says the same of the same part at that time already.

    What a third party alone says, and what silence suggests, keeps nothing of the project's own
    word from being recorded.
    """
    return any(
        _part_of(known) == _part_of(proposal)
        and known.status is proposal.status
        and known.strength not in ("third-party", "silence")
        and (known.end is None or proposal.start < known.end)
        for known in periods
    )


def _part_of(period: MaintenancePeriod) -> str:
    """What a period speaks about; a part may be on record as a framework of its own."""
    return period.component or period.framework


def archive_period(
    framework: str, *, url: str, seen_on: date, pushed_on: date | None
) -> MaintenancePeriod:
    """The period that a code host's archive flag states.

    **Dates**: the host does not say since when; it is so at or before the day it was seen, and
    after the last push, which an archived repository takes no more.
    """
    after = f" The last push was on {pushed_on.isoformat()}." if pushed_on else ""
    return MaintenancePeriod(
        framework=framework,
        status=MaintenanceStatus.ARCHIVED,
        start=seen_on,
        start_kind="at-or-before",
        note=f"The code host shows the repository as archived (read-only).{after}",
        evidence_kind=EvidenceKind.MAINTAINER,
        strength=OFFICIAL,
        url=url,
        locator="archived: true",
        stated_on=seen_on,
    )
