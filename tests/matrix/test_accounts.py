"""Accounts: signing in and being refused, roles, tokens, the audit log."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from matrix.accounts import LastAdminError, change_role, create_account, set_active
from matrix.domain.errors import InvalidValue
from matrix.models import ApiToken, AuditEntry
from matrix.queries.access import RIGHTS_OF_ROLE, rights_of
from matrix.services import write_audit

pytestmark = pytest.mark.django_db

PASSWORD = "quite-a-long-one"


def make_user(name: str, role: str = "") -> Any:
    user = get_user_model().objects.create_user(name, password=PASSWORD)
    if role:
        user.groups.add(Group.objects.get(name=role))
    return user


def signed_in(role: str, name: str = "somebody") -> Client:
    client = Client()
    client.force_login(make_user(name, role), backend=settings.AUTHENTICATION_BACKENDS[1])
    return client


def attempt(client: Client, name: str, password: str, address: str = "10.0.0.1") -> Any:
    return client.post(
        reverse("login"), {"username": name, "password": password}, REMOTE_ADDR=address
    )


@pytest.fixture(autouse=True)
def _no_counters() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def test_signing_in_leads_to_where_one_wanted_to_go(client: Client) -> None:
    make_user("ada", "reader")
    response = client.post(
        reverse("login") + "?next=/changes/",
        {"username": "ada", "password": PASSWORD, "next": "/changes/"},
    )
    assert response.status_code == 302
    assert response["Location"] == "/changes/"


def test_signing_in_never_leads_to_another_site(client: Client) -> None:
    make_user("ada", "reader")
    response = client.post(
        reverse("login"),
        {"username": "ada", "password": PASSWORD, "next": "https://evil.example/"},
    )
    assert response["Location"] == "/"


def test_wrong_passwords_are_refused_for_a_while_even_when_the_right_one_follows(
    client: Client,
) -> None:
    make_user("ada", "reader")
    statuses = [attempt(client, "ada", "wrong").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 200, 429]
    refused = attempt(client, "ada", PASSWORD)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) == 15 * 60
    assert "15" in refused.content.decode()


def test_the_refusal_of_one_address_locks_nobody_out_elsewhere(client: Client) -> None:
    make_user("ada", "reader")
    for _ in range(6):
        attempt(client, "ada", "wrong", "10.0.0.1")
    assert attempt(Client(), "ada", PASSWORD, "10.0.0.2").status_code == 302


def test_the_refusal_says_the_same_of_a_name_that_nobody_has(client: Client) -> None:
    make_user("ada", "reader")
    known = [attempt(client, "ada", "wrong") for _ in range(6)]
    unknown = [attempt(Client(), "nobody-at-all", "wrong", "10.0.0.3") for _ in range(6)]
    assert [r.status_code for r in known] == [r.status_code for r in unknown]


def test_many_names_from_one_address_are_refused_as_well(client: Client) -> None:
    statuses = [attempt(client, f"name{i}", "wrong").status_code for i in range(21)]
    assert statuses[:20] == [200] * 20
    assert statuses[20] == 429


def test_the_administration_signs_in_by_the_same_page(client: Client) -> None:
    response = client.get("/admin/", follow=True)
    assert [url for url, _ in response.redirect_chain][-1].startswith(reverse("login"))


@pytest.mark.parametrize("role", list(RIGHTS_OF_ROLE))
def test_each_role_sees_its_own_account_page(role: str) -> None:
    response = signed_in(role).get(reverse("account"))
    assert response.status_code == 200
    assert ("Audit log" in response.content.decode()) == ("read-audit" in RIGHTS_OF_ROLE[role])


@pytest.mark.parametrize("name", ["account", "tokens", "people", "audit", "audit-csv", "password"])
def test_account_pages_ask_strangers_to_sign_in(client: Client, name: str) -> None:
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("login"))
    assert response["Cache-Control"].startswith("max-age=0")


@pytest.mark.parametrize("role", ["reader", "contributor"])
@pytest.mark.parametrize("name", ["people", "audit", "audit-csv"])
def test_what_a_role_may_not_is_refused(role: str, name: str) -> None:
    assert signed_in(role).get(reverse(name)).status_code == 403


def test_a_token_is_shown_once_and_kept_as_a_hash() -> None:
    client = signed_in("contributor")
    made = client.post(
        reverse("tokens"), {"name": "job", "scopes": ["read", "upload"], "days": "30"}
    )
    text = made.content.decode()
    token = ApiToken.objects.get()
    shown = text.split('id="new-token"')[1].split('value="')[1].split('"')[0]
    assert shown.startswith(token.prefix)
    assert token.digest != shown
    assert token.scopes == ["read", "upload"]
    again = client.get(reverse("tokens")).content.decode()
    assert shown not in again
    assert token.prefix in again


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "", "scopes": ["read"], "days": "30"},
        {"name": "job", "scopes": ["everything"], "days": "30"},
        {"name": "job", "scopes": [], "days": "30"},
        {"name": "job", "scopes": ["read"], "days": "0"},
        {"name": "job", "scopes": ["read"], "days": "4000"},
    ],
)
def test_a_wrong_token_form_makes_none(wrong: dict[str, Any]) -> None:
    response = signed_in("contributor").post(reverse("tokens"), wrong)
    assert response.status_code == 422
    assert not ApiToken.objects.exists()


def test_only_the_owner_revokes_a_token() -> None:
    owner = signed_in("contributor")
    owner.post(reverse("tokens"), {"name": "job", "scopes": ["read"], "days": "30"})
    token = ApiToken.objects.get()
    other = signed_in("admin", "other")
    assert other.post(reverse("token-revoke", args=[token.pk])).status_code == 404
    assert owner.get(reverse("token-revoke", args=[token.pk])).status_code == 405
    assert owner.post(reverse("token-revoke", args=[token.pk])).status_code == 302
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert AuditEntry.objects.filter(action="revoke-token", actor="somebody").count() == 1


def test_an_administrator_makes_an_account_whose_owner_sets_the_password() -> None:
    admin = signed_in("admin")
    page = admin.post(reverse("people"), {"name": "grace", "role": "curator"}).content.decode()
    link = page.split('id="password-link"')[1].split('value="')[1].split('"')[0]
    user = get_user_model().objects.get(username="grace")
    assert not user.has_usable_password()
    owner = Client()
    form = owner.get(link, follow=True)
    address = form.redirect_chain[-1][0]
    owner.post(address, {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert attempt(Client(), "grace", PASSWORD).status_code == 302
    assert "used before or is too old" in Client().get(link, follow=True).content.decode()


def test_a_name_that_is_taken_or_malformed_makes_no_account() -> None:
    create_account("grace", role="reader", actor="test")
    for name in ("grace", "GRACE", "", "a b", "x" * 151, "<b>"):
        with pytest.raises(InvalidValue):
            create_account(name, role="reader", actor="test")
    with pytest.raises(InvalidValue):
        create_account("edsger", role="emperor", actor="test")
    assert set(get_user_model().objects.values_list("username", flat=True)) == {"grace"}


def test_roles_replace_each_other_and_are_written_down() -> None:
    user = make_user("grace", "reader")
    make_user("root", "admin")
    assert change_role(user, "curator", actor="root")
    assert not change_role(user, "curator", actor="root")
    assert rights_of(user) == RIGHTS_OF_ROLE["curator"]
    entry = AuditEntry.objects.get(action="change-role")
    assert (entry.before, entry.after) == ({"roles": ["reader"]}, {"roles": ["curator"]})


def test_the_last_administrator_stays() -> None:
    root = make_user("root", "admin")
    with pytest.raises(LastAdminError):
        change_role(root, "reader", actor="root")
    with pytest.raises(LastAdminError):
        set_active(root, False, actor="root")
    root.refresh_from_db()
    assert root.is_active
    assert "manage-accounts" in rights_of(root)


@pytest.mark.parametrize("action", ["password", "close", "role"])
def test_the_role_admin_is_no_way_to_a_superuser(action: str) -> None:
    root = get_user_model().objects.create_superuser("root", password=PASSWORD)
    address = reverse("person-change", args=[root.pk])
    answer = signed_in("admin").post(address, {"action": action, "role": "reader"})
    assert answer.status_code == 403
    root.refresh_from_db()
    assert root.is_active


def test_two_administrators_cannot_take_the_role_from_each_other_at_once() -> None:
    """Each change waits for the other's end before it looks whether somebody is left."""
    make_user("ada", "admin")
    ben = make_user("ben", "admin")
    for change in (lambda: change_role(ben, "reader", actor="ada"),
                   lambda: set_active(ben, False, actor="ada")):  # fmt: skip
        with CaptureQueriesContext(connection) as seen:
            assert change()
        texts = [query["sql"] for query in seen.captured_queries]
        held = next(n for n, sql in enumerate(texts) if "FOR UPDATE" in sql)
        written = next(n for n, sql in enumerate(texts) if sql.startswith(("UPDATE", "DELETE")))
        assert "auth_group" in texts[held] and held < written


def test_a_closed_account_can_neither_sign_in_nor_use_its_tokens() -> None:
    make_user("root", "admin")
    owner = signed_in("contributor", "grace")
    page = owner.post(reverse("tokens"), {"name": "job", "scopes": ["read"], "days": "30"})
    token = page.content.decode().split('id="new-token"')[1].split('value="')[1].split('"')[0]
    header = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    assert Client().get("/api/v1/revision/", **header).status_code == 200
    set_active(get_user_model().objects.get(username="grace"), False, actor="root")
    assert Client().get("/api/v1/revision/", **header).status_code == 401
    assert attempt(Client(), "grace", PASSWORD).status_code == 200
    assert owner.get(reverse("account")).status_code == 302


def test_the_log_shows_who_changed_what_and_pages_through_it() -> None:
    for number in range(60):
        write_audit(
            actor="ada" if number % 2 else "bob",
            action="record-claim",
            subject=f"claim:{number}",
            before={"level": "unknown"},
            after={"level": "<b>supported</b>"},
        )
    client = signed_in("curator")
    first = client.get(reverse("audit")).content.decode()
    assert "claim:59" in first
    assert "claim:0<" not in first
    assert "&lt;b&gt;supported" in first
    older = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    assert "claim:0<" in client.get(older.replace("&amp;", "&")).content.decode()
    of_ada = client.get(reverse("audit"), {"actor": "ada"}).content.decode()
    assert "claim:59" in of_ada
    assert "claim:58" not in of_ada


def test_the_log_as_csv_runs_no_formula() -> None:
    write_audit(actor="=cmd()", action="record-claim", subject="@x", after={"a": 1})
    response = signed_in("curator").get(reverse("audit-csv"))
    lines = b"".join(response.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert lines[0] == "at,actor,action,subject,before,after"
    assert "'=cmd()" in lines[1]
    assert "'@x" in lines[1]


@pytest.mark.parametrize("name", ["audit", "audit-csv"])
@pytest.mark.parametrize("words", [{"first_day": "yesterday"}, {"action": "no-such-action"}])
def test_a_wrong_filter_of_the_log_is_said_and_exports_nothing(
    name: str, words: dict[str, str]
) -> None:
    response = signed_in("curator").get(reverse(name), words)
    assert response.status_code == 422
    assert response["Content-Type"].startswith("text/html")


def test_the_log_counts_whole_days_in_utc() -> None:
    write_audit(actor="ada", action="record-claim", subject="claim:1")
    entry = AuditEntry.objects.get()
    day = entry.at.date().isoformat()
    client = signed_in("curator")
    shown = client.get(reverse("audit"), {"first_day": day, "last_day": day}).content.decode()
    assert "claim:1" in shown
