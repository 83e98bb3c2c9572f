"""How messages to the operator look: plain lines or JSON, with the request, without secrets."""

import logging
import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from pythonjsonlogger.json import JsonFormatter

FORMATS = ("plain", "json")
# The identifier of the request that this thread answers; empty outside of requests.
request_id: ContextVar[str] = ContextVar("request_id", default="")

_MASK = "‹secret›"
_NAMES = (
    "password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|token|signature|"
    "csrfmiddlewaretoken|csrftoken|sessionid"
)
_SECRETS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # The user and the password of an address.
    (re.compile(r"(://)[^/\s:@\"']*:[^/\s@\"']+@"), rf"\1{_MASK}@"),
    (re.compile(r"(?i)\b(bearer|basic|token)(\s+)(?!‹)[A-Za-z0-9._~+/=-]{8,}"), rf"\1\2{_MASK}"),
    (re.compile(r"\b(rp_|hf_|gh[pousr]_|github_pat_|glpat-|sk-)[A-Za-z0-9_-]{12,}"), rf"\1{_MASK}"),
    (re.compile(rf"(?i)\b({_NAMES})=(?!‹)[^&\s\"'\\,;)}}]+"), rf"\1={_MASK}"),
    (
        re.compile(rf"(?i)(\\?[\"'](?:\w*_)?(?:{_NAMES})\\?[\"']\s*:\s*\\?[\"'])(?!‹)[^\"'\\]+"),
        rf"\1{_MASK}",
    ),
)


def mask_secrets(text: str) -> str:
    """The text with a mask in place of what looks like a token, a password or a session."""
    for pattern, shown in _SECRETS:
        text = pattern.sub(shown, text)
    return text


class WithRequest(logging.Filter):
    """Adds the request's identifier to every record; passes all."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true."""
        record.request_id = request_id.get() or "-"
        return True


class PlainLines(logging.Formatter):
    """Lines for people."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, traceback included, without secrets."""
        return mask_secrets(super().format(record))


class JsonLines(JsonFormatter):
    """One JSON object a line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, traceback included, without secrets."""
        return mask_secrets(str(super().format(record)))


def logging_settings(*, form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING setting for a form of ``FORMATS``."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request": {"()": "matrix.site.logs.WithRequest"}},
        "formatters": {
            "plain": {
                "()": "matrix.site.logs.PlainLines",
                "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s",
            },
            "json": {
                "()": "matrix.site.logs.JsonLines",
                "fmt": ["asctime", "levelname", "name", "request_id", "message", "exc_info"],
                "rename_fields": {"asctime": "at", "levelname": "level", "name": "logger"},
                "datefmt": "%Y-%m-%dT%H:%M:%S%z",
                "json_ensure_ascii": False,
            },
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler", "formatter": form, "filters": ["request"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
        },
    }  # fmt: skip
