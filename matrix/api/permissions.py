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


class MayWrite(BasePermission):
    """Accounts whose role has a right, and with a token its scope ``write``."""

    message = ""
    right = ""
    what = ""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the request may read or write; a refusal says which of the two is lacking."""
        if request.method in SAFE_METHODS:
            return MayRead().has_permission(request, view)
        if not (request.user and request.user.is_authenticated):
            return False
        if not _scope(request, "write"):
            self.message = "The token lacks the scope 'write'; accepted: a token with that scope."
            return False
        if has_right(request.user, self.right):
            return True
        roles = sorted(role for role, rights in RIGHTS_OF_ROLE.items() if self.right in rights)
        self.message = f"The account may not {self.what}; accepted: the role {' or '.join(roles)}."
        return False


class MayWriteClaims(MayWrite):
    """Those who record, supersede and withdraw claims."""

    right, what = "write-claims", "write claims"


class MayWritePrices(MayWrite):
    """Those who record and withdraw prices of hardware."""

    right, what = "write-prices", "write prices"


class MayWriteDossiers(MayWrite):
    """Those who write drafts of dossiers, discuss and sign them."""

    right, what = "write-dossiers", "write dossiers"


class MayFreezeDossiers(MayWrite):
    """Those who freeze, re-check and renew dossiers."""

    right, what = "freeze-dossiers", "freeze dossiers"


def _scope(request: Request, scope: str) -> bool:
    token = request.auth
    return scope in token.scopes if isinstance(token, ApiToken) else True
