"""Two people changed one draft: what was sent, beside what stands now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import Promise

from matrix.pages.dossiers.form_base import DraftForm, without_zeros


@dataclass(frozen=True, slots=True)
class DifferingValue:
    """One field with both values."""

    label: str | Promise
    sent: str
    stands: str


def differing_values(sent: DraftForm, current: DraftForm) -> list[DifferingValue]:
    """The fields in which the two forms differ, hidden ones left out."""
    found = []
    for name in sent.fields:
        if name not in current.fields or sent[name].is_hidden:
            continue
        mine, theirs = _shown(sent[name]), _shown(current[name])
        if mine != theirs:
            found.append(DifferingValue(str(sent[name].label), mine, theirs))
    return found


def _shown(field: forms.BoundField) -> str:
    value: Any = field.value()
    if value in (None, False):
        return ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(without_zeros(value)).replace("\r\n", "\n").strip()
