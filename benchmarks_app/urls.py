"""Pages of this app."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from benchmarks_app.views import comparison, ending, history, names, runs, upload_page, uploading
from benchmarks_app.views.access import for_accounts, for_reviewers, for_uploaders
from matrix.views.answering import open_to_readers

urlpatterns: list[URLPattern | URLResolver] = [
    path("", open_to_readers(runs.list_runs), name="benchmarks"),
    path("runs/<str:uid>/", open_to_readers(runs.show_run), name="benchmark-run"),
    path("compare/", open_to_readers(comparison.show_comparison), name="benchmark-compare"),
    path(
        "compare/export/<str:kind>/",
        open_to_readers(comparison.export_comparison),
        name="benchmark-compare-export",
    ),
    path("history/", open_to_readers(history.show_history), name="benchmark-history"),
    path("history/marks/", for_reviewers(history.mark), name="benchmark-mark"),
    path("history/marks/<int:pk>/remove/", for_reviewers(history.unmark), name="benchmark-unmark"),
    path("upload/", open_to_readers(uploading.upload), name="benchmark-upload-new"),
    path(
        "upload/schema/", open_to_readers(uploading.show_json_schema), name="benchmark-json-schema"
    ),
    path("uploads/", for_accounts(upload_page.list_uploads), name="benchmark-uploads"),
    path("uploads/<str:uid>/", for_accounts(upload_page.show_upload), name="benchmark-upload"),
    path(
        "uploads/<str:uid>/status/",
        for_accounts(upload_page.show_status),
        name="benchmark-upload-status",
    ),
    path(
        "uploads/<str:uid>/declare/",
        for_uploaders(upload_page.declare),
        name="benchmark-upload-declare",
    ),
    path(
        "uploads/<str:uid>/publish/",
        for_uploaders(upload_page.publish),
        name="benchmark-upload-publish",
    ),
    path(
        "uploads/<str:uid>/discard/",
        for_uploaders(upload_page.discard),
        name="benchmark-upload-discard",
    ),
    path(
        "uploads/<str:uid>/files/<str:sha256>/",
        for_reviewers(upload_page.download_raw),
        name="benchmark-upload-raw",
    ),
    path("names/", for_reviewers(names.list_names), name="benchmark-names"),
    path("names/<int:pk>/decide/", for_reviewers(names.decide), name="benchmark-name-decide"),
    path("runs/<str:uid>/withdraw/", for_uploaders(ending.withdraw), name="benchmark-run-withdraw"),
    path("runs/<str:uid>/correct/", for_uploaders(ending.correct), name="benchmark-run-correct"),
]
