"""Secrets and signatures of messages.

A signature needs the secret itself, so a hash of it would not do. It is not kept at all: it follows
from the site's key and a random salt by HMAC, so a copy of the database alone signs nothing.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import datetime

from django.conf import settings
from django.utils.encoding import force_bytes

SECRET_PREFIX = "whsec_"
EVENT_HEADER = "Runproof-Event"
DELIVERY_HEADER = "Runproof-Delivery"
TIMESTAMP_HEADER = "Runproof-Timestamp"
SIGNATURE_HEADER = "Runproof-Signature"
_PURPOSE = b"runproof webhook secret v1:"


def make_salt() -> str:
    """A new salt, and with it a new secret."""
    return secrets.token_hex(32)


def secret_of(salt: str, *, key: str | bytes = "") -> str:
    """The secret that belongs to a salt under the site's key."""
    made = hmac.new(
        force_bytes(key or settings.SECRET_KEY), _PURPOSE + salt.encode(), hashlib.sha256
    )
    return SECRET_PREFIX + base64.urlsafe_b64encode(made.digest()).decode().rstrip("=")


def digest_of(secret: str) -> str:
    """What is kept of a secret. A random one needs no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def find_secret(salt: str, digest: str) -> str | None:
    """The secret as it was shown, under the present key or one that it replaced; else ``None``."""
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        secret = secret_of(salt, key=key)
        if hmac.compare_digest(digest_of(secret), digest):
            return secret
    return None


def sign(secret: str, *, timestamp: str, body: bytes) -> str:
    """The signature: HMAC-SHA256 over the timestamp, a full stop and the body, in hexadecimal."""
    made = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={made.hexdigest()}"


def signed_headers(
    secret: str, *, event: str, delivery: str, body: bytes, now: datetime
) -> Mapping[str, str]:
    """The headers of one message. **Units**: the timestamp is in whole seconds since 1970."""
    timestamp = str(int(now.timestamp()))
    return {
        EVENT_HEADER: event,
        DELIVERY_HEADER: delivery,
        TIMESTAMP_HEADER: timestamp,
        SIGNATURE_HEADER: sign(secret, timestamp=timestamp, body=body),
    }
