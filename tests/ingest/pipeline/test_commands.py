"""``poll``, ``backfill``, ``reparse`` and ``feeds`` by hand, without a broker."""

import io
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from ingest.domain.feeds import registry
from ingest.models import RuleRecord
from ingest.services.poll_context import Fetcher
from matrix.models import Claim
from tests.ingest.pipeline.code_host import CodeHost, tag_feed
from tests.ingest.pipeline.test_poll_tags import page, publish

pytestmark = pytest.mark.django_db
COMMANDS = "ingest.management.commands"


@pytest.fixture(autouse=True)
def _one_feed(host: CodeHost, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The registry holds the feed of the test's host, and this machine may be asked."""
    monkeypatch.setattr(registry, "FEEDS", (tag_feed(host.url),))
    for name in ("poll", "backfill"):
        monkeypatch.setattr(f"{COMMANDS}.{name}.open_fetcher", lambda: fetcher)
    yield


def call(*arguments: str) -> tuple[str, str]:
    """What a command wrote to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue().strip(), err.getvalue().strip()


def test_poll_says_what_it_did_for_each_feed(host: CodeHost) -> None:
    publish(host, "0.12.0", page())
    out, err = call("poll", "--feed", "vllm-test-tags")
    assert out == (
        "vllm-test-tags: changed, fetched: 1, claims new: 12, confirmed: 0, changed: 0, gone: 0, "
        "to review: 0"
    )
    assert err == "[1/1] vllm 0.12.0"


def test_poll_due_asks_only_what_is_due(host: CodeHost) -> None:
    publish(host, "0.12.0", page())
    assert call("poll", "--due", "--offline")[0] == "vllm-test-tags"
    call("poll", "--due")
    assert call("poll", "--due", "--offline")[0] == "no feed is due"
    assert call("poll", "--due")[0] == ""


def test_poll_ends_with_an_error_where_a_feed_fails(host: CodeHost) -> None:
    with pytest.raises(CommandError, match="1 of 1 feeds failed"):
        call("poll", "--feed", "vllm-test-tags")
    line = call("feeds", "--failing")[0]
    assert "| no success yet | due " in line
    assert "| http-status: The server answered " in line


def test_an_unknown_feed_names_the_nearest() -> None:
    with pytest.raises(CommandError, match="vllm-test-tags"):
        call("poll", "--feed", "vllm-test-tag")


def test_feeds_lists_when_each_is_due(host: CodeHost) -> None:
    assert call("feeds")[0] == ("vllm-test-tags | documentation-at-tag | never polled | due now")
    publish(host, "0.12.0", page())
    call("poll", "--feed", "vllm-test-tags")
    assert "| last success 20" in call("feeds")[0]


def test_backfill_reads_a_span_and_shows_progress(host: CodeHost) -> None:
    for version in ("0.10.0", "0.11.0", "0.12.0"):
        publish(host, version, page())
    out, err = call("backfill", "--source", "vllm-docs", "--since", "0.10", "--until", "0.11.0")
    assert out.startswith("vllm-test-tags: fetched: 1, claims new: 12, ")
    assert err.splitlines() == ["[1/2] vllm 0.10.0", "[2/2] vllm 0.11.0"]
    assert {claim.last for claim in Claim.objects.all()} == {"0.11.0"}


def test_backfill_that_accepts_opens_no_question(host: CodeHost) -> None:
    publish(host, "0.11.0", page())
    publish(host, "0.12.0", page(AWQ="no no yes"))
    out, _ = call("backfill", "--source", "vllm", "--since", "0.11", "--accept")
    assert out.endswith("changed: 1, gone: 0, to review: 0")


def test_backfill_names_what_it_does_not_know(host: CodeHost) -> None:
    with pytest.raises(CommandError, match="vllm"):
        call("backfill", "--source", "vlm", "--since", "0.1")
    with pytest.raises(CommandError, match="no known release of vllm"):
        call("backfill", "--source", "vllm", "--since", "9.9")


def test_reparse_reads_what_a_newer_parser_would_read(host: CodeHost) -> None:
    publish(host, "0.12.0", page())
    call("poll", "--feed", "vllm-test-tags")
    assert call("reparse") == (
        "claims new: 0, confirmed: 0, changed: 0, gone: 0, to review: 0",
        "",
    )
    RuleRecord.objects.update(parser="vllm-docs/0")
    out, err = call("reparse", "--source", "vllm-docs")
    assert out == "claims new: 0, confirmed: 12, changed: 0, gone: 0, to review: 0"
    assert err == "[1/1] vllm 0.12.0: 1 rules"


def test_a_span_that_ends_before_it_begins_is_an_error(host: CodeHost) -> None:
    with pytest.raises(CommandError, match=r"^until is '0\.10'; accepted: a release from 0\.12"):
        call("backfill", "--source", "vllm", "--since", "0.12", "--until", "0.10")


def test_a_feed_whose_polls_all_failed_was_polled(host: CodeHost) -> None:
    assert "| never polled |" in call("feeds")[0]
    host.before = lambda path: (404, b"no", "text/plain")
    with pytest.raises(CommandError):
        call("poll", "--feed", "vllm-test-tags")
    assert "| no success yet |" in call("feeds")[0]
