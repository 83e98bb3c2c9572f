"""Dossiers for readers: the list, the meeting view, the exports and the feed."""

import hashlib
import json
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import condition, require_safe

from matrix.domain.errors import InvalidValue
from matrix.dossiers import dossier_export
from matrix.feeds.atom import ATOM_TYPE, render_atom
from matrix.feeds.dossiers import build_dossier_feed, feed_updated
from matrix.index import current_knowledge
from matrix.models import Dossier
from matrix.pages.asked import today
from matrix.pages.dossiers.around import WholeDossier, whole_dossier
from matrix.pages.dossiers.listing import (
    PAGE_SIZE,
    STATES,
    dossier_lines,
    due_queue,
    listed,
)
from matrix.pages.dossiers.markdown import dossier_markdown
from matrix.pages.dossiers.score_csv import score_csv
from matrix.pages.dossiers.standalone import standalone_page
from matrix.pages.dossiers.words_forms import CommentForm, RecheckForm, SignOffForm
from matrix.queries.access import has_right
from matrix.queries.dossiers import dossier_of, dossiers_stamp
from matrix.views.answering import render_error

WRITE, FREEZE = "write-dossiers", "freeze-dossiers"
EXPORTS = ("html", "markdown", "csv", "json")


@require_safe
@never_cache
def list_dossiers(request: HttpRequest) -> HttpResponse:
    """All dossiers with what is due on top. **Queries**: 12 at most, however many there are."""
    state = request.GET.get("state", "")
    everything = request.GET.get("all") == "1"
    pages = Paginator(listed(state=state, everything=everything), PAGE_SIZE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "lines": dossier_lines(page.object_list, today=today()),
        "pages": page,
        "queue": due_queue(today()),
        "state": state if state in STATES else "",
        "everything": everything,
        "may_write": may(request, WRITE),
    }
    return render(request, "matrix/dossiers/list.html", context)


@require_safe
@never_cache
def show_dossier(request: HttpRequest, uid: str) -> HttpResponse:
    """The meeting view. **Queries**: the same however much was said of the dossier."""
    return render_dossier(request, uid)


def render_dossier(
    request: HttpRequest, uid: str, *, status: int = 200, **forms: Any
) -> HttpResponse:
    """The page of a dossier; ``forms`` are those that need another look."""
    dossier = found_dossier(uid)
    try:
        whole = whole_dossier(dossier, current_knowledge(), today=today())
    except InvalidValue as error:
        return render_error(request, error)
    signing = {"content_sha256": dossier.content_sha256, "person": _name_of(request)}
    context = whole.context(
        base="",
        here=request.build_absolute_uri("/").rstrip("/"),
        may_write=may(request, WRITE),
        may_freeze=may(request, FREEZE),
        comment_form=forms.get("comment_form") or CommentForm(prefix="comment"),
        sign_off_form=forms.get("sign_off_form") or SignOffForm(prefix="sign", initial=signing),
        recheck_form=forms.get("recheck_form") or RecheckForm(prefix="recheck"),
        bad_form=next((form for form in forms.values() if form), None),
    )
    return render(request, "matrix/dossiers/detail.html", context, status=status)


def found_dossier(uid: str) -> Dossier:
    """The dossier of an address. **Raises**: ``Http404``."""
    dossier = dossier_of(uid)
    if dossier is None:
        raise Http404(_("No dossier has the identifier %(uid)s.") % {"uid": uid[:40]})
    return dossier


def may(request: HttpRequest, right: str) -> bool:
    """Whether who asks is signed in and has the right."""
    return bool(request.user.is_authenticated and has_right(request.user, right))


def _name_of(request: HttpRequest) -> str:
    if not request.user.is_authenticated:
        return ""
    return request.user.get_full_name() or request.user.get_username()


@require_safe
@never_cache
def export_dossier(request: HttpRequest, uid: str, kind: str) -> HttpResponse:
    """The dossier as one HTML file, Markdown, CSV of its scorecard, or verifiable JSON."""
    if kind not in EXPORTS:
        raise Http404(_("There is no export %(kind)s.") % {"kind": kind[:20]})
    dossier = found_dossier(uid)
    if kind == "json" and dossier.state != "frozen":
        raise Http404(_("A draft has no content that could be verified; freeze it first."))
    try:
        text, media_type, ending = _exported(request, dossier, kind)
    except InvalidValue as error:
        return render_error(request, error)
    response = HttpResponse(text, content_type=f"{media_type}; charset=utf-8")
    name = f"runproof-dossier-{dossier.uid}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _exported(request: HttpRequest, dossier: Dossier, kind: str) -> tuple[str, str, str]:
    """The text, its media type, and the ending of its file's name."""
    if kind == "json":
        text = json.dumps(dossier_export(dossier), ensure_ascii=False, indent=1, sort_keys=True)
        return text, "application/json", "json"
    whole = whole_dossier(dossier, current_knowledge(), today=today())
    if kind == "csv":
        # Spreadsheets take UTF-8 for granted only behind this mark.
        return f"\ufeff{score_csv(whole.page)}", "text/csv", "csv"
    base = request.build_absolute_uri("/").rstrip("/")
    address = request.build_absolute_uri(whole.path)
    if kind == "markdown":
        text = dossier_markdown(whole, base=base, address=address, made_on=today())
        return text, "text/markdown", "md"
    return _standalone(whole, base=base), "text/html", "html"


def _standalone(whole: WholeDossier, *, base: str) -> str:
    context = whole.context(base=base, here=base, made_on=today())
    return standalone_page(
        title=whole.page.title,
        body=render_to_string("matrix/dossiers/export_body.html", context),
        language=get_language() or settings.LANGUAGE_CODE,
    )


def _feed_tag(request: HttpRequest) -> str:
    """Everything that the feed depends on. **Queries**: 1."""
    parts = [
        request.build_absolute_uri(),
        get_language() or "",
        today().isoformat(),
        *map(str, dossiers_stamp()),
    ]
    return f'"{hashlib.sha256(chr(31).join(parts).encode()).hexdigest()[:32]}"'


@require_safe
@condition(etag_func=_feed_tag)
def show_dossier_feed(request: HttpRequest) -> HttpResponse:
    """What was frozen, what a re-check found, what is due. **Queries**: constant."""
    feed = build_dossier_feed(today=today())
    text = render_atom(
        feed,
        base=request.build_absolute_uri("/").rstrip("/"),
        language=get_language() or "en",
        updated=feed_updated(today()),
    )
    response = HttpResponse(text, content_type=ATOM_TYPE)
    response["Cache-Control"] = "no-cache"
    response["X-Content-Type-Options"] = "nosniff"
    patch_vary_headers(response, ("Accept-Language", "Cookie"))
    return response
