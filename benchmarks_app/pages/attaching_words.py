"""Why a run says nothing on the matrix, in sentences."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from benchmarks_app.pages.outcome_words import outcome_words
from benchmarks_app.services.attaching import NotAttached

_UNNAMED = _("not stated")
WHY_NOT_WORDS: Mapping[str, Promise] = {
    "not-measured-here": _(
        "It is no measurement with its file on a known machine (%(class)s), so that it speaks for"
        " no cell."
    ),
    "outcome-not-shown": _("It does not show whether the framework runs the model: %(why)s."),
    "dummy-weights": _("It ran with random weights, so that it speaks for no checkpoint."),
    "framework-unknown": _("The framework is unknown: %(name)s."),
    "release-unknown": _("%(version)s is no known release of %(framework)s."),
    "release-differs": _(
        "Its commit %(commit)s is not that of release %(version)s (%(released)s)."
    ),
    "hardware-unknown": _("The hardware is unknown: %(name)s."),
    "several-devices": _("%(name)s names several devices; a run speaks for one."),
    "count-unknown": _("The number of devices is unknown."),
    "model-unknown": _("The model is unknown: %(name)s."),
    "no-checkpoint": _("%(name)s is no single checkpoint."),
    "quantization-unknown": _("The quantization is unknown: %(name)s."),
    "several-schemes": _("%(name)s names several quantization schemes; a run speaks for one."),
    "backend-unknown": _("The back end is unknown: it may be %(backends)s."),
    "kv-type-unknown": _("The type of the KV cache is unknown: %(name)s."),
    "limits-unknown": _(
        "It did not fit, but the context length is unknown, so that it would speak for more than"
        " was tried."
    ),
    "breaks-rule": _("A claim of it would break a rule of the data: %(rule)s."),
    "fails-under-load": _(
        "It ran and then ran out of memory under this load, which says nothing of lighter loads."
    ),
    "ended": _("It was withdrawn or replaced."),
}


class _Facts(dict[str, str]):
    """The facts of a reason; one that is missing or blank reads as not stated."""

    def __missing__(self, name: str) -> str:
        return str(_UNNAMED)


def why_not_sentence(reason: NotAttached) -> str:
    """The sentence of a reason; a code without one is shown as it is."""
    sentence = WHY_NOT_WORDS.get(reason.code)
    if sentence is None:
        return reason.code
    facts = _Facts({name: text for name, text in reason.facts.items() if text})
    if "status" in facts:
        facts["why"] = outcome_words(facts.get("reason", facts["status"]))
    return str(sentence) % facts
