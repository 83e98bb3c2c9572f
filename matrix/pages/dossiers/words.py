"""Words and signs of dossiers: states, outcomes, checks, reasons, and numbers with their units."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from matrix.domain.levels import MaintenanceStatus, SupportLevel, UnknownReason
from matrix.domain.memory.values import FitLevel
from matrix.domain.scorecard import CriterionKind, Outcome, Ranking, Standing
from matrix.pages.memory_words import FIT_SIGNS, size_text, why_unknown_word
from matrix.pages.rule_words import UNKNOWN_SENTENCES
from matrix.pages.words import LEVEL_SIGNS, STATUS_SIGNS, Sign

STATE_SIGNS: Mapping[str, Sign] = {
    "draft": Sign("draft", "✎", _("draft"), _("draft"), _("It may still change.")),
    "frozen": Sign(
        "frozen", "❄", _("frozen"), _("frozen"), _("Its content is fixed and named by a hash.")
    ),
}

OUTCOME_SIGNS: Mapping[Outcome, Sign] = {
    Outcome.PASS: Sign("pass", "✓", _("passed"), _("passed"), _("It passes.")),
    Outcome.FAIL: Sign("fail", "✕", _("failed"), _("failed"), _("It is knocked out.")),
    Outcome.OPEN: Sign(
        "open", "?", _("open"), _("open"), _("Nobody knows yet; this is no pass and no failure.")
    ),
    Outcome.WAIVED: Sign(
        "waived", "⚑", _("waived"), _("waived"), _("Accepted for a time, with a plan to end it.")
    ),
}

STANDING_SIGNS: Mapping[Standing, Sign] = {
    Standing.IN: Sign(
        "pass", "✓", _("in the running"), _("in"), _("Every knock-out is passed or waived.")
    ),
    Standing.OPEN: Sign(
        "open", "?", _("knock-outs open"), _("open"), _("A knock-out is not answered yet.")
    ),
    Standing.OUT: Sign("fail", "✕", _("knocked out"), _("out"), _("A knock-out fails.")),
}

STANCE_SIGNS: Mapping[str, Sign] = {
    "agree": Sign("agree", "✓", _("agrees"), _("agrees"), _("Stands behind the decision.")),
    "dissent": Sign("dissent", "✕", _("dissents"), _("dissents"), _("Says why not.")),
    "abstain": Sign("abstain", "○", _("abstains"), _("abstains"), _("Takes no side.")),
}

KIND_WORDS: Mapping[CriterionKind, Promise] = {
    CriterionKind.KNOCK_OUT: _("knock-out"),
    CriterionKind.WEIGHTED: _("weighted"),
}

CHECK_WORDS: Mapping[str, Promise] = {
    "verdict": _("verdict of the combination"),
    "memory-fit": _("memory fit"),
    "maintenance": _("maintenance status"),
    "slo": _("objectives met by a measured run"),
    "metric": _("a measured value"),
    "feature": _("a service feature"),
    "cost": _("cost per million output tokens"),
    "release-age": _("age of the newest release"),
    "evidence-age": _("age of the deciding evidence"),
}

ROLE_WORDS: Mapping[str, Promise] = {
    "deciding": _("decides"),
    "contradicting": _("contradicts"),
    "limit": _("limits joint use"),
}

RUN_CLASS_WORDS: Mapping[str, Promise] = {
    "measured": _("measured"),
    "published": _("published table"),
    "demonstration": _("demonstration"),
    "stand-in": _("stand-in server"),
}

# Why a figure is not there: of memory, of what was measured, of cost.
WHY_WORDS: Mapping[str, Promise] = {
    "no-run": _("no run of this combination"),
    "no-samples": _("the runs kept no single requests"),
    "slo-not-met": _("no run meets the objectives"),
    "not-performance": _("only published tables, demonstrations or stand-in servers"),
    "no-column": _("no run measured what the objectives limit"),
    "count-unknown": _("the runs do not say on how many devices"),
    "other-load": _("the runs had requests of other lengths"),
    "no-serving": _("only tests without a server"),
    "no-price": _("no price of this hardware is recorded"),
    "several-currencies": _("prices are in several currencies"),
    "no-hardware": _("the question names no hardware"),
    "no-model": _("the question names no model"),
    "no-scheme": _("the question names no quantization"),
    "no-quantization": _("the question names no quantization"),
    "no-rules": _("no rules estimate this engine"),
    "invalid-memory-input": _("what was asked cannot be estimated"),
    "unknown-name": _("a name is not known"),
    "invalid-value": _("a value cannot be used"),
    "no-shape": _("the shape of the model is not known"),
    "no-memory": _("the memory of the hardware is not known"),
    "no-context": _("the need states no lengths"),
    "no-slo": _("the need states no objectives"),
    "no-question": _("the question cannot be asked"),
    "no-cost": _("no cost is known"),
    "no-currency": _("the need names no currency"),
    "demonstration-price": _("the price is a demonstration"),
    "no-release": _("no release is known"),
    "no-evidence": _("no statement decides it"),
    "not-measured": _("no run of this combination measured it"),
    "not-asked": _("it is not among the required features"),
    "memory-unknown": _("the memory could not be estimated"),
    "unknown": _("nothing is known"),
}

# What has to be said beside a measured throughput.
MARK_WORDS: Mapping[str, Promise] = {
    "load-own-terms": _("at the load of the run; the need limits no latency"),
    "other-concurrency": _("at another number of requests in flight"),
    "features-not-stated": _("the run does not state the features"),
    "some-runs-missed": _("other runs of the same missed the objectives"),
    "length-unknown": _("the run does not state the lengths"),
    # What has to be said beside a cost.
    "part-of-offer": _("the price is a share of an offer of more devices"),
    "wider-hardware": _("the price is that of a wider kind of the hardware"),
    "other-offers": _("other offers of the same hardware are recorded; this is the lowest"),
    "demonstration-price": _("the price is a demonstration"),
}

METRIC_WORDS: Mapping[str, Promise] = {
    "ttft": _("time to first token"),
    "tpot": _("time per output token"),
    "itl": _("inter-token latency"),
    "e2el": _("end-to-end latency"),
    "output_throughput": _("output throughput"),
    "total_throughput": _("total throughput"),
    "request_throughput": _("request throughput"),
    "goodput": _("goodput"),
    "error_rate": _("error rate"),
    "peak_vram": _("peak device memory"),
}
_UNIT_ENDINGS: Mapping[str, Promise] = {
    "_tok_s": _("tok/s"),
    "_req_s": _("req/s"),
    "_bytes": _("GiB"),
    "_ms": _("ms"),
    "_s": _("s"),
}


def outcome_sign(code: str) -> Sign:
    """The sign of an outcome."""
    return OUTCOME_SIGNS[Outcome(code)]


def level_word(code: str) -> str:
    """The word of a support level; another code as it is written."""
    known = code in set(SupportLevel)
    return str(LEVEL_SIGNS[SupportLevel(code)].word) if known else code


def status_word(code: str) -> str:
    """The word of a maintenance status; another code as it is written."""
    known = code in set(MaintenanceStatus)
    return str(STATUS_SIGNS[MaintenanceStatus(code)].word) if known else code


def fit_word(code: str) -> str:
    """The word of a fit; another code as it is written."""
    known = code in set(FitLevel)
    return str(FIT_SIGNS[FitLevel(code)].word) if known else code


def why_word(code: str) -> str:
    """Why a figure is not there; an unlisted code as it is written."""
    if code in set(UnknownReason):
        return str(UNKNOWN_SENTENCES[UnknownReason(code)])
    word = WHY_WORDS.get(code) or MARK_WORDS.get(code)
    return why_unknown_word(code) if word is None else str(word)


def split_metric(metric: str) -> tuple[str, str]:
    """A canonical name as what is measured and its unit: (``TTFT P95``, ``ms``)."""
    ending = next((e for e in _UNIT_ENDINGS if metric.endswith(e)), "")
    unit = str(_UNIT_ENDINGS[ending]) if ending else ""
    base = metric.removesuffix(ending) if ending else metric
    name, _sep, stat = base.rpartition("_")
    is_stat = stat in ("mean", "min", "max") or (stat[:1] == "p" and stat[1:].isdigit())
    if not is_stat:
        name, stat = base, ""
    words = {"what": str(METRIC_WORDS.get(name, name.replace("_", " "))), "stat": stat.upper()}
    return (gettext("%(what)s, %(stat)s") % words if stat else words["what"]), unit


def metric_value(metric: str, value: float) -> str:
    """A value with its unit as people read it."""
    _what, unit = split_metric(metric)
    if metric.endswith("_bytes"):
        return size_text(int(value))
    if metric == "error_rate":
        return share(value)
    return f"{number(value)} {unit}".strip()


def number(value: float | int) -> str:
    """A number with about three digits that say something, by locale."""
    size = abs(value)
    if float(value).is_integer() or size >= 100:
        digits = 0
    else:
        digits = 1 if size >= 10 else 2 if size >= 1 else 3
    text = number_format(value, decimal_pos=digits, use_l10n=True, force_grouping=size >= 10_000)
    point = number_format(1.5, decimal_pos=1, use_l10n=True)[1]
    return text.rstrip("0").rstrip(point) if point in text else text


def share(value: float) -> str:
    """A share as percent."""
    return gettext("%(n)s %%") % {"n": number(value * 100)}


def percent(value: float) -> str:
    """Percent as scorecards show them, with one place."""
    return number_format(value, decimal_pos=1, use_l10n=True)


def score_word(ranking: Ranking) -> str:
    """The score in percent; a range where points are open."""
    if ranking.open_scores:
        words = {"low": percent(ranking.low_percent), "high": percent(ranking.high_percent)}
        return gettext("%(low)s to %(high)s %%") % words
    return gettext("%(n)s %%") % {"n": percent(ranking.low_percent)}


def check_sentence(
    check: str,
    threshold: Mapping[str, Any],
    *,
    features: Mapping[str, str] = MappingProxyType({}),
    currency: str = "",
) -> str:
    """What an automatic check asks, in words; empty for a judgement of people."""
    given = dict(threshold)
    at_least = str(given.get("at_least", ""))
    if check == "verdict":
        return gettext("The verdict is at least “%(level)s”.") % {"level": level_word(at_least)}
    if check == "memory-fit":
        return gettext("Memory: at least “%(level)s”.") % {"level": fit_word(at_least)}
    if check == "maintenance":
        listed = ", ".join(status_word(str(word)) for word in _listed(given.get("accept")))
        return gettext("The maintenance status is one of: %(words)s.") % {"words": listed}
    if check == "slo":
        return gettext("A measured run of this combination meets the objectives.")
    if check == "feature":
        slug = str(given.get("feature", ""))
        words = {"feature": features.get(slug, slug), "level": level_word(at_least)}
        return gettext("The feature “%(feature)s” is at least “%(level)s”.") % words
    return _number_sentence(check, given, currency=currency)


def _number_sentence(check: str, given: Mapping[str, Any], *, currency: str) -> str:
    if check == "metric":
        what, unit = split_metric(str(given.get("metric", "")))
        words = {"what": what, "unit": unit}
        if given.get("at_most") is not None:
            words["limit"] = _plain_number(given["at_most"])
            return gettext("Measured %(what)s is at most %(limit)s %(unit)s.") % words
        words["limit"] = _plain_number(given.get("at_least"))
        return gettext("Measured %(what)s is at least %(limit)s %(unit)s.") % words
    if check == "cost":
        words = {"limit": _plain_number(given.get("at_most")), "currency": currency}
        return gettext("A million output tokens cost at most %(limit)s %(currency)s.") % words
    days = {"days": _plain_number(given.get("at_most_days"))}
    if check == "release-age":
        return gettext("The newest release is at most %(days)s days old.") % days
    if check == "evidence-age":
        return gettext("The deciding evidence is at most %(days)s days old.") % days
    return ""


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value] if value else []


def _plain_number(value: Any) -> str:
    return number(value) if isinstance(value, (int, float)) else str(value or "?")
