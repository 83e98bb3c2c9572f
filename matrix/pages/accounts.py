"""Forms and words of the account pages: tokens, people, the audit log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.models import ApiToken, AuditEntry
from matrix.pages.links import with_query
from matrix.queries.access import ADMIN, CONTRIBUTOR, CURATOR, READER, TOKEN_SCOPES
from matrix.queries.audit import AuditFilter
from matrix.tokens import LONGEST_DAYS

ROLE_WORDS: Mapping[str, Promise] = {
    READER: _("reader"),
    CONTRIBUTOR: _("contributor"),
    CURATOR: _("curator"),
    ADMIN: _("administrator"),
}
ROLE_SUMMARIES: Mapping[str, Promise] = {
    READER: _("Reads everything."),
    CONTRIBUTOR: _("Uploads runs, proposes claims, writes dossiers and prices."),
    CURATOR: _(
        "Decides on proposals and findings, publishes runs, freezes dossiers, reads the log."
    ),
    ADMIN: _("All of that, and manages accounts."),
}
SCOPE_WORDS: Mapping[str, Promise] = {
    "read": _("read: ask everything"),
    "write": _("write: what the account's role allows"),
    "upload": _("upload: send benchmark results only"),
}
RIGHT_WORDS: Mapping[str, Promise] = {
    "propose-claims": _("propose claims"),
    "write-claims": _("record, supersede and withdraw claims"),
    "upload-runs": _("upload benchmark runs"),
    "review-runs": _("publish and withdraw runs of others"),
    "write-dossiers": _("write dossiers"),
    "freeze-dossiers": _("freeze dossiers and record sign-offs"),
    "write-prices": _("record hardware prices"),
    "read-audit": _("read the audit log"),
    "manage-accounts": _("manage accounts"),
}
MOST_CHANGES_SHOWN = 40


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(label=_("What it is for"), max_length=80)
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=[(scope, SCOPE_WORDS[scope]) for scope in TOKEN_SCOPES],
        widget=forms.CheckboxSelectMultiple,
        initial=["read"],
    )
    days = forms.IntegerField(
        label=_("Days until it expires"), min_value=1, max_value=LONGEST_DAYS, initial=90
    )


class AccountForm(forms.Form):
    """A new account."""

    name = forms.CharField(label=_("Name"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=list(ROLE_WORDS.items()), initial=CONTRIBUTOR)


class AuditForm(forms.Form):
    """What of the log is shown; a GET form."""

    actor = forms.CharField(label=_("Who"), required=False, max_length=150)
    action = forms.ChoiceField(label=_("Action"), required=False)
    subject = forms.CharField(
        label=_("Subject begins with"), required=False, max_length=200,
        widget=forms.TextInput({"placeholder": "claim:"}),
    )  # fmt: skip
    first_day = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput({"type": "date"})
    )
    last_day = forms.DateField(
        label=_("Up to"), required=False, widget=forms.DateInput({"type": "date"})
    )

    def __init__(self, *args: Any, actions: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False
        choices = [("", _("all")), *((action, action) for action in actions)]
        self.fields["action"].choices = choices  # type: ignore[attr-defined]

    def wanted(self) -> AuditFilter:
        """The filter of a valid form."""
        given = self.cleaned_data
        return AuditFilter(
            actor=given["actor"],
            action=given["action"],
            subject=given["subject"],
            first_day=given["first_day"],
            last_day=given["last_day"],
        )


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A token as its owner sees it, with the word for its state."""

    token: ApiToken
    scopes: Sequence[str | Promise]
    state: Promise
    is_valid: bool


def token_line(token: ApiToken, *, now: Any) -> TokenLine:
    """The line of a token at a moment."""
    if token.revoked_at is not None:
        state, valid = _("revoked"), False
    elif token.expires_at is not None and token.expires_at <= now:
        state, valid = _("expired"), False
    else:
        state, valid = _("valid"), True
    return TokenLine(token, [SCOPE_WORDS.get(s, s) for s in token.scopes], state, valid)


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An entry of the log: what changed from what to what, as pairs of short texts."""

    entry: AuditEntry
    changes: Sequence[tuple[str, str, str]]
    left_out: int


def audit_line(entry: AuditEntry) -> AuditLine:
    """The entry with its members side by side."""
    before = entry.before if isinstance(entry.before, dict) else {"": entry.before}
    after = entry.after if isinstance(entry.after, dict) else {"": entry.after}
    names = list(dict.fromkeys([*before, *after]))
    shown = names[:MOST_CHANGES_SHOWN]
    changes = [(name, _short(before.get(name)), _short(after.get(name))) for name in shown]
    return AuditLine(entry, changes, len(names) - len(shown))


def _short(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def audit_url(wanted: AuditFilter, *, before: int | None = None, csv: bool = False) -> str:
    """The address of the log under a filter."""

    def day(value: date | None) -> str:
        return value.isoformat() if value else ""

    pairs = [
        ("actor", wanted.actor),
        ("action", wanted.action),
        ("subject", wanted.subject),
        ("first_day", day(wanted.first_day)),
        ("last_day", day(wanted.last_day)),
        ("before", str(before) if before else ""),
    ]
    return with_query(reverse("audit-csv" if csv else "audit"), pairs)
