"""Who may upload, publish and take back runs over REST."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from matrix.api.permissions import MayRead
from matrix.queries.access import RIGHTS_OF_ROLE, has_right

UPLOAD_RIGHT = "upload-runs"
UPLOAD_SCOPE = "upload"
WRITE_SCOPE = "write"


class MayUpload(BasePermission):
    """Accounts whose role may upload, and with a token its scope ``upload`` or ``write``."""

    message = ""
    scopes: tuple[str, ...] = (UPLOAD_SCOPE, WRITE_SCOPE)

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the request may go on; a refusal says which of role and scope is lacking."""
        if request.method in SAFE_METHODS:
            return MayRead().has_permission(request, view)
        if not (request.user and request.user.is_authenticated):
            return False
        if not has_scope(request, *self.scopes):
            wanted = " or ".join(repr(scope) for scope in self.scopes)
            self.message = (
                f"The token lacks the scope {wanted}; accepted: a token with such a scope."
            )
            return False
        if has_right(request.user, UPLOAD_RIGHT):
            return True
        roles = sorted(role for role, rights in RIGHTS_OF_ROLE.items() if UPLOAD_RIGHT in rights)
        self.message = f"The account may not upload runs; accepted: the role {' or '.join(roles)}."
        return False


class MayChangeRuns(MayUpload):
    """Accounts whose role may upload, with a token that may write: publishing records claims."""

    scopes = (WRITE_SCOPE,)


class MayFollowUpload(BasePermission):
    """Accounts that may upload, with a token of any scope: whose upload it is, the view checks."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the request comes from an account."""
        return bool(request.user and request.user.is_authenticated)


def has_scope(request: Request, *scopes: str) -> bool:
    """Whether the token has one of the scopes; a session has no token, and with it no scopes."""
    held = getattr(request.auth, "scopes", None)
    return held is None or any(scope in held for scope in scopes)
