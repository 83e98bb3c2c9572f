"""Account pages: signing in and out, passwords, tokens, people, the audit log."""

from django.contrib.auth.views import LogoutView, PasswordResetConfirmView
from django.urls import path, reverse_lazy
from django.urls.resolvers import URLPattern, URLResolver

from matrix.views import accounts

urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/", accounts.show_account, name="account"),
    path("accounts/login/", accounts.SignIn.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("accounts/password/", accounts.change_password, name="password"),
    path(
        "accounts/password/<uidb64>/<token>/",
        PasswordResetConfirmView.as_view(
            template_name="registration/password_set.html", success_url=reverse_lazy("login")
        ),
        name="password-set",
    ),
    path("accounts/tokens/", accounts.show_tokens, name="tokens"),
    path("accounts/tokens/<int:pk>/revoke/", accounts.end_token, name="token-revoke"),
    path("accounts/people/", accounts.show_people, name="people"),
    path("accounts/people/<int:pk>/", accounts.change_person, name="person-change"),
    path("audit/", accounts.show_audit, name="audit"),
    path("audit/log.csv", accounts.export_audit, name="audit-csv"),
]
