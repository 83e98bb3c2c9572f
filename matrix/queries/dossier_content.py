"""The content of a dossier as plain data and back: what is stored, hashed and exported."""

from typing import Any

import msgspec

from matrix.domain.canonical import canonical_value
from matrix.domain.dossiers import CONTENT_FORM, DossierAssessment
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase


def assessment_plain(assessment: DossierAssessment) -> dict[str, Any]:
    """The content as plain data in its canonical form: dates and levels as texts."""
    plain: dict[str, Any] = plain_value(assessment)
    return plain


def plain_value(value: object) -> Any:
    """Values of a dossier as plain data in canonical form. **Raises**: ``ValueError``."""
    return canonical_value(msgspec.to_builtins(value, str_keys=True, enc_hook=_plain_text))


def _plain_text(value: object) -> str:
    """A sentence that remembers its template, as the plain text that it is."""
    if isinstance(value, str):
        return "".join(value)
    raise NotImplementedError(f"{type(value).__name__} is no part of a dossier")


def assessment_of(plain: object) -> DossierAssessment:
    """The content read back. **Raises**: ``InvalidValue`` for another form or a broken one."""
    form = plain.get("form") if isinstance(plain, dict) else None
    if form != CONTENT_FORM:
        raise InvalidValue(
            name="content.form",
            value=str(form)[:60],
            accepted=Phrase("the form {content_form}", content_form=CONTENT_FORM),
        )
    try:
        return msgspec.convert(plain, DossierAssessment)
    except (msgspec.ValidationError, ValueError) as error:
        raise InvalidValue(
            name="content",
            value=str(error)[:160],
            accepted=Phrase("content of the form {content_form}", content_form=CONTENT_FORM),
        ) from error
