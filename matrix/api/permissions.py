"""Reading is open unless the installation is closed; writing needs a role and a scope."""

from typing import Any

from django.conf import settings
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from matrix.models import ApiToken
from matrix.queries.access import RIGHTS_OF_ROLE, has_right


class MayRead(BasePermission):
    """Anyone where reading is public; else an account, and with a token its scope ``read``."""

    message = "The token lacks the scope 'read'; accepted: a token with that scope."

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the request may read."""
        if settings.RUNPROOF_PUBLIC:
            return True
        return bool(request.user and request.user.is_authenticated) and _scope(request, "read")


class MayWriteClaims(BasePermission):
    """Accounts whose role may write claims, and with a token its scope ``write``."""

    message = ""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the request may read or write; a refusal says which of the two is lacking."""
        if request.method in SAFE_METHODS:
            return MayRead().has_permission(request, view)
        if not (request.user and request.user.is_authenticated):
            return False
        if not _scope(request, "write"):
            self.message = "The token lacks the scope 'write'; accepted: a token with that scope."
            return False
        if has_right(request.user, "write-claims"):
            return True
        roles = sorted(role for role, rights in RIGHTS_OF_ROLE.items() if "write-claims" in rights)
        self.message = f"The account may not write claims; accepted: the role {' or '.join(roles)}."
        return False


def _scope(request: Request, scope: str) -> bool:
    token = request.auth
    return scope in token.scopes if isinstance(token, ApiToken) else True
