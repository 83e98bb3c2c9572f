"""Triage of unknown words: the list, the effect of a name, and the answers."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.pages.review_triage import build_triage, build_word_page
from ingest.pages.review_words import SET_ASIDE_WORDS
from ingest.queries_review import items_of_word
from ingest.services.deciding import SET_ASIDE, set_words_aside
from ingest.services.reviewing import Decision
from ingest.services.words import map_word
from ingest.views.review import LONGEST_REASON, Refused, decide_or_refuse, decision_sentence
from matrix.domain.errors import RunproofError
from matrix.index import current_knowledge
from matrix.views.answering import render_error, shorter_address

MAP = "map"


@require_safe
def list_words(request: HttpRequest) -> HttpResponse:
    """Words that nothing maps, those at most places first. **Queries**: 6."""
    if shorter := shorter_address(request):
        return shorter
    text = request.GET.get("page", "1")
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else 1
    page = build_triage(current_knowledge(), request.GET.get("axis", "")[:60], max(1, number))
    return render(request, "ingest/review_words.html", {"page": page})


@require_safe
def show_word(request: HttpRequest, pk: int) -> HttpResponse:
    """One word, its places, its nearest names, and what a chosen name would change."""
    item = _word(pk)
    if item.state != ItemState.OPEN:
        return HttpResponseRedirect(reverse("review-item", args=[pk]))
    return _show(request, item, slug=request.GET.get("to", "").strip()[:160])


def _show(
    request: HttpRequest,
    item: ReviewItem,
    *,
    slug: str = "",
    problem: Refused | None = None,
    reason: str = "",
) -> HttpResponse:
    try:
        page = build_word_page(item, slug, current_knowledge())
    except RunproofError as error:
        return render_error(request, error)
    context = {
        "page": page, "problem": problem, "reason": reason, "longest_reason": LONGEST_REASON,
    }  # fmt: skip
    status = problem.status if problem else 200
    return render(request, "ingest/review_word.html", context, status=status)


def _word(pk: int) -> ReviewItem:
    item = ReviewItem.objects.filter(pk=pk, kind=ItemKind.UNKNOWN_WORD).first()
    if item is None:
        raise Http404(_("No unknown word has the number %(number)s.") % {"number": pk})
    return item


@require_POST
def decide_word(request: HttpRequest, pk: int) -> HttpResponse:
    """Maps the word to a node, or sets it aside with a reason."""
    item = _word(pk)
    action, slug = request.POST.get("action", ""), request.POST.get("to", "")
    reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
    actor, now = request.user.get_username(), timezone.now()
    if action == MAP:
        made = decide_or_refuse(
            lambda: map_word(pk, slug, actor=actor, now=now, reason=reason), [item]
        )
        done = _("“%(word)s” is a name of %(slug)s now.") % {"word": item.statement, "slug": slug}
    elif action in SET_ASIDE:
        ids = _ids_of(request, item)
        made = decide_or_refuse(
            lambda: set_words_aside(ids, action, actor=actor, now=now, reason=reason), [item]
        )
        done = _("“%(word)s”: %(answer)s.") % {
            "word": item.statement,
            "answer": SET_ASIDE_WORDS[action],
        }
    else:
        made = Refused(400, _("Nothing was chosen to do"), [_("Accepted: a name or an answer.")])
        done = ""
    if isinstance(made, Refused):
        if _word(pk).state != ItemState.OPEN:
            messages.warning(request, f"{made.title}: {' '.join(made.lines)}")
            return HttpResponseRedirect(reverse("review-item", args=[pk]))
        return _show(request, item, slug=slug, problem=made, reason=reason)
    messages.success(request, f"{done} {_done_sentence(action, made)}")
    return HttpResponseRedirect(reverse("review-words"))


def _ids_of(request: HttpRequest, item: ReviewItem) -> list[int]:
    """The items of the sources that were ticked, all of them for the word everywhere."""
    wanted = set(request.POST.getlist("source"))
    return [i.pk for i in items_of_word(item.code, item.statement) if i.source in wanted]


def _done_sentence(action: str, decision: Decision) -> str:
    if action != MAP:
        return ngettext(
            "%(n)d source was answered.", "%(n)d sources were answered.", decision.decided
        ) % {"n": decision.decided}
    return decision_sentence("accept", decision)
