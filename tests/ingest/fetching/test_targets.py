"""Where a fetch may go: registered hosts, public addresses, and to the address that was checked."""

import socket
from collections.abc import Callable, Sequence

import pytest

from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched, FetchRequest
from tests.conftest import NetworkRefusedError
from tests.ingest.fetching.hostile import (
    PAGE,
    HostileServer,
    answer,
    ask,
    header_of,
    quick_policy,
    quick_session,
    rule,
    said,
    saying,
    wish,
)

Serve = Callable[..., HostileServer]
RULE = rule(443, scheme="https")


def refuse(url: str, *addresses: str, loopback: bool = False) -> FetchFailed:
    """Returns the failure of a fetch whose host has these addresses."""
    session = quick_session(
        quick_policy(RULE, loopback=loopback), resolver=lambda host, port: list(addresses)
    )
    with pytest.raises(FetchFailed) as failure:
        session.fetch(FetchRequest(url=url, media_types=("text/html",)))
    return failure.value


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.255.254",
        "10.0.0.1",
        "172.16.3.4",
        "192.168.1.1",
        "169.254.169.254",
        "169.254.1.1",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "0.0.0.0",
        "0.1.2.3",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "203.0.113.5",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:a9fe:a9fe",
        "fe80::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2001::1",
        "2001:db8::1",
        "not-an-address",
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    failure = refuse("https://docs.test/", address)
    said(failure, "address-refused", "docs.test", address, "public addresses only", hopeless=True)


def test_one_private_address_among_public_ones_refuses_the_host() -> None:
    failure = refuse("https://docs.test/", "93.184.216.34", "2606:4700::1", "10.0.0.1")
    said(failure, "address-refused", "10.0.0.1", "private", hopeless=True)


def test_loopback_for_tests_opens_no_other_private_address() -> None:
    for address in ("10.0.0.1", "169.254.169.254", "::ffff:192.168.0.1", "0.0.0.0"):
        failure = refuse("https://docs.test/", address, loopback=True)
        said(failure, "address-refused", address, hopeless=True)


def test_loopback_in_ipv6_clothes_is_loopback() -> None:
    said(
        refuse("https://docs.test/", "::ffff:127.0.0.1"),
        "address-refused",
        "this machine",
        hopeless=True,
    )


def test_the_address_that_was_checked_is_the_one_connected_to(serve: Serve) -> None:
    server = serve(saying(answer()))
    answers = [["127.0.0.1"], ["10.0.0.1"]]
    asked: list[tuple[str, int]] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        return answers.pop(0)

    # Any second look-up of docs.test would fail: the tests' own guard refuses its name.
    session = quick_session(quick_policy(rule(server.port)), resolver=resolve)
    page = session.fetch(wish(server))
    assert isinstance(page, Fetched)
    assert page.body == PAGE
    assert asked == [("docs.test", server.port)]
    assert header_of(server.requests[0], "Host") == f"docs.test:{server.port}"


def test_a_name_that_turns_to_loopback_after_the_check_leads_to_the_checked_address(
    serve: Serve,
) -> None:
    server = serve(saying(answer()))
    answers = [["93.184.216.34"], ["127.0.0.1"]]
    session = quick_session(
        quick_policy(rule(server.port)), resolver=lambda host, port: answers.pop(0)
    )
    # The guard of the tests stops the connection, and names the address that it went to.
    with pytest.raises(NetworkRefusedError, match=r"'93\.184\.216\.34'"):
        session.fetch(wish(server))
    assert server.requests == []


def test_the_next_address_is_tried_where_one_does_not_answer(serve: Serve) -> None:
    server = serve(saying(answer()))
    session = quick_session(
        quick_policy(rule(server.port)), resolver=lambda host, port: ["127.0.0.9", "127.0.0.1"]
    )
    page = session.fetch(wish(server))
    assert isinstance(page, Fetched)
    assert page.body == PAGE


@pytest.mark.skipif(not socket.has_ipv6, reason="this Python was built without IPv6")
def test_an_ipv6_address_is_connected_to_as_well(serve: Serve) -> None:
    try:
        server = serve(saying(answer()), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    session = quick_session(quick_policy(rule(server.port)), resolver=lambda host, port: ["::1"])
    page = session.fetch(wish(server))
    assert isinstance(page, Fetched)
    assert page.body == PAGE


def test_a_name_without_address_may_have_one_later() -> None:
    said(refuse("https://docs.test/"), "name-not-found", "no address", hopeless=False)

    def fail(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    session = quick_session(quick_policy(RULE), resolver=fail)
    with pytest.raises(FetchFailed) as failure:
        session.fetch(FetchRequest(url="https://docs.test/", media_types=("text/html",)))
    said(failure.value, "name-not-found", "Name or service not known", hopeless=False)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://doc.test/", "doc.test"),
        ("https://docs.test.evil.example/", "docs.test.evil.example"),
        ("https://docs.test./", "docs.test."),
        ("https://169.254.169.254/latest/meta-data/", "169.254.169.254"),
        ("https://2130706433/", "2130706433"),
        ("https://0x7f000001/", "0x7f000001"),
        ("https://0177.0.0.1/", "0177.0.0.1"),
        ("https://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"),
        ("https://127.0.0.1/", "127.0.0.1"),
        ("https://localhost/", "localhost"),
    ],
)
def test_only_registered_hosts_are_asked(url: str, host: str) -> None:
    failure = refuse(url, "93.184.216.34")
    said(failure, "host-not-allowed", host, "nearest registered: docs.test", hopeless=True)


@pytest.mark.parametrize("url", ["http://docs.test/", "ftp://docs.test/a", "file:///etc/passwd"])
def test_only_https_is_spoken(url: str) -> None:
    said(refuse(url), "scheme-not-allowed", url, "accepted", "https", hopeless=True)


def test_a_host_registered_without_tls_is_for_tests_only() -> None:
    policy = quick_policy(rule(80), loopback=False)
    with pytest.raises(FetchFailed) as failure:
        quick_session(policy).fetch(
            FetchRequest(url="http://docs.test/", media_types=("text/html",))
        )
    said(failure.value, "scheme-not-allowed", "asks for http", "is https", hopeless=True)


@pytest.mark.parametrize("port", [22, 80, 8443, 65_535])
def test_only_the_registered_port_is_asked(port: int) -> None:
    failure = refuse(f"https://docs.test:{port}/")
    said(failure, "port-not-allowed", str(port), "docs.test: 443", hopeless=True)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:secret@docs.test/",
        "https://secret@docs.test/",
        "https://docs.test@evil.example/secret",
    ],
)
def test_a_name_or_password_in_an_address_is_refused_and_not_repeated(url: str) -> None:
    failure = refuse(url)
    said(failure, "credentials-in-url", "…@", hopeless=True)
    assert "user" not in str(failure)
    assert "secret@" not in str(failure)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "docs.test/page",
        "//docs.test/page",
        "https:/docs.test",
        "https://",
        "https:///page",
        "https://docs.test:port/",
        "https://docs.test:0/",
        "https://docs.test:65536/",
        "https://docs.test\\@evil.example/",
        "https://docs.test/a b",
        "https://docs.test/a\r\nX: y",
        "https://docs.test/a\tb",
        "https://docs.tést/",
        "https://docs.test/é",
        "https://docs%2etest/",
        "https://[docs.test]/",
        "https://docs.test/" + "a" * 2_000,
    ],
)
def test_an_address_of_another_form_is_refused_before_anything_is_asked(url: str) -> None:
    failure = refuse(url)
    said(failure, "bad-url", "https://host/path in ASCII", hopeless=True)


def test_a_fragment_is_not_sent(serve: Serve) -> None:
    server = serve(saying(answer()))
    assert ask(server, "/page#row").final_url == f"http://docs.test:{server.port}/page"
    assert server.requests[0].startswith(b"GET /page HTTP/1.1\r\n")


def test_dots_and_escapes_in_a_path_are_sent_as_they_were_checked(serve: Serve) -> None:
    server = serve(saying(answer()))
    ask(server, "/a/../b/%7Ec/./d?e=%2F")
    assert server.requests[0].startswith(b"GET /a/../b/%7Ec/./d?e=%2F HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"headers": (("X-A", "b\r\nX-C: d"),)}, "X-A"),
        ({"headers": (("X A", "b"),)}, "X A"),
        ({"headers": (("Host", "evil.example"),)}, "Host"),
        ({"headers": (("transfer-encoding", "chunked"),)}, "transfer-encoding"),
        ({"headers": (("Cookie", "a=b"),)}, "Cookie"),
        ({"etag": '"a"\n'}, "If-None-Match"),
        ({"last_modified": "é"}, "If-Modified-Since"),
        ({"accept": "a\0b"}, "Accept"),
    ],
)
def test_a_header_that_would_change_the_request_is_refused(
    serve: Serve, changes: dict[str, object], name: str
) -> None:
    server = serve(saying(answer()))
    with pytest.raises(FetchFailed) as failure:
        ask(server, **changes)
    said(failure.value, "bad-header", name, hopeless=True)
    assert server.requests == []
