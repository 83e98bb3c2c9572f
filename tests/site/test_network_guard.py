"""The guard that keeps every test on this machine."""

import socket
import urllib.request

import pytest

STRANGER = "192.0.2.1"  # An address reserved for documentation.


def test_a_connection_to_another_machine_is_refused() -> None:
    with socket.socket() as outward, pytest.raises(RuntimeError, match="only loopback is open"):
        outward.connect((STRANGER, 80))
    with socket.socket() as outward, pytest.raises(RuntimeError, match="only loopback is open"):
        outward.connect_ex((STRANGER, 80))


def test_a_datagram_to_another_machine_is_refused() -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as outward,
        pytest.raises(RuntimeError, match="only loopback is open"),
    ):
        outward.sendto(b"x", (STRANGER, 53))


def test_a_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(RuntimeError, match=r"look up 'runproof\.example'"):
        urllib.request.urlopen("http://runproof.example/")


def test_this_machine_is_reached() -> None:
    with socket.socket() as listener, socket.socket() as client:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client.connect(listener.getsockname())
        assert client.getpeername() == listener.getsockname()
