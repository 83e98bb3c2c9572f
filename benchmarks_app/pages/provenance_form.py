"""The provenance form: what is known of each fact of runs, and what their sender adds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.facts import FACTS, FactGroup
from benchmarks_app.domain.levels import OBSERVED_ORIGINS, Origin
from benchmarks_app.domain.provenance import NOT_CAPTURED
from benchmarks_app.domain.showing import shown_text
from benchmarks_app.models import Run
from benchmarks_app.pages.checklist_words import item_word
from benchmarks_app.pages.upload_form import EnvironmentForm
from benchmarks_app.pages.words import FACT_GROUP_WORDS, plain_word

# The facts that are asked for, in the order in which they are shown.
ASKED = (
    "model.id", "model.revision", "tokenizer.id",
    "quantization.weights", "quantization.kv_cache",
    "framework.name", "framework.version", "framework.commit", "framework.arguments",
    "accelerator.name", "accelerator.count", "accelerator.driver", "accelerator.runtime",
    "parallelism.tp",
    "container.image", "container.digest",
    "host.os", "host.kernel", "host.cpu",
    "tool.version", "load.dataset", "load.seed",
    "run.started_at", "run.timezone",
)  # fmt: skip
# Items of the checklist that are no fact of the form: they may be stated as not captured.
ALSO_NOT_CAPTURED = (
    "framework.exact", "load.mode", "load.arrival", "load.input_length", "load.output_length",
    "load.amount", "load.warmup", "run.date", "environment.variables", "client.command",
)  # fmt: skip
LABELS: Mapping[str, Any] = {
    "framework.commit": _("commit of the framework"),
    "quantization.kv_cache": _("type of the KV cache"),
    "parallelism.tp": _("tensor parallel"),
    "host.os": _("operating system"),
    "host.kernel": _("kernel"),
    "host.cpu": _("processor"),
    "run.started_at": _("start of the run"),
}
HELP: Mapping[str, Any] = {
    "model.id": _("such as Qwen/Qwen3-8B"),
    "model.revision": _("commit or tag of its repository"),
    "quantization.weights": _("such as fp8, awq, Q4_K_M, none"),
    "accelerator.name": _("such as NVIDIA H100 80GB HBM3"),
    "container.digest": _("sha256:…"),
    "run.started_at": _("with its zone: 2026-11-02T09:30:00+01:00"),
    "run.timezone": _("such as +01:00"),
}
_LONG = frozenset({"framework.arguments"})
MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """One fact of the form: what files and tools say, what people typed, and its two fields."""

    name: str
    label: str
    observed: Sequence[str]
    more_observed: int
    graded: bool
    field: forms.BoundField
    not_captured: forms.BoundField


class ProvenanceForm(EnvironmentForm):
    """Facts of one or several drafts; a blank field states nothing."""

    def __init__(self, data: Any = None, files: Any = None, *, runs: Sequence[Run]) -> None:
        super().__init__(data, files)
        self.use_required_attribute = False
        self._observed = {name: _observed(runs, name) for name in ASKED}
        self._typed = {name: _typed(runs, name) for name in ASKED}
        for name in ASKED:
            widget = forms.Textarea({"rows": 2}) if name in _LONG else forms.TextInput()
            widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}
            typed = self._typed[name]
            self.fields[field_name(name)] = forms.CharField(
                label=LABELS.get(name) or item_word(name),
                required=False,
                initial="" if typed == NOT_CAPTURED else typed,
                help_text=HELP.get(name, ""),
                max_length=8_000 if name in _LONG else 400,
                widget=widget,
            )
            self.fields[box_name(name)] = forms.BooleanField(
                label=_("not captured"), required=False, initial=typed == NOT_CAPTURED
            )
        missing = {name for run in runs for name in run.missing}
        self._also = [name for name in ALSO_NOT_CAPTURED if name in missing]
        for name in self._also:
            self.fields[box_name(name)] = forms.BooleanField(label=item_word(name), required=False)

    def groups(self) -> list[tuple[Promise, list[Asked]]]:
        """The asked facts under their heads."""
        found: dict[FactGroup, list[Asked]] = {}
        for name in ASKED:
            observed = self._observed[name]
            asked = Asked(
                name=name,
                label=str(self.fields[field_name(name)].label),
                observed=observed[:MOST_SHOWN],
                more_observed=max(0, len(observed) - MOST_SHOWN),
                graded=FACTS[name].graded,
                field=self[field_name(name)],
                not_captured=self[box_name(name)],
            )
            found.setdefault(FACTS[name].group, []).append(asked)
        return [(FACT_GROUP_WORDS[group], asked) for group, asked in found.items()]

    def also(self) -> list[forms.BoundField]:
        """Further items that are missing and may be stated as not captured."""
        return [self[box_name(name)] for name in self._also]

    def stated(self) -> dict[str, object]:
        """What was typed, in the fields and beside them; blank where something was taken out.

        **Raises**: ``InvalidValue``.
        """
        values = self.cleaned_data
        found: dict[str, object] = {}
        for name in ASKED:
            text = values.get(field_name(name), "").strip()
            if text or (self._typed[name] and not values.get(box_name(name))):
                found[name] = text
        return {**super().stated(), **found}

    def not_captured(self) -> list[str]:
        """Items that nobody can tell any more; a typed value wins over its box."""
        values = self.cleaned_data
        names = (*ASKED, *self._also)
        return [
            name
            for name in names
            if values.get(box_name(name)) and not values.get(field_name(name), "")
        ]


def field_name(fact: str) -> str:
    """The field of a fact: names with dots are awkward in addresses of elements."""
    return f"fact_{fact.replace('.', '_')}"


def box_name(fact: str) -> str:
    """The box that says that a fact was not captured."""
    return f"none_{fact.replace('.', '_')}"


def fact_of_field(name: str) -> str:
    """The field that stands for a fact named by an error; the name itself where none does."""
    return field_name(name) if name in ASKED else name


def _observed(runs: Iterable[Run], name: str) -> list[str]:
    """The different values that files and tools state."""
    found: dict[str, None] = {}
    for run in runs:
        fact = run.facts.get(name)
        if fact and fact.get("value") is not None and _origin(fact) in OBSERVED_ORIGINS:
            found.setdefault(shown_text(plain_word(fact["value"])))
    return list(found)


def _typed(runs: Sequence[Run], name: str) -> str:
    """What people stated of all runs alike, else nothing."""
    values = set()
    for run in runs:
        fact = run.facts.get(name) or {}
        if "declared" in fact:
            values.add(str(fact["declared"]))
        elif fact and _origin(fact) not in OBSERVED_ORIGINS:
            value = fact.get("value")
            values.add(NOT_CAPTURED if value is None else plain_word(value))
        else:
            values.add("")
    return values.pop() if len(values) == 1 else ""


def _origin(fact: Mapping[str, Any]) -> str:
    return str(fact.get("origin") or Origin.FILE)
