"""The API root: every app's endpoints, the schema, and the explorer."""

from csp.decorators import csp_update
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

# The explorer's own page carries a style element and its program sets styles from strings; scripts
# stay those of this server. No other page gets this policy.
_allow_inline_styles = csp_update({"style-src": "'unsafe-inline'"})

urlpatterns = [
    path("", include("matrix.api.urls")),
    path("", include("benchmarks_app.api.urls")),
    path("", include("ingest.api.urls")),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path(
        "explorer/",
        _allow_inline_styles(SpectacularSwaggerSplitView.as_view(url_name="api-schema")),
        name="api-explorer",
    ),
]
