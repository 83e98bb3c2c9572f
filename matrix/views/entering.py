"""Knowledge entered by people: the claim form, the pages of tests, reports of problems."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from matrix.domain.claims import Claim
from matrix.domain.errors import InvalidClaim, InvalidValue
from matrix.entering.claims import ClaimReader
from matrix.entering.fields import read_day
from matrix.entering.importing import PERSON_PARSER
from matrix.entering.manual_tests import TypedTest, clean_test, record_test
from matrix.entering.problems import BrokenEntry, Problem
from matrix.entering.reports import ReaderReport, send_report
from matrix.entering.wording import claim_sentence
from matrix.index import Knowledge, current_knowledge
from matrix.pages.asked import today, words_of
from matrix.pages.entering import build_preview
from matrix.pages.entering_form import ENVIRONMENT_LABELS, ClaimForm
from matrix.pages.manual_test import build_manual_test_page
from matrix.queries.access import has_right
from matrix.queries.manual_tests import manual_test
from matrix.services import record_claim
from matrix.views.answering import framework_choices

SAVE = "save"


@require_http_methods(["GET", "HEAD", "POST"])
def enter_claim(request: HttpRequest) -> HttpResponse:
    """The claim form: shown, previewed, and recorded or proposed, as the role allows."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not has_right(request.user, "propose-claims"):
        raise PermissionDenied
    knowledge = current_knowledge()
    choices = framework_choices(knowledge)
    if request.method != "POST":
        form = ClaimForm(frameworks=choices, given=words_of(request.GET))
        return _show_form(request, form)
    form = ClaimForm(request.POST, frameworks=choices)
    claim = _read_claim(request, form, knowledge) if form.is_valid() else None
    if claim is None:
        return _show_form(request, form, status=422)
    if request.POST.get("action") == SAVE:
        saved = _save(request, form, claim)
        return _show_form(request, form, status=422) if saved is None else saved
    return _show_form(request, form, preview=build_preview(knowledge, claim, as_of=today()))


def _show_form(
    request: HttpRequest, form: ClaimForm, *, preview: Any = None, status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "preview": preview,
        "may_record": has_right(request.user, "write-claims"),
    }
    return render(request, "matrix/entering/claim_form.html", context, status=status)


def _read_claim(request: HttpRequest, form: ClaimForm, knowledge: Knowledge) -> Claim | None:
    """The claim of a valid form; its problems are put beside the fields."""
    address = ""
    if form.by_test():
        draft = _draft_of(form)
        if draft is None:
            return None
        address = clean_test(draft).address
    reader = ClaimReader(knowledge.catalogue, today=today())
    parser = f"{PERSON_PARSER}:{request.user.get_username()}"[:120]
    try:
        return reader.read(form.claim_line(test_address=address), parser=parser)
    except BrokenEntry as error:
        form.show_problems(error.problems)
        return None


def _draft_of(form: ClaimForm) -> TypedTest | None:
    """The test of a valid form, or ``None`` after saying what is missing."""
    data = form.cleaned_data
    day = read_day(data["ran_on"])
    missing = [name for name in ("command", "observed") if not data[name].strip()]
    for name in missing:
        form.add_error(name, _("is missing; a test says what was run and what was seen"))
    if day is None:
        form.add_error("ran_on", _("is no day; accepted: YYYY-MM-DD"))
    if missing or day is None:
        return None
    return TypedTest(
        framework=data["framework"],
        version=data["release"],
        title=data["statement"],
        ran_on=day,
        command=data["command"],
        expected=data["expected"],
        observed=data["observed"],
        pasted=data["pasted"],
        declared={name: data[f"env_{name}"] for name in ENVIRONMENT_LABELS},
    )


def _save(request: HttpRequest, form: ClaimForm, claim: Claim) -> HttpResponse | None:
    """Records or proposes the claim with its test, in one transaction."""
    actor = request.user.get_username()
    draft = _draft_of(form) if form.by_test() else None
    try:
        with transaction.atomic():
            address = ""
            if draft is not None:
                address = reverse("report", args=[record_test(draft, actor=actor).uid])
            if has_right(request.user, "write-claims"):
                uid = record_claim(claim, actor=actor).uid
                messages.success(request, _("The claim is recorded."))
                return HttpResponseRedirect(reverse("claim", args=[uid]))
            line = form.claim_line(test_address=address)
            _propose(claim, line, actor=actor)
    except (InvalidClaim, InvalidValue) as error:
        form.show_problems([Problem("", str(error))])
        return None
    messages.success(request, _("Thank you. A curator will decide on the proposed claim."))
    return HttpResponseRedirect(reverse("claim-new"))


def _propose(claim: Claim, line: dict[str, Any], *, actor: str) -> None:
    send_report(
        ReaderReport(
            framework=claim.framework,
            version=claim.observations[-1].release,
            text=claim_sentence(claim),
            address=reverse("claim-new"),
            statement=claim.statement,
            actor=actor,
            proposed=line,
        )
    )


@require_safe
def show_report(request: HttpRequest, uid: str) -> HttpResponse:
    """One test as inert text; what must not be shown is masked. **Queries**: 2."""
    row = manual_test(uid)
    if row is None:
        raise Http404(_("No test has the identifier %(uid)s.") % {"uid": uid[:40]})
    page = build_manual_test_page(row, current_knowledge().catalogue)
    return render(request, "matrix/entering/report.html", {"page": page})
