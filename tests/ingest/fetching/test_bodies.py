"""Bodies that are too slow, too large, too short, or packed to burst."""

import gzip
import socket
import time
import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from ingest.fetching.errors import FetchFailed
from tests.ingest.fetching.hostile import (
    PAGE,
    HostileServer,
    Script,
    answer,
    ask,
    gzipped,
    impatient_policy,
    rule,
    said,
    saying,
)

Serve = Callable[..., HostileServer]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MEBIBYTE = 1024 * 1024


def trickling(first: bytes, drop: bytes, servers: list[HostileServer]) -> Script:
    """Returns the script that sends the first bytes, then one drop after another for ever."""

    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(first)
        while servers[0].pause(0.05):
            connection.sendall(drop)

    return script


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"y"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (HEAD + b"\r\n", b"p"),
        (HEAD + b"Content-Length: 5000\r\n\r\n", b"p"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\np\r\n"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\np\r\n0\r\n", b"X: y\r\n"),
    ],
)
def test_a_server_that_trickles_is_left_after_the_total_time(
    serve: Serve, first: bytes, drop: bytes
) -> None:
    servers: list[HostileServer] = []
    servers.append(serve(trickling(first, drop, servers)))
    started = time.monotonic()
    with pytest.raises(FetchFailed) as failure:
        ask(servers[0], policy=impatient_policy(rule(servers[0].port)))
    assert 0.7 < time.monotonic() - started < 2
    said(failure.value, "too-slow", "after 0.8 s", "at most that", hopeless=False)


@pytest.mark.parametrize("first", [b"", HEAD, HEAD + b"Content-Length: 50\r\n\r\n<p>"])
def test_a_server_that_falls_silent_is_left_after_the_idle_time(serve: Serve, first: bytes) -> None:
    servers: list[HostileServer] = []

    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(first)
        servers[0].pause(2)

    servers.append(serve(script))
    started = time.monotonic()
    with pytest.raises(FetchFailed) as failure:
        ask(servers[0], policy=impatient_policy(rule(servers[0].port)))
    assert 0.25 < time.monotonic() - started < 2
    said(failure.value, "timed-out", "nothing for 0.3 s", hopeless=False)


@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (HEAD + b"\r\n", b"p" * 50_000),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"c350\r\n" + b"p" * 50_000 + b"\r\n"),
        (
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\np\r\n0\r\n",
            (b"X: " + b"y" * 9_000 + b"\r\n") * 5,
        ),
    ],
)
def test_an_endless_body_is_cut_at_the_cap_and_not_kept(
    serve: Serve, first: bytes, piece: bytes
) -> None:
    servers: list[HostileServer] = []

    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(first)
        while not servers[0].stopping.is_set():
            connection.sendall(piece)

    servers.append(serve(script))
    tracemalloc.start()
    try:
        with pytest.raises(FetchFailed) as failure:
            ask(servers[0], max_bytes=MEBIBYTE)
        assert tracemalloc.get_traced_memory()[1] < 8 * MEBIBYTE
    finally:
        tracemalloc.stop()
    said(failure.value, "too-large", "accepted are at most", hopeless=True)


def test_a_stated_length_beyond_the_cap_is_refused_unread(serve: Serve) -> None:
    head = HEAD + b"Content-Length: 1073741824\r\n\r\n"
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(head)))
    said(failure.value, "too-large", "1073741824 bytes", "at most 16777216", hopeless=True)


def test_a_body_of_exactly_the_cap_is_taken_and_one_byte_more_is_not(serve: Serve) -> None:
    server = serve(saying(answer()))
    assert ask(server, max_bytes=len(PAGE)).body == PAGE
    with pytest.raises(FetchFailed, match="or more; accepted"):
        ask(server, max_bytes=len(PAGE) - 1)


def gzip_bomb(size_bytes: int) -> bytes:
    return gzip.compress(b"\0" * size_bytes)


def deflate_bomb(size_bytes: int) -> bytes:
    return zlib.compress(b"\0" * size_bytes, 9)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "bomb"),
    [
        ("gzip", gzip_bomb(32 * MEBIBYTE)),
        ("deflate", deflate_bomb(32 * MEBIBYTE)),
        ("deflate", raw_deflate(b"\0" * 32 * MEBIBYTE)),
        ("gzip", gzip_bomb(MEBIBYTE) * 32),
    ],
)
def test_a_bomb_does_not_go_off(serve: Serve, encoding: str, bomb: bytes) -> None:
    server = serve(saying(answer(bomb, Content_Encoding=encoding)))
    tracemalloc.start()
    try:
        with pytest.raises(FetchFailed) as failure:
            ask(server)
        assert tracemalloc.get_traced_memory()[1] < 24 * MEBIBYTE
    finally:
        tracemalloc.stop()
    said(
        failure.value,
        "decompression-too-large",
        "at most 16777216 and 200 times",
        hopeless=True,
    )
    assert int(failure.value.facts["decompressed_bytes"]) < 4 * MEBIBYTE


def test_a_page_that_is_larger_unpacked_than_the_cap_is_refused(serve: Serve) -> None:
    body = bytes(range(256)) * 8_000
    server = serve(saying(answer(gzipped(body), Content_Encoding="gzip")))
    with pytest.raises(FetchFailed) as failure:
        ask(server, max_bytes=MEBIBYTE)
    said(failure.value, "decompression-too-large", "at most 1048576", hopeless=True)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzipped(PAGE)),
        ("x-gzip", gzipped(PAGE)),
        ("GZIP", gzipped(PAGE)),
        ("gzip", gzipped(PAGE[:20]) + gzipped(PAGE[20:])),
        ("gzip", gzipped(PAGE) + b"\0" * 100),
        ("deflate", zlib.compress(PAGE)),
        ("deflate", raw_deflate(PAGE)),
        ("identity", PAGE),
        ("", PAGE),
    ],
)
def test_compressed_pages_are_unpacked(serve: Serve, encoding: str, body: bytes) -> None:
    assert ask(serve(saying(answer(body, Content_Encoding=encoding)))).body == PAGE


def test_a_compressed_page_may_come_in_pieces_of_one_byte(serve: Serve) -> None:
    pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in gzipped(PAGE) + gzipped(b"<p>more</p>"))
    head = HEAD + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert ask(serve(saying(head + pieces + b"0\r\n\r\n"))).body == PAGE + b"<p>more</p>"


def test_a_long_page_that_compresses_well_is_whole(serve: Serve) -> None:
    body = b"<!doctype html><table>" + b"<tr><td>yes</td></tr>\n" * 60_000
    server = serve(saying(answer(gzipped(body), Content_Encoding="gzip")))
    assert ask(server).body == body


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
def test_an_encoding_that_was_not_offered_is_refused(serve: Serve, encoding: str) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(PAGE, Content_Encoding=encoding))))
    said(failure.value, "unknown-encoding", encoding, "accepted: gzip, deflate", hopeless=True)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_not_packed_as_it_says_is_refused(serve: Serve, encoding: str) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(PAGE, Content_Encoding=encoding))))
    said(failure.value, "bad-encoding", encoding, "one whole stream", hopeless=False)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzipped(PAGE)[:-9]),
        ("gzip", gzipped(PAGE)[:40]),
        ("deflate", raw_deflate(PAGE)[:30]),
    ],
)
def test_a_packed_page_without_its_end_is_truncated(
    serve: Serve, encoding: str, body: bytes
) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(body, Content_Encoding=encoding))))
    said(failure.value, "truncated", f"its {encoding} stream has no end", hopeless=False)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (answer()[:-10], "10 bytes are missing"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n40\r\n<p>", "61 bytes are missing"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n", "has not been sent"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\nzz\r\n", "has not been sent"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", "has not been sent"),
    ],
)
def test_a_page_that_ends_early_is_truncated(serve: Serve, data: bytes, words: str) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(data)))
    said(failure.value, "truncated", words, "the whole of it", hopeless=False)


def test_a_body_in_chunks_is_joined(serve: Serve) -> None:
    data = HEAD + b"Transfer-Encoding: chunked\r\n\r\n10;a=b\r\n" + PAGE[:16] + b"\r\n"
    data += b"%x\r\n" % (len(PAGE) - 16) + PAGE[16:] + b"\r\n0\r\nX-Trailer: y\r\n\r\n"
    assert ask(serve(saying(data))).body == PAGE


def test_an_endless_chunk_size_does_not_fill_the_memory(serve: Serve) -> None:
    servers: list[HostileServer] = []

    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        while not servers[0].stopping.is_set():
            connection.sendall(b"0" * 50_000)

    servers.append(serve(script))
    with pytest.raises(FetchFailed) as failure:
        ask(servers[0], max_bytes=MEBIBYTE)
    assert failure.value.code in ("bad-answer", "too-large")
