"""A curator's own claim in place of what a page was read as."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from ingest.domain.review import ItemState
from ingest.models import ReviewItem
from ingest.pages.review_edit import prefilled_words, unsaid_scope, with_bytes
from ingest.services.reviewing import edit_item
from ingest.views.review import LONGEST_REASON, Refused, decide_or_refuse
from matrix.domain.claims import Claim
from matrix.entering.claims import ClaimReader
from matrix.entering.importing import PERSON_PARSER
from matrix.entering.problems import BrokenEntry
from matrix.index import Knowledge, current_knowledge
from matrix.pages.asked import today
from matrix.pages.entering import ClaimPreview, build_preview
from matrix.pages.entering_form import BY_LINK, TEST_FIELDS, ClaimForm
from matrix.views.answering import framework_choices

SAVE = "save"


@require_http_methods(["GET", "HEAD", "POST"])
def edit_as_claim(request: HttpRequest, pk: int) -> HttpResponse:
    """The claim form filled in from the item: shown, previewed, and recorded in its place."""
    item = get_object_or_404(ReviewItem, pk=pk)
    if item.state != ItemState.OPEN:
        messages.warning(request, _("This item was decided meanwhile."))
        return HttpResponseRedirect(reverse("review-item", args=[pk]))
    knowledge = current_knowledge()
    choices = framework_choices(knowledge)
    reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
    if request.method != "POST":
        form = ClaimForm(frameworks=choices, given=prefilled_words(item))
        return _show(request, item, form)
    data = request.POST.copy()
    data["evidence"] = BY_LINK
    form = ClaimForm(data, frameworks=choices)
    claim = _read(request, form, knowledge) if form.is_valid() else None
    if claim is None:
        return _show(request, item, form, reason=reason, status=422)
    claim = with_bytes(claim, item, today=today())
    preview = build_preview(knowledge, claim, as_of=today())
    if request.POST.get("action") != SAVE:
        return _show(request, item, form, preview=preview, reason=reason)
    actor, now = request.user.get_username(), timezone.now()
    made = decide_or_refuse(
        lambda: edit_item(pk, claim, actor=actor, now=now, reason=reason), [item]
    )
    if isinstance(made, Refused):
        return _show(
            request, item, form, preview=preview, reason=reason, problem=made, status=made.status
        )
    messages.success(request, _("Your claim is recorded; the finding stays refused."))
    return HttpResponseRedirect(reverse("review-item", args=[pk]))


def _read(request: HttpRequest, form: ClaimForm, knowledge: Knowledge) -> Claim | None:
    """The claim of a valid form; its problems are put beside the fields."""
    reader = ClaimReader(knowledge.catalogue, today=today())
    parser = f"{PERSON_PARSER}:{request.user.get_username()}"[:120]
    try:
        return reader.read(form.claim_line(), parser=parser)
    except BrokenEntry as error:
        form.show_problems(error.problems)
        return None


def _show(
    request: HttpRequest,
    item: ReviewItem,
    form: ClaimForm,
    *,
    preview: ClaimPreview | None = None,
    reason: str = "",
    problem: Refused | None = None,
    status: int = 200,
) -> HttpResponse:
    hidden = {"evidence", *TEST_FIELDS}
    parts = [
        (legend, [field for field in fields if field.name not in hidden])
        for legend, fields in form.parts()
    ]
    context = {
        "item": item,
        "form": form,
        "parts": [(legend, fields) for legend, fields in parts if fields],
        "preview": preview,
        "reason": reason,
        "problem": problem,
        "may_record": True,
        "unsaid": unsaid_scope(item, current_knowledge().catalogue),
        "longest_reason": LONGEST_REASON,
    }
    return render(request, "ingest/review_edit.html", context, status=status)
