"""The registry of hosts, the settings, and the list of failures."""

import json
import re
from string import Formatter
from typing import Any

import pytest

from ingest.fetching import errors, fetch, open_session
from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.gate import ProcessGate
from ingest.fetching.hosts import FETCH_HOSTS, HostKind
from ingest.fetching.location import parse_location
from ingest.fetching.policy import FetchPolicy, read_policy
from ingest.fetching.request import Fetched, FetchRequest
from tests.ingest.fetching.hostile import HostileServer, answer, said, saying

HOST = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")


def test_every_registered_host_is_asked_by_https_with_a_distance() -> None:
    assert len({rule.host for rule in FETCH_HOSTS}) == len(FETCH_HOSTS)
    for rule in FETCH_HOSTS:
        assert HOST.fullmatch(rule.host), rule
        assert (rule.scheme, rule.port) == ("https", 443), rule
        assert rule.interval_seconds >= 0.5, rule


def test_robots_txt_is_honoured_wherever_documentation_is_read() -> None:
    exempt = {rule.kind for rule in FETCH_HOSTS if not rule.obeys_robots}
    assert HostKind.DOCUMENTATION not in exempt


def test_one_host_gets_the_token() -> None:
    assert [rule.host for rule in FETCH_HOSTS if rule.sends_token] == ["api.github.com"]


def test_settings_make_the_policy(settings: Any) -> None:
    settings.FETCH_EXTRA_HOSTS = (("mirror.example", 8443),)
    settings.FETCH_CONTACT = "https://runproof.example/contact"
    settings.FETCH_CODE_HOST_TOKEN = "t0ken"
    settings.FETCH_CA_FILE = ""
    policy = read_policy()
    rule = policy.find_rule(parse_location("https://mirror.example:8443/page"))
    assert (rule.host, rule.port, rule.sends_token, rule.obeys_robots) == (
        "mirror.example",
        8443,
        False,
        True,
    )
    with pytest.raises(FetchFailed) as failure:
        policy.find_rule(parse_location("https://mirror.example/page"))
    said(failure.value, "port-not-allowed", "443", "8443", hopeless=True)
    assert policy.user_agent == "Runproof (+https://runproof.example/contact)"
    assert policy.code_host_token == "t0ken"
    assert policy.loopback is False
    assert policy.hosts[: len(FETCH_HOSTS)] == FETCH_HOSTS


def test_an_unknown_host_is_answered_with_the_nearest_ones() -> None:
    with pytest.raises(FetchFailed) as failure:
        FetchPolicy().find_rule(parse_location("https://doc.vllm.ai/"))
    said(failure.value, "host-not-allowed", "doc.vllm.ai", "docs.vllm.ai", hopeless=True)


def test_this_machine_is_asked_only_where_the_setting_says_so(settings: Any) -> None:
    server = HostileServer(saying(answer()))
    try:
        request = FetchRequest(
            url=f"http://127.0.0.1:{server.port}/page", media_types=("text/html",)
        )
        settings.FETCH_LOOPBACK = False
        with pytest.raises(FetchFailed) as failure:
            open_session().fetch(request)
        assert failure.value.code == "host-not-allowed"
        settings.FETCH_LOOPBACK = True
        assert isinstance(open_session().fetch(request), Fetched)
        assert isinstance(fetch(request, gate=ProcessGate()), Fetched)
    finally:
        server.close()


def test_without_the_setting_not_even_a_registered_host_is_asked_in_clear(settings: Any) -> None:
    settings.FETCH_LOOPBACK = False
    with pytest.raises(FetchFailed) as failure:
        open_session().fetch(FetchRequest("http://docs.vllm.ai/", media_types=("text/html",)))
    said(failure.value, "scheme-not-allowed", "http", "https", hopeless=True)


def test_sessions_of_a_process_share_its_gate() -> None:
    gate = ProcessGate()
    assert open_session().gate is open_session().gate
    assert open_session(gate=gate).gate is gate


@pytest.mark.parametrize("code", list(FailureCode))
def test_every_failure_has_a_sentence_with_what_is_accepted(code: FailureCode) -> None:
    sentence = errors._KINDS[code].sentence
    names = {name for _, name, _, _ in Formatter().parse(sentence) if name}
    facts: dict[str, errors.Fact] = {name: f"<{name}>" for name in names}
    failure = FetchFailed(code, **facts)
    assert failure.code == code.value
    assert "url" in names
    assert all(f"<{name}>" in str(failure) for name in names)
    assert json.loads(json.dumps(failure.facts)) == facts
    stated = ("accepted", "nearest registered", "refused", "until it can", "{problem}.")
    assert any(word in sentence for word in stated), sentence
