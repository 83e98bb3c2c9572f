"""What an automatic check saw, in a few words; an unknown says why it is none."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from matrix.domain.scorecard import CheckResult
from matrix.pages.dossiers.words import (
    fit_word,
    level_word,
    metric_value,
    number,
    status_word,
    why_word,
)


def check_answer(check: str, result: CheckResult) -> str:
    """The words of an answer, such as ``conditional`` or ``142 days``."""
    facts = result.facts
    if check == "verdict" or (check == "feature" and "level" in facts):
        return _level(facts)
    if check == "memory-fit" and "level" in facts:
        return fit_word(str(facts["level"]))
    if check == "maintenance" and "status" in facts:
        return status_word(str(facts["status"]))
    if result.passes is None or "why" in facts:
        return _("unknown: %(why)s") % {"why": why_word(str(facts.get("why", "unknown")))}
    return _figure(check, facts)


def _level(facts: Mapping[str, Any]) -> str:
    word = level_word(str(facts.get("level", "unknown")))
    if facts.get("why"):
        return f"{word}: {why_word(str(facts['why']))}"
    return word


def _figure(check: str, facts: Mapping[str, Any]) -> str:
    if check == "metric" and isinstance(facts.get("value"), (int, float)):
        return metric_value(str(facts.get("metric", "")), facts["value"])
    if check == "slo" and isinstance(facts.get("output_tok_s"), (int, float)):
        return _("met at %(n)s output tokens a second") % {"n": number(facts["output_tok_s"])}
    if check == "cost" and facts.get("output"):
        return f"{facts['output']} {facts.get('currency', '')}".strip()
    if isinstance(facts.get("days"), int):
        return _("%(n)s days") % {"n": number(facts["days"])}
    return ""
