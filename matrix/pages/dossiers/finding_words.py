"""Risks and gaps as sentences: one for each code, with the facts that were found put in."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from matrix.domain.dossiers import Finding
from matrix.domain.levels import LegKind, Limit, Tier, UnknownReason
from matrix.pages.dossiers.words import (
    level_word,
    metric_value,
    number,
    split_metric,
    status_word,
    why_word,
)
from matrix.pages.memory_words import size_text
from matrix.pages.rule_words import UNKNOWN_SENTENCES
from matrix.pages.translated import in_words
from matrix.pages.words import LEG_WORDS, LIMIT_WORDS, TIER_WORDS, axis_word

# What alone can end a candidacy is marked as serious.
SERIOUS = frozenset({"refused", "does-not-fit", "slo-missed", "feature-refused", "waiver-overdue"})
_SERIOUS_STATUSES = ("deprecated", "archived")

FINDING_SENTENCES: Mapping[str, Promise] = {
    "not-maintained": _("Maintenance status “%(status)s” since %(start_on)s."),
    "long-silence": _("Neither a release nor a push for %(days)s days."),
    "no-recent-release": _("The newest release is %(days)s days old."),
    "newer-release": _(
        "Asked for release %(version)s; %(newest)s is newer, %(releases_after)s releases later."
    ),
    "refused": _("A source states that it does not work: %(limit)s."),
    "conditional": _("It works under conditions only: %(conditions)s."),
    "partial": _("It works in part only: %(notes)s."),
    "stale-evidence": _("The evidence of %(stated_on)s was not repeated by its source for long."),
    "recheck-due": _("The evidence was to be checked again on %(recheck_on)s."),
    "conflicting-sources": _("The sources contradict each other about %(subjects)s."),
    "unofficial-tier": _("The support is %(tier)s."),
    "does-not-fit": _(
        "It needs at least %(needed_low_bytes)s on a device that gives %(usable_bytes)s."
    ),
    "tight-fit": _("It may need %(needed_high_bytes)s on a device that gives %(usable_bytes)s."),
    "slo-missed": _("Measured %(metric)s is %(value)s; the objective is %(limit)s."),
    "feature-refused": _("The required feature “%(name)s” is stated not to work."),
    "published-numbers-only": _(
        "Only published tables, demonstrations or stand-in servers; nothing was measured here."
    ),
    "waiver-overdue": _("A waiver was to end on %(remove_by)s."),
    "unknown-verdict": _("Nobody states whether it works: %(unknown_reason)s."),
    "unknown-leg": _("%(leg)s %(subject)s: %(unknown_reason)s."),
    "unknown-maintenance": _("No dated statement says whether it is maintained."),
    "no-run": _("No run of this combination was measured."),
    "no-exact-run": _("No run of exactly this combination: %(runs)s runs near it only."),
    "no-slo-run": _("Nothing measured answers the objectives: %(why)s."),
    "feature-unstated": _("Nobody states the required feature “%(name)s”."),
    "memory-unknown": _("The memory could not be estimated: %(why)s."),
    "no-price": _("No price of %(hardware)s is recorded."),
    "no-cost": _("No cost can be told: %(why)s."),
    "open-knock-out": _("The knock-out “%(criterion)s” is not answered."),
    "open-score": _("The criterion “%(criterion)s” has no points."),
    "unanswerable": _("The question cannot be asked: %(problem)s"),
    "nothing-asked": _("The question names no %(axis)s."),
}


def finding_sentence(finding: Finding, *, names: Mapping[str, str]) -> str:
    """The sentence of a finding; ``names`` gives those of criteria by key and hardware by slug.

    An unlisted code is shown with its facts as they are: nothing that was found is left out.
    """
    template = FINDING_SENTENCES.get(finding.code)
    facts = {key: _fact(key, value, finding.facts) for key, value in finding.facts.items()}
    for key in ("criterion", "hardware"):
        if key in facts:
            facts[key] = names.get(facts[key], facts[key])
    if template is None:
        said = ", ".join(f"{key} {value}" for key, value in facts.items())
        return f"{finding.code.replace('-', ' ')}: {said}" if said else finding.code
    missing: defaultdict[str, str] = defaultdict(lambda: str(gettext("not stated")), facts)
    return _one_stop(str(template) % missing)


def is_serious(finding: Finding) -> bool:
    """Whether the finding alone can end a candidacy."""
    if finding.code == "not-maintained":
        return finding.facts.get("status") in _SERIOUS_STATUSES
    return finding.code in SERIOUS


def _one_stop(sentence: str) -> str:
    """Texts put in at the end may bring their own full stop."""
    return f"{sentence.rstrip('. ')}." if sentence.endswith("..") else sentence


def _fact(key: str, value: Any, facts: Mapping[str, Any]) -> str:
    if value is None or value == "" or value == []:
        return str(gettext("not stated"))
    if key in ("value", "limit") and "metric" in facts and isinstance(value, (int, float)):
        return metric_value(str(facts["metric"]), value)
    if key.endswith("_bytes") and isinstance(value, (int, float)):
        return size_text(int(value))
    if isinstance(value, (list, tuple)):
        return "; ".join(str(item) for item in value)
    if isinstance(value, date):
        return value.isoformat()[:10]
    if isinstance(value, float):
        return number(value)
    return _word(key, str(value))


def _word(key: str, value: str) -> str:
    """A code of a closed vocabulary as its word."""
    tables: Mapping[str, tuple[Any, Mapping[Any, Promise]]] = {
        "unknown_reason": (UnknownReason, UNKNOWN_SENTENCES),
        "tier": (Tier, TIER_WORDS),
        "limit": (Limit, LIMIT_WORDS),
        "leg": (LegKind, LEG_WORDS),
    }
    if key in tables:
        kind, words = tables[key]
        return str(words[kind(value)]) if value in set(kind) else value
    words_of = {
        "status": status_word, "level": level_word, "why": why_word, "axis": axis_word,
        "metric": lambda metric: split_metric(metric)[0],
        "name": in_words, "problem": in_words,
    }  # fmt: skip
    return words_of[key](value) if key in words_of else value
