"""Answers to questions: the verdicts of their cells, combined and guarded.

A wrong "supported" is the worst answer, so what a question names and nobody stated makes a
positive answer unknown; a "no" about less than everything asked is still a "no".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import NotReleasedYet, UnknownVersion
from matrix.domain.index import ClaimIndex
from matrix.domain.levels import WEAKEST_FIRST, Axis, Execution, LegKind, SupportLevel
from matrix.domain.verdict_values import AgeKind, Verdict
from matrix.domain.verdicts import weakest_level
from matrix.questions.cells import AskedCells, read_cells
from matrix.questions.changes import Changes
from matrix.questions.files import Question
from matrix.questions.guards import missing_statements
from matrix.questions.releases import NO_CHANGES
from matrix.questions.restrictions import Need, open_restrictions, whole_claims

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
    answer = _answer(question, asked, index, catalogue)
    if asked.next_release is None:
        return answer
    version, day = asked.next_release
    cells = tuple(replace(cell, version=version) for cell in asked.cells)
    later = _answer(question, replace(asked, cells=cells, as_of=day), index, catalogue)
    return _between(answer, later, asked.as_of)


def _between(now: Answer, later: Answer, day: date) -> Answer:
    """The answer for a build between two releases: what both say, or what was said by the day.

    A yes that only the later release has may have come before or after the build.
    """
    if now.level is later.level or later.level is SupportLevel.UNKNOWN:
        return now
    stated = [c.observation.stated_on for v in later.verdicts for c in v.deciding]
    if now.level is SupportLevel.UNKNOWN and stated and max(stated) <= day:
        return later
    if now.level is SupportLevel.UNKNOWN:
        return now
    reason = "the release before the build and the one after it differ"
    return replace(now, level=SupportLevel.UNKNOWN, reasons=(*now.reasons, reason))


def _answer(
    question: Question, asked: AskedCells, index: ClaimIndex, catalogue: Catalogue
) -> Answer:
    try:
        verdicts = tuple(index.verdict_for(cell, as_of=asked.as_of) for cell in asked.cells)
    except (NotReleasedYet, UnknownVersion) as error:
        return Answer(
            question=question, level=SupportLevel.UNKNOWN, asked=asked, reasons=(str(error),)
        )
    levels = [_asked_level(verdict, catalogue) for verdict in verdicts]
    level, reasons = combine_levels(levels)
    guarded, guards = _guard(level, asked, verdicts, catalogue)
    return Answer(
        question=question,
        level=guarded,
        asked=asked,
        verdicts=verdicts,
        unguarded=level,
        reasons=(*reasons, *guards),
    )


def _asked_level(verdict: Verdict, catalogue: Catalogue) -> SupportLevel:
    """The level of what is asked: that some generations of "any NVIDIA card" are refused is no part
    of a question about a model, a scheme or a feature."""
    hardware = verdict.cell.nodes.get(Axis.HARDWARE)
    if verdict.level is not SupportLevel.CONDITIONAL or hardware is None:
        return verdict.level
    if catalogue.trees.tree(Axis.HARDWARE).depth(hardware) > 0:
        return verdict.level
    rest = [leg for leg in verdict.legs if leg.kind is not LegKind.PLATFORM]
    platform = [leg for leg in verdict.legs if leg.kind is LegKind.PLATFORM]
    bound = any(c.conditions for leg in platform for c in leg.deciding)
    return weakest_level(rest) if rest and not bound else verdict.level


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
    late = asked.after_change and not asked.change_known
    if level is not SupportLevel.UNKNOWN and late and _all_carried(verdicts):
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
    memory = any(restriction.need is Need.MEMORY for restriction in asked.restrictions)
    if (
        level is SupportLevel.SUPPORTED
        and not memory
        and any(_runs_otherwise(v, asked, catalogue) for v in verdicts)
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
