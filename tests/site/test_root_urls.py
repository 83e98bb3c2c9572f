"""The root URLs, the API explorer and the content policy."""

import pytest
from django.test import Client
from django.urls import reverse


def directives(header: str) -> dict[str, set[str]]:
    """Returns a policy header as a map of its directives."""
    parts = (part.split() for part in header.split(";") if part.strip())
    return {name: set(values) for name, *values in parts}


@pytest.mark.django_db
def test_every_page_carries_a_policy_without_inline_scripts_or_styles(client: Client) -> None:
    answer = client.get(reverse("admin:login"))
    policy = directives(answer.headers["Content-Security-Policy"])
    assert policy["default-src"] == {"'none'"}
    assert policy["script-src"] == policy["style-src"] == {"'self'"}
    assert policy["base-uri"] == policy["frame-ancestors"] == {"'none'"}


def test_the_explorer_may_style_inline_but_not_script_inline(client: Client) -> None:
    answer = client.get(reverse("api-explorer"))
    assert answer.status_code == 200
    policy = directives(answer.headers["Content-Security-Policy"])
    assert "'unsafe-inline'" in policy["style-src"]
    assert policy["script-src"] == {"'self'"}


def test_the_schema_is_openapi_3_1(client: Client) -> None:
    answer = client.get(
        reverse("api-schema"), headers={"accept": "application/vnd.oai.openapi+json"}
    )
    assert answer.status_code == 200
    assert answer.json()["openapi"].startswith("3.1")
