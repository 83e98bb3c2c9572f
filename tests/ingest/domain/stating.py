"""Findings, pages and readings of a small made-up source, as tests of the ingest core need them."""

from collections.abc import Sequence
from typing import Any

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus
from ingest.domain.derive import PageReading
from matrix.domain.claims import Claim, Locator
from tests.builders import released_on, scope

AWQ_ON_T4 = "quantization-hardware/awq/nvidia-t4"


def finding(
    status: StatementStatus = StatementStatus.SUPPORTED,
    statement: str = AWQ_ON_T4,
    **changes: Any,
) -> Finding:
    """A finding about AWQ on T4 in row "AWQ", column "T4"."""
    values: dict[str, Any] = {
        "kind": FindingKind.COMPATIBILITY,
        "statement": statement,
        "status": status,
        "raw": "sign",
        "locator": Locator(row="AWQ", column="T4", line=3, table=0),
        "names": {"quantization": "AWQ", "hardware": "T4"},
        "scope": scope(quantization="awq", hardware="nvidia-t4"),
    }
    return Finding(**(values | changes))


def page(version: str, path: str = "docs/page.md", *, release: str | None = None) -> Page:
    """A page of the test framework; ``release=""`` leaves it unplaced."""
    placed = version if release is None else release
    return Page(
        framework="vllm",
        version=version,
        path=path,
        text="",
        url=f"https://example.org/{version}/{path}",
        release=placed,
        stated_on=released_on(placed) if placed else None,
        sha256="00",
    )


def reading(
    version: str,
    *findings: Finding,
    path: str = "docs/page.md",
    rule: str = "quantization",
    release: str | None = None,
) -> PageReading:
    """What the rule read from a page of a version."""
    return PageReading(
        source="test-docs",
        rule=rule,
        parser="test-docs/1",
        page=page(version, path, release=release),
        reading=Reading(findings=findings),
    )


def spans(claims: Sequence[Claim]) -> list[str]:
    """Each claim in one line: level, first seen (with kind), last seen, gone."""
    lines = []
    for claim in claims:
        validity = claim.validity
        line = f"{claim.level} {validity.first_kind} {validity.first}..{validity.last}"
        if validity.after:
            line += f" after {validity.after}"
        if validity.gone:
            line += f" gone {validity.gone}"
        lines.append(line + (" open-ended" if validity.open_ended else ""))
    return lines
