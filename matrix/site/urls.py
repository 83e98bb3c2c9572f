"""Root URLs: the apps by the dotted names of their URL modules."""

from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.urls import include, path

# One way to sign in, with its limits and its page, for the administration too.
admin.site.login = login_required(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("", include("matrix.urls")),
    path("benchmarks/", include("benchmarks_app.urls")),
    path("", include("ingest.urls")),
    path("api/v1/", include("matrix.site.api")),
    path("api/", include("matrix.api.unknown")),
    path("", include("matrix.urls_accounts")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
]

handler500 = "matrix.api.errors.answer_server_error"
