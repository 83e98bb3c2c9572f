"""What the domain says in English, in the reader's language."""

from collections.abc import Sequence

from django.utils.translation import gettext

from matrix.domain.phrases import Phrase


def in_words(text: str) -> str:
    """The text in the language of the request: a phrase by its template, its values likewise.

    A text without a translation stays as it is, and so does one that a person or a source wrote.
    """
    if isinstance(text, Phrase):
        values = {name: _value(value) for name, value in text.values.items()}
        return gettext(text.template).format(**values)
    # The empty message is the header of the catalogue.
    return gettext(text) if text else ""


def _value(value: object) -> object:
    if isinstance(value, Phrase):
        return in_words(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return type(value)(_value(item) for item in value)  # type: ignore[call-arg]
    return value
