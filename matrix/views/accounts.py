"""The account pages: signing in, tokens, people, the audit log."""

import csv
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.views import LoginView, PasswordChangeView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from matrix.accounts import change_role, create_account, password_link_parts, set_active
from matrix.domain.errors import RunproofError
from matrix.exports import safe_text
from matrix.models import ApiToken
from matrix.pages.accounts import (
    RIGHT_WORDS,
    ROLE_SUMMARIES,
    ROLE_WORDS,
    AccountForm,
    AuditForm,
    TokenForm,
    audit_line,
    audit_url,
    token_line,
)
from matrix.pages.translated import in_words
from matrix.queries.access import has_right, rights_of, roles_of
from matrix.queries.audit import AuditFilter, audit_actions, audit_entries, audit_page
from matrix.rates import address_of, count_request
from matrix.services import write_audit
from matrix.tokens import issue_token, revoke_token
from matrix.views.answering import View

MOST_EXPORTED = 100_000


def signed_in(view: View) -> View:
    """Lets only those in who signed in; what they see is kept by no cache."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **kwargs)

    return never_cache(checked)


def with_right(right: str) -> Callable[[View], View]:
    """Lets only accounts in whose role carries the right."""

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not has_right(request.user, right):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return signed_in(checked)

    return decorate


class SignIn(LoginView):
    """Signing in; an address that tries too often must wait, whatever names it tries."""

    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """One attempt."""
        window = count_request("login", f"login:{address_of(request)}")
        if not window.is_passed:
            return locked_out(request, wait_s=window.reset_s)
        return super().post(request, *args, **kwargs)


def locked_out(
    request: HttpRequest, credentials: Any = None, *, wait_s: float = 0.0
) -> HttpResponse:
    """The page of too many attempts; the same for a name that exists and one that does not."""
    seconds = int(wait_s) or int(settings.AXES_COOLOFF_TIME.total_seconds())
    context = {"minutes": max(1, round(seconds / 60))}
    response = render(request, "registration/locked_out.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response


class ChangePassword(PasswordChangeView):
    """Changing the own password."""

    template_name = "registration/password_form.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: Any) -> HttpResponse:
        """Changes it; other sessions of the account end."""
        response = super().form_valid(form)
        name = self.request.user.get_username()
        write_audit(actor=name, action="change-password", subject=f"account:{name}")
        messages.success(self.request, _("The password is changed; other sessions have ended."))
        return response


@sensitive_post_parameters()
@signed_in
def change_password(request: HttpRequest) -> HttpResponse:
    """The form of a new password."""
    answer: Any = ChangePassword.as_view()(request)
    return answer


@require_safe
@signed_in
def show_account(request: HttpRequest) -> HttpResponse:
    """What the account is and may do. **Queries**: 2."""
    rights = rights_of(request.user)
    roles = roles_of(request.user)
    context = {
        "roles": [(ROLE_WORDS[role], ROLE_SUMMARIES[role]) for role in roles],
        "rights": [word for right, word in RIGHT_WORDS.items() if right in rights],
        "may_manage": "manage-accounts" in rights,
        "may_read_audit": "read-audit" in rights,
    }
    return render(request, "registration/account.html", context)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def show_tokens(request: HttpRequest) -> HttpResponse:
    """The account's tokens, and a new one; its text is in this answer alone. **Queries**: 1."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    text = ""
    if request.method == "POST" and form.is_valid():
        try:
            _token, text = issue_token(
                request.user,
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
                days=form.cleaned_data["days"],
                actor=request.user.get_username(),
            )
            form = TokenForm()
        except RunproofError as error:
            form.add_error(None, in_words(error.message))
    tokens = ApiToken.objects.filter(user=request.user)  # type: ignore[misc]
    now = timezone.now()
    context = {
        "form": form,
        "text": text,
        "lines": [token_line(token, now=now) for token in tokens],
    }
    return render(request, "registration/tokens.html", context, status=422 if form.errors else 200)


@require_POST
@signed_in
def end_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Revokes one of the account's own tokens."""
    token = get_object_or_404(ApiToken, pk=pk, user=request.user)
    if revoke_token(token, actor=request.user.get_username()):
        messages.success(request, _("The token %(name)s is revoked.") % {"name": token.name})
    return HttpResponseRedirect(reverse("tokens"))


@require_http_methods(["GET", "HEAD", "POST"])
@with_right("manage-accounts")
def show_people(request: HttpRequest) -> HttpResponse:
    """All accounts with their roles, and a new one. **Queries**: 2."""
    form = AccountForm(request.POST if request.method == "POST" else None)
    link = ""
    actor = request.user.get_username()
    if request.method == "POST" and form.is_valid():
        try:
            user = create_account(
                form.cleaned_data["name"], role=form.cleaned_data["role"], actor=actor
            )
            link = _password_link(request, user)
            form = AccountForm()
        except RunproofError as error:
            form.add_error("name", in_words(error.message))
    return _render_people(request, form=form, link=link)


def _render_people(request: HttpRequest, *, form: AccountForm, link: str = "") -> HttpResponse:
    users = get_user_model()._default_manager.order_by("username").prefetch_related("groups")
    context = {
        "form": form,
        "link": link,
        "people": [(user, {group.name for group in user.groups.all()}) for user in users],
        "role_words": [(role, word, ROLE_SUMMARIES[role]) for role, word in ROLE_WORDS.items()],
    }
    return render(request, "registration/people.html", context, status=422 if form.errors else 200)


def _password_link(request: HttpRequest, user: Any) -> str:
    uid, token = password_link_parts(user, actor=request.user.get_username())
    return request.build_absolute_uri(reverse("password-set", args=[uid, token]))


@require_POST
@with_right("manage-accounts")
def change_person(request: HttpRequest, pk: int) -> HttpResponse:
    """One change of an account: its role, whether it is open, or a new password link."""
    user = get_object_or_404(get_user_model(), pk=pk)
    if user.is_superuser and not request.user.is_superuser:
        # A link that sets its password would be the way to rights beyond all roles.
        raise PermissionDenied
    actor = request.user.get_username()
    action = request.POST.get("action", "")
    if action == "password":
        return _render_people(request, form=AccountForm(), link=_password_link(request, user))
    try:
        if action == "role":
            change_role(user, request.POST.get("role", ""), actor=actor)
        elif action in ("close", "open"):
            set_active(user, action == "open", actor=actor)
    except RunproofError as error:
        messages.error(request, in_words(error.message))
    return HttpResponseRedirect(reverse("people"))


@require_safe
@with_right("read-audit")
def show_audit(request: HttpRequest) -> HttpResponse:
    """The audit log in pages. **Queries**: 2."""
    form = AuditForm(request.GET, actions=audit_actions())
    wanted = form.wanted() if form.is_valid() else AuditFilter()
    before = request.GET.get("before", "")
    position = int(before) if before.isdecimal() and len(before) < 19 else None
    entries, older = audit_page(wanted, before=position)
    context = {
        "form": form,
        "lines": [audit_line(entry) for entry in entries],
        "older_url": audit_url(wanted, before=older) if older else "",
        "first_url": audit_url(wanted) if position else "",
        "csv_url": audit_url(wanted, csv=True),
        "filtered": wanted != AuditFilter(),
    }
    return render(request, "registration/audit.html", context, status=422 if form.errors else 200)


class _Line:
    """A file whose writes are handed back, one line at a time."""

    def write(self, text: str) -> str:
        return text


@require_safe
@with_right("read-audit")
def export_audit(request: HttpRequest) -> HttpResponse:
    """The log under the filter as CSV, newest first, streamed; the page says what is wrong."""
    form = AuditForm(request.GET, actions=audit_actions())
    if not form.is_valid():
        return show_audit(request)
    wanted = form.wanted()

    def lines() -> Iterator[str]:
        writer = csv.writer(_Line())
        yield writer.writerow(["at", "actor", "action", "subject", "before", "after"])
        for entry in audit_entries(wanted)[:MOST_EXPORTED].iterator(chunk_size=2_000):
            cells = [entry.actor, entry.action, entry.subject, entry.before, entry.after]
            row = [entry.at.isoformat(), *(safe_text(str(cell)) for cell in cells)]
            yield writer.writerow(row)

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return response  # type: ignore[return-value]
