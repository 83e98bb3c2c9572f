"""What changed since a dossier was frozen, as sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.pages.dossiers.words import fit_word, level_word, number, status_word
from matrix.pages.translated import in_words

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One change: what it is about, in one sentence, and where to look. ``path`` is of this site.

    ``needs_care`` marks what may overturn the decision.
    """

    kind: str
    candidate: str
    sentence: str
    path: str
    needs_care: bool


_CARE = frozenset(
    {"problem", "verdict", "claim-withdrawn", "claim-missing", "feature", "maintenance",
     "memory", "run-gone", "check", "waiver-overdue"}
)  # fmt: skip


def change_lines(
    changes: Sequence[Mapping[str, Any]], *, names: Mapping[str, str]
) -> list[ChangeLine]:
    """The lines of stored changes; ``names`` gives the candidates of their keys."""
    return [
        ChangeLine(
            kind=str(change.get("kind", "")),
            candidate=names.get(str(change.get("candidate", "")), ""),
            sentence=_sentence(change),
            path=_path(change.get("facts") or {}),
            needs_care=change.get("kind") in _CARE,
        )
        for change in changes
    ]


def _path(facts: Facts) -> str:
    uid = facts.get("by") or facts.get("claim")
    if isinstance(uid, str) and uid:
        return reverse("claim", args=[uid])
    return ""


def _sentence(change: Mapping[str, Any]) -> str:
    kind = str(change.get("kind", ""))
    before, after = change.get("before"), change.get("after")
    facts: Facts = change.get("facts") or {}
    turned = _TURNED.get(kind)
    if turned is not None:
        template, word = turned
        return template() % {"before": word(before), "after": word(after), **_plain(facts)}
    told = _TOLD.get(kind)
    return told(facts) if told else f"{kind}: {_shown(before)} → {_shown(after)}"


def _plain(facts: Facts) -> dict[str, str]:
    # The name of a feature is one of the catalogue's words; that of a criterion stays as it is.
    return {"name": in_words(str(facts.get("name", ""))), "label": str(facts.get("label", ""))}


def _shown(value: Any) -> str:
    if value is None or value == "" or value == []:
        return str(_("none"))
    if isinstance(value, bool):
        return str(_("passed")) if value else str(_("failed"))
    if isinstance(value, (int, float)):
        return number(value)
    return "; ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _level(value: Any) -> str:
    return level_word(str(value or "unknown"))


def _status(value: Any) -> str:
    return status_word(str(value or "unknown"))


def _fit(value: Any) -> str:
    return (
        fit_word(str(value.get("level", "unknown"))) if isinstance(value, dict) else _shown(value)
    )


def _outcome(value: Any) -> str:
    return str(_("open")) if value is None else _shown(value)


# The sentence of a value that turned, and how the two values are written.
_TURNED: Mapping[str, tuple[Callable[[], str], Callable[[Any], str]]] = {
    "verdict": (lambda: _("The verdict turned from “%(before)s” to “%(after)s”."), _level),
    "version": (lambda: _("The newest release was %(before)s and is %(after)s."), _shown),
    "conditions": (lambda: _("The conditions were: %(before)s. They are: %(after)s."), _shown),
    "maintenance": (
        lambda: _("The maintenance status turned from “%(before)s” to “%(after)s”."),
        _status,
    ),
    "new-release": (
        lambda: _("A newer release was published: %(after)s after %(before)s."),
        _shown,
    ),
    "memory": (lambda: _("The memory estimate was “%(before)s” and is “%(after)s”."), _fit),
    "memory-rules": (
        lambda: _("Memory is estimated by other rules: %(after)s, then %(before)s."),
        _shown,
    ),
    "throughput": (
        lambda: _("The throughput at the objectives was %(before)s and is %(after)s tok/s."),
        _shown,
    ),
    "price": (lambda: _("Another price of the hardware holds."), _shown),
    "cost": (lambda: _("A million output tokens cost %(before)s and now %(after)s."), _shown),
    "ruleset": (
        lambda: _("Verdicts are made by other rules: %(after)s, then %(before)s."),
        _shown,
    ),
    "feature": (
        lambda: _("The feature “%(name)s” turned from “%(before)s” to “%(after)s”."),
        _level,
    ),
    "check": (
        lambda: _("The answer to “%(name)s” was “%(before)s” and is “%(after)s”."),
        _outcome,
    ),
    "run-changed": (lambda: _("The run “%(label)s” is not as it was."), _shown),
    "problem": (lambda: _("The question: %(before)s, now %(after)s."), _shown),
}


def _claim(template: Callable[[], str]) -> Callable[[Facts], str]:
    return lambda facts: (
        template()
        % {
            "claim": str(facts.get("claim", "")),
            "reason": str(facts.get("reason") or _("no reason is given")),
        }
    )


def _fresh(facts: Facts) -> str:
    count = len(facts.get("claims") or ())
    text = ngettext("%(n)d new statement decides.", "%(n)d new statements decide.", count)
    return text % {"n": count}


def _run(template: Callable[[], str]) -> Callable[[Facts], str]:
    return lambda facts: template() % {"label": str(facts.get("label", ""))}


def _waiver(facts: Facts) -> str:
    words = {"day": str(facts.get("remove_by", "")), "plan": str(facts.get("removal_plan", ""))}
    return _("A waiver was to end on %(day)s. Its plan: %(plan)s") % words


_TOLD: Mapping[str, Callable[[Facts], str]] = {
    "claim-superseded": _claim(lambda: _("The claim %(claim)s was superseded: %(reason)s.")),
    "claim-withdrawn": _claim(lambda: _("The claim %(claim)s was withdrawn: %(reason)s.")),
    "claim-missing": _claim(lambda: _("The claim %(claim)s is not in this knowledge base.")),
    "new-evidence": _fresh,
    "new-run": _run(lambda: _("A run was published: %(label)s.")),
    "run-gone": _run(lambda: _("The run “%(label)s” is no longer there.")),
    "waiver-overdue": _waiver,
}
