"""Pages of this app; each stands where its name says, below no prefix of the app."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from ingest.views import freshness, review, review_edit, snapshots, words
from ingest.views.access import for_curators
from matrix.views.answering import open_to_readers

urlpatterns: list[URLPattern | URLResolver] = [
    path("freshness/", open_to_readers(freshness.show_freshness), name="freshness"),
    path("snapshots/<str:sha256>/", open_to_readers(snapshots.show_snapshot), name="snapshot"),
    path(
        "snapshots/<str:sha256>/raw/",
        open_to_readers(snapshots.download_snapshot),
        name="snapshot-raw",
    ),
    path("review/", for_curators(review.list_items), name="review"),
    path("review/decide/", for_curators(review.decide_many), name="review-decide"),
    path("review/words/", for_curators(words.list_words), name="review-words"),
    path("review/words/<int:pk>/", for_curators(words.show_word), name="review-word"),
    path(
        "review/words/<int:pk>/decide/", for_curators(words.decide_word), name="review-word-decide"
    ),
    path("review/<int:pk>/", for_curators(review.show_item), name="review-item"),
    path("review/<int:pk>/decide/", for_curators(review.decide_item), name="review-item-decide"),
    path("review/<int:pk>/edit/", for_curators(review_edit.edit_as_claim), name="review-item-edit"),
]
