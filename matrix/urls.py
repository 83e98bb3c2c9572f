"""Pages of this app."""

from django.urls import path
from django.urls.resolvers import URLPattern, URLResolver

from matrix.views import (
    about,
    atom,
    cells,
    changes,
    claims,
    domestic,
    entering,
    explorer,
    frameworks,
    overview,
    problems,
)
from matrix.views.answering import open_to_readers

urlpatterns: list[URLPattern | URLResolver] = [
    path("", open_to_readers(overview.show_overview), name="overview"),
    path("suggestions/", open_to_readers(overview.show_suggestions), name="suggestions"),
    path("matrix/", open_to_readers(explorer.show_matrix), name="matrix"),
    path("matrix/grid.csv", open_to_readers(explorer.export_matrix_csv), name="matrix-csv"),
    path("matrix/grid.json", open_to_readers(explorer.export_matrix_json), name="matrix-json"),
    path("accelerators/domestic/", open_to_readers(domestic.show_domestic), name="domestic"),
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
    path("feeds/changes.atom", open_to_readers(atom.show_changes_feed), name="feed-changes"),
    path(
        "feeds/frameworks/<str:slug>.atom",
        open_to_readers(atom.show_framework_feed),
        name="feed-framework",
    ),
    path("changes/", open_to_readers(changes.show_changes), name="changes"),
    path("claims/new/", entering.enter_claim, name="claim-new"),
    path("claims/<str:uid>/", open_to_readers(claims.show_claim), name="claim"),
    path("reports/<str:uid>/", open_to_readers(entering.show_report), name="report"),
    path("problems/new/", open_to_readers(problems.report), name="problem-new"),
    path("about/", open_to_readers(about.show_about), name="about"),
    path("about/components/", open_to_readers(about.show_components), name="components"),
]
