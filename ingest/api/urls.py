"""Routes of this app under /api/v1/."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from ingest.api import freshness, review_items, snapshots, webhooks

urlpatterns: list[URLPattern | URLResolver] = [
    path("freshness/", freshness.Freshness.as_view(), name="api-freshness"),
    path("review-items/", review_items.ReviewItemList.as_view(), name="api-review-items"),
    path("review-items/<int:pk>/", review_items.ReviewItemOne.as_view(), name="api-review-item"),
    path(
        "review-items/<int:pk>/decide/",
        review_items.ReviewItemDecide.as_view(),
        name="api-review-item-decide",
    ),
    path("snapshots/<str:sha256>/", snapshots.SnapshotOne.as_view(), name="api-snapshot"),
    path("webhooks/", webhooks.WebhookList.as_view(), name="api-webhooks"),
    path("webhooks/<int:pk>/", webhooks.WebhookOne.as_view(), name="api-webhook"),
    path(
        "webhooks/<int:pk>/rotate-secret/",
        webhooks.WebhookSecret.as_view(),
        name="api-webhook-secret",
    ),
    path("webhooks/<int:pk>/ping/", webhooks.WebhookPing.as_view(), name="api-webhook-ping"),
    path(
        "webhooks/<int:pk>/deliveries/",
        webhooks.WebhookDeliveries.as_view(),
        name="api-webhook-deliveries",
    ),
    path(
        "webhooks/<int:pk>/deliveries/<uuid:delivery>/retry/",
        webhooks.WebhookRetry.as_view(),
        name="api-webhook-retry",
    ),
]
