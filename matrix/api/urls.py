"""Routes of this app under /api/v1/."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from matrix.api import catalogue, claims, knowledge, names, releases, verdicts

# The plural of each area in addresses, with the area it shows.
NODE_ROUTES = (
    ("backends", "backend"),
    ("hardware", "hardware"),
    ("models", "model"),
    ("quantizations", "quantization"),
    ("containers", "container"),
    ("features", "feature"),
)


def _node_routes() -> list[URLPattern]:
    return [
        route
        for plural, area in NODE_ROUTES
        for route in (
            path(
                f"{plural}/",
                catalogue.NODE_LISTS[area].as_view(),
                name=f"api-{plural}",
            ),
            path(
                f"{plural}/<str:slug>/",
                catalogue.NODE_DETAILS[area].as_view(),
                name=f"api-{area}",
            ),
        )
    ]


urlpatterns: list[URLPattern | URLResolver] = [
    path("", knowledge.Start.as_view(), name="api-start"),
    path("frameworks/", catalogue.FrameworkList.as_view(), name="api-frameworks"),
    path("frameworks/<str:slug>/", catalogue.FrameworkDetail.as_view(), name="api-framework"),
    *_node_routes(),
    path("releases/", releases.ReleaseList.as_view(), name="api-releases"),
    path(
        "releases/<str:framework>/<str:version>/",
        releases.ReleaseDetail.as_view(),
        name="api-release",
    ),
    path("aliases/", names.AliasList.as_view(), name="api-aliases"),
    path("aliases/<str:name>/", names.AliasDetail.as_view(), name="api-alias"),
    path("verdicts/", verdicts.Verdicts.as_view(), name="api-verdicts"),
    path("verdicts/batch/", verdicts.VerdictBatch.as_view(), name="api-verdicts-batch"),
    path("claims/", claims.ClaimList.as_view(), name="api-claims"),
    path("claims/<str:uid>/", claims.ClaimOne.as_view(), name="api-claim"),
    path(
        "claims/<str:uid>/supersede/", claims.ClaimSupersede.as_view(), name="api-claim-supersede"
    ),
    path("claims/<str:uid>/withdraw/", claims.ClaimWithdraw.as_view(), name="api-claim-withdraw"),
    path("changes/", knowledge.Changes.as_view(), name="api-changes"),
    path(
        "maintenance-periods/", releases.PeriodList.as_view(), name="api-maintenance-periods"
    ),
    path("dump/", knowledge.Dump.as_view(), name="api-dump"),
    path("dump/schema/", knowledge.DumpSchema.as_view(), name="api-dump-schema"),
    path("revision/", knowledge.Revision.as_view(), name="api-revision"),
]
