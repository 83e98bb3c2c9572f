"""Routes of this app under /api/v1/."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from matrix.api import (
    accelerators,
    catalogue,
    checks,
    claim_imports,
    claims,
    dossier_parts,
    dossiers,
    knowledge,
    memory,
    names,
    prices,
    releases,
    stack_checks,
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
    path("hardware-prices/", prices.HardwarePriceList.as_view(), name="api-hardware-prices"),
    path(
        "hardware-price-imports/",
        prices.HardwarePriceImports.as_view(),
        name="api-hardware-price-imports",
    ),
    path(
        "hardware-prices/<str:uid>/", prices.HardwarePriceOne.as_view(), name="api-hardware-price"
    ),
    path(
        "hardware-prices/<str:uid>/withdraw/",
        prices.HardwarePriceWithdraw.as_view(),
        name="api-hardware-price-withdraw",
    ),
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
    path("checks/", checks.Checks.as_view(), name="api-checks"),
    path("stack-checks/", stack_checks.StackChecks.as_view(), name="api-stack-checks"),
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
    path("memory-estimates/", memory.MemoryEstimates.as_view(), name="api-memory-estimates"),
    path("dump/", knowledge.Dump.as_view(), name="api-dump"),
    path("dump/schema/", knowledge.DumpSchema.as_view(), name="api-dump-schema"),
    path(
        "accelerators/domestic/",
        accelerators.DomesticAccelerators.as_view(),
        name="api-domestic-accelerators",
    ),
    path("revision/", knowledge.Revision.as_view(), name="api-revision"),
    path("dossiers/", dossiers.DossierList.as_view(), name="api-dossiers"),
    path("dossiers/<str:uid>/", dossiers.DossierOne.as_view(), name="api-dossier"),
    path(
        "dossiers/<str:uid>/candidates/",
        dossier_parts.DossierCandidates.as_view(),
        name="api-dossier-candidates",
    ),
    path(
        "dossiers/<str:uid>/candidates/<str:key>/",
        dossier_parts.DossierCandidateOne.as_view(),
        name="api-dossier-candidate",
    ),
    path(
        "dossiers/<str:uid>/criteria/",
        dossier_parts.DossierCriteria.as_view(),
        name="api-dossier-criteria",
    ),
    path(
        "dossiers/<str:uid>/criteria/<str:key>/",
        dossier_parts.DossierCriterionOne.as_view(),
        name="api-dossier-criterion",
    ),
    path(
        "dossiers/<str:uid>/scores/",
        dossier_parts.DossierScores.as_view(),
        name="api-dossier-scores",
    ),
    path(
        "dossiers/<str:uid>/waivers/",
        dossier_parts.DossierWaivers.as_view(),
        name="api-dossier-waivers",
    ),
    path("dossiers/<str:uid>/freeze/", dossiers.DossierFreeze.as_view(), name="api-dossier-freeze"),
    path(
        "dossiers/<str:uid>/versions/",
        dossiers.DossierVersions.as_view(),
        name="api-dossier-versions",
    ),
    path(
        "dossiers/<str:uid>/sign-offs/",
        dossiers.DossierSignOffs.as_view(),
        name="api-dossier-sign-offs",
    ),
    path(
        "dossiers/<str:uid>/comments/",
        dossiers.DossierComments.as_view(),
        name="api-dossier-comments",
    ),
    path(
        "dossiers/<str:uid>/rechecks/",
        dossiers.DossierRechecks.as_view(),
        name="api-dossier-rechecks",
    ),
    path("dossiers/<str:uid>/export/", dossiers.DossierExport.as_view(), name="api-dossier-export"),
]
