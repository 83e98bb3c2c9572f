"""Answers to questions: the verdicts of their cells, combined and guarded.

A wrong "supported" is the worst answer, so what a question names and nobody stated makes a
positive answer unknown; a "no" about less than everything asked is still a "no".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import NotReleasedYet, UnknownVersion
from matrix.domain.index import ClaimIndex
from matrix.domain.levels import WEAKEST_FIRST, Axis, Execution, SupportLevel
from matrix.domain.verdict_values import AgeKind, Verdict
from matrix.questions.cells import AskedCells, read_cells
from matrix.questions.changes import Changes
from matrix.questions.files import Question
from matrix.questions.guards import missing_statements
from matrix.questions.releases import NO_CHANGES
from matrix.questions.restrictions import open_restrictions, whole_claims

_FALLBACK = re.compile(r"\bfall(?:s|ing)?[- ]?back\b", re.IGNORECASE)
_NOT_COMPUTED = frozenset({Execution.WEIGHT_ONLY, Execution.EMULATED})
# Families that people choose for their arithmetic, not only for their size.
_COMPUTED_FORMATS = frozenset({"fp8", "nvfp4", "mxfp8", "int8"})
_HALF_PRECISION_BITS = 16
_POSITIVE = frozenset({SupportLevel.SUPPORTED, SupportLevel.CONDITIONAL, SupportLevel.PARTIAL})


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    **Shapes**: ``verdicts`` has one for each cell of ``asked``; ``unguarded`` is the level that the
    verdicts alone give; ``reasons`` say why an answer is weaker than that, or unknown.
    """

    question: Question
    level: SupportLevel
    asked: AskedCells
    verdicts: tuple[Verdict, ...] = ()
    unguarded: SupportLevel = SupportLevel.UNKNOWN
    reasons: tuple[str, ...] = ()


def answer_question(
    question: Question,
    *,
    index: ClaimIndex,
    catalogue: Catalogue,
    changes: Changes = NO_CHANGES,
) -> Answer:
    """The answer from the same verdicts that a cell page or a REST request gives.

    ``changes`` places questions that name a change by its number ("after PR #8434").
    """
    asked = read_cells(question, catalogue, changes=changes)
    try:
        verdicts = tuple(index.verdict_for(cell, as_of=asked.as_of) for cell in asked.cells)
    except (NotReleasedYet, UnknownVersion) as error:
        return Answer(
            question=question, level=SupportLevel.UNKNOWN, asked=asked, reasons=(str(error),)
        )
    level, reasons = combine_levels([verdict.level for verdict in verdicts])
    guarded, guards = _guard(level, asked, verdicts, catalogue)
    return Answer(
        question=question,
        level=guarded,
        asked=asked,
        verdicts=verdicts,
        unguarded=level,
        reasons=(*reasons, *guards),
    )


def combine_levels(levels: Sequence[SupportLevel]) -> tuple[SupportLevel, tuple[str, ...]]:
    """One level for all alternatives that a question names, and why where they differ.

    All alike, or all positive: the weakest. Some yes and some no: conditional. Any unknown beside
    others: unknown, for the alternatives are asked together.
    """
    found = frozenset(levels)
    if not found:
        return SupportLevel.UNKNOWN, ("nothing of the question could be placed",)
    if len(found) == 1:
        return next(iter(found)), ()
    if SupportLevel.UNKNOWN in found:
        names = ", ".join(sorted(found))
        return SupportLevel.UNKNOWN, (f"the asked alternatives differ: {names}",)
    if SupportLevel.UNSUPPORTED in found:
        return SupportLevel.CONDITIONAL, ("only some of the asked alternatives are supported",)
    return min(found, key=WEAKEST_FIRST.index), ()


def _falls_back(verdict: Verdict, catalogue: Catalogue) -> bool:
    """Whether it is computed on the CPU altogether; somebody's run that did so in part is not."""
    if verdict.level is SupportLevel.PARTIAL and whole_claims(verdict, catalogue):
        return False
    leading = [leg for leg in verdict.legs if leg.level is verdict.level]
    return any(c.claim.execution is Execution.CPU_FALLBACK for leg in leading for c in leg.deciding)


def _all_carried(verdicts: Sequence[Verdict]) -> bool:
    """Whether every leg that sets the level rests on earlier releases than the asked one."""
    leading = [leg for v in verdicts for leg in v.legs if leg.level is v.level]
    deciding = [c for leg in leading for c in leg.deciding]
    return all(c.age.kind is not AgeKind.OBSERVED for c in deciding)


def _not_covered(
    asked: AskedCells, verdicts: Sequence[Verdict], catalogue: Catalogue
) -> tuple[str, ...]:
    """What the question asks beyond its cells and the claims of some alternative do not say."""
    left = [
        text
        for verdict in verdicts
        if verdict.level in _POSITIVE
        for text in open_restrictions(asked.restrictions, verdict, catalogue)
    ]
    if not any(verdict.level in _POSITIVE for verdict in verdicts):
        left = [restriction.text for restriction in asked.restrictions]
    return tuple(dict.fromkeys(left))


def _guard(
    level: SupportLevel,
    asked: AskedCells,
    verdicts: Sequence[Verdict],
    catalogue: Catalogue,
) -> tuple[SupportLevel, tuple[str, ...]]:
    reasons = [
        f"the question names {text}, which is not covered"
        for text in _not_covered(asked, verdicts, catalogue)
    ]
    if level is not SupportLevel.UNKNOWN and asked.after_change and _all_carried(verdicts):
        return SupportLevel.UNKNOWN, (
            "the question asks for the time after a change, and the claims were stated before it",
        )
    if (
        level in _POSITIVE
        and asked.on_device
        and all(_falls_back(verdict, catalogue) for verdict in verdicts)
    ):
        return SupportLevel.UNSUPPORTED, ("it is computed on the CPU, not on the asked device",)
    if level not in _POSITIVE:
        return level, tuple(reasons) if level is SupportLevel.UNKNOWN else ()
    for verdict in verdicts:
        if verdict.level in _POSITIVE:
            missing = missing_statements(verdict, asked, catalogue)
            reasons += [f"not stated: {text}" for text in missing]
    if reasons:
        return SupportLevel.UNKNOWN, tuple(dict.fromkeys(reasons))
    if level is SupportLevel.SUPPORTED and _FALLBACK.search(asked.feature_words):
        return SupportLevel.CONDITIONAL, ("it is what is fallen back to, not what was meant",)
    if level is SupportLevel.SUPPORTED and any(
        _runs_otherwise(v, asked, catalogue) for v in verdicts
    ):
        return SupportLevel.CONDITIONAL, ("it runs, but is not computed in the asked format",)
    return level, ()


def _runs_otherwise(verdict: Verdict, asked: AskedCells, catalogue: Catalogue) -> bool:
    """Whether weights of a format made for computing in it are only stored in it."""
    scheme = verdict.cell.nodes.get(Axis.QUANTIZATION)
    if scheme is None or verdict.execution not in _NOT_COMPUTED:
        return False
    if asked.native:
        return True
    own = catalogue.area("quantization")[scheme]
    if own.facts.get("activation_bits") == _HALF_PRECISION_BITS:
        return False
    return catalogue.trees.tree(Axis.QUANTIZATION).up(scheme)[-1] in _COMPUTED_FORMATS
