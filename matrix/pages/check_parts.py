"""What of an unknown answer is stated, part by part, and which part nobody states."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from matrix.domain.check_outcomes import POSITIVE_LEVELS
from matrix.domain.facets import Facet, names_facet
from matrix.domain.levels import Coverage, LegKind, SupportLevel
from matrix.domain.verdict_values import Candidate, LegResult, Verdict
from matrix.index import Knowledge
from matrix.pages.cell import leg_subject
from matrix.pages.rule_words import UNKNOWN_SENTENCES
from matrix.pages.words import LEVEL_SIGNS


def parts_sentence(knowledge: Knowledge, verdict: Verdict, *, framework: str, what: str) -> str:
    """An unknown verdict in one line: what is stated, each part for itself, and what is not.

    Empty where the verdict is another one, or where no part is stated or none is missing: then
    there is nothing to tell apart.
    """
    stated = [leg for leg in verdict.legs if leg.level in POSITIVE_LEVELS]
    missing = missing_parts(knowledge, verdict)
    reason = verdict.unknown_reason
    if verdict.level is not SupportLevel.UNKNOWN or not stated or not missing or reason is None:
        return ""
    words = {
        "framework": framework,
        "what": what,
        "stated": "; ".join(_stated_part(knowledge, leg) for leg in stated),
        "missing": "; ".join(missing),
        "reason": str(UNKNOWN_SENTENCES[reason]),
    }
    return (
        _(
            "Whether %(framework)s supports %(what)s is unknown. Stated, each for itself:"
            " %(stated)s. Missing: %(missing)s (%(reason)s)."
        )
        % words
    )


def missing_parts(knowledge: Knowledge, verdict: Verdict) -> list[str]:
    """The parts of an unknown verdict that are unknown, by name."""
    if verdict.level is not SupportLevel.UNKNOWN:
        return []
    unknown = (leg for leg in verdict.legs if leg.level is SupportLevel.UNKNOWN)
    return [subject for leg in unknown if (subject := leg_subject(knowledge, leg))]


def why_not_enough(leg: LegResult, candidate: Candidate) -> str:
    """Why a "yes" that was found does not answer an unknown leg; empty where nothing plain does."""
    if leg.level is not SupportLevel.UNKNOWN or candidate.negative or candidate.is_gate_pass:
        return ""
    if candidate.coverage is not Coverage.YES or candidate.is_stale:
        return ""
    needs: Sequence[Facet] = () if leg.kind is LegKind.PLATFORM else (Facet.HARDWARE, Facet.MODEL)
    lacks = [facet for facet in needs if not names_facet(candidate, facet)]
    if leg.kind is LegKind.MODEL:
        lacks = [facet for facet in lacks if facet is Facet.HARDWARE]
    if len(lacks) > 1:
        return _("names neither hardware nor a model")
    if not lacks:
        return ""
    return _("names no model") if lacks[0] is Facet.MODEL else _("names no hardware")


def _stated_part(knowledge: Knowledge, leg: LegResult) -> str:
    subject = leg_subject(knowledge, leg)
    if leg.level is SupportLevel.SUPPORTED:
        return subject
    words = {"part": subject, "level": LEVEL_SIGNS[leg.level].word}
    return _("%(part)s (%(level)s)") % words
