"""The review queue over REST: listed, looked at and decided by curators."""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from ingest.api import schemas
from ingest.api.permissions import MayReview
from ingest.filters import ReviewFilters
from ingest.models import ReviewItem
from ingest.queries_review import QUEUE_ORDER, audit_trail, item_plain, queue_stamp
from ingest.services.deciding import IGNORED, NODE_NEEDED, accept_queue, reopen_item
from ingest.services.deciding import set_words_aside as set_aside
from ingest.services.reviewing import Decision, reject_items
from ingest.services.words import map_word
from matrix.api.base import Endpoint
from matrix.api.body_problems import invalid_member
from matrix.api.errors import ConflictError, MalformedJSON, NoSuchThing
from matrix.api.renderers import json_bytes
from matrix.api.schemas import ConflictProblem, InvalidClaimProblem, table_schema
from matrix.api.tables import TableEndpoint, checked_name
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge, current_knowledge


class ReviewItemList(TableEndpoint):
    """Review items, newest first."""

    permission_classes = [MayReview]
    filterset_class = ReviewFilters
    page_ordering = QUEUE_ORDER
    checks = {"framework": checked_name("framework")}

    def get_queryset(self) -> Any:
        """All items, decided ones included."""
        return ReviewItem.objects.defer("old", "new", "locator")

    @table_schema("review_items_list", schemas.ReviewItem)
    def get(self, request: Request) -> HttpResponse:
        """A page of items without their two sides."""

        def build(knowledge: Knowledge, rows: Sequence[ReviewItem]) -> list[Any]:
            return [item_plain(row) for row in rows]

        return self.table_answer(request, build)

    def answer(
        self,
        request: Request,
        build: Callable[[], Any],
        *,
        depends_on: Sequence[object],
        content_type: str = "application/json",
    ) -> HttpResponse:
        """The answer, which depends on the queue as well, and is for its reader alone."""
        response = super().answer(
            request, build, depends_on=[*depends_on, queue_stamp()], content_type=content_type
        )
        return _private(response)


class ReviewItemOne(Endpoint):
    """One item with both sides and its history."""

    permission_classes = [MayReview]

    @extend_schema(operation_id="review_items_retrieve", responses=schemas.ReviewItemDetail)
    def get(self, request: Request, pk: int) -> HttpResponse:
        """The item."""
        item = find_item(pk)
        history = audit_trail(pk)
        stamp = [item.pk, item.state, item.decided_at, len(history)]
        return _private(self.answer(request, lambda: _detail_plain(item), depends_on=stamp))


class ReviewItemDecide(Endpoint):
    """A decision on one item."""

    permission_classes = [MayReview]

    @extend_schema(
        operation_id="review_items_decide",
        request=schemas.DecisionInput,
        responses={200: schemas.DecisionAnswer, 409: ConflictProblem, 422: InvalidClaimProblem},
        examples=schemas.DECISION_EXAMPLES,
    )
    def post(self, request: Request, pk: int) -> HttpResponse:
        """Accepts, rejects, maps, sets aside or opens again; 409 when it was decided meanwhile."""
        body: Any = request.data
        form = schemas.DecisionInput(data=body)
        if not isinstance(body, dict):
            raise MalformedJSON(Phrase("it is not an object"))
        if not form.is_valid():
            raise invalid_member(
                form.errors,
                body,
                accepted=Phrase(
                    "decision ({names}), reason and slug", names=", ".join(schemas.DECISIONS)
                ),
            )
        find_item(pk)
        given = form.validated_data
        actor = request.user.get_username()
        try:
            made = _decide(
                pk, given["decision"], actor=actor, reason=given["reason"], slug=given["slug"]
            )
        except InvalidValue as error:
            raise _conflict(error) from error
        return _answer(pk, made)


def _decide(pk: int, decision: str, *, actor: str, reason: str, slug: str) -> Decision:
    now = timezone.now()
    if decision == "accept":
        return accept_queue([pk], actor=actor, now=now, reason=reason)
    if decision == "reject":
        return reject_items([pk], actor=actor, now=now, reason=reason)
    if decision == "map":
        return map_word(pk, slug, actor=actor, now=now, reason=reason)
    if decision == "reopen":
        return reopen_item(pk, actor=actor, now=now, reason=reason)
    outcome = IGNORED if decision == "ignore" else NODE_NEEDED
    return set_aside([pk], outcome, actor=actor, now=now, reason=reason)


def _conflict(error: InvalidValue) -> Exception:
    """Services report the state of an item as a value of ``items`` or ``item``: a conflict."""
    state = error.facts.get("parameter") in ("items", "item")
    return ConflictError(str(error)) if state else error


def find_item(pk: int) -> ReviewItem:
    """The item. **Raises**: ``NoSuchThing``."""
    item = ReviewItem.objects.filter(pk=pk).first()
    if item is None:
        raise NoSuchThing(what=Phrase("review item"), value=str(pk)[:40])
    return item


def _detail_plain(item: ReviewItem) -> dict[str, Any]:
    return {
        **item_plain(item),
        "old": item.old,
        "new": item.new,
        "locator": item.locator,
        "history": [
            {
                "at": entry.at.isoformat().replace("+00:00", "Z"),
                "actor": entry.actor,
                "action": entry.action,
                "before": entry.before,
                "after": entry.after,
            }
            for entry in audit_trail(item.pk)
        ],
    }


def _answer(pk: int, made: Decision) -> HttpResponse:
    summary = made.settlement.summary
    plain = {
        "revision": current_knowledge().revision,
        "decided": made.decided,
        "opened": made.settlement.opened,
        "claims": {
            "new": summary.new,
            "confirmed": summary.confirmed,
            "changed": summary.changed,
            "gone": summary.gone,
        },
        "item": _detail_plain(find_item(pk)),
    }
    response = HttpResponse(json_bytes(plain), content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response


def _private(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "private, no-cache"
    return response
