"""Routes of this app under /api/v1/."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from matrix.api import (
    accelerators,
    catalogue,
    claim_imports,
    claims,
    knowledge,
    names,
    releases,
    verdicts,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", knowledge.Start.as_view(), name="api-start"),
    path("frameworks/", catalogue.FrameworkList.as_view(), name="api-frameworks"),
    path("frameworks/<str:slug>/", catalogue.FrameworkDetail.as_view(), name="api-framework"),
    path("backends/", catalogue.BackendList.as_view(), name="api-backends"),
    path("backends/<str:slug>/", catalogue.BackendDetail.as_view(), name="api-backend"),
    path("hardware/", catalogue.HardwareList.as_view(), name="api-hardware"),
    path("hardware/<str:slug>/", catalogue.HardwareDetail.as_view(), name="api-hardware-node"),
    path("models/", catalogue.ModelList.as_view(), name="api-models"),
    path("models/<str:slug>/", catalogue.ModelDetail.as_view(), name="api-model"),
    path("quantizations/", catalogue.QuantizationList.as_view(), name="api-quantizations"),
    path(
        "quantizations/<str:slug>/", catalogue.QuantizationDetail.as_view(), name="api-quantization"
    ),
    path("containers/", catalogue.ContainerList.as_view(), name="api-containers"),
    path("containers/<str:slug>/", catalogue.ContainerDetail.as_view(), name="api-container"),
    path("features/", catalogue.FeatureList.as_view(), name="api-features"),
    path("features/<str:slug>/", catalogue.FeatureDetail.as_view(), name="api-feature"),
    path("releases/", releases.ReleaseList.as_view(), name="api-releases"),
    path(
        "releases/<str:framework>/<str:version>/",
        releases.ReleaseDetail.as_view(),
        name="api-release",
    ),
    path("aliases/", names.AliasList.as_view(), name="api-aliases"),
    path("aliases/<path:name>/", names.AliasDetail.as_view(), name="api-alias"),
    path("verdicts/", verdicts.Verdicts.as_view(), name="api-verdicts"),
    path("verdicts/batch/", verdicts.VerdictBatch.as_view(), name="api-verdicts-batch"),
    path("claims/", claims.ClaimList.as_view(), name="api-claims"),
    path("claims/<str:uid>/", claims.ClaimOne.as_view(), name="api-claim"),
    path(
        "claims/<str:uid>/supersede/", claims.ClaimSupersede.as_view(), name="api-claim-supersede"
    ),
    path("claims/<str:uid>/withdraw/", claims.ClaimWithdraw.as_view(), name="api-claim-withdraw"),
    path("claim-imports/", claim_imports.ClaimImports.as_view(), name="api-claim-imports"),
    path("changes/", knowledge.Changes.as_view(), name="api-changes"),
    path("maintenance-periods/", releases.PeriodList.as_view(), name="api-maintenance-periods"),
    path("dump/", knowledge.Dump.as_view(), name="api-dump"),
    path("dump/schema/", knowledge.DumpSchema.as_view(), name="api-dump-schema"),
    path(
        "accelerators/domestic/",
        accelerators.DomesticAccelerators.as_view(),
        name="api-domestic-accelerators",
    ),
    path("revision/", knowledge.Revision.as_view(), name="api-revision"),
]
