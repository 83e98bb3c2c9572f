"""Which feeds there are and how each is polled: values only."""

from ingest.domain.feeds.feed import AcceptPolicy, Feed, FeedKind, LivePage
from ingest.domain.feeds.policy import ACCEPT_EVERYTHING

__all__ = ["ACCEPT_EVERYTHING", "AcceptPolicy", "Feed", "FeedKind", "LivePage"]
