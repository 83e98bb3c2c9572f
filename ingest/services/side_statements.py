"""What pages state besides compatibility: pins of releases, and maintenance for review."""

from collections.abc import Sequence
from datetime import datetime

from ingest.contract import FindingKind, StatementStatus
from ingest.domain.derive import PageReading
from ingest.domain.maintenance_periods import propose_periods
from ingest.services.outcomes import Outcome, snapshot_of
from ingest.services.proposals import propose_to_curator
from matrix.domain.catalogue import Catalogue
from matrix.domain.codec import locator_to_plain
from matrix.domain.published import StatedPin
from matrix.releasing import record_pins

_PINS = (StatementStatus.PINNED, StatementStatus.RANGE, StatementStatus.REQUIRES)
_NAMES = ("package", "component", "software", "name")


def take_side_statements(
    outcome: Outcome, catalogue: Catalogue, *, feed: str, now: datetime
) -> int:
    """Records the pins of releases and asks about maintenance; how many items that opened."""
    readings = outcome.readings()
    record_pins(_pins_of(readings))
    proposals = propose_periods((r.page, r.reading.findings) for r in readings)
    return propose_to_curator(proposals, catalogue.periods, feed=feed, now=now)


def _pins_of(readings: Sequence[PageReading]) -> list[StatedPin]:
    """The requirements with a stated value; those of a page that has no release are left out."""
    found = []
    for reading in readings:
        page = reading.page
        for finding in reading.reading.findings:
            release = finding.release or page.release
            if finding.kind is not FindingKind.REQUIREMENT or finding.status not in _PINS:
                continue
            if not release or not finding.value:
                continue
            named = next((finding.names[n] for n in _NAMES if finding.names.get(n)), "")
            found.append(
                StatedPin(
                    framework=page.framework,
                    version=release,
                    name=named or finding.statement.rpartition("requirement/")[2],
                    status=finding.status.value,
                    value=finding.value,
                    source=reading.source,
                    statement=finding.statement,
                    path=page.path,
                    url=page.url,
                    locator=locator_to_plain(finding.locator),
                    snapshot_sha256=snapshot_of(page),
                )
            )
    return found
