"""Pages of this app."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from matrix.views import (
    about,
    atom,
    cells,
    changes,
    check,
    claims,
    domestic,
    dossier_deciding,
    dossier_editing,
    dossiers,
    entering,
    explorer,
    features,
    frameworks,
    memory,
    overview,
    prices,
    problems,
)
from matrix.views.answering import open_to_readers
from matrix.views.dossier_access import for_deciders, for_writers

urlpatterns: list[URLPattern | URLResolver] = [
    path("", open_to_readers(overview.show_overview), name="overview"),
    path("suggestions/", open_to_readers(overview.show_suggestions), name="suggestions"),
    path("matrix/", open_to_readers(explorer.show_matrix), name="matrix"),
    path("matrix/grid.csv", open_to_readers(explorer.export_matrix_csv), name="matrix-csv"),
    path("matrix/grid.json", open_to_readers(explorer.export_matrix_json), name="matrix-json"),
    path("accelerators/domestic/", open_to_readers(domestic.show_domestic), name="domestic"),
    path("check/", open_to_readers(check.show_check), name="check"),
    path("check/stack/", open_to_readers(check.show_stack), name="check-stack"),
    path("cells/", open_to_readers(cells.show_cell), name="cell"),
    path("frameworks/", open_to_readers(frameworks.list_frameworks), name="frameworks"),
    path("frameworks/<str:slug>/", open_to_readers(frameworks.show_framework), name="framework"),
    path(
        "frameworks/<str:slug>/releases/<str:version>/",
        open_to_readers(frameworks.show_release),
        name="release",
    ),
    path(
        "frameworks/<str:slug>/coverage/",
        open_to_readers(overview.show_coverage),
        name="coverage",
    ),
    path(
        "frameworks/<str:slug>/support/",
        open_to_readers(frameworks.show_support),
        name="support",
    ),
    path("features/", open_to_readers(features.show_features), name="features"),
    path(
        "features/features.csv", open_to_readers(features.export_features_csv), name="features-csv"
    ),
    path(
        "features/features.json",
        open_to_readers(features.export_features_json),
        name="features-json",
    ),
    path(
        "features/attention-kernels/",
        open_to_readers(features.show_attention_kernels),
        name="features-attention",
    ),
    path(
        "features/tensorrt-llm-model-paths/",
        open_to_readers(features.show_model_paths),
        name="features-model-paths",
    ),
    path("features/<str:slug>/", open_to_readers(features.show_feature), name="feature"),
    path("feeds/changes.atom", open_to_readers(atom.show_changes_feed), name="feed-changes"),
    path(
        "feeds/frameworks/<str:slug>.atom",
        open_to_readers(atom.show_framework_feed),
        name="feed-framework",
    ),
    path("changes/", open_to_readers(changes.show_changes), name="changes"),
    path("memory/", open_to_readers(memory.show_memory), name="memory"),
    path("memory/accuracy/", open_to_readers(memory.show_accuracy), name="memory-accuracy"),
    path("feeds/dossiers.atom", open_to_readers(dossiers.show_dossier_feed), name="feed-dossiers"),
    path("dossiers/", open_to_readers(dossiers.list_dossiers), name="dossiers"),
    path("dossiers/new/", for_writers(dossier_editing.open_draft), name="dossier-new"),
    path(
        "dossiers/candidate/new/",
        for_writers(dossier_editing.take_candidate),
        name="dossier-take",
    ),
    path("dossiers/<str:uid>/", open_to_readers(dossiers.show_dossier), name="dossier"),
    path(
        "dossiers/<str:uid>/export/<str:kind>/",
        open_to_readers(dossiers.export_dossier),
        name="dossier-export",
    ),
    path(
        "dossiers/<str:uid>/edit/need/", for_writers(dossier_editing.edit_need), name="dossier-need"
    ),
    path(
        "dossiers/<str:uid>/edit/candidates/",
        for_writers(dossier_editing.edit_candidates),
        name="dossier-candidates",
    ),
    path(
        "dossiers/<str:uid>/edit/criteria/",
        for_writers(dossier_editing.edit_criteria),
        name="dossier-criteria",
    ),
    path(
        "dossiers/<str:uid>/edit/judgments/",
        for_writers(dossier_deciding.judge_candidates),
        name="dossier-judgments",
    ),
    path(
        "dossiers/<str:uid>/edit/review/",
        for_writers(dossier_deciding.review_draft),
        name="dossier-review",
    ),
    path(
        "dossiers/<str:uid>/freeze/", for_deciders(dossier_deciding.freeze), name="dossier-freeze"
    ),
    path(
        "dossiers/<str:uid>/discard/", for_writers(dossier_deciding.discard), name="dossier-discard"
    ),
    path(
        "dossiers/<str:uid>/comments/",
        for_writers(dossier_deciding.add_comment),
        name="dossier-comment",
    ),
    path(
        "dossiers/<str:uid>/sign-offs/",
        for_writers(dossier_deciding.add_sign_off),
        name="dossier-sign-off",
    ),
    path(
        "dossiers/<str:uid>/rechecks/",
        for_deciders(dossier_deciding.add_recheck),
        name="dossier-recheck",
    ),
    path(
        "dossiers/<str:uid>/versions/", for_deciders(dossier_deciding.renew), name="dossier-renew"
    ),
    path("claims/new/", entering.enter_claim, name="claim-new"),
    path("claims/<str:uid>/", open_to_readers(claims.show_claim), name="claim"),
    path("reports/<str:uid>/", open_to_readers(entering.show_report), name="report"),
    path("prices/", open_to_readers(prices.show_prices), name="prices"),
    path("prices/prices.csv", open_to_readers(prices.export_prices_csv), name="prices-csv"),
    path("prices/<str:uid>/withdraw/", prices.withdraw, name="price-withdraw"),
    path("problems/new/", open_to_readers(problems.report), name="problem-new"),
    path("about/", open_to_readers(about.show_about), name="about"),
    path("about/components/", open_to_readers(about.show_components), name="components"),
]
