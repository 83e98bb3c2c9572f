"""The tables of ingest, one module per subject."""

from ingest.models.feeds import FeedState, HostTurn
from ingest.models.pages import PageRecord, RuleRecord
from ingest.models.review import ReviewItem
from ingest.models.snapshots import Retrieval, Snapshot
from ingest.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "FeedState",
    "HostTurn",
    "PageRecord",
    "Retrieval",
    "ReviewItem",
    "RuleRecord",
    "Snapshot",
    "Webhook",
    "WebhookDelivery",
]
