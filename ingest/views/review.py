"""The review queue: the list, one item, and decisions on one or many of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from ingest.domain.review import ItemState
from ingest.models import ReviewItem
from ingest.pages.review_item import build_item_page
from ingest.pages.review_list import (
    SIZES,
    QueueQuestion,
    build_queue_list,
    item_address,
    queue_rows,
    read_queue_question,
)
from ingest.pages.review_words import item_title, state_word
from ingest.queries_review import next_open
from ingest.services.deciding import accept_queue, reopen_item
from ingest.services.reviewing import Decision, reject_items
from matrix.domain.errors import RunproofError
from matrix.index import current_knowledge
from matrix.pages.links import with_query
from matrix.pages.translated import in_words
from matrix.views.answering import render_error, shorter_address

ACCEPT, REJECT, REOPEN = "accept", "reject", "reopen"
MOST_AT_ONCE = 200
LONGEST_REASON = 2_000


@require_safe
def list_items(request: HttpRequest) -> HttpResponse:
    """The queue under the filters of the address. **Queries**: 5 or 6."""
    if shorter := shorter_address(request):
        return shorter
    try:
        question = read_queue_question(request.GET.dict())
        page = build_queue_list(question, now=timezone.now())
    except RunproofError as error:
        return render_error(request, error)
    context = {"page": page, "question": question, "sizes": SIZES}
    return render(request, "ingest/review_list.html", context)


@require_safe
def show_item(request: HttpRequest, pk: int) -> HttpResponse:
    """One item with both sides. **Queries**: 9 to 11."""
    return _show(request, _item(pk))


def _show(
    request: HttpRequest,
    item: ReviewItem,
    *,
    problem: "Refused | None" = None,
    reason: str = "",
) -> HttpResponse:
    question = _question(request)
    following = next_open(question.rows(without=("state",)), item.pk)
    query = with_query("", question.pairs())
    context = {
        "page": build_item_page(item, current_knowledge().catalogue),
        "query": query,
        "next_url": reverse("review-item", args=[following]) + query if following else "",
        "problem": problem,
        "reason": reason,
        "longest_reason": LONGEST_REASON,
    }
    status = problem.status if problem else 200
    return render(request, "ingest/review_item.html", context, status=status)


def _question(request: HttpRequest) -> QueueQuestion:
    """The queue that the reader came from; a broken address means the whole queue."""
    try:
        question = read_queue_question(request.GET.dict())
        question.rows()
    except RunproofError:
        return read_queue_question({})
    return question


def _item(pk: int) -> ReviewItem:
    item = ReviewItem.objects.filter(pk=pk).first()
    if item is None:
        raise Http404(_("No review item has the number %(number)s.") % {"number": pk})
    return item


@dataclass(frozen=True, slots=True)
class Refused:
    """A decision that was not made: HTTP status, title, and what was wrong."""

    status: int
    title: str
    lines: Sequence[str]


def decide_or_refuse(
    decide: Callable[[], Decision], items: Sequence[ReviewItem]
) -> Decision | Refused:
    """The decision, or why it was not made; nothing is written then."""
    try:
        return decide()
    except RunproofError as error:
        parameter = error.facts.get("parameter")
        if parameter in ("items", "item"):
            fresh = ReviewItem.objects.filter(pk__in=[item.pk for item in items])
            lines = [_already(item) for item in fresh if item.state != ItemState.OPEN]
            return Refused(409, _("Decided meanwhile"), lines or [in_words(str(error))])
        if parameter == "reason":
            return Refused(422, _("A reason is needed"), [_("Say in a sentence why.")])
        problems = error.facts.get("problems")
        lines = (
            [in_words(str(p)) for p in problems]
            if isinstance(problems, list)
            else [in_words(str(error))]
        )
        return Refused(422, _("This cannot be recorded"), lines)


def _already(item: ReviewItem) -> str:
    words = {
        "title": item_title(item),
        "state": state_word(item.state),
        "who": item.decided_by or _("the pipeline"),
        "at": f"{item.decided_at:%Y-%m-%d %H:%M} UTC" if item.decided_at else "–",
        "reason": item.reason or "–",
    }
    return _("%(title)s: %(state)s by %(who)s on %(at)s (reason: %(reason)s).") % words


@require_POST
def decide_item(request: HttpRequest, pk: int) -> HttpResponse:
    """Accepts, rejects or opens again; then shows the next item of the queue."""
    item = _item(pk)
    action, reason = request.POST.get("action", ""), request.POST.get("reason", "")
    made = _decide(request, [item], action, reason)
    if isinstance(made, Refused):
        return _show(request, _item(pk), problem=made, reason=reason)
    messages.success(request, decision_sentence(action, made))
    question = _question(request)
    following = next_open(question.rows(without=("state",)), pk)
    query = with_query("", question.pairs())
    if action == REOPEN or following is None:
        target = reverse("review-item", args=[pk]) if action == REOPEN else reverse("review")
    else:
        target = item_address(_item(following), "").split("?")[0]
    return HttpResponseRedirect(target + query)


def _decide(
    request: HttpRequest, items: Sequence[ReviewItem], action: str, reason: str
) -> Decision | Refused:
    ids = [item.pk for item in items]
    actor, now = request.user.get_username(), timezone.now()
    reason = reason.strip()[:LONGEST_REASON]
    if action == ACCEPT:
        return decide_or_refuse(
            lambda: accept_queue(ids, actor=actor, now=now, reason=reason), items
        )
    if action == REJECT:
        return decide_or_refuse(
            lambda: reject_items(ids, actor=actor, now=now, reason=reason), items
        )
    if action == REOPEN and len(ids) == 1:
        return decide_or_refuse(
            lambda: reopen_item(ids[0], actor=actor, now=now, reason=reason), items
        )
    return Refused(400, _("Nothing was chosen to do"), [_("Accepted: accept or reject.")])


def decision_sentence(action: str, decision: Decision) -> str:
    """What a decision did, in a sentence."""
    n = decision.decided
    sentences = {
        ACCEPT: ngettext("%(n)d item was accepted.", "%(n)d items were accepted.", n),
        REJECT: ngettext("%(n)d item was rejected.", "%(n)d items were rejected.", n),
        REOPEN: ngettext("%(n)d item is open again.", "%(n)d items are open again.", n),
    }
    text = sentences.get(action, sentences[ACCEPT]) % {"n": n}
    summary, opened = decision.settlement.summary, decision.settlement.opened
    if summary.new or summary.changed or summary.gone or summary.confirmed:
        text += " " + _(
            "Claims: %(new)d new, %(changed)d changed, %(gone)d ended, %(confirmed)d confirmed."
        ) % {"new": summary.new, "changed": summary.changed, "gone": summary.gone,
             "confirmed": summary.confirmed}  # fmt: skip
    if opened:
        text += " " + ngettext(
            "%(n)d new item was opened.", "%(n)d new items were opened.", opened
        ) % {"n": opened}
    return text


@require_POST
def decide_many(request: HttpRequest) -> HttpResponse:
    """Decides on the chosen items: first shows what that means, then does it."""
    question = _question(request)
    action, reason = request.POST.get("action", ""), request.POST.get("reason", "")
    items, problem = _chosen(request)
    if problem is None and request.POST.get("confirmed") == "1":
        made = _decide(request, items, action, reason)
        if not isinstance(made, Refused):
            messages.success(request, decision_sentence(action, made))
            return HttpResponseRedirect(with_query(reverse("review"), question.pairs()))
        problem = made
        # Those that still wait can be decided at once, without choosing them anew.
        items = list(ReviewItem.objects.filter(pk__in=[item.pk for item in items]))
        items = [item for item in items if item.state == ItemState.OPEN]
    if problem is None and action == REJECT and not reason.strip():
        problem = Refused(422, _("A reason is needed"), [_("Say in a sentence why.")])
    if problem is None and action not in (ACCEPT, REJECT):
        problem = Refused(400, _("Nothing was chosen to do"), [_("Accepted: accept or reject.")])
    context = {
        "rows": queue_rows(items, now=timezone.now()),
        "action": action,
        "reason": reason,
        "problem": problem,
        "query": with_query("", question.pairs()),
        "longest_reason": LONGEST_REASON,
    }
    status = problem.status if problem else 200
    return render(request, "ingest/review_confirm.html", context, status=status)


def _chosen(request: HttpRequest) -> tuple[list[ReviewItem], Refused | None]:
    """The items whose boxes were ticked, open ones only."""
    words = [word for word in request.POST.getlist("item") if word.isascii() and word.isdigit()]
    ids = {int(word) for word in words if len(word) <= 15}
    if not ids:
        return [], Refused(422, _("No item is chosen"), [_("Tick the items that you mean.")])
    if len(ids) > MOST_AT_ONCE:
        lines = [_("%(n)d items are chosen; accepted: up to %(most)d at once.")
                 % {"n": len(ids), "most": MOST_AT_ONCE}]  # fmt: skip
        return [], Refused(422, _("Too many items"), lines)
    found = list(ReviewItem.objects.filter(pk__in=ids).order_by("-pk"))
    decided = [item for item in found if item.state != ItemState.OPEN]
    waiting = [item for item in found if item.state == ItemState.OPEN]
    if decided:
        lines = [_already(item) for item in decided]
        return waiting, Refused(409, _("Decided meanwhile"), lines)
    return waiting, None
