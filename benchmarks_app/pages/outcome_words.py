"""Why a run shows what it shows of its cell, in words; each reason of ``REASONS`` has some."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REASON_WORDS: Mapping[str, Promise] = {
    "completed": _("it completed"),
    "completed-partly": _("some requests failed"),
    "out-of-memory": _("the accelerator ran out of memory"),
    "out-of-memory-under-load": _("under this load the accelerator ran out of memory"),
    "cache-too-small": _("no room was left for the KV cache"),
    "host-out-of-memory": _("the host ran out of memory"),
    "not-supported": _("the framework refused it as not supported"),
    "crashed": _("the framework crashed"),
    "server-error": _("the server answered with errors that name no cause"),
    "demonstration": _("it is a demonstration"),
    "mocked": _("a stand-in answered instead of a model"),
    "hosted-api": _("a hosted service answered, on machines that nobody knows"),
    "published-without-environment": _("the page does not say what it ran on"),
    "no-subject": _("model, framework or hardware are not stated"),
    "suspect": _("its numbers contradict each other or cannot be"),
    "invalid": _("it is invalid by the rules of its tool"),
    "cancelled": _("it was stopped before its end"),
    "no-output": _("nothing was generated"),
    "mostly-failed": _("most requests failed"),
    "client-error": _("the client did not reach the server"),
    "failed-unexplained": _("it failed, and nothing says why"),
}


def outcome_words(detail: str) -> str:
    """The words of a stored outcome detail, "reason" or "reason: quoted line"."""
    reason, sign, quote = detail.partition(": ")
    words = REASON_WORDS.get(reason)
    return detail if words is None else f"{words}{sign}{quote}"
