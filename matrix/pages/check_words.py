"""Words of checks: outcomes, verdict and memory together, what would have to change."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from matrix.domain.catalogue import Catalogue
from matrix.domain.check_outcomes import Change, ChangeKind, Outcome
from matrix.domain.levels import SupportLevel
from matrix.domain.measured import SloThroughput
from matrix.domain.memory.values import Fit, FitLevel, MemoryEstimate
from matrix.domain.whole_cell import UNQUANTIZED
from matrix.pages.links import names_in, node_name
from matrix.pages.memory_words import size_text

MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class OutcomeSign:
    """How an outcome is shown: a level's colour, a sign, a word."""

    value: str
    css: str
    icon: str
    word: Promise


OUTCOME_SIGNS: Mapping[Outcome, OutcomeSign] = {
    Outcome.RUNS: OutcomeSign("runs", "supported", "✓", gettext_lazy("supported")),
    Outcome.RUNS_UNDER_CONDITIONS: OutcomeSign(
        "runs-under-conditions", "conditional", "◐", gettext_lazy("supported under conditions")
    ),
    Outcome.RUNS_IN_PART: OutcomeSign(
        "runs-in-part", "partial", "◔", gettext_lazy("supported in part")
    ),
    Outcome.ROOM_UNCERTAIN: OutcomeSign(
        "room-uncertain", "partial", "≈", gettext_lazy("may not fit")
    ),
    Outcome.ROOM_UNKNOWN: OutcomeSign(
        "room-unknown", "conditional", "□", gettext_lazy("memory not known")
    ),
    Outcome.NO_ROOM_BY_ESTIMATE: OutcomeSign(
        "no-room-by-estimate", "unsupported", "▣", gettext_lazy("does not fit, by the estimate")
    ),
    Outcome.NO_ROOM: OutcomeSign("no-room", "unsupported", "▣", gettext_lazy("does not fit")),
    Outcome.UNKNOWN: OutcomeSign("unknown", "unknown", "?", gettext_lazy("unknown")),
    Outcome.UNSUPPORTED: OutcomeSign(
        "unsupported", "unsupported", "✕", gettext_lazy("not supported")
    ),
}

# In place of the verdict's own sentence where the memory decides: none of them says that it runs.
_NO_ROOM: Mapping[Outcome, Promise] = {
    Outcome.NO_ROOM: gettext_lazy(
        "It does not fit, whatever %(framework)s supports: the weights alone take %(weights)s per"
        " device of %(usable)s."
    ),
    Outcome.NO_ROOM_BY_ESTIMATE: gettext_lazy(
        "By the estimate it does not fit: %(framework)s would need at least %(low)s per device of"
        " %(have)s."
    ),
    Outcome.ROOM_UNCERTAIN: gettext_lazy(
        "It may not fit: %(framework)s would need between %(low)s and %(high)s per device of"
        " %(have)s."
    ),
}

# The memory beside a verdict that is no yes: it is told, and changes nothing about the verdict.
_BESIDE_NO_YES: Mapping[FitLevel, Promise] = {
    FitLevel.TIGHT: gettext_lazy(
        "The memory may not suffice: it would need between %(low)s and %(high)s per device of"
        " %(have)s."
    ),
    FitLevel.EXCEEDS: gettext_lazy(
        "By the estimate the memory would not suffice: it would need at least %(low)s per device"
        " of %(have)s."
    ),
    FitLevel.DOES_NOT_FIT: gettext_lazy(
        "The memory does not suffice: the weights alone take %(weights)s per device of %(usable)s."
    ),
}


def room_text(fit: Fit) -> str:
    """What there is on each device: the engine's share where it does not take all of it."""
    usable = size_text(fit.usable_bytes)
    if fit.engine_bytes is None or fit.engine_bytes == fit.usable_bytes:
        return usable
    words = {"engine": size_text(fit.engine_bytes), "usable": usable}
    return _("%(engine)s (what the engine takes of %(usable)s)") % words


def combined_sentence(
    outcome: Outcome,
    estimate: MemoryEstimate | None,
    *,
    verdict: str,
    framework: str,
    level: SupportLevel,
) -> str:
    """Verdict and memory in one line; ``verdict`` is the verdict's own sentence.

    Where a yes lacks the room, the memory speaks first; where the verdict is no yes, the memory is
    said as what it would need.
    """
    if estimate is None:
        if outcome is not Outcome.ROOM_UNKNOWN:
            return verdict
        return verdict + " " + _("Whether the memory suffices could not be told.")
    fit = estimate.fit
    words = {
        "weights": size_text(estimate.share.weights_bytes),
        "usable": size_text(fit.usable_bytes),
        "framework": framework,
        "low": size_text(fit.needed_low_bytes),
        "high": size_text(fit.needed_high_bytes),
        "have": room_text(fit),
    }
    if outcome in _NO_ROOM:
        return str(_NO_ROOM[outcome] % words) + " " + verdict
    memory = _memory_sentence(fit, words, level=level)
    return f"{verdict} {memory}" if memory else verdict


def _memory_sentence(fit: Fit, words: Mapping[str, str], *, level: SupportLevel) -> str:
    if fit.needed_low_bytes is None or fit.usable_bytes is None:
        if fit.needed_low_bytes is not None:
            return (
                _("It would need at least %(low)s per device; how much one has is not known.")
                % words
            )
        return _("Whether the memory suffices could not be told.")
    if fit.level is FitLevel.FITS:
        return _("The memory suffices: at most %(high)s per device of %(have)s.") % words
    if level is SupportLevel.UNSUPPORTED or level is SupportLevel.UNKNOWN:
        return _BESIDE_NO_YES[fit.level] % words if fit.level in _BESIDE_NO_YES else ""
    return _("Whether the memory suffices could not be told.")


def change_text(catalogue: Catalogue, change: Change) -> str:
    """What would have to be otherwise, in a few words."""
    kind, values = change.kind, change.values
    if kind is ChangeKind.CONDITION:
        what = "; ".join(names_in(catalogue, line) for line in values)
        return _("with %(what)s") % {"what": what}
    if kind is ChangeKind.RELEASE:
        text = (
            _("in %(version)s, the newest earlier release with a better answer")
            if change.earlier
            else _("from %(version)s, the next release with a better answer")
        )
        return text % {"version": values[0]}
    if kind is ChangeKind.HARDWARE:
        return _("on %(names)s") % {"names": _names(catalogue, "hardware", values)}
    if kind is ChangeKind.FEATURES:
        return _("without %(names)s") % {"names": _names(catalogue, "feature", values)}
    if kind is ChangeKind.QUANTIZATION:
        return _scheme_text(catalogue, *values)
    return _load_text(kind, int(values[0]))


def _scheme_text(catalogue: Catalogue, model: str, scheme: str) -> str:
    node = catalogue.area("model").get(model)
    words = {
        "model": node_name(catalogue, "model", model),
        "scheme": node_name(catalogue, "quantization", scheme),
    }
    if scheme == UNQUANTIZED:
        return _("unquantized, as %(model)s") % words
    if node is not None and node.facts.get("quantization") == scheme:
        return _("as %(model)s, stored in %(scheme)s") % words
    return _("in %(scheme)s, where a checkpoint of %(model)s in it exists") % words


def _load_text(kind: ChangeKind, number: int) -> str:
    if kind is ChangeKind.DEVICES:
        text = ngettext("with %(n)d device", "with %(n)d devices", number)
    elif kind is ChangeKind.CONTEXT:
        text = ngettext(
            "with a context of at most %(n)d token",
            "with a context of at most %(n)d tokens",
            number,
        )
    else:
        text = ngettext(
            "with at most %(n)d sequence at a time",
            "with at most %(n)d sequences at a time",
            number,
        )
    return text % {"n": number}


def _names(catalogue: Catalogue, area: str, slugs: tuple[str, ...]) -> str:
    shown = ", ".join(node_name(catalogue, area, slug) for slug in slugs[:MOST_NAMES])
    more = len(slugs) - MOST_NAMES
    if more <= 0:
        return shown
    text = ngettext("%(names)s and %(n)d more", "%(names)s and %(n)d more", more)
    return text % {"names": shown, "n": more}


WHY_NO_THROUGHPUT: Mapping[str, Promise] = {
    "no-run": gettext_lazy("No run was measured on exactly this."),
    "no-samples": gettext_lazy("The runs keep no times of single requests to judge them by."),
    "slo-not-met": gettext_lazy("No run on exactly this met these objectives."),
    "not-performance": gettext_lazy(
        "What was measured on exactly this is no measurement of performance."
    ),
    "no-column": gettext_lazy("The runs do not hold the latency that is asked about."),
    "count-unknown": gettext_lazy("The runs do not say on how many devices they were made."),
    "other-load": gettext_lazy("The runs were made with other lengths than those asked."),
    "no-serving": gettext_lazy("Only tests without a server were measured."),
}
THROUGHPUT_MARKS: Mapping[str, Promise] = {
    "load-own-terms": gettext_lazy("at the load's own terms"),
    "other-concurrency": gettext_lazy("at another concurrency than asked"),
    "features-not-stated": gettext_lazy("the runs do not say whether the features were on"),
    "some-runs-missed": gettext_lazy("some runs on the same missed the objectives"),
    "length-unknown": gettext_lazy("the lengths of the requests are not known"),
}


def throughput_sentence(throughput: SloThroughput) -> str:
    """The best measured throughput at the objectives, or why none is known."""
    if throughput.output_tok_s is None:
        word = WHY_NO_THROUGHPUT.get(throughput.why_unknown)
        return str(word) if word else throughput.why_unknown.replace("-", " ")
    words = {
        "tok": f"{throughput.output_tok_s:,.1f}",
        "low": f"{throughput.low_output_tok_s or 0:,.1f}",
        "high": f"{throughput.high_output_tok_s or 0:,.1f}",
        "marks": "; ".join(
            str(THROUGHPUT_MARKS.get(mark, mark.replace("-", " "))) for mark in throughput.marks
        ),
    }
    if throughput.low_output_tok_s is None or throughput.high_output_tok_s is None:
        text = _("%(tok)s output tok/s measured while meeting the objectives.") % words
    else:
        text = (
            _("%(tok)s output tok/s (%(low)s to %(high)s) measured while meeting the objectives.")
            % words
        )
    return f"{text} ({words['marks']})" if throughput.marks else text
