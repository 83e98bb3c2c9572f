"""The form on which people write a claim: its fields, and the line that they make up."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from matrix.domain.levels import (
    CLAIM_LEVELS,
    ConditionKind,
    EvidenceKind,
    Execution,
    Outcome,
)
from matrix.entering.environment import ENVIRONMENT_ITEMS
from matrix.entering.problems import Problem
from matrix.forms import Choices, suggesting
from matrix.pages.translated import in_words
from matrix.pages.words import (
    EVIDENCE_SIGNS,
    EXECUTION_WORDS,
    LEVEL_SIGNS,
    LIMIT_WORDS,
    OUTCOME_WORDS,
    TIER_WORDS,
)

BY_LINK, BY_TEST = "link", "test"
# Fields of the form that stand for fields of the scope, in the order in which they are shown.
SCOPE_FIELDS = ("hardware", "model", "quantization", "backend", "kv_dtype", "container")
NUMBER_FIELDS = {"count": "count", "tensor_parallel": "tp", "context_tokens": "context"}
EVIDENCE_FIELDS = (
    "url", "stated_on", "release", "version", "commit", "path", "title", "heading", "row",
    "column", "line", "comment", "raw",
)  # fmt: skip
TEST_FIELDS = (
    "ran_on", "command", "expected", "observed",
    *(f"env_{name}" for name in ENVIRONMENT_ITEMS), "pasted",
)  # fmt: skip
_PLAIN_FIELDS = (
    "framework", "statement", "level", "kind", "execution", "tier", "outcome", "limit", "note",
    "first", "after", "last", "gone",
)  # fmt: skip
_CONDITION = re.compile(
    r"(?P<kind>[a-z-]+)\s+(?P<name>\S+)(?:\s*(?P<op>>=|<=|!=|=|<|>)\s*(?P<value>.+))?"
)
ENVIRONMENT_LABELS = {
    "commit": _("Commit of the framework"),
    "gpu": _("Devices"),
    "driver": _("Driver"),
    "runtime": _("CUDA, ROCm or CANN"),
    "os": _("Operating system"),
    "python": _("Python"),
    "image": _("Container image"),
    "image_digest": _("Digest of the image"),
}


def _words(words: Mapping[Any, Any], *, blank: Any = None) -> Choices:
    choices: list[tuple[str, Any]] = [("", blank)] if blank is not None else []
    return [*choices, *((word.value, text) for word, text in words.items())]


def _text(label: Any, *, help_text: Any = "", required: bool = False) -> forms.CharField:
    return forms.CharField(label=label, required=required, help_text=help_text)


def _area(label: Any, *, rows: int, help_text: Any = "", longest: int = 20_000) -> forms.CharField:
    widget = forms.Textarea({"rows": rows, "spellcheck": "false"})
    return forms.CharField(
        label=label, required=False, help_text=help_text, widget=widget, max_length=longest
    )


def _day(label: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, widget=forms.DateInput({"type": "date"}))


class ClaimForm(forms.Form):
    """A claim with its evidence; what the fields mean is judged by the reader of claims."""

    framework = forms.ChoiceField(label=_("Framework"))
    level = forms.ChoiceField(
        label=_("It says"),
        choices=[(level.value, LEVEL_SIGNS[level].word) for level in CLAIM_LEVELS],
    )
    statement = _text(_("Statement"), help_text=_("what is said, in your own words"), required=True)
    note = forms.CharField(
        label=_("Note"), required=False, help_text=_("which part; up to 200 characters")
    )
    hardware = _text(_("Hardware"))
    hardware_exclude = _text(_("Hardware left out"), help_text=_("below the hardware named"))
    model = _text(_("Model"))
    quantization = _text(_("Quantization"))
    backend = _text(_("Backend"))
    kv_dtype = _text(_("KV-cache type"))
    container = _text(_("Container"))
    feature = _text(_("Features"), help_text=_("used together; several with commas"))
    count = _text(_("Devices"), help_text=_("such as 2, >=2 or 2-8"))
    tensor_parallel = _text(_("Tensor parallel"))
    context_tokens = _text(_("Context in tokens"))
    execution = forms.ChoiceField(
        label=_("How it runs"),
        required=False,
        choices=_words(EXECUTION_WORDS),
        initial=Execution.UNSTATED.value,
    )
    tier = forms.ChoiceField(label=_("How official"), required=False, choices=_words(TIER_WORDS))
    outcome = forms.ChoiceField(
        label=_("What was measured"),
        required=False,
        choices=_words(OUTCOME_WORDS),
        initial=Outcome.UNSTATED.value,
    )
    limit = forms.ChoiceField(
        label=_("Whose limit a “no” is"), required=False, choices=_words(LIMIT_WORDS, blank="–")
    )
    conditions = _area(
        _("Conditions"), rows=2,
        help_text=_("one a line: kind, name, sign, value; such as “driver nvidia >= 570”"),
    )  # fmt: skip
    first = _text(_("Since release"), help_text=_("only if the source says since when"))
    after = _text(_("Not yet in release"))
    last = _text(_("Last seen at release"))
    gone = _text(_("No longer said at release"))
    open_ended = forms.BooleanField(label=_("It holds from this release on"), required=False)
    evidence = forms.ChoiceField(
        label=_("Evidence"),
        choices=[(BY_LINK, _("a page, file or thread")), (BY_TEST, _("a test that I ran"))],
        widget=forms.RadioSelect,
        initial=BY_LINK,
    )
    kind = forms.ChoiceField(
        label=_("Kind of evidence"),
        choices=[(kind.value, word) for kind, (_icon, word) in EVIDENCE_SIGNS.items()],
        initial=EvidenceKind.DOCUMENTATION.value,
        help_text=_("a test counts as a manual test"),
    )
    release = _text(_("Release it speaks for"))
    stated_on = _day(_("Stated on"))
    url = _text(_("Address"))
    title = _text(_("Title"))
    version = _text(_("Version of the document"))
    commit = _text(_("Commit"))
    path = _text(_("File"))
    heading = _text(_("Heading"))
    row = _text(_("Row"))
    column = _text(_("Column"))
    line = _text(_("Line"))
    comment = _text(_("Comment"), help_text=_("its number, or “first”"))
    raw = _text(_("Sign or word as written there"))
    ran_on = _day(_("Run on"))
    command = _area(_("Command"), rows=3)
    expected = _area(_("Expected"), rows=2)
    observed = _area(_("Observed"), rows=4)
    pasted = _area(
        _("Output of tools"), rows=5, longest=60_000,
        help_text=_("nvidia-smi, rocm-smi, npu-smi, environment script, docker inspect"),
    )  # fmt: skip

    def __init__(
        self,
        data: Any = None,
        *,
        frameworks: Choices,
        given: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(data, initial=prefilled(given or {}))
        self.use_required_attribute = False
        self.fields["framework"].choices = frameworks  # type: ignore[attr-defined]
        for name in ENVIRONMENT_ITEMS:
            self.fields[f"env_{name}"] = _text(ENVIRONMENT_LABELS[name])
        for name in ("model", "quantization", "hardware", "backend", "kv_dtype", "feature"):
            self.fields[name].widget = suggesting(name)
        self.fields["hardware_exclude"].widget = suggesting("hardware")
        for name in ("first", "after", "last", "gone", "release"):
            widget = suggesting("version")
            widget.attrs |= {"hx-include": "closest form", "hx-trigger": "focus"}
            self.fields[name].widget = widget

    def parts(self) -> list[tuple[Any, list[forms.BoundField]]]:
        """The fields in groups, each with its legend."""
        groups: list[tuple[Any, Iterable[str]]] = [
            (_("What"), ("framework", "level", "statement", "note")),
            (_("Of what"), (*SCOPE_FIELDS[:1], "hardware_exclude", *SCOPE_FIELDS[1:], "feature",
                            *NUMBER_FIELDS)),
            (_("How"), ("execution", "tier", "outcome", "limit", "conditions")),
            (_("When"), ("first", "after", "last", "gone", "open_ended")),
            (_("Evidence"), ("evidence", "kind", "release")),
            (_("Page, file or thread"), ("stated_on", *EVIDENCE_FIELDS[:1], *EVIDENCE_FIELDS[3:])),
            (_("Test that I ran"), TEST_FIELDS),
        ]  # fmt: skip
        return [(legend, [self[name] for name in names]) for legend, names in groups]

    def by_test(self) -> bool:
        """Whether the evidence is a test."""
        return bool(self.cleaned_data.get("evidence") == BY_TEST)

    def claim_line(self, *, test_address: str = "") -> dict[str, Any]:
        """The line that the fields make up; with a test its page is the evidence."""
        data = self.cleaned_data
        line: dict[str, Any] = {name: data[name] for name in _PLAIN_FIELDS if data.get(name)}
        line["scope"] = self._scope()
        line["conditions"] = conditions_of(data["conditions"])
        if data["open_ended"]:
            line["open_ended"] = True
        if self.by_test():
            line["kind"] = EvidenceKind.MANUAL_TEST.value
            line["evidence"] = {
                "url": test_address, "title": data["statement"], "stated_on": data["ran_on"],
                "release": data["release"], "heading": "observed",
            }  # fmt: skip
        else:
            line["evidence"] = {name: data[name] for name in EVIDENCE_FIELDS if data.get(name)}
        return line

    def _scope(self) -> dict[str, Any]:
        data = self.cleaned_data
        scope: dict[str, Any] = {
            name: _names(data[name]) for name in SCOPE_FIELDS if data.get(name)
        }
        if data["hardware_exclude"]:
            scope["hardware"] = {
                "include": scope.get("hardware", []), "exclude": _names(data["hardware_exclude"]),
            }  # fmt: skip
        if data["feature"]:
            scope["features"] = _names(data["feature"])
        scope |= {short: data[name] for name, short in NUMBER_FIELDS.items() if data.get(name)}
        return scope

    def show_problems(self, problems: Iterable[Problem]) -> None:
        """Puts each problem beside its field; what no field shows stands above the form."""
        for problem in problems:
            name = field_of(problem.field, by_test=self.by_test())
            self.add_error(name if name in self.fields else None, in_words(problem.what))


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def conditions_of(text: str) -> list[Any]:
    """The conditions of a text, one a line; what cannot be read is left for the reader to name."""
    found: list[Any] = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        match = _CONDITION.fullmatch(line)
        if match is None or match["kind"] not in list(ConditionKind):
            found.append(line)
            continue
        parts = {"kind": match["kind"], "name": match["name"]}
        if match["op"]:
            parts |= {"op": match["op"], "value": match["value"].strip()}
        found.append(parts)
    return found


def field_of(path: str, *, by_test: bool) -> str:
    """The form's field for the path of a problem."""
    if path.startswith("conditions"):
        return "conditions"
    short = {value: name for name, value in NUMBER_FIELDS.items()}
    parts = [part.partition("[")[0] for part in path.split(".")]
    if parts[0] == "scope" and len(parts) > 1:
        if parts[1:] == ["hardware", "exclude"]:
            return "hardware_exclude"
        return "feature" if parts[1] == "features" else short.get(parts[1], parts[1])
    name = parts[-1]
    if by_test and parts[0] == "evidence":
        return {"stated_on": "ran_on", "release": "release"}.get(name, "observed")
    return {"evidence": "url", "scope": "hardware"}.get(name, name)


def prefilled(given: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Initial values from an address: the words of a question, or any field by its name."""
    values = {name: ", ".join(filter(None, words)) for name, words in given.items()}
    known = {name: value for name, value in values.items() if value}
    if "version" in known:
        known.setdefault("release", known.pop("version"))
    return known
