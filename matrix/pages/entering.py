"""What a written claim reads like and what it would change, before it is recorded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from matrix.domain.claims import Claim, Document
from matrix.domain.coordinates import Cell
from matrix.domain.index import ClaimIndex
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.verdict_values import Verdict
from matrix.index import Knowledge
from matrix.pages.cell import verdict_sentence
from matrix.pages.claim import validity_sentence
from matrix.pages.evidence import (
    ConditionLine,
    Place,
    claim_marks,
    condition_line,
    place_of,
    scope_lines,
)
from matrix.pages.links import cell_phrase, cell_subject, cell_url, node_name

PREVIEW_UID = "preview"


@dataclass(frozen=True, slots=True)
class ClaimPreview:
    """How a claim reads, and the answer of its own cell without and with it.

    **Dates**: both answers are as of today.
    """

    claim: Claim
    framework_name: str
    scope: Sequence[str]
    marks: Sequence[object]
    conditions: Sequence[ConditionLine]
    validity: str
    places: Sequence[Place]
    cell_url: str
    before_level: str
    after_level: str
    before: str
    after: str
    changes: bool


def build_preview(knowledge: Knowledge, claim: Claim, *, as_of: date) -> ClaimPreview:
    """The preview of a claim that was read but not recorded."""
    catalogue = knowledge.catalogue
    cell = cell_of(claim)
    before = knowledge.index.verdict_for(cell, as_of=as_of)
    after = index_with(knowledge, claim).verdict_for(cell, as_of=as_of)
    return ClaimPreview(
        claim=claim,
        framework_name=node_name(catalogue, "framework", claim.framework),
        scope=scope_lines(catalogue, claim.scope),
        marks=claim_marks(claim),
        conditions=[condition_line(c) for c in claim.conditions],
        validity=validity_sentence(claim),
        places=[place_of(_reachable(o.document), o.locator) for o in claim.observations],
        cell_url=cell_url(cell),
        before_level=before.level.value,
        after_level=after.level.value,
        before=_sentence(knowledge, before),
        after=_sentence(knowledge, after),
        changes=before.level is not after.level,
    )


def _reachable(document: Document) -> Document:
    """The document without an address that leads nowhere yet: the test is not recorded."""
    return replace(document, url="") if document.url.startswith("/") else document


def cell_of(claim: Claim) -> Cell:
    """The question that a claim answers by itself: one node an axis, the newest release seen."""
    nodes: dict[Axis, str] = {
        axis: sorted(found.include)[0] for axis, found in claim.scope.nodes.items() if found.include
    }
    numbers: dict[NumberAxis, float] = {}
    for number, span in claim.scope.numbers.items():
        value = span.minimum if span.minimum is not None else span.maximum
        if value is not None:
            numbers[number] = value
    return Cell(
        framework=claim.framework,
        version=claim.observations[-1].release,
        nodes=nodes,
        features=claim.scope.features,
        numbers=numbers,
    )


def index_with(knowledge: Knowledge, claim: Claim) -> ClaimIndex:
    """An index of the claim and of all that stands about its framework and those upstream."""
    around = knowledge.index.around
    family = {claim.framework}
    facts = around.frameworks.get(claim.framework)
    while facts is not None and facts.parent and facts.parent not in family:
        family.add(facts.parent)
        facts = around.frameworks.get(facts.parent)
    held = [other for other in knowledge.index.claims() if other.framework in family]
    return ClaimIndex([*held, replace(claim, uid=PREVIEW_UID)], around)


def _sentence(knowledge: Knowledge, verdict: Verdict) -> str:
    catalogue, cell = knowledge.catalogue, verdict.cell
    name = node_name(catalogue, "framework", cell.framework)
    return verdict_sentence(
        verdict,
        framework=f"{name} {verdict.version or ''}".strip(),
        what=cell_phrase(catalogue, cell) or cell_subject(catalogue, cell),
    )
