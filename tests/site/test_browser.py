"""What only a browser can tell about the site's frame."""

from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_explorer_lists_the_schema_under_its_policy(page: Any) -> None:
    page.goto("/api/v1/explorer/")
    page.wait_for_selector(".swagger-ui .info", timeout=20_000)
    assert "Runproof" in page.inner_text(".swagger-ui .info .title")
