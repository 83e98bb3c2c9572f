"""What becomes of a published run: taken back with a reason, or corrected by a new version."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Run
from benchmarks_app.pages.provenance_form import ProvenanceForm, fact_of_field
from benchmarks_app.pages.upload_form import ReasonForm, show_problem
from benchmarks_app.queries.uploads import may_change, run_seen_by
from benchmarks_app.services.publishing import correct_run, withdraw_run
from matrix.domain.errors import InvalidValue


@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, uid: str) -> HttpResponse:
    """Takes the run back with a reason; it stays readable, and its claim goes."""
    run = _own_run(request, uid)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if run.state == RunState.PUBLISHED.value and form.is_bound and form.is_valid():

        def act() -> Run:
            reason = form.cleaned_data["reason"]
            return withdraw_run(run, actor=request.user.get_username(), reason=reason)

        if done := _act(form, act):
            messages.success(request, _("The run is withdrawn."))
            return HttpResponseRedirect(reverse("benchmark-run", args=[done.uid]))
    context = {"run": run, "form": form, "stands": run.state == RunState.PUBLISHED.value}
    status = 422 if form.errors else 200
    return render(request, "benchmarks/uploading/withdraw.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: HttpRequest, uid: str) -> HttpResponse:
    """Puts a new version with other facts in the place of the run; its values stay."""
    run = _own_run(request, uid)
    posted = request.method == "POST"
    reason = ReasonForm(request.POST if posted else None)
    form = ProvenanceForm(*((request.POST, request.FILES) if posted else ()), runs=[run])
    if run.state == RunState.PUBLISHED.value and posted and _all_valid(reason, form):

        def act() -> Run:
            return correct_run(
                run,
                actor=request.user.get_username(),
                reason=reason.cleaned_data["reason"],
                facts=form.stated(),
                not_captured=form.not_captured(),
            )

        if done := _act(form, act):
            messages.success(request, _("The new version stands in the place of the old one."))
            return HttpResponseRedirect(reverse("benchmark-run", args=[done.uid]))
    context = {
        "run": run, "form": form, "reason": reason,
        "stands": run.state == RunState.PUBLISHED.value,
    }  # fmt: skip
    status = 422 if form.errors or reason.errors else 200
    return render(request, "benchmarks/uploading/correct.html", context, status=status)


def _all_valid(*forms: Any) -> bool:
    # All are asked, so that every problem is shown at once.
    valid = [form.is_valid() for form in forms]
    return all(valid)


def _act(form: Any, act: Callable[[], Run]) -> Run | None:
    """The run that the act leaves, or ``None`` after putting its problem beside its field."""
    try:
        return act()
    except InvalidValue as error:
        error.facts["parameter"] = fact_of_field(str(error.facts.get("parameter", "")))
        show_problem(form, error, fields=form.fields)
        return None


def _own_run(request: HttpRequest, uid: str) -> Run:
    """The run, if the user may change it. **Raises**: ``Http404``, ``PermissionDenied``."""
    run = run_seen_by(request.user, uid)
    if run is None:
        raise Http404(_("No run has the identifier %(uid)s.") % {"uid": uid[:40]})
    if not may_change(request.user, run):
        raise PermissionDenied
    return run
