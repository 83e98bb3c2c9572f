"""What readers report and contributors propose, handed to whoever keeps the review queue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

LONGEST_TEXT = 2_000
LONGEST_LINK = 600
LONGEST_CONTACT = 200


@dataclass(frozen=True, slots=True)
class ReaderReport:
    """A problem with an answer or a claim, or a proposed claim.

    **Shapes**: ``cell`` are the words of the question as pairs; ``proposed`` is a line as people
    write it. ``address`` is the page that it is about, ``contact`` what the reader left, if any.
    """

    framework: str
    text: str
    address: str = ""
    version: str = ""
    statement: str = ""
    claim_uid: str = ""
    cell: Sequence[tuple[str, str]] = ()
    link: str = ""
    contact: str = ""
    actor: str = ""
    proposed: Mapping[str, Any] = field(default_factory=dict)


def send_report(report: ReaderReport) -> int:
    """Opens a review item; returns how many are new: none for a report that was sent before."""
    receive = import_string(settings.MATRIX_REPORT_RECEIVER)
    opened: int = receive(report, now=timezone.now())
    return opened


def report_problem(
    cell: Sequence[tuple[str, str]],
    text: str,
    contact: str = "",
    *,
    address: str = "",
    claim_uid: str = "",
    statement: str = "",
    link: str = "",
    actor: str = "",
) -> int:
    """Opens a review item for a problem with a cell or a claim.

    **Raises**: ``InvalidValue`` without a text.
    """
    words = dict(cell)
    return send_report(
        ReaderReport(
            framework=words.get("framework", ""),
            version=words.get("version", ""),
            text=text.strip()[:LONGEST_TEXT],
            address=address,
            statement=statement,
            claim_uid=claim_uid,
            cell=tuple(cell),
            link=link[:LONGEST_LINK],
            contact=contact.strip()[:LONGEST_CONTACT],
            actor=actor,
        )
    )
