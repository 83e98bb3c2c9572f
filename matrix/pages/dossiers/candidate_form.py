"""A candidate as a form: its question, its layout, what it costs the team."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.forms import Choices, suggesting
from matrix.memory_asking import LAYOUT_NAMES, OPTION_NAMES
from matrix.models import DossierCandidate
from matrix.pages.dossiers.form_base import (
    DraftForm,
    area_field,
    choice_field,
    number_field,
    text_field,
    whole_field,
    without_zeros,
)
from matrix.pages.dossiers.need_form import listed

QUESTION = (
    "framework", "version", "model", "quantization", "hardware", "count", "feature", "backend",
    "kv_dtype",
)  # fmt: skip
LAYOUT = (*LAYOUT_NAMES, "context_tokens", "sequences")
EFFORT = (
    "conversion_steps", "image_rebuilds_per_release", "person_days_to_adopt",
    "person_days_per_quarter",
)  # fmt: skip
_SUGGESTED = ("model", "quantization", "hardware", "backend", "kv_dtype", "feature")
_PAIR = re.compile(r"(?P<name>[A-Za-z0-9_-]+)\s*=\s*(?P<value>.+)")
_WHOLE = re.compile(r"[0-9]{1,12}")
_RENAMED = {"note": "note", "effort.note": "effort_note"}


class CandidateForm(DraftForm):
    """One candidate of a draft."""

    key = forms.CharField(widget=forms.HiddenInput, required=False)
    name = text_field(_("Name"), required=True, longest=120)
    framework = choice_field(_("Framework"), (), required=True)
    version = text_field(_("Version"), help_text=_("blank: the newest stable release"))
    model = text_field(_("Model"))
    quantization = text_field(_("Quantization"))
    hardware = text_field(_("Hardware"))
    count = whole_field(_("Devices"))
    feature = text_field(_("Features"), help_text=_("several with commas"))
    backend = text_field(_("Backend"))
    kv_dtype = text_field(_("KV-cache type"))
    more_words = area_field(
        _("Other parts of the question"), rows=2, help_text=_("one a line, such as engine=pytorch")
    )
    tensor_parallel = whole_field(_("Tensor parallel"))
    pipeline_parallel = whole_field(_("Pipeline parallel"))
    expert_parallel = whole_field(_("Expert parallel"))
    data_parallel = whole_field(_("Data parallel"))
    context_tokens = whole_field(_("Context tokens"), help_text=_("blank: the lengths of the need"))
    sequences = whole_field(_("Sequences"), help_text=_("on one replica at a time"))
    options = area_field(
        _("Memory options"), rows=2, help_text=_("one a line, such as memory_share=0.9")
    )
    conversion_steps = whole_field(_("Conversion steps"))
    image_rebuilds_per_release = whole_field(_("Image rebuilds a release"))
    person_days_to_adopt = number_field(_("Person-days to adopt"))
    person_days_per_quarter = number_field(_("Person-days a quarter"))
    effort_note = area_field(_("Notes on the effort"), rows=2)
    note = area_field(_("Note"), rows=2)
    is_chosen = forms.BooleanField(label=_("It is chosen"), required=False)

    def __init__(self, data: Any = None, *, frameworks: Choices, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.fields["framework"].choices = [("", "–"), *frameworks]  # type: ignore[attr-defined]
        version = suggesting("version")
        version.attrs |= {"hx-include": "closest form", "hx-trigger": "focus"}
        self.fields["version"].widget = version
        for name in _SUGGESTED:
            self.fields[name].widget = suggesting(name)

    def parts(self) -> list[tuple[str | Promise, list[forms.BoundField]]]:
        """The fields in groups, each with its legend."""
        groups: list[tuple[str | Promise, Sequence[str]]] = [
            (_("The question"), ("name", *QUESTION, "more_words")),
            (_("How it is laid out"), (*LAYOUT, "options")),
            (_("What it costs the team, as far as it is known"), (*EFFORT, "effort_note")),
            (_("Note and choice"), ("note", "is_chosen")),
        ]
        return [(legend, [self[name] for name in names]) for legend, names in groups]

    def field_of(self, problem: Mapping[str, str]) -> str:
        """A problem of the question stands at the field that holds the wrong word."""
        field = problem["field"]
        if field in _RENAMED:
            return _RENAMED[field]
        name = field.rpartition(".")[2]
        if name in self.fields:
            return name
        wrong = problem.get("value", "")
        for given in QUESTION:
            typed = str(self.data.get(given, ""))
            if wrong and (typed.strip() == wrong or wrong in listed(typed)):
                return given
        more = str(self.data.get("more_words", ""))
        if more and (field.startswith("words") or field in more or (wrong and wrong in more)):
            return "more_words"
        return "options" if field.startswith("layout") else ""

    def candidate(self) -> dict[str, Any]:
        """The candidate as ``put_candidate`` takes it."""
        data = self.cleaned_data
        effort = {name: data[name] for name in EFFORT} | {"note": data["effort_note"]}
        layout: dict[str, Any] = {name: data[name] for name in LAYOUT if data[name] is not None}
        layout |= {name: _option(value) for name, value in _pairs(data["options"])}
        return {
            "key": data["key"] or None,
            "name": data["name"],
            "words": self.words(),
            "layout": layout,
            "effort": {name: value for name, value in effort.items() if value not in (None, "")},
            "note": data["note"],
            "is_chosen": data["is_chosen"],
        }

    def words(self) -> list[list[str]]:
        """The question as [parameter, value] pairs."""
        data = self.cleaned_data
        words: list[list[str]] = []
        for name in QUESTION:
            value = data[name]
            if name == "feature":
                words += [[name, word] for word in listed(value)]
            elif value not in (None, ""):
                words.append([name, str(value)])
        return words + [list(pair) for pair in _pairs(data["more_words"])]


def candidate_initial(row: DossierCandidate) -> dict[str, Any]:
    """What the form shows of a candidate."""
    shown: dict[str, Any] = {
        "key": str(row.position),
        "name": row.name,
        "note": row.note,
        "is_chosen": row.is_chosen,
        "options": "\n".join(f"{n}={v}" for n, v in row.layout.items() if n in OPTION_NAMES),
        **{name: row.layout.get(name) for name in LAYOUT},
        **{name: without_zeros(row.effort.get(name)) for name in EFFORT},
        "effort_note": row.effort.get("note", ""),
    }
    return shown | words_initial([(str(n), str(v)) for n, v in row.words])


def words_initial(words: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What the fields of the question show of its words."""
    shown: dict[str, Any] = {}
    more = []
    for name, value in words:
        if name == "feature":
            shown[name] = f"{shown[name]}, {value}" if name in shown else value
        elif name in QUESTION and name not in shown:
            shown[name] = value
        else:
            more.append(f"{name}={value}")
    return shown | {"more_words": "\n".join(more)}


def _pairs(text: str) -> list[tuple[str, str]]:
    """The lines as pairs; a line that is none keeps its text as a name, which is then refused."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        match = _PAIR.fullmatch(line)
        found.append((match["name"], match["value"].strip()) if match else (line[:60], ""))
    return found


def _option(value: str) -> str | int | float | bool:
    if value in ("true", "false"):
        return value == "true"
    if _WHOLE.fullmatch(value):
        return int(value)
    try:
        return float(value)
    except ValueError:
        return value
