"""Which characters the bytes of a page stand for, and when nobody can say."""

from collections.abc import Callable

import pytest

from ingest.fetching.content import decode_text
from ingest.fetching.errors import FetchFailed
from tests.ingest.fetching.hostile import HostileServer, answer, ask, said, saying

Serve = Callable[..., HostileServer]
TICKED = "<!doctype html><p>Ampere ✅ 支持</p>"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (TICKED.encode(), "text/html"),
        (TICKED.encode(), "text/html; charset=UTF-8"),
        (TICKED.encode(), 'text/html; charset="utf8"'),
        (b"\xef\xbb\xbf" + TICKED.encode(), "text/html"),
        (b"\xef\xbb\xbf" + TICKED.encode(), "text/html; charset=iso-8859-1"),
        (b"\xff\xfe" + TICKED.encode("utf-16-le"), "text/html"),
        (b"\xfe\xff" + TICKED.encode("utf-16-be"), "text/html; charset=utf-8"),
        (TICKED.encode("utf-16-le"), "text/html; charset=utf-16le"),
        (TICKED.encode("gb18030"), "text/html; charset=GB2312"),
    ],
)
def test_a_mark_goes_before_the_header_and_is_dropped(body: bytes, content_type: str) -> None:
    assert decode_text(body, content_type) == TICKED


def test_a_meta_element_counts_where_the_header_is_silent() -> None:
    page = '<html><head><meta charset="gbk"></head><p>支持</p>'
    assert decode_text(page.encode("gbk"), "text/html") == page
    old = '<html><meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>支持</p>'
    assert decode_text(old.encode("gbk"), "text/html") == old
    plain = '<meta charset="gbk"> is how HTML says it: ✅'
    assert decode_text(plain.encode(), "text/markdown") == plain


def test_a_meta_element_that_can_be_read_is_not_in_utf_16() -> None:
    page = '<html><meta charset="utf-16"><p>✅</p>'
    assert decode_text(page.encode(), "text/html") == page


@pytest.mark.parametrize(
    ("body", "content_type", "words"),
    [
        (TICKED.encode("gbk", "ignore"), "text/html; charset=utf-8", "not utf-8: byte 28 does"),
        (b"<p>caf\xe9</p>", "text/html", "not utf-8: byte 6 does"),
        (TICKED.encode(), "text/html; charset=us-ascii", "not us-ascii: byte 25 does"),
        (TICKED.encode(), "text/html; charset=iso-8859-1", "its bytes are UTF-8"),
        (TICKED.encode("utf-16-le"), "text/html", "character 1 is a null"),
        (b"<p>ok</p>\0", "text/html", "character 9 is a null"),
        (TICKED.encode()[:-8], "text/html", "does not fit"),
        (b"<p>", "text/html; charset=rot13", "not rot13: that name is not known"),
        (b"<p>", "text/html; charset=unicode_escape", "that name is not known"),
        (b"<p>", "text/html; charset=utf-7", "that name is not known"),
        (b"\xff\xfe<", "text/html", "does not fit"),
    ],
)
def test_bytes_that_do_not_fit_are_never_guessed(
    body: bytes, content_type: str, words: str
) -> None:
    with pytest.raises(FetchFailed) as failure:
        decode_text(body, content_type)
    said(failure.value, "bad-charset", "The text of the page", words, "UTF-8", hopeless=True)


def test_a_fetched_page_tells_the_charset_that_it_decodes_with(serve: Serve) -> None:
    marked = ask(serve(saying(answer(b"\xff\xfe" + TICKED.encode("utf-16-le")))))
    assert marked.charset == "utf-16-le"
    assert marked.body.startswith(b"\xff\xfe")
    chinese = answer(TICKED.encode("gb18030"), Content_Type="text/html; charset=gbk")
    assert ask(serve(saying(chinese))).charset == "gb18030"


def test_a_page_in_another_charset_than_it_says_is_not_fetched(serve: Serve) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(b"<p>caf\xe9</p>"))))
    said(failure.value, "bad-charset", "/page", "utf-8", hopeless=True)
