"""The registry of feeds is complete, and every address of it may be asked."""

from urllib.parse import urlsplit

import pytest

from ingest.domain.feeds import ACCEPT_EVERYTHING, AcceptPolicy, Feed, FeedKind
from ingest.domain.feeds.feed import DOCUMENTATION_KINDS
from ingest.domain.feeds.registry import FEEDS, feeds_of, find_feed
from ingest.fetching.hosts import FETCH_HOSTS
from ingest.sources import SOURCES
from matrix.catalog_files import read_catalogue

FILLED = {"ref": "v1", "path": "docs/a.md", "version": "1", "tag": "v1", "model": "a/b"}


def ids(feed: Feed) -> str:
    return feed.name


def test_every_source_has_a_feed() -> None:
    missing = [source.name for source in SOURCES if not feeds_of(source.name)]
    assert not missing


def test_every_source_that_a_feed_names_exists_and_speaks_about_its_framework() -> None:
    known = {source.name: source.framework for source in SOURCES}
    wrong = [
        (feed.name, name)
        for feed in FEEDS
        for name in feed.sources
        if known.get(name) != feed.framework
    ]
    assert not wrong


def test_names_are_unique_and_found() -> None:
    names = [feed.name for feed in FEEDS]
    assert len(names) == len(set(names))
    assert all(find_feed(name) for name in names)
    assert find_feed("nothing") is None


def test_every_kind_has_a_feed() -> None:
    assert {feed.kind for feed in FEEDS} == set(FeedKind)


@pytest.mark.parametrize("feed", FEEDS, ids=ids)
def test_every_address_is_of_a_registered_host(feed: Feed) -> None:
    hosts = {rule.host for rule in FETCH_HOSTS}
    templates = [feed.listing_url, feed.page_url, feed.branch_url, *feed.endpoints]
    addresses = [feed.fill(template, **FILLED) for template in templates if template]
    addresses += [page.url for page in feed.pages]
    assert addresses
    for address in addresses:
        parts = urlsplit(address)
        assert (parts.scheme, parts.hostname in hosts) == ("https", True), address


# The documentation of this plug-in lies in the repository of the SDK that it is part of.
DOCUMENTED_ELSEWHERE = frozenset({"vllm-neuron-native-docs-at-branch"})


def test_frameworks_and_repositories_are_those_of_the_catalogue() -> None:
    frameworks = read_catalogue().area("framework")
    repositories = [str(node.facts.get("repository", "")) for node in frameworks.values()]
    unknown = [feed.name for feed in FEEDS if feed.framework and feed.framework not in frameworks]
    wrong = [
        (feed.name, feed.repository)
        for feed in FEEDS
        if feed.repository
        and feed.kind in (*DOCUMENTATION_KINDS, FeedKind.CODE_HOST)
        and not any(known.endswith(f"/{feed.repository}") for known in repositories)
    ]
    assert (unknown, wrong) == ([], [])


def test_documentation_feeds_have_what_their_kind_needs() -> None:
    for feed in FEEDS:
        if feed.kind is FeedKind.DOCUMENTATION_AT_TAG:
            assert feed.listing_url and feed.page_url and feed.sources, feed.name
        elif feed.kind is FeedKind.DOCUMENTATION_LIVE:
            assert feed.sources and bool(feed.branch) != bool(feed.pages), feed.name
        else:
            assert feed.endpoints, feed.name


def test_live_pages_are_read_by_a_rule() -> None:
    from ingest.domain.run_rules import rules_for

    sources = {source.name: source for source in SOURCES}
    unread = [
        page.path
        for feed in FEEDS
        for page in feed.pages
        if not any(list(rules_for(sources[name], page.path)) for name in feed.sources)
    ]
    assert not unread


def test_only_the_operators_own_word_accepts_everything() -> None:
    assert ACCEPT_EVERYTHING.accepts_everything
    assert not AcceptPolicy().accepts_everything
    assert not any(feed.policy.accepts_everything for feed in FEEDS)
