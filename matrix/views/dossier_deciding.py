"""The later steps of a draft, judging and freezing; and what people do with a frozen dossier."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from matrix.dossiers import (
    InvalidDossier,
    StaleEdition,
    change_dossier,
    comment,
    delete_draft,
    freeze_dossier,
    grant_waiver,
    new_version,
    put_candidate,
    put_score,
    recheck_dossier,
    remove_waiver,
    sign_off,
    unready,
)
from matrix.index import current_knowledge
from matrix.models import Dossier
from matrix.pages.asked import today
from matrix.pages.dossiers.form_base import DraftForm, PlainForm
from matrix.pages.dossiers.judging_forms import (
    DecisionForm,
    FreezeForm,
    JudgingForm,
    WaiverForm,
)
from matrix.pages.dossiers.meeting import meeting_view
from matrix.pages.dossiers.words_forms import CommentForm, RecheckForm, SignOffForm
from matrix.pages.translated import in_words
from matrix.queries.dossiers import assess_dossier
from matrix.views.dossier_editing import draft_of, render_conflict, saved, to_step
from matrix.views.dossiers import FREEZE, may, render_dossier

WAIVE, UNWAIVE = "waive", "unwaive"


@require_http_methods(["GET", "HEAD", "POST"])
def judge_candidates(request: HttpRequest, uid: str) -> HttpResponse:
    """How candidates stand on the criteria, and which knock-outs are waived."""
    dossier = draft_of(uid)
    form = JudgingForm(dossier=dossier, initial={"edition": dossier.edition})
    waiver_form = WaiverForm(dossier=dossier, initial={"edition": dossier.edition}, prefix="waiver")
    action = request.POST.get("action", "") if request.method == "POST" else ""
    if request.method == "POST":
        if action == UNWAIVE:
            return _take_back_waiver(request, uid)
        answered = (
            _waive(request, dossier) if action == WAIVE else _judge(request, dossier, current=form)
        )
        if isinstance(answered, HttpResponse):
            return answered
        form = answered if isinstance(answered, JudgingForm) else form
        waiver_form = answered if isinstance(answered, WaiverForm) else waiver_form
    assessment = assess_dossier(dossier)
    context = {
        "dossier": dossier,
        "step": "judgments",
        "form": form,
        "waiver_form": waiver_form,
        "page": meeting_view(assessment, catalogue=current_knowledge().catalogue, today=today()),
        "candidates": list(dossier.candidates.all()),
        "waivers": dossier.waivers.all(),
    }
    status = 422 if form.errors or waiver_form.errors else 200
    return render(request, "matrix/dossiers/judgments.html", context, status=status)


def _judge(request: HttpRequest, dossier: Dossier, *, current: JudgingForm) -> Any:
    """Writes the judgements that differ, all or none; the form where one cannot stand."""
    form = JudgingForm(request.POST, dossier=dossier, initial={"edition": dossier.edition})
    actor = request.user.get_username()
    if not form.is_valid():
        return form
    edition, changed = form.edition_seen(), form.changed_scores()
    try:
        with transaction.atomic():
            for stem, judgement in changed:
                try:
                    written = put_score(dossier.uid, edition=edition, actor=actor, **judgement)
                except InvalidDossier as error:
                    form.show_at(stem, error.facts["problems"])  # type: ignore[arg-type]
                else:
                    edition = written.edition
            if form.errors:
                transaction.set_rollback(True)
    except StaleEdition:
        return render_conflict(request, dossier.uid, form, current, step="judgments")
    if form.errors:
        return form
    count = len(changed)
    text = ngettext("%(n)d judgement is saved.", "%(n)d judgements are saved.", count)
    messages.success(request, text % {"n": count})
    return to_step(dossier.uid, "judgments")


def _waive(request: HttpRequest, dossier: Dossier) -> Any:
    form = WaiverForm(request.POST, dossier=dossier, prefix="waiver")
    actor = request.user.get_username()

    def write() -> Dossier:
        return grant_waiver(dossier.uid, edition=form.edition_seen(), actor=actor, **form.waiver())

    def conflict() -> HttpResponse:
        fresh = WaiverForm(dossier=dossier, prefix="waiver")
        return render_conflict(request, dossier.uid, form, fresh, step="judgments")

    response = saved(form, write, conflict=conflict)
    if response is not None or form.errors:
        return response or form
    messages.success(request, _("The waiver is granted."))
    return to_step(dossier.uid, "judgments")


def _edition_of(request: HttpRequest) -> int:
    text = request.POST.get("edition", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _take_back_waiver(request: HttpRequest, uid: str) -> HttpResponse:
    try:
        remove_waiver(
            uid,
            edition=_edition_of(request),
            actor=request.user.get_username(),
            candidate=request.POST.get("candidate", ""),
            criterion=request.POST.get("criterion", ""),
        )
    except StaleEdition:
        _say_stale(request)
    else:
        messages.success(request, _("The waiver is taken back."))
    return to_step(uid, "judgments")


def _say_stale(request: HttpRequest) -> None:
    messages.warning(
        request, _("Somebody changed the draft meanwhile; nothing was done. Look again.")
    )


@require_http_methods(["GET", "HEAD", "POST"])
def review_draft(request: HttpRequest, uid: str) -> HttpResponse:
    """The decision, what still keeps the draft from being frozen, and the freezing."""
    dossier = draft_of(uid)
    current = DecisionForm(dossier=dossier)
    form = current
    if request.method == "POST":
        form = DecisionForm(request.POST, dossier=dossier)

        def write() -> None:
            _decide(dossier, form, actor=request.user.get_username())

        def conflict() -> HttpResponse:
            return render_conflict(request, uid, form, current, step="review")

        response = saved(form, write, conflict=conflict)
        if response is not None:
            return response
        if not form.errors:
            messages.success(request, _("Saved."))
            return to_step(uid, "review")
    return render_review(request, dossier, form, status=422 if form.errors else 200)


def render_review(
    request: HttpRequest,
    dossier: Dossier,
    form: DraftForm,
    *,
    freeze_form: FreezeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of the last step."""
    assessment = assess_dossier(dossier)
    names = {c.key: c.name for c in assessment.candidates}
    context = {
        "dossier": dossier,
        "step": "review",
        "form": form,
        "freeze_form": freeze_form or FreezeForm(initial={"edition": dossier.edition}),
        "page": meeting_view(assessment, catalogue=current_knowledge().catalogue, today=today()),
        "problems": [_named(problem, names) for problem in unready(assessment)],
        "may_freeze": may(request, FREEZE),
    }
    return render(request, "matrix/dossiers/review.html", context, status=status)


def _named(problem: Any, names: dict[str, str]) -> str:
    """A problem with the name of the candidate that it is about."""
    parts = str(problem["field"]).split(".")
    if parts[0] == "candidates" and len(parts) > 1 and parts[1] in names:
        words = {
            "name": names[parts[1]],
            "value": in_words(problem["value"]),
            "accepted": in_words(problem["accepted"]),
        }
        return _("%(name)s: %(value)s; accepted: %(accepted)s.") % words
    return in_words(problem["message"])


def _decide(dossier: Dossier, form: DecisionForm, *, actor: str) -> None:
    """Writes the decision and who is chosen, all or nothing."""
    data = form.cleaned_data
    with transaction.atomic():
        written = change_dossier(
            dossier.uid,
            edition=form.edition_seen(),
            actor=actor,
            decision=data["decision"],
            recheck_on=data["recheck_on"],
        )
        for row in dossier.candidates.all():
            key = str(row.position)
            if row.is_chosen == (key in data["chosen"]):
                continue
            written = put_candidate(
                dossier.uid,
                edition=written.edition,
                actor=actor,
                key=key,
                is_chosen=not row.is_chosen,
            )


@require_POST
def freeze(request: HttpRequest, uid: str) -> HttpResponse:
    """Fixes a draft, after it was confirmed."""
    dossier = draft_of(uid)
    form = FreezeForm(request.POST)
    if form.is_valid():
        try:
            freeze_dossier(uid, edition=form.edition_seen(), actor=request.user.get_username())
        except InvalidDossier as error:
            form.add_error(None, in_words(str(error)))
        except StaleEdition:
            _say_stale(request)
            return to_step(uid, "review")
        else:
            messages.success(request, _("The dossier is frozen. People can sign it now."))
            return _to_dossier(uid)
    decision = DecisionForm(dossier=dossier)
    return render_review(request, dossier, decision, freeze_form=form, status=422)


def _to_dossier(uid: str, anchor: str = "") -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("dossier", args=[uid]) + anchor)


@require_POST
def discard(request: HttpRequest, uid: str) -> HttpResponse:
    """Discards a draft."""
    try:
        delete_draft(uid, edition=_edition_of(request), actor=request.user.get_username())
    except StaleEdition:
        _say_stale(request)
        return to_step(uid, "review")
    messages.success(request, _("The draft is discarded."))
    return HttpResponseRedirect(reverse("dossiers"))


@require_POST
def add_comment(request: HttpRequest, uid: str) -> HttpResponse:
    """Adds to the discussion."""
    form = CommentForm(request.POST, prefix="comment")
    if form.is_valid():
        _said(form, lambda: comment(uid, actor=request.user.get_username(), **form.cleaned_data))
    if form.errors:
        return render_dossier(request, uid, status=422, comment_form=form)
    return _to_dossier(uid, "#discussion")


@require_POST
def add_sign_off(request: HttpRequest, uid: str) -> HttpResponse:
    """Records one person's word on the frozen content."""
    form = SignOffForm(request.POST, prefix="sign")
    if form.is_valid():
        actor = request.user.get_username()
        _said(form, lambda: sign_off(uid, actor=actor, **form.sign_off()))
    if form.errors:
        return render_dossier(request, uid, status=422, sign_off_form=form)
    messages.success(request, _("The sign-off is recorded."))
    return _to_dossier(uid, "#sign-offs")


@require_POST
def add_recheck(request: HttpRequest, uid: str) -> HttpResponse:
    """Asks everything of a frozen dossier again and keeps what differs."""
    form = RecheckForm(request.POST, prefix="recheck")
    if form.is_valid():
        data = form.cleaned_data
        actor = request.user.get_username()
        _said(
            form,
            lambda: recheck_dossier(
                uid, actor=actor, on=data["on"], next_on=data["next_on"], note=data["note"]
            ),
        )
    if form.errors:
        return render_dossier(request, uid, status=422, recheck_form=form)
    messages.success(request, _("It was checked again."))
    return _to_dossier(uid, "#changed")


def _said(form: PlainForm, write: Any) -> None:
    """Writes; what the service refuses is put beside the fields."""
    try:
        write()
    except InvalidDossier as error:
        form.show_problems(error.facts["problems"])  # type: ignore[arg-type]


@require_POST
def renew(request: HttpRequest, uid: str) -> HttpResponse:
    """Opens the next version of a frozen dossier."""
    fresh = new_version(uid, actor=request.user.get_username())
    messages.success(request, _("A new version is open; its dates and decision are open again."))
    return to_step(fresh.uid, "need")
