"""Names and sentences around the verdict rules; the rules' own sentences are in queries."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.domain.levels import UnknownReason
from matrix.domain.verdict_values import AgeKind, Rule

RULE_NAMES: Mapping[Rule, Promise] = {
    Rule.WHOLE_CELL: _("Whole cell"),
    Rule.SPECIFIC_OVER_GENERAL: _("Specific over general"),
    Rule.NEAREST_VERSION: _("Nearest version"),
    Rule.STRENGTH: _("Strength"),
    Rule.ONLY_CLAIM: _("Only claim"),
    Rule.VETO: _("Veto"),
    Rule.DEPENDS: _("Depends"),
    Rule.IMPLIED: _("Implied"),
    Rule.CONFLICT: _("Conflict"),
    Rule.STALE: _("Stale"),
    Rule.NO_CLAIM: _("No claim"),
    Rule.UNQUANTIZED: _("Unquantized"),
}

# How legs become one verdict, in the order in which this is applied.
COMBINING: tuple[tuple[Promise, Promise], ...] = (
    (
        _("Legs"),
        _(
            "A question has one leg for each thing that must be stated: the platform, the model, "
            "the quantization on that hardware, the KV-cache type, and each feature."
        ),
    ),
    (_("Veto of a leg"), _("A leg that is unsupported makes the whole verdict unsupported.")),
    (
        _("Weakest leg"),
        _("Otherwise the weakest leg decides; a leg without any statement makes it unknown."),
    ),
    (
        _("A “no” needs evidence"),
        _("Blank table cells, missing rows and silence are unknown; they are never read as “no”."),
    ),
)

UNKNOWN_SENTENCES: Mapping[UnknownReason, Promise] = {
    UnknownReason.NEVER_INVESTIGATED: _("no source that was read speaks about it"),
    UnknownReason.SOURCE_SILENT: _("the sources speak near it, but not about exactly this"),
    UnknownReason.NOT_LISTED: _("a list that claims to be complete does not name it"),
    UnknownReason.SOURCES_CONFLICT: _("the sources contradict each other"),
    UnknownReason.STALE: _("what was stated is too old to rely on"),
    UnknownReason.EXTRACTOR_FAILED: _("the source could not be read"),
}

AGE_SENTENCES: Mapping[AgeKind, Promise] = {
    AgeKind.OBSERVED: _("seen at the asked release"),
    AgeKind.BETWEEN_OBSERVATIONS: _("seen before and after the asked release"),
    AgeKind.CARRIED_FORWARD: _("carried forward from an earlier release"),
    AgeKind.OPEN_ENDED: _("stated from an earlier release on"),
}
