"""Root URLs: the apps by the dotted names of their URL modules."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

urlpatterns = [
    path("", include("matrix.urls")),
    path("benchmarks/", include("benchmarks_app.urls")),
    path("", include("ingest.urls")),
    path("api/v1/", include("matrix.site.api")),
    path("api/", include("matrix.api.unknown")),
    path("accounts/login/", LoginView.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
]

handler500 = "matrix.api.errors.answer_server_error"
