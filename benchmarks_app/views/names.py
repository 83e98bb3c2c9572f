"""Triage of names in runs: what each means, or that it means no node."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from benchmarks_app.models import UnknownName
from benchmarks_app.pages.names import decided_rows, name_rows
from benchmarks_app.queries.uploads import decided_names, waiting_names
from benchmarks_app.services.deciding import decide_name
from matrix.domain.errors import AmbiguousName, InvalidValue
from matrix.domain.errors import UnknownName as NoSuchName
from matrix.index import current_knowledge
from matrix.pages.translated import in_words

NAMES_SHOWN = 30
DECIDED_SHOWN = 30
MEANS, NO_NODE = "means", "no-node"


@require_safe
def list_names(request: HttpRequest) -> HttpResponse:
    """Names that wait for a meaning, oldest first. **Queries**: 4."""
    return _show(request)


@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Says which node a name means, or that it means none; every run with it follows."""
    row = UnknownName.objects.filter(pk=pk).first()
    if row is None:
        raise Http404(_("No name has the number %(number)s.") % {"number": pk})
    no_node = request.POST.get("action") == NO_NODE
    word = "" if no_node else request.POST.get("slug", "").strip()[:160]
    if not no_node and not word:
        return _show(
            request, problem=_("Name the node that “%(name)s” means.") % {"name": row.name}
        )
    try:
        slug = "" if no_node else _slug_of(row.axis, word)
        decided = decide_name(
            row.axis, row.name, slug=slug, no_node=no_node, actor=request.user.get_username()
        )
    except (NoSuchName, AmbiguousName, InvalidValue) as error:
        return _show(request, problem=in_words(str(error)))
    done = ngettext("%(n)d run was changed.", "%(n)d runs were changed.", decided.runs_changed)
    messages.success(request, done % {"n": decided.runs_changed})
    return HttpResponseRedirect(reverse("benchmark-names"))


def _slug_of(axis: str, word: str) -> str:
    """The node that a curator names. **Raises**: ``UnknownName``, ``AmbiguousName``."""
    return current_knowledge().catalogue.vocabulary.table(axis).resolve(word)


def _show(request: HttpRequest, *, problem: str = "") -> HttpResponse:
    knowledge = current_knowledge()
    pages = Paginator(waiting_names(), NAMES_SHOWN)
    page = pages.get_page(request.GET.get("page", "1")[:6])
    context = {
        "page": page,
        "rows": name_rows(page, knowledge),
        "decided": decided_rows(decided_names()[:DECIDED_SHOWN], knowledge.catalogue),
        "problem": problem,
    }
    status = 422 if problem else 200
    return render(request, "benchmarks/uploading/names.html", context, status=status)
