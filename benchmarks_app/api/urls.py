"""Routes of this app under /api/v1/."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from benchmarks_app.api import comparisons, run_writes, runs, samples, series, uploads

urlpatterns: list[URLPattern | URLResolver] = [
    path("benchmark-runs/", runs.RunList.as_view(), name="api-benchmark-runs"),
    path("benchmark-runs/<str:uid>/", runs.RunOne.as_view(), name="api-benchmark-run"),
    path(
        "benchmark-runs/<str:uid>/measurements/",
        runs.RunMeasurements.as_view(),
        name="api-benchmark-run-measurements",
    ),
    path(
        "benchmark-runs/<str:uid>/samples/",
        samples.RunSamples.as_view(),
        name="api-benchmark-run-samples",
    ),
    path(
        "benchmark-runs/<str:uid>/publish/",
        run_writes.RunPublish.as_view(),
        name="api-benchmark-run-publish",
    ),
    path(
        "benchmark-runs/<str:uid>/withdraw/",
        run_writes.RunWithdraw.as_view(),
        name="api-benchmark-run-withdraw",
    ),
    path(
        "benchmark-comparisons/",
        comparisons.Comparisons.as_view(),
        name="api-benchmark-comparisons",
    ),
    path("benchmark-series/", series.SeriesList.as_view(), name="api-benchmark-series"),
    path("benchmark-uploads/<str:uid>/", uploads.UploadOne.as_view(), name="api-benchmark-upload"),
]
