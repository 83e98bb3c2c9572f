"""Fields that several forms share."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers


class Form(serializers.Serializer[Any]):
    """The form of an object in an answer."""


class StrictForm(Form):
    """The form of an object in a body: a member that it does not have is a problem."""

    def to_internal_value(self, data: Any) -> Any:
        """The read members. **Raises**: ``ValidationError``."""
        if isinstance(data, Mapping):
            unknown = sorted(str(name)[:60] for name in data if name not in self.fields)
            if unknown:
                accepted = ", ".join(self.fields) or _("none")
                what = _("is no member here; accepted: %(accepted)s") % {"accepted": accepted}
                raise serializers.ValidationError({name: [what] for name in unknown[:10]})
        return super().to_internal_value(data)


class Word(serializers.ChoiceField):
    """One word of a closed vocabulary."""


def text(**options: Any) -> Any:
    """A text."""
    return serializers.CharField(**options)


def maybe_text(**options: Any) -> Any:
    """A text or null."""
    return serializers.CharField(allow_null=True, **options)


def texts(**options: Any) -> Any:
    """A list of texts."""
    return serializers.ListField(child=serializers.CharField(), **options)


def maybe_day(**options: Any) -> serializers.DateField:
    """A day or null."""
    return serializers.DateField(allow_null=True, **options)


def maybe_moment(**options: Any) -> serializers.DateTimeField:
    """A time or null."""
    return serializers.DateTimeField(allow_null=True, **options)


def word_of(words: Iterable[Enum], **options: Any) -> Word:
    """One value of an enumeration."""
    return Word(choices=[str(word.value) for word in words], **options)


def many(form: Any, **options: Any) -> Any:
    """A list of objects of a form."""
    return form(many=True, **options)


def any_object(**options: Any) -> serializers.DictField:
    """An object whose members depend on what it is about."""
    return serializers.DictField(**options)
