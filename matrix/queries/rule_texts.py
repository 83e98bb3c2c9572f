"""One sentence for readers per rule of the verdict."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.domain.verdict_values import Rule

RULE_TEXTS: Mapping[Rule, Promise | str] = {
    Rule.WHOLE_CELL: _("One statement about the whole combination answers every part of it."),
    Rule.SPECIFIC_OVER_GENERAL: _(
        "The statement that names this combination more exactly decides over a general one."
    ),
    Rule.NEAREST_VERSION: _(
        "Among equally exact statements, the one seen nearest below the asked release decides."
    ),
    Rule.STRENGTH: _(
        "At the same release the stronger kind of evidence decides: a measurement over code, "
        "code over words."
    ),
    Rule.ONLY_CLAIM: _("Only one statement speaks about this part, and it decides."),
    Rule.VETO: _("A stronger no at the same or a later release is not hidden by a weaker yes."),
    Rule.DEPENDS: _("The statements that decide hold only under conditions that are left open."),
    Rule.IMPLIED: _("A yes about more than this part implies a yes about this part."),
    Rule.CONFLICT: _(
        "The code lets pass what weaker words refuse, so the sources conflict and nothing is "
        "decided."
    ),
    Rule.STALE: _("The statement was not repeated for too long to be carried to this release."),
    Rule.NO_CLAIM: _("No statement speaks about this part at this release and date."),
    Rule.UNQUANTIZED: _("Unquantized weights need no statement of their own."),
}
