"""The first step of a draft: what is needed, as a form and back as plain data."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.forms import suggesting
from matrix.models import Dossier
from matrix.pages.dossiers.form_base import (
    WIDE,
    DraftForm,
    area_field,
    day_field,
    number_field,
    text_field,
    whole_field,
    without_zeros,
)

_COUNTED = re.compile(r"(?P<count>[0-9]{1,7})\s*[x×*]\s*(?P<hardware>.+)", re.IGNORECASE)

# The fields that stand for members of the need, by the object that they belong to.
WORKLOAD = (
    "input_tokens_p50", "input_tokens_p95", "output_tokens_p50", "output_tokens_p95",
    "concurrency", "request_rate_req_s", "peak_factor",
)  # fmt: skip
LATENCIES = ("ttft_ms", "tpot_ms", "e2el_ms")
LIMITS = ("on_call", "images", "languages", "team", "other")
_RENAMED = {"share": "share_percent", "error_rate": "error_rate_percent"}


class NeedForm(DraftForm):
    """Title, dates and need of a draft."""

    title = text_field(_("Title"), required=True, longest=200)
    summary = area_field(_("Summary"), rows=3)
    as_of = day_field(_("As of"), help_text=_("day of the question; blank: that of freezing"))
    recheck_on = day_field(_("Check again on"), help_text=_("blank: 90 days after freezing"))
    purpose = area_field(_("What it is for"), rows=3)
    input_tokens_p50 = whole_field(_("Input tokens, P50"))
    input_tokens_p95 = whole_field(_("Input tokens, P95"))
    output_tokens_p50 = whole_field(_("Output tokens, P50"))
    output_tokens_p95 = whole_field(_("Output tokens, P95"))
    concurrency = whole_field(_("Requests in flight"))
    request_rate_req_s = number_field(_("Requests a second"), help_text=_("on average"))
    peak_factor = number_field(_("Peak factor"), help_text=_("times the average"))
    ttft_ms = number_field(_("Time to first token, ms"), help_text=_("at most"))
    tpot_ms = number_field(_("Time per output token, ms"), help_text=_("at most"))
    e2el_ms = number_field(_("End-to-end latency, ms"), help_text=_("at most"))
    share_percent = number_field(
        _("Share of requests, %"), help_text=_("that meet all of them; blank: 95")
    )
    error_rate_percent = number_field(_("Errors, %"), help_text=_("at most"))
    models = text_field(_("Models"), help_text=_("several with commas"))
    precision = text_field(_("Precision"), help_text=_("such as FP8 weights, or no limit"))
    hardware = area_field(
        _("Hardware on hand"), rows=3, help_text=_("one a line, such as 8 × NVIDIA H100 SXM 80 GB")
    )
    required_features = text_field(_("Required features"), help_text=_("several with commas"))
    currency = text_field(_("Currency"), help_text=_("three letters, such as USD"))
    on_call = area_field(_("On call"), rows=2)
    images = area_field(_("Images"), rows=2)
    languages = area_field(_("Languages"), rows=2)
    team = area_field(_("Team"), rows=2)
    other = area_field(_("Other limits"), rows=2)

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.fields["title"].widget.attrs["size"] = WIDE
        self.fields["models"].widget = suggesting("model", size=WIDE)
        self.fields["required_features"].widget = suggesting("feature", size=WIDE)

    def parts(self) -> list[tuple[str | Promise, list[forms.BoundField]]]:
        """The fields in groups, each with its legend."""
        groups: list[tuple[str | Promise, Sequence[str]]] = [
            (_("What is decided"), ("title", "summary", "as_of", "recheck_on", "purpose")),
            (_("Workload"), WORKLOAD),
            (_("Objectives"), (*LATENCIES, "share_percent", "error_rate_percent")),
            (
                _("What is to run, on what"),
                ("models", "precision", "required_features", "currency", "hardware"),
            ),
            (_("Operating limits"), LIMITS),
        ]
        return [(legend, [self[name] for name in names]) for legend, names in groups]

    def field_of(self, problem: Mapping[str, str]) -> str:
        """``need.workload.concurrency`` is the field ``concurrency``."""
        parts = [part for part in problem["field"].split(".") if not part.isdigit()]
        known = [_RENAMED.get(part, part) for part in parts]
        return next((part for part in known if part in self.fields), "")

    def changes(self) -> dict[str, Any]:
        """The fields of the draft, as ``change_dossier`` takes them."""
        data = self.cleaned_data
        return {
            "title": data["title"],
            "summary": data["summary"],
            "as_of": data["as_of"],
            "recheck_on": data["recheck_on"],
            "need": self.need_plain(),
        }

    def need_plain(self) -> dict[str, Any]:
        """The need as plain data, without what is blank."""
        data = self.cleaned_data
        objectives = {name: data[name] for name in LATENCIES}
        for name, field in _RENAMED.items():
            objectives[name] = None if data[field] is None else data[field] / 100
        plain: dict[str, Any] = {
            "purpose": data["purpose"],
            "workload": _given({name: data[name] for name in WORKLOAD}),
            "objectives": _given(objectives),
            "models": listed(data["models"]),
            "precision": data["precision"],
            "hardware": _hardware(data["hardware"]),
            "required_features": listed(data["required_features"]),
            "limits": _given({name: data[name] for name in LIMITS}),
            "currency": data["currency"],
        }
        return {name: value for name, value in plain.items() if value}


def need_initial(dossier: Dossier) -> dict[str, Any]:
    """What the form shows of a draft."""
    need: Mapping[str, Any] = dossier.need or {}
    objectives = dict(need.get("objectives") or {})
    shown: dict[str, Any] = {
        "title": dossier.title,
        "summary": dossier.summary,
        "as_of": dossier.as_of,
        "recheck_on": dossier.recheck_on,
        **{name: need.get(name, "") for name in ("purpose", "precision", "currency")},
        **dict(need.get("workload") or {}),
        **{name: objectives.get(name) for name in LATENCIES},
        **dict(need.get("limits") or {}),
        "models": ", ".join(need.get("models") or ()),
        "required_features": ", ".join(need.get("required_features") or ()),
        "hardware": "\n".join(_line(item) for item in need.get("hardware") or ()),
    }
    for name, field in _RENAMED.items():
        value = objectives.get(name)
        # A share such as 0.999 must come back as it was typed, not as 99.9000…1.
        shown[field] = None if value is None else round(value * 100, 6)
    return {name: without_zeros(value) for name, value in shown.items()}


def listed(text: str) -> list[str]:
    """The words of a line that commas part."""
    return [word.strip() for word in text.split(",") if word.strip()]


def _given(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if value is not None and value != ""}


def _hardware(text: str) -> list[dict[str, Any]]:
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        match = _COUNTED.fullmatch(line)
        count = int(match["count"]) if match else None
        found.append({"hardware": match["hardware"].strip() if match else line, "count": count})
    return found


def _line(item: Mapping[str, Any]) -> str:
    count = item.get("count")
    return f"{count} × {item['hardware']}" if count else str(item["hardware"])
