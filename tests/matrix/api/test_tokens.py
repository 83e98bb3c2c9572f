"""Tokens: made once, kept as a hash, narrowed by scopes, ended by time and by hand."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from matrix.models import ApiToken, AuditEntry
from matrix.rates import address_of, parse_rate
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import bearer, make_user

pytestmark = pytest.mark.django_db


def revision(client: Client, headers: dict[str, str]) -> Any:
    """A small answer, asked with headers."""
    return client.get(reverse("api-revision"), headers=headers)


def create(*arguments: str) -> str:
    """Runs the command; returns what it prints for use by programs."""
    out = io.StringIO()
    call_command("create_token", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def test_the_command_prints_a_token_that_works_and_keeps_only_its_hash(client: Client) -> None:
    make_user("ada", "curator")
    text = create("ada", "--name", "ci", "--scopes", "read,write", "--days", "7")
    token = ApiToken.objects.get()
    assert text.startswith("rp_")
    assert text not in str(vars(token))
    assert token.scopes == ["read", "write"]
    assert revision(client, {"authorization": f"Bearer {text}"}).status_code == 200
    entry = AuditEntry.objects.get(action="issue-token")
    assert text not in str(entry.after)


@pytest.mark.parametrize(
    "arguments",
    [("nobody", "--name", "x"), ("ada", "--name", ""), ("ada", "--name", "x" * 81),
     ("ada", "--name", "x", "--scopes", "fly"), ("ada", "--name", "x", "--scopes", ""),
     ("ada", "--name", "x", "--days", "0"), ("ada", "--name", "x", "--days", "99999")],
)  # fmt: skip
def test_the_command_refuses_what_makes_no_token(arguments: tuple[str, ...]) -> None:
    make_user("ada")
    with pytest.raises(CommandError):
        create(*arguments)
    assert not ApiToken.objects.exists()


def test_a_token_ends_by_time_by_hand_and_with_its_account(client: Client) -> None:
    user = make_user("ada")
    headers = bearer(user, "read")
    assert revision(client, headers).status_code == 200
    past = timezone.now() - timedelta(seconds=1)
    for end in ({"expires_at": past}, {"revoked_at": past}):
        ApiToken.objects.update(expires_at=None, revoked_at=None)
        ApiToken.objects.update(**end)
        problem(revision(client, headers), 401, "invalid-token")
    ApiToken.objects.update(expires_at=None, revoked_at=None)
    assert revision(client, headers).status_code == 200
    user.is_active = False
    user.save()
    problem(revision(client, headers), 401, "invalid-token")


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Bearer a b", "bearer rp_", "Bearer rp_ÿ", "Bearer x" * 500]
)
def test_a_malformed_token_is_refused(client: Client, header: str) -> None:
    problem(revision(client, {"authorization": header}), 401, "invalid-token")


def test_the_last_use_is_noted_at_most_once_a_minute(client: Client) -> None:
    headers = bearer(make_user("ada"), "read")
    revision(client, headers)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    with CaptureQueriesContext(connection) as queries:
        revision(client, headers)
    assert not any(query["sql"].startswith("UPDATE") for query in queries.captured_queries)
    assert ApiToken.objects.get().last_used_at == first


def test_a_closed_installation_reads_with_the_scope_only(client: Client, settings: Any) -> None:
    settings.RUNPROOF_PUBLIC = False
    user = make_user("ada")
    assert revision(client, bearer(user, "read")).status_code == 200
    problem(revision(client, bearer(user, "write")), 403, "permission-denied")
    client.force_login(user)
    assert revision(client, {}).status_code == 200


def test_accounts_have_their_own_limit_and_the_remainder_is_told(
    client: Client, settings: Any
) -> None:
    rates = {"anon": "2/minute", "user": "3/minute"}
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": rates}
    left = [revision(client, {}).headers["RateLimit-Remaining"] for _ in range(3)]
    # A new window may begin in between, which starts the count again.
    assert left in (["1", "0", "0"], ["1", "0", "1"], ["1", "1", "0"])
    answer = revision(client, bearer(make_user("ada"), "read"))
    assert answer.status_code == 200
    assert answer.headers["RateLimit-Limit"] == "3"


def test_rates_are_read_and_a_wrong_one_says_so() -> None:
    assert parse_rate("600/minute") == (600, 60)
    assert parse_rate("5/d") == (5, 86_400)
    for wrong in ("600", "600/fortnight"):
        with pytest.raises(ValueError, match="is no rate"):
            parse_rate(wrong)


def test_a_forwarded_address_is_believed_only_behind_a_proxy(settings: Any) -> None:
    request: Any = RequestFactory().get("/", headers={"x-forwarded-for": "6.6.6.6, 10.0.0.7"})
    assert address_of(request) == "127.0.0.1"
    settings.USE_X_FORWARDED_HOST = True
    assert address_of(request) == "10.0.0.7"
