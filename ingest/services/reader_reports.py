"""Reports of readers and proposals of contributors, opened as review items."""

from datetime import datetime

from django.db import transaction

from ingest.domain.review import ItemKind
from ingest.services.items import Draft, Place, identity_of, open_items
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.entering.reports import ReaderReport
from matrix.services import write_audit

PROPOSED = "proposed-claim"


@transaction.atomic
def receive_report(report: ReaderReport, *, now: datetime) -> int:
    """Opens an item; returns how many are new: the same report again opens none.

    The item's ``new`` holds the cell, link, contact and proposed line; its code tells a proposal.
    **Raises**: ``InvalidValue`` without a text.
    """
    if not report.text.strip():
        raise InvalidValue(
            name="text", value=report.text, accepted=Phrase("what is wrong, in words")
        )
    new = {
        "cell": [list(pair) for pair in report.cell],
        "claim": report.claim_uid,
        "link": report.link,
        "contact": report.contact,
        "proposed": dict(report.proposed),
        "reported_by": report.actor,
    }
    place = Place(framework=report.framework, version=report.version, path=report.address[:400])
    draft = Draft(
        identity=identity_of("report", report.address, report.text, report.actor, new["proposed"]),
        kind=ItemKind.PROBLEM_REPORT,
        place=place,
        statement=report.statement,
        code=PROPOSED if report.proposed else "",
        sentence=report.text,
        new={key: value for key, value in new.items() if value},
    )
    opened = open_items([draft], now=now)
    if opened:
        write_audit(
            actor=report.actor or "reader",
            action="propose-claim" if report.proposed else "report-problem",
            subject=(report.statement or report.address)[:200],
            after={"text": report.text},
        )
    return opened
