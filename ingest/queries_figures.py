"""Figures of feeds, review and messages, for monitoring."""

from collections.abc import Sequence

from django.db.models import Count
from django.utils import timezone

from ingest.domain.review import ItemState
from ingest.models import ReviewItem, WebhookDelivery
from ingest.queries_feeds import feed_standings
from matrix.domain.figures import Figure


def pipeline_figures() -> Sequence[Figure]:
    """Feeds that fail, are overdue or due, open review items, deliveries. **Queries**: 4."""
    feeds = feed_standings(timezone.now())
    counts = {
        "failing": sum(one.failures_in_row > 0 for one in feeds),
        "overdue": sum(one.is_overdue for one in feeds),
        "due": sum(one.is_due for one in feeds),
    }
    deliveries = WebhookDelivery.objects.order_by().values_list("state").annotate(Count("pk"))
    return [
        Figure("runproof_feeds", "Feeds of the registry.", len(feeds)),
        *(
            Figure("runproof_feeds_by_state", "Feeds that fail, are overdue, or are due.", count,
                   {"state": state})
            for state, count in counts.items()
        ),
        Figure(
            "runproof_review_items_open",
            "Items that wait for a curator.",
            ReviewItem.objects.filter(state=ItemState.OPEN).count(),
        ),
        *(
            Figure("runproof_webhook_deliveries", "Messages to webhooks by state.", count,
                   {"state": str(state)})
            for state, count in deliveries
        ),
    ]  # fmt: skip
