"""Secrets that are not kept, and signatures over time and bytes."""

import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any

from ingest.webhooks.signing import digest_of, find_secret, make_salt, secret_of, signed_headers

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_receiver_checks_the_signature_with_its_secret_alone(settings: Any) -> None:
    secret = secret_of(make_salt())
    body = '{"event":"ping","name":"é"}'.encode()
    headers = signed_headers(secret, event="ping", delivery="d1", body=body, now=NOW)
    said = headers["Runproof-Timestamp"].encode() + b"." + body
    made = hmac.new(secret.encode(), said, hashlib.sha256).hexdigest()
    assert headers["Runproof-Signature"] == f"sha256={made}"
    assert headers["Runproof-Timestamp"] == str(int(NOW.timestamp()))


def test_another_time_or_another_body_has_another_signature() -> None:
    secret = secret_of("salt")
    later = datetime(2026, 11, 30, 12, 0, 1, tzinfo=UTC)
    signatures = {
        signed_headers(secret, event="ping", delivery="d", body=body, now=now)["Runproof-Signature"]
        for body in (b"a", b"b")
        for now in (NOW, later)
    }
    assert len(signatures) == 4


def test_each_salt_and_each_site_has_its_own_secret(settings: Any) -> None:
    settings.SECRET_KEY = "one"
    first, second = secret_of("a"), secret_of("b")
    settings.SECRET_KEY = "two"
    assert len({first, second, secret_of("a")}) == 3
    assert first.startswith("whsec_")
    assert len(first) > 40


def test_a_secret_outlives_a_rotated_site_key_and_is_missed_after_a_lost_one(
    settings: Any,
) -> None:
    settings.SECRET_KEY = "old"
    secret = secret_of("salt")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["old"]
    assert find_secret("salt", digest_of(secret)) == secret
    settings.SECRET_KEY_FALLBACKS = []
    assert find_secret("salt", digest_of(secret)) is None
