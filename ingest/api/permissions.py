"""The review queue is for curators, whether they read or decide."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from matrix.queries.access import RIGHTS_OF_ROLE, has_right

REVIEW_RIGHT = "write-claims"


class MayReview(BasePermission):
    """Accounts whose role may write claims; a token needs the scope of what is done."""

    message = ""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the request may go on; a refusal says which of role and scope is lacking."""
        if not (request.user and request.user.is_authenticated):
            return False
        scope = "read" if request.method in SAFE_METHODS else "write"
        # A session has no token, and with it no scopes.
        scopes = getattr(request.auth, "scopes", None)
        if scopes is not None and scope not in scopes:
            self.message = f"The token lacks the scope {scope!r}; accepted: a token with it."
            return False
        if has_right(request.user, REVIEW_RIGHT):
            return True
        roles = sorted(role for role, rights in RIGHTS_OF_ROLE.items() if REVIEW_RIGHT in rights)
        self.message = f"The account may not review; accepted: the role {' or '.join(roles)}."
        return False
