"""Hand-set facts against what the product reads: right, opposite or missing.

A fact names a page and what stands there (row and column, a quoted line, an absence, or a key of
the code facts). It is right when a finding stands at the same place with the same meaning.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ingest.contract import Finding, StatementStatus
from ingest.domain.derive import PageReading

_S = StatementStatus

# What the words of fact files mean as statuses. A word may accept several statuses where the fact
# file's vocabulary is coarser than ours.
ACCEPTED: Mapping[str, frozenset[StatementStatus]] = {
    "yes": frozenset({_S.SUPPORTED, _S.VALIDATED, _S.REQUIRES, _S.MAINTAINED}),
    "supported": frozenset({_S.SUPPORTED, _S.VALIDATED}),
    "functional": frozenset({_S.SUPPORTED}),
    "validated": frozenset({_S.VALIDATED, _S.SUPPORTED}),
    "no": frozenset({_S.UNSUPPORTED}),
    "unsupported": frozenset({_S.UNSUPPORTED}),
    "partial": frozenset({_S.PARTIAL}),
    "unknown": frozenset({_S.UNKNOWN, _S.UNTESTED}),
    "untested": frozenset({_S.UNTESTED, _S.UNKNOWN}),
    "not_stated": frozenset({_S.NOT_STATED}),
    "planned": frozenset({_S.PLANNED, _S.WORK_IN_PROGRESS}),
    "wip": frozenset({_S.WORK_IN_PROGRESS}),
    "delayed": frozenset({_S.DELAYED}),
    "deprecated": frozenset({_S.DEPRECATED}),
    "removed": frozenset({_S.REMOVED}),
    "experimental": frozenset({_S.EXPERIMENTAL}),
    "via_plugin": frozenset({_S.VIA_PLUGIN}),
    "via_transformers": frozenset({_S.VIA_TRANSFORMERS}),
    "inherits": frozenset({_S.INHERITS}),
    "mixed": frozenset({_S.MIXED}),
    "no_acceleration": frozenset({_S.NO_ACCELERATION}),
    "known_issues": frozenset({_S.KNOWN_ISSUES}),
    "informal_name": frozenset({_S.INFORMAL_NAME}),
    "does_not_fit": frozenset({_S.DOES_NOT_FIT}),
    "requires": frozenset({_S.REQUIRES, _S.PINNED}),
    "pinned": frozenset({_S.PINNED, _S.REQUIRES}),
    "range": frozenset({_S.RANGE}),
    "value": frozenset({_S.VALUE, _S.PINNED}),
    "none": frozenset({_S.NONE}),
    "stale": frozenset({_S.STALE}),
    "legend": frozenset({_S.LEGEND}),
    "policy": frozenset({_S.POLICY}),
    "published": frozenset({_S.PUBLISHED}),
    "released": frozenset({_S.RELEASED}),
    "skipped": frozenset({_S.SKIPPED}),
    "candidate": frozenset({_S.CANDIDATE}),
    "superseded": frozenset({_S.SUPERSEDED}),
    "maintained": frozenset({_S.MAINTAINED}),
    "maintenance": frozenset({_S.MAINTENANCE}),
    "moved": frozenset({_S.MOVED}),
}
_POSITIVE = frozenset(
    {_S.SUPPORTED, _S.VALIDATED, _S.PARTIAL, _S.EXPERIMENTAL, _S.MAINTAINED, _S.VIA_TRANSFORMERS}
)
_NEGATIVE = frozenset({_S.UNSUPPORTED, _S.REMOVED, _S.DOES_NOT_FIT})
_POSITIVE_WORDS = frozenset({"yes", "supported", "functional", "validated", "partial",
                             "experimental", "maintained"})  # fmt: skip
_NEGATIVE_WORDS = frozenset({"no", "unsupported", "removed", "does_not_fit"})
# Facets that name the subject; other facets describe it.
_SUBJECT_FACETS = ("quantization", "hardware", "model", "architecture", "feature", "backend")

_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)|\[[^\]]*\])"
)
_SUP = re.compile(r"<sup>.*?</sup>", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,300}>")
_NOISE = re.compile("[`*\\\\_\ufe0e\ufe0f]|\\s+")


class Outcome(StrEnum):
    """How a fact compares with what was read."""

    RIGHT = "right"
    OPPOSITE = "opposite"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class FactResult:
    """One compared fact; ``found`` says what stood nearest."""

    identifier: str
    outcome: Outcome
    page: str
    row: str
    column: str
    expected: str
    found: str


def plain_label(text: str) -> str:
    """A table label without markup, footnote marks, case and blanks, as labels are compared."""
    bare = _TAG.sub("", _SUP.sub("", _LINK.sub(r"\1", text)))
    return _NOISE.sub("", bare).casefold()


def compare_fact(fact: Mapping[str, Any], readings: Sequence[PageReading]) -> FactResult:
    """The outcome of one fact, given everything read from its page.

    A page that no rule read misses its facts, absences included: nothing read proves nothing.
    """
    findings = [f for item in readings for f in item.reading.findings]
    if "absent" in fact:
        return _compare_absence(fact, findings, was_read=bool(readings))
    if fact.get("source") == "code" or "facts_path" in fact:
        here = _at_path(fact, findings)
        return _result(fact, _by_value(fact, here), here)
    if "row" in fact and "column" in fact:
        here = _at_cell(fact, findings)
        return _result(fact, _by_status(fact, here), here)
    here = _at_line(fact, findings)
    return _result(fact, _by_subjects(fact, here), here)


def _result(
    fact: Mapping[str, Any], outcome: Outcome, here: Iterable[Finding], found: str = ""
) -> FactResult:
    found = found or "; ".join(_finding_text(f) for f in list(here)[:4]) or "nothing"
    return FactResult(
        identifier=str(fact.get("id", "?")),
        outcome=outcome,
        page=f"{fact.get('version', '')} {fact.get('page') or fact.get('facts_file', '')}",
        row=str(fact.get("row") or fact.get("line") or fact.get("facts_path") or ""),
        column=str(fact.get("column") or ""),
        expected=str(fact.get("status", "")),
        found=found,
    )


def _finding_text(finding: Finding) -> str:
    where = finding.locator
    place = "/".join(p for p in (where.row, where.column) if p) or f"line {where.line}"
    return f"{finding.status.value} ({place}: {finding.raw[:40]!r})"


def _at_cell(fact: Mapping[str, Any], findings: Iterable[Finding]) -> list[Finding]:
    row, column = plain_label(str(fact["row"])), plain_label(str(fact["column"]))
    here = [
        f
        for f in findings
        if plain_label(f.locator.row) == row and plain_label(f.locator.column) == column
    ]
    line = fact.get("table_line")
    if line is None or len(here) < 2:
        return here
    # The same row may stand in several tables: keep those of the first table from its line on.
    below = [f for f in here if f.locator.line is not None and f.locator.line >= line]
    if not below:
        return here
    first = min(below, key=lambda f: f.locator.line or 0)
    return [f for f in below if f.locator.table == first.locator.table]


def _at_line(fact: Mapping[str, Any], findings: Iterable[Finding]) -> list[Finding]:
    line = fact.get("line")
    if line is None:
        return []
    here = []
    for finding in findings:
        start = finding.locator.line
        if start is None:
            continue
        end = finding.locator.line_end or start
        if start <= line <= end:
            here.append(finding)
    return here


def _at_path(fact: Mapping[str, Any], findings: Iterable[Finding]) -> list[Finding]:
    path = tuple(str(part) for part in fact["facts_path"])
    value = str(fact["value"])
    exact = [f for f in findings if f.locator.path == path]
    member = [f for f in findings if f.locator.path == (*path, value)]
    return exact or member or [f for f in findings if f.locator.path[: len(path)] == path]


def _by_value(fact: Mapping[str, Any], here: Sequence[Finding]) -> Outcome:
    """Code facts: the value at the path, or a member of the list there with the right status."""
    wanted = str(fact["value"])
    status = ACCEPTED.get(str(fact.get("status")), frozenset())
    holding = [f for f in here if wanted in {f.value, f.raw} or wanted in f.locator.path]
    if not holding:
        return Outcome.MISSING
    if str(fact.get("status")) in {"value", "removed", "deprecated"}:
        told = [f for f in holding if f.value == wanted or f.raw == wanted or f.status in status]
        return Outcome.RIGHT if told else Outcome.MISSING
    return _by_status(fact, holding)


def _by_status(fact: Mapping[str, Any], here: Sequence[Finding]) -> Outcome:
    expected = str(fact["status"])
    accepted = ACCEPTED.get(expected, frozenset())
    if any(f.status in accepted and _parts_fit(fact, f) for f in here):
        return Outcome.RIGHT
    found = {f.status for f in here}
    if expected in _POSITIVE_WORDS and found & _NEGATIVE:
        return Outcome.OPPOSITE
    if expected in _NEGATIVE_WORDS and found & _POSITIVE:
        return Outcome.OPPOSITE
    return Outcome.MISSING


def _parts_fit(fact: Mapping[str, Any], finding: Finding) -> bool:
    """A compound cell is right when every part of the fact is a part of the finding."""
    parts = fact.get("parts")
    if not isinstance(parts, Mapping) or finding.status is not _S.MIXED:
        return True
    known = {plain_label(name): status for name, status in finding.parts}
    return all(
        known.get(plain_label(str(name))) in ACCEPTED.get(str(word), frozenset())
        for name, word in parts.items()
    )


def _by_subjects(fact: Mapping[str, Any], here: Sequence[Finding]) -> Outcome:
    """Prose and row facts: every subject the fact names needs a finding of the right status."""
    if not here:
        return Outcome.MISSING
    facets = fact.get("facets") or fact.get("facet") or {}
    outcomes = []
    for facet in _SUBJECT_FACETS:
        words = facets.get(facet)
        if words is None:
            continue
        for word in [words] if isinstance(words, str) else words:
            about = [f for f in here if _mentions(f, str(word))]
            if about:
                outcomes.append(_by_status(fact, about))
    if not outcomes:
        return _by_status(fact, here)
    return max(outcomes, key=[Outcome.RIGHT, Outcome.MISSING, Outcome.OPPOSITE].index)


def _mentions(finding: Finding, word: str) -> bool:
    wanted = plain_label(word).replace("-", "").replace(" ", "")
    texts = [*finding.names.values(), finding.locator.row, finding.locator.column, finding.value]
    if finding.scope is not None:
        texts += [s for nodes in finding.scope.nodes.values() for s in nodes.include]
        texts += list(finding.scope.features)
    return any(wanted in plain_label(text).replace("-", "") for text in texts if text)


def _compare_absence(
    fact: Mapping[str, Any], findings: Iterable[Finding], *, was_read: bool
) -> FactResult:
    if not was_read:
        return _result(fact, Outcome.MISSING, (), "no rule read the page")
    facet = fact.get("facet", {})
    present = []
    for finding in findings:
        labels = {plain_label(finding.locator.row), plain_label(finding.locator.column)}
        words = [facet.get(k) for k in ("architecture", "hardware", "column", "backend", "table")]
        if any(word and plain_label(str(word)) in labels for word in words):
            present.append(finding)
    outcome = Outcome.OPPOSITE if present else Outcome.RIGHT
    return _result(fact, outcome, present, "" if present else "absent, as expected")
