"""RUNPROOF_PUBLIC=0: no page and no endpoint answers a stranger."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

pytestmark = pytest.mark.django_db

# What must work before anybody can sign in, or for machines that watch the server.
OPEN = re.compile(
    r"^(accounts/login/|accounts/logout/|accounts/password/<uidb64>/<token>/|i18n/setlang/"
    r"|admin/|healthz/|readyz/|metrics/)"
)


def routes(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def address(route: str) -> str:
    """An address of the route with something in each place."""
    filled = re.sub(r"<int:\w+>", "1", route)
    filled = re.sub(r"<(\w+:)?\w+>", "x", filled)
    return "/" + filled.replace("^", "").replace("\\Z", "").replace("$", "")


ROUTES = sorted(set(routes(get_resolver().url_patterns)))


@pytest.mark.parametrize("route", [route for route in ROUTES if not OPEN.match(route)])
def test_a_closed_installation_answers_no_stranger(
    route: str, client: Client, settings: pytest.FixtureRequest
) -> None:
    settings.RUNPROOF_PUBLIC = False  # type: ignore[attr-defined]
    response = client.get(address(route))
    if route.startswith("api/"):
        assert response.status_code in (401, 403, 404, 405)
        if response.status_code == 404:
            # Only an address that leads to nothing may say so.
            assert "leads to nothing" in response.content.decode()
    else:
        assert response.status_code in (302, 405), response.status_code
        if response.status_code == 302:
            assert response["Location"].startswith("/accounts/login/")
