"""Who may do what: roles are groups, rights follow from roles, tokens narrow them by scope."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q

from matrix.models import ApiToken

READER, CONTRIBUTOR, CURATOR, ADMIN = "reader", "contributor", "curator", "admin"
# Every signed-in user reads; a contributor's rights begin with uploads and proposals.
_CONTRIBUTES = frozenset({"propose-claims", "upload-runs", "write-dossiers", "write-prices"})
_CURATES = _CONTRIBUTES | {"write-claims", "review-runs", "freeze-dossiers", "read-audit"}
RIGHTS_OF_ROLE: Mapping[str, frozenset[str]] = {
    READER: frozenset(),
    CONTRIBUTOR: _CONTRIBUTES,
    CURATOR: _CURATES,
    ADMIN: _CURATES | {"manage-accounts"},
}
# A token that only uploads is for the machines that measure; one that writes may upload too.
TOKEN_SCOPES = ("read", "write", "upload")
TOKEN_PREFIX = "rp_"


def has_right(user: Any, right: str) -> bool:
    """Whether one of the user's roles carries the right. **Queries**: 1, none for a superuser."""
    if user.is_superuser:
        return True
    roles = user.groups.values_list("name", flat=True)
    return any(right in RIGHTS_OF_ROLE.get(role, ()) for role in roles)


def rights_of(user: Any) -> frozenset[str]:
    """Every right that the user's roles carry. **Queries**: 1, none for a superuser."""
    if user.is_superuser:
        return frozenset().union(*RIGHTS_OF_ROLE.values())
    return frozenset().union(*(RIGHTS_OF_ROLE.get(role, frozenset()) for role in roles_of(user)))


def roles_of(user: Any) -> list[str]:
    """The names of the user's roles, in the order of what they may. **Queries**: 1."""
    held = set(user.groups.values_list("name", flat=True))
    return [role for role in RIGHTS_OF_ROLE if role in held]


def token_digest(token: str) -> str:
    """What is kept of a token. A random token needs no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def valid_token(token: str, *, now: datetime) -> ApiToken | None:
    """The stored token with its user, if it is neither revoked nor expired. **Queries**: 1."""
    living = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    return (
        ApiToken.objects.select_related("user")
        .filter(living, digest=token_digest(token), revoked_at__isnull=True, user__is_active=True)
        .first()
    )
