"""What the forms of dossiers share: kinds of fields, the edition, problems at the fields."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from matrix.pages.translated import in_words

Words = Any  # A text or a lazy translation of one.
LONGEST_TEXT = 20_000
# A field of this size takes the whole width of its group.
WIDE = "60"


def text_field(
    label: Words, *, help_text: Words = "", required: bool = False, longest: int = 4_000
) -> forms.CharField:
    """One line of text."""
    return forms.CharField(label=label, help_text=help_text, required=required, max_length=longest)


def area_field(label: Words, *, rows: int, help_text: Words = "", required: bool = False) -> Any:
    """Several lines of text."""
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=required,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea({"rows": rows}),
    )


def day_field(label: Words, *, help_text: Words = "", required: bool = False) -> forms.CharField:
    """A day, as text: what a browser without a picker sends is judged by the service."""
    widget = forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    return forms.CharField(label=label, help_text=help_text, required=required, widget=widget)


def whole_field(label: Words, *, help_text: Words = "") -> forms.IntegerField:
    """A whole number."""
    widget = forms.NumberInput({"inputmode": "numeric", "step": "1", "min": "0"})
    return forms.IntegerField(label=label, help_text=help_text, required=False, widget=widget)


def number_field(label: Words, *, help_text: Words = "") -> forms.FloatField:
    """A number."""
    widget = forms.NumberInput({"inputmode": "decimal", "step": "any", "min": "0"})
    return forms.FloatField(label=label, help_text=help_text, required=False, widget=widget)


def choice_field(
    label: Words, choices: Sequence[tuple[str, Words]], *, help_text: Words = "",
    required: bool = False,
) -> forms.ChoiceField:  # fmt: skip
    """One of a few words."""
    return forms.ChoiceField(label=label, choices=choices, help_text=help_text, required=required)


def without_zeros(value: Any) -> Any:
    """A stored value as people type it: 800.0 as 800."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class PlainForm(forms.Form):
    """A form whose values are judged by a service; the browser does not judge before it."""

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.use_required_attribute = False

    def field_of(self, problem: Mapping[str, str]) -> str:
        """The field at which a problem is shown; blank for the form as a whole."""
        name = problem["field"].rpartition(".")[2]
        return name if name in self.fields else ""

    def show_problems(self, problems: Sequence[Mapping[str, str]]) -> None:
        """Puts what a service found beside the fields."""
        for problem in problems:
            self.add_error(self.field_of(problem) or None, problem_sentence(problem))


def problem_sentence(problem: Mapping[str, str]) -> str:
    """What is wrong with the field beside which it stands: the value seen, what is accepted."""
    accepted = in_words(problem.get("accepted", ""))
    # Some errors show a text in its quotes already.
    value = problem.get("value", "").strip("'")
    if not accepted:
        return in_words(problem["message"])
    if not value:
        return _("Nothing is given; accepted: %(accepted)s.") % {"accepted": accepted}
    words = {"value": value, "accepted": accepted}
    return _("“%(value)s” cannot stand here; accepted: %(accepted)s.") % words


class DraftForm(PlainForm):
    """A form that changes a draft from the edition that it was shown at."""

    edition = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def edition_seen(self) -> int:
        """The edition from which the change is made; -1, which no draft has, without one."""
        seen = self.cleaned_data.get("edition")
        return -1 if seen is None else int(seen)
