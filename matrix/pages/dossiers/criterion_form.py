"""A criterion as a form: a knock-out or a weight, judged by people or by an automatic check."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.domain.levels import MaintenanceStatus, SupportLevel
from matrix.domain.memory.values import FitLevel
from matrix.domain.scorecard import CHECKS, CriterionKind
from matrix.forms import suggesting
from matrix.models import DossierCriterion
from matrix.pages.dossiers.form_base import (
    DraftForm,
    area_field,
    choice_field,
    number_field,
    text_field,
    whole_field,
    without_zeros,
)
from matrix.pages.dossiers.words import CHECK_WORDS, KIND_WORDS
from matrix.pages.memory_words import FIT_SIGNS
from matrix.pages.words import LEVEL_SIGNS, STATUS_SIGNS

_LEVELS = (SupportLevel.SUPPORTED, SupportLevel.CONDITIONAL, SupportLevel.PARTIAL)
_FITS = (FitLevel.FITS, FitLevel.TIGHT)
_STATUSES = tuple(s for s in MaintenanceStatus if s is not MaintenanceStatus.UNKNOWN)
METRICS = (
    "ttft_p50_ms", "ttft_p95_ms", "ttft_p99_ms", "tpot_p50_ms", "tpot_p95_ms", "tpot_p99_ms",
    "e2el_p50_ms", "e2el_p95_ms", "e2el_p99_ms", "output_throughput_tok_s",
    "request_throughput_req_s", "goodput_req_s", "peak_vram_bytes",
)  # fmt: skip
# Which field of the form holds which parameter of which check.
FIELDS_OF_CHECK: Mapping[str, Mapping[str, str]] = {
    "verdict": {"at_least": "level"},
    "memory-fit": {"at_least": "fit"},
    "maintenance": {"accept": "statuses"},
    "slo": {},
    "metric": {"metric": "metric", "at_most": "at_most", "at_least": "at_least"},
    "feature": {"feature": "feature", "at_least": "level"},
    "cost": {"at_most": "at_most"},
    "release-age": {"at_most_days": "at_most_days"},
    "evidence-age": {"at_most_days": "at_most_days"},
}
_CHECK_FIELDS = (
    "level", "fit", "statuses", "metric", "at_most", "at_least", "feature", "at_most_days",
)  # fmt: skip


class CriterionForm(DraftForm):
    """One criterion of a draft."""

    key = forms.CharField(widget=forms.HiddenInput, required=False)
    name = text_field(_("Name"), required=True, longest=200)
    kind = choice_field(
        _("Kind"), [(kind.value, word) for kind, word in KIND_WORDS.items()], required=True
    )
    weight_percent = whole_field(
        _("Weight in percent"), help_text=_("of a weighted criterion; all together 100")
    )
    check_code = choice_field(
        _("Automatic check"),
        [("", _("none: people judge")), *((code, CHECK_WORDS[code]) for code in CHECKS)],
    )
    level = choice_field(
        _("Level at least"), [(level.value, LEVEL_SIGNS[level].word) for level in _LEVELS],
    )  # fmt: skip
    fit = choice_field(_("Fit at least"), [(fit.value, FIT_SIGNS[fit].word) for fit in _FITS])
    statuses = forms.MultipleChoiceField(
        label=_("Accepted statuses"),
        choices=[(status.value, STATUS_SIGNS[status].word) for status in _STATUSES],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    metric = text_field(_("Measured value"), help_text=_("such as ttft_p95_ms"))
    at_most = number_field(_("At most"))
    at_least = number_field(_("At least"))
    feature = text_field(_("Feature"), help_text=_("one of the required features"))
    at_most_days = whole_field(_("At most days old"))
    note = area_field(_("Note"), rows=2, help_text=_("what it means, and what earns points"))

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.fields["feature"].widget = suggesting("feature")
        self.fields["metric"].widget.attrs["list"] = "known-metrics"
        # A script hides what the chosen check does not ask; without one all stands there.
        for name in _CHECK_FIELDS:
            checks = [code for code, names in FIELDS_OF_CHECK.items() if name in names.values()]
            self.fields[name].widget.attrs["data-checks"] = " ".join(checks)

    def parts(self) -> list[tuple[str | Promise, list[forms.BoundField]]]:
        """The fields in groups, each with its legend."""
        groups: list[tuple[str | Promise, Sequence[str]]] = [
            (_("The criterion"), ("name", "kind", "weight_percent", "note")),
            (_("Automatic check"), ("check_code", *_CHECK_FIELDS)),
        ]
        return [(legend, [self[name] for name in names]) for legend, names in groups]

    def field_of(self, problem: Mapping[str, str]) -> str:
        """A parameter of the check stands at the field that holds it."""
        head, _dot, rest = problem["field"].partition(".")
        if head == "threshold":
            fields = FIELDS_OF_CHECK.get(str(self.data.get("check_code", "")), {})
            return fields.get(rest.partition(".")[0], "check_code")
        return {"check": "check_code"}.get(head, head if head in self.fields else "")

    def criterion(self) -> dict[str, Any]:
        """The criterion as ``put_criterion`` takes it; a knock-out has no weight."""
        data = self.cleaned_data
        code = data["check_code"]
        asked = {p: data[field] for p, field in FIELDS_OF_CHECK.get(code, {}).items()}
        weighted = data["kind"] == CriterionKind.WEIGHTED.value
        return {
            "key": data["key"] or None,
            "name": data["name"],
            "kind": data["kind"],
            "check_code": code,
            "threshold": {p: v for p, v in asked.items() if v not in (None, "", [])},
            "weight_percent": (data["weight_percent"] or 0) if weighted else 0,
            "note": data["note"],
        }


def criterion_initial(row: DossierCriterion) -> dict[str, Any]:
    """What the form shows of a criterion."""
    fields = FIELDS_OF_CHECK.get(row.check_code, {})
    return {
        "key": str(row.position),
        "name": row.name,
        "kind": row.kind,
        "weight_percent": row.weight_percent or None,
        "check_code": row.check_code,
        "note": row.note,
        **{fields[n]: without_zeros(value) for n, value in row.threshold.items() if n in fields},
    }
