"""The lines of the log: their forms, the request's identifier, and what never stands in them."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from matrix.site.env import SettingError, read_word
from matrix.site.logs import FORMATS, JsonLines, logging_settings, mask_secrets, request_id

TOKEN = "rp_0123456789abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def lines() -> Iterator[Any]:
    """Returns a function that sends the log of requests through the formatter of a form."""
    logger = logging.getLogger("runproof.requests")
    stream = io.StringIO()
    kept = logger.handlers[:], logger.level, logger.propagate

    def read(form: str) -> io.StringIO:
        made = logging_settings(form=form, level="INFO")
        configurator = logging.config.DictConfigurator(made)
        handler = logging.StreamHandler(stream)
        handler.setFormatter(configurator.configure_formatter(made["formatters"][form]))
        handler.addFilter(configurator.configure_filter(made["filters"]["request"]))
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)
        return stream

    yield read
    logger.handlers, logger.level, logger.propagate = kept
    logger.setLevel(kept[1])


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Authorization: Bearer {TOKEN}", TOKEN),
        (f"token {TOKEN} was used", TOKEN),
        ("GET /x?token=abcdef123&b=1", "abcdef123"),
        ("GET /x?a=1&api_key=abcdef123", "abcdef123"),
        ("postgres://runproof:hunter2@db/runproof", "hunter2"),
        ("redis://:hunter2@redis:6379/0", "hunter2"),
        ('{"password": "hunter2", "a": 1}', "hunter2"),
        ("{'db_password': 'hunter2'}", "hunter2"),
        (r"{\"secret\": \"hunter2\"}", "hunter2"),
        ("sessionid=abcdef123; other", "abcdef123"),
        ("hf_abcdefghijklmnop", "abcdefghijklmnop"),
        ("ghp_abcdefghijklmnop", "abcdefghijklmnop"),
    ],
)
def test_secrets_are_masked_once(text: str, secret: str) -> None:
    masked = mask_secrets(text)
    assert secret not in masked
    assert "‹secret›" in masked
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "text",
    ["/claims/abc/ 200 12.5 ms", "tokens per second: 500", "basic usage of the API",
     "https://example.org/a:b@c", "max_tokens=8192"],
)  # fmt: skip
def test_ordinary_text_stays(text: str) -> None:
    assert mask_secrets(text) == text


def test_a_traceback_is_masked_and_stays_one_json_line() -> None:
    try:
        raise ValueError(f'no token {TOKEN} in\n"postgres://a:hunter2@b/c"')
    except ValueError:
        import sys

        record = logging.LogRecord("x", logging.ERROR, "f", 1, "it failed", None, sys.exc_info())
    line = JsonLines(["message", "exc_info"], json_ensure_ascii=False).format(record)
    assert "\n" not in line and TOKEN not in line and "hunter2" not in line
    assert "ValueError" in json.loads(line)["exc_info"]


@pytest.mark.django_db
class TestRequests:
    def test_a_json_line_tells_who_asked_what_and_how_it_ended(
        self, client: Client, lines: Any
    ) -> None:
        stream = lines("json")
        user = get_user_model().objects.create_user("ada")
        client.force_login(user)
        client.get("/api/v1/releases/?token=abcdef123", headers={"x-request-id": "abc-1"})
        (line,) = stream.getvalue().splitlines()
        found = json.loads(line)
        assert found["request_id"] == "abc-1"
        assert (found["method"], found["path"]) == ("GET", "/api/v1/releases/")
        assert (found["route"], found["status"], found["user"]) == ("api-releases", 400, "ada")
        assert found["duration_ms"] > 0
        assert found["level"] == "INFO" and found["logger"] == "runproof.requests"
        assert "abcdef123" not in line

    def test_a_plain_line_holds_no_control_characters(self, client: Client, lines: Any) -> None:
        stream = lines("plain")
        client.get("/claims/a%0aforged%20line/")
        (line,) = stream.getvalue().splitlines()
        assert "forged" in line and "404" in line

    def test_a_stranger_has_no_name_and_costs_no_query(
        self, client: Client, lines: Any, django_assert_num_queries: Any
    ) -> None:
        stream = lines("json")
        with django_assert_num_queries(0):
            client.get("/about/errors-nowhere/")
        assert json.loads(stream.getvalue())["user"] is None

    @pytest.mark.parametrize("given", ["", "x" * 65, "a b", "a\tb", "é", "<script>"])
    def test_a_strange_identifier_is_replaced(self, client: Client, given: str) -> None:
        found = client.get("/nowhere/", headers={"x-request-id": given})["X-Request-ID"]
        assert found != given
        assert len(found) == 32 and found.isalnum()

    def test_every_answer_has_its_own_identifier(self, client: Client) -> None:
        found = {client.get("/nowhere/")["X-Request-ID"] for _ in range(3)}
        assert len(found) == 3
        kept = client.get("/api/v1/verdicts/", headers={"x-request-id": "from-proxy_1.0"})
        assert kept["X-Request-ID"] == "from-proxy_1.0"
        assert request_id.get() == ""


def test_the_forms_are_a_closed_list() -> None:
    assert read_word("X", "plain", accepted=FORMATS, environ={"X": "JSON"}) == "json"
    with pytest.raises(SettingError, match="plain, json"):
        read_word("X", "plain", accepted=FORMATS, environ={"X": "xml"})
