"""What people say about a dossier, as forms: comments, sign-offs, re-checks."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from matrix.forms import Choices
from matrix.pages.dossiers.form_base import (
    PlainForm,
    area_field,
    choice_field,
    day_field,
    text_field,
)
from matrix.pages.dossiers.words import STANCE_SIGNS


class CommentForm(PlainForm):
    """One contribution to the discussion."""

    text = area_field(_("Your comment"), rows=3, required=True)


class SignOffForm(PlainForm):
    """One person's word on a frozen content."""

    content_sha256 = forms.CharField(widget=forms.HiddenInput)
    person = text_field(_("Name"), required=True, longest=150)
    role = text_field(_("Role"), longest=150)
    stance = choice_field(
        _("Stance"), [(code, sign.word) for code, sign in STANCE_SIGNS.items()], required=True
    )
    statement = area_field(_("Statement"), rows=3, help_text=_("a dissent says why"))

    def sign_off(self) -> dict[str, Any]:
        """The sign-off as the service takes it."""
        return dict(self.cleaned_data)


class RecheckForm(PlainForm):
    """When to look, and when to look again."""

    on = day_field(_("As of"), help_text=_("blank: today"))
    next_on = day_field(_("Check again on"), help_text=_("blank: 90 days later"))
    note = area_field(_("Note"), rows=2)


class TakingForm(PlainForm):
    """In which draft a candidate that was found on another page goes."""

    dossier = choice_field(_("Draft"), (), help_text=_("or a new dossier"))
    title = text_field(_("Title of a new dossier"), longest=200)
    name = text_field(_("Name of the candidate"), required=True, longest=120)

    def __init__(self, data: Any = None, *, drafts: Choices, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.fields["dossier"].choices = [  # type: ignore[attr-defined]
            *drafts, ("", _("a new dossier")),
        ]  # fmt: skip

    def clean(self) -> dict[str, Any]:
        """A new dossier needs a title."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if not data.get("dossier") and not str(data.get("title", "")).strip():
            self.add_error("title", _("A new dossier needs a title."))
        return data
