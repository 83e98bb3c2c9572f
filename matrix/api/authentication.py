"""Bearer tokens: looked up by their hash, refused when revoked, expired or unknown."""

from typing import Any

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from matrix.domain.phrases import Phrase
from matrix.models import ApiToken
from matrix.pages.translated import in_words
from matrix.queries.access import TOKEN_PREFIX, valid_token
from matrix.tokens import note_token_use

_LONGEST_TOKEN = 200


class BearerToken(BaseAuthentication):
    """``Authorization: Bearer rp_…``. **Queries**: 1, and 1 more at most once a minute."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        """The user and the token, or ``None`` when no bearer token is sent."""
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        text = words[1].decode("latin-1") if len(words) == 2 else ""
        if not text.startswith(TOKEN_PREFIX) or len(text) > _LONGEST_TOKEN:
            raise AuthenticationFailed(
                in_words(
                    Phrase(
                        "The bearer token has the wrong form; accepted: one that begins with 'rp_'."
                    )
                )
            )
        now = timezone.now()
        token = valid_token(text, now=now)
        if token is None:
            raise AuthenticationFailed(
                in_words(
                    Phrase(
                        "The token {token}… is unknown, revoked or expired;"
                        " accepted: a valid token.",
                        token=text[:8],
                    )
                )
            )
        note_token_use(token, now=now)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """The challenge that goes with 401."""
        return 'Bearer realm="runproof"'
