"""Drafts of dossiers, written in steps: need, candidates, criteria."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from matrix.dossiers import (
    FrozenDossier,
    InvalidDossier,
    StaleEdition,
    change_dossier,
    open_dossier,
    put_candidate,
    put_criterion,
    remove_candidate,
    remove_criterion,
)
from matrix.index import current_knowledge
from matrix.models import Dossier
from matrix.pages.asked import words_of
from matrix.pages.dossiers.candidate_form import (
    CandidateForm,
    candidate_initial,
    words_initial,
)
from matrix.pages.dossiers.conflict import differing_values
from matrix.pages.dossiers.criterion_form import METRICS, CriterionForm, criterion_initial
from matrix.pages.dossiers.form_base import DraftForm
from matrix.pages.dossiers.need_form import NeedForm, need_initial
from matrix.pages.dossiers.words_forms import TakingForm
from matrix.pages.links import node_name
from matrix.pages.translated import in_words
from matrix.queries.dossiers import listed_dossiers
from matrix.views.answering import framework_choices
from matrix.views.dossiers import found_dossier

REMOVE = "remove"
MOST_DRAFTS = 100


def draft_of(uid: str) -> Dossier:
    """The draft of an address. **Raises**: ``Http404``, ``FrozenDossier``."""
    dossier = found_dossier(uid)
    if dossier.state != "draft":
        raise FrozenDossier(uid=uid)
    return dossier


def to_step(uid: str, step: str) -> HttpResponseRedirect:
    """Leads to a step of editing."""
    return HttpResponseRedirect(reverse(f"dossier-{step}", args=[uid]))


def render_conflict(
    request: HttpRequest, uid: str, form: DraftForm, current: DraftForm, *, step: str
) -> HttpResponse:
    """The page of a lost race: what was sent beside what stands now; nothing was written."""
    dossier = draft_of(uid)
    data = request.POST.copy()
    data[form.add_prefix("edition")] = str(dossier.edition)
    form.data = data
    context = {
        "dossier": dossier,
        "step": step,
        "form": form,
        "values": differing_values(form, current),
    }
    return render(request, "matrix/dossiers/conflict.html", context, status=409)


@require_http_methods(["GET", "HEAD", "POST"])
def open_draft(request: HttpRequest) -> HttpResponse:
    """The first step of a new dossier: title and need."""
    form = NeedForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        changes = form.changes()
        try:
            dossier = open_dossier(actor=request.user.get_username(), **changes)
        except InvalidDossier as error:
            form.show_problems(error.facts["problems"])  # type: ignore[arg-type]
        else:
            messages.success(request, _("The draft is opened. Name its candidates next."))
            return to_step(dossier.uid, "candidates")
    status = 422 if form.errors else 200
    return render(request, "matrix/dossiers/need.html", {"form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_need(request: HttpRequest, uid: str) -> HttpResponse:
    """Title, dates and need of a draft."""
    dossier = draft_of(uid)
    current = NeedForm(initial={**need_initial(dossier), "edition": dossier.edition})
    if request.method != "POST":
        return _render_need(request, dossier, current)
    form = NeedForm(request.POST)

    def write() -> Dossier:
        actor = request.user.get_username()
        return change_dossier(uid, edition=form.edition_seen(), actor=actor, **form.changes())

    def conflict() -> HttpResponse:
        return render_conflict(request, uid, form, current, step="need")

    return saved(form, write, conflict=conflict) or _after(
        request, form, uid, "candidates", lambda: _render_need(request, dossier, form, status=422)
    )


def _render_need(
    request: HttpRequest, dossier: Dossier, form: NeedForm, *, status: int = 200
) -> HttpResponse:
    context = {"dossier": dossier, "form": form, "step": "need"}
    return render(request, "matrix/dossiers/need.html", context, status=status)


def saved(
    form: DraftForm, write: Callable[[], object], *, conflict: Callable[[], HttpResponse]
) -> HttpResponse | None:
    """Writes a valid form; its problems go to its fields. A response only for a lost race."""
    if not form.is_valid():
        return None
    try:
        write()
    except InvalidDossier as error:
        form.show_problems(error.facts["problems"])  # type: ignore[arg-type]
    except StaleEdition:
        return conflict()
    return None


def _after(
    request: HttpRequest, form: DraftForm, uid: str, step: str, again: Callable[[], HttpResponse]
) -> HttpResponse:
    """The next step after a form that was written, else the same form with its problems."""
    if form.errors:
        return again()
    messages.success(request, _("Saved."))
    return to_step(uid, step)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_candidates(request: HttpRequest, uid: str) -> HttpResponse:
    """The candidates of a draft: one form adds or changes one of them."""
    dossier = draft_of(uid)
    rows = {str(row.position): row for row in dossier.candidates.all()}
    key = (request.POST if request.method == "POST" else request.GET).get("key", "")
    chosen = rows.get(key)
    initial = candidate_initial(chosen) if chosen else words_initial(_asked_words(request))
    frameworks = framework_choices(current_knowledge())

    def make(data: Any = None) -> CandidateForm:
        shown = {**initial, "edition": dossier.edition}
        return CandidateForm(data, frameworks=frameworks, initial=shown)

    def page(form: CandidateForm, status: int = 200) -> HttpResponse:
        context = {
            "dossier": dossier, "form": form, "step": "candidates", "rows": list(rows.values()),
            "changing": chosen,
        }  # fmt: skip
        return render(request, "matrix/dossiers/candidates.html", context, status=status)

    if request.method != "POST":
        return page(make())
    form = make(request.POST)
    actor = request.user.get_username()
    if request.POST.get("action") == REMOVE:
        return _remove(request, dossier, step="candidates", remove=remove_candidate)

    def write() -> Dossier:
        return put_candidate(uid, edition=form.edition_seen(), actor=actor, **form.candidate())

    def conflict() -> HttpResponse:
        return render_conflict(request, uid, form, make(), step="candidates")

    return saved(form, write, conflict=conflict) or _after(
        request, form, uid, "candidates", lambda: page(form, 422)
    )


def _asked_words(request: HttpRequest) -> list[tuple[str, str]]:
    """The question of an address, so that other pages can lead here with one."""
    skipped = ("key", "name", "as_of", "known_at")
    return [
        (name, value)
        for name, values in words_of(request.GET).items()
        for value in values
        if value.strip() and name not in skipped
    ]


def _remove(
    request: HttpRequest, dossier: Dossier, *, step: str, remove: Callable[..., object]
) -> HttpResponse:
    """Takes a part out; a removal that comes too late is not done, and says so."""
    try:
        edition = int(request.POST.get("edition", ""))
    except ValueError:
        edition = -1
    actor = request.user.get_username()
    try:
        remove(dossier.uid, edition=edition, actor=actor, key=request.POST.get("key", ""))
    except StaleEdition:
        messages.warning(
            request, _("Somebody changed the draft meanwhile; nothing was removed. Look again.")
        )
    else:
        messages.success(request, _("Removed."))
    return to_step(dossier.uid, step)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_criteria(request: HttpRequest, uid: str) -> HttpResponse:
    """The criteria of a draft: one form adds or changes one of them."""
    dossier = draft_of(uid)
    rows = {str(row.position): row for row in dossier.criteria.all()}
    key = (request.POST if request.method == "POST" else request.GET).get("key", "")
    chosen = rows.get(key)
    initial = criterion_initial(chosen) if chosen else {"statuses": ["active"]}

    def make(data: Any = None) -> CriterionForm:
        return CriterionForm(data, initial={**initial, "edition": dossier.edition})

    def page(form: CriterionForm, status: int = 200) -> HttpResponse:
        weights = sum(row.weight_percent for row in rows.values())
        context = {
            "dossier": dossier, "form": form, "step": "criteria", "rows": list(rows.values()),
            "changing": chosen, "weights": weights, "metrics": METRICS,
            "has_weights": any(row.kind == "weighted" for row in rows.values()),
        }  # fmt: skip
        return render(request, "matrix/dossiers/criteria.html", context, status=status)

    if request.method != "POST":
        return page(make())
    form = make(request.POST)
    actor = request.user.get_username()
    if request.POST.get("action") == REMOVE:
        return _remove(request, dossier, step="criteria", remove=remove_criterion)

    def write() -> Dossier:
        return put_criterion(uid, edition=form.edition_seen(), actor=actor, **form.criterion())

    def conflict() -> HttpResponse:
        return render_conflict(request, uid, form, make(), step="criteria")

    return saved(form, write, conflict=conflict) or _after(
        request, form, uid, "criteria", lambda: page(form, 422)
    )


@require_http_methods(["GET", "HEAD", "POST"])
def take_candidate(request: HttpRequest) -> HttpResponse:
    """Adds the question of another page as a candidate, to a draft or to a new dossier."""
    knowledge = current_knowledge()
    words = _asked_words(request)
    drafts = list(listed_dossiers().filter(state="draft")[:MOST_DRAFTS])
    choices = [(row.uid, row.title) for row in drafts]
    names = dict(words)
    shown = " ".join(
        part
        for part in (
            node_name(knowledge.catalogue, "framework", names.get("framework", "")),
            names.get("version", ""),
        )
        if part
    )
    data = request.POST if request.method == "POST" else None
    form = TakingForm(data, drafts=choices, initial={"name": shown})
    if data is not None and form.is_valid():
        try:
            uid = _take(request, form, words)
        except InvalidDossier as error:
            form.show_problems(error.facts["problems"])  # type: ignore[arg-type]
        except StaleEdition as error:
            form.add_error(None, in_words(str(error)))
        else:
            messages.success(request, _("The candidate is added."))
            return to_step(uid, "candidates")
    context = {
        "form": form,
        "words": [(name, node_name(knowledge.catalogue, name, value)) for name, value in words],
    }
    status = 422 if form.errors else 200
    return render(request, "matrix/dossiers/take.html", context, status=status)


@transaction.atomic
def _take(request: HttpRequest, form: TakingForm, words: list[tuple[str, str]]) -> str:
    """The uid of the draft that got the candidate."""
    actor = request.user.get_username()
    data = form.cleaned_data
    if data["dossier"]:
        draft = draft_of(data["dossier"])
    else:
        draft = open_dossier(title=data["title"], actor=actor)
    put_candidate(
        draft.uid, edition=draft.edition, actor=actor, name=data["name"],
        words=[list(pair) for pair in words],
    )  # fmt: skip
    return draft.uid
