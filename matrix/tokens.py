"""API tokens: issued once, kept only as a hash, revocable."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.models import ApiToken
from matrix.queries.access import TOKEN_PREFIX, TOKEN_SCOPES, token_digest
from matrix.services import write_audit

LONGEST_DAYS = 3650
_USE_RESOLUTION = timedelta(minutes=1)


@transaction.atomic
def issue_token(
    user: Any, *, name: str, scopes: Sequence[str], days: int, actor: str
) -> tuple[ApiToken, str]:
    """A new token of a user, and its text, which is kept nowhere.

    **Units**: ``days`` until it expires.
    **Raises**: ``InvalidValue``.
    """
    wrong = [scope for scope in scopes if scope not in TOKEN_SCOPES]
    if wrong or not scopes:
        raise InvalidValue(
            name="scopes",
            value=", ".join(wrong),
            accepted=Phrase("of {names}", names=", ".join(TOKEN_SCOPES)),
        )
    if not 1 <= days <= LONGEST_DAYS:
        raise InvalidValue(
            name="days",
            value=days,
            accepted=Phrase("1 to {longest_days}", longest_days=LONGEST_DAYS),
        )
    if not name.strip() or len(name) > 80:
        raise InvalidValue(name="name", value=name[:80], accepted=Phrase("1 to 80 characters"))
    text = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name.strip(),
        prefix=text[: len(TOKEN_PREFIX) + 5],
        digest=token_digest(text),
        scopes=sorted(set(scopes)),
        expires_at=timezone.now() + timedelta(days=days),
    )
    write_audit(
        actor=actor,
        action="issue-token",
        subject=f"token:{token.prefix}",
        after={"user": user.get_username(), "scopes": token.scopes, "days": days},
    )
    return token, text


def note_token_use(token: ApiToken, *, now: datetime) -> None:
    """Moves the time of last use, at most once a minute. **Queries**: 1 or none."""
    last = token.last_used_at
    if last is not None and now - last < _USE_RESOLUTION:
        return
    older = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now)
    ApiToken.objects.filter(older, pk=token.pk).update(last_used_at=now)


@transaction.atomic
def revoke_token(token: ApiToken, *, actor: str) -> bool:
    """Makes a token useless for good; whether it was still valid."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(
        revoked_at=timezone.now()
    )
    if revoked:
        write_audit(actor=actor, action="revoke-token", subject=f"token:{token.prefix}")
    return bool(revoked)
