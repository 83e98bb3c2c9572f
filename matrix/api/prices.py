"""Prices of hardware: listed, recorded alone or as a table, and taken back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request

from matrix.api.base import Endpoint, question_reader
from matrix.api.claim_input import flat_problems
from matrix.api.errors import MalformedJSON, NoSuchThing
from matrix.api.parsers import CSVBytes
from matrix.api.permissions import MayWritePrices
from matrix.api.renderers import json_bytes
from matrix.api.schemas import InvalidImportProblem, table_schema
from matrix.api.schemas import prices as schemas
from matrix.api.schemas.claims import ConflictProblem
from matrix.api.tables import TableEndpoint, checked_day, checked_name
from matrix.asking import QuestionReader
from matrix.domain.catalogue import Catalogue
from matrix.domain.currencies import CURRENCIES
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.filters import PriceFilters
from matrix.index import Knowledge, current_knowledge
from matrix.models import HardwarePrice
from matrix.pricing import InvalidPrice, PriceImport, import_prices, record_price, withdraw_price
from matrix.queries.prices import amount_text, price_plain, price_row, prices_stamp


def checked_currency(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
    """The code as it is recorded. **Raises**: ``InvalidValue`` for what is no currency."""
    code = value.upper()
    if code not in CURRENCIES:
        raise InvalidValue(
            name="currency",
            value=value[:60],
            accepted=Phrase("a code of ISO 4217 such as USD, EUR or CNY"),
        )
    return code


class HardwarePriceList(TableEndpoint):
    """Recorded prices, withdrawn ones included; whoever may write prices records a new one."""

    permission_classes = [MayWritePrices]
    filterset_class = PriceFilters
    page_ordering = ("hardware", "-effective_on", "-id")
    checks = {
        "hardware": checked_name("hardware"),
        "on": checked_day("on"),
        "currency": checked_currency,
    }

    def get_queryset(self) -> Any:
        """All prices."""
        return HardwarePrice.objects.all()

    @table_schema("hardware_prices_list", schemas.HardwarePrice)
    def get(self, request: Request) -> HttpResponse:
        """A page of prices, by hardware and newest first."""

        def build(knowledge: Knowledge, rows: Sequence[HardwarePrice]) -> list[Any]:
            return [price_plain(row) for row in rows]

        return self.table_answer(request, build)

    def answer(
        self,
        request: Request,
        build: Callable[[], Any],
        *,
        depends_on: Sequence[object],
        content_type: str = "application/json",
    ) -> HttpResponse:
        """The answer, which depends on the prices as well as on the knowledge."""
        return super().answer(
            request, build, depends_on=[*depends_on, *prices_stamp()], content_type=content_type
        )

    @extend_schema(
        operation_id="hardware_prices_record",
        request=schemas.HardwarePriceInput,
        responses={201: schemas.HardwarePrice, 409: ConflictProblem,
                   422: schemas.InvalidPriceProblem},
        examples=schemas.PRICE_EXAMPLES,
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        """Records one price."""
        if not isinstance(request.data, Mapping):
            raise MalformedJSON(Phrase("it is not an object"))
        reader = question_reader(current_knowledge())
        row = record_price(request.data, reader, actor=request.user.get_username())
        return _written(row, status=201)


class HardwarePriceOne(Endpoint):
    """One recorded price."""

    @extend_schema(operation_id="hardware_prices_retrieve", responses=schemas.HardwarePrice)
    def get(self, request: Request, uid: str) -> HttpResponse:
        """The price, and whether it was taken back. **Queries**: 1."""
        row = find_price_row(uid)
        return self.answer(request, lambda: price_plain(row), depends_on=[uid, row.withdrawn_at])


class HardwarePriceWithdraw(Endpoint):
    """Takes a price back."""

    permission_classes = [MayWritePrices]

    @extend_schema(
        operation_id="hardware_prices_withdraw",
        request=schemas.PriceWithdrawal,
        responses={200: schemas.HardwarePrice, 409: ConflictProblem,
                   422: schemas.InvalidPriceProblem},
    )  # fmt: skip
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Marks the price as withdrawn; it stays readable and counts no more."""
        form = schemas.PriceWithdrawal(data=request.data)
        if not isinstance(request.data, Mapping):
            raise MalformedJSON(Phrase("it is not an object"))
        if not form.is_valid():
            raise InvalidPrice(problems=list(flat_problems(form.errors))[:50])
        find_price_row(uid)
        actor = request.user.get_username()
        row = withdraw_price(uid, actor=actor, reason=form.validated_data["reason"])
        return _written(row, status=200)


class HardwarePriceImports(Endpoint):
    """Records a table of prices, all of them or none."""

    permission_classes = [MayWritePrices]
    parser_classes = [CSVBytes]
    accepted_with_body = ("dry_run",)

    @extend_schema(
        operation_id="hardware_price_imports_create",
        request={CSVBytes.media_type: OpenApiTypes.STR},
        parameters=schemas.IMPORT_PARAMETERS,
        responses={200: schemas.PriceImportAnswer, 201: schemas.PriceImportAnswer,
                   422: InvalidImportProblem},
        examples=schemas.IMPORT_EXAMPLES,
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        """Records the lines of the body; with ``dry_run=1`` says only what it would do."""
        flag = request.query_params.get("dry_run", "")
        if flag not in ("", "0", "1", "true", "false"):
            raise InvalidValue(name="dry_run", value=flag, accepted=Phrase("1 or 0"))
        named = (request.content_type or "").partition(";")[0].strip().lower()
        if named != CSVBytes.media_type:
            raise UnsupportedMediaType(request.content_type or "")
        body: Any = request.data
        summary = import_prices(
            body[1] if body else b"",
            question_reader(current_knowledge()),
            actor=request.user.get_username(),
            dry_run=flag in ("1", "true"),
            name="The body",
        )
        return _imported(summary, dry_run=flag in ("1", "true"))


def find_price_row(uid: str) -> HardwarePrice:
    """The recorded price. **Raises**: ``NoSuchThing``."""
    row = price_row(uid)
    if row is None:
        raise NoSuchThing(what=Phrase("price"), value=uid)
    return row


def _written(row: HardwarePrice, *, status: int) -> HttpResponse:
    response = HttpResponse(
        json_bytes(price_plain(row)), content_type="application/json", status=status
    )
    response["Cache-Control"] = "no-store"
    if status == 201:
        response["Location"] = reverse("api-hardware-price", args=[row.uid])
    return response


def _imported(summary: PriceImport, *, dry_run: bool) -> HttpResponse:
    recorded: list[str | None] = [row.uid for row in summary.recorded]
    uids = recorded or [None] * len(summary.new)
    plain = {
        "dry_run": dry_run,
        "lines": summary.lines,
        "new": [
            {
                "line": draft.line,
                "uid": uid,
                "hardware": draft.hardware,
                "amount_per_hour": amount_text(draft.amount_per_hour),
                "currency": draft.currency,
                "effective_on": draft.effective_on.isoformat(),
            }
            for draft, uid in zip(summary.new, uids, strict=True)
        ],
        "unchanged": [draft.line for draft in summary.unchanged],
    }
    response = HttpResponse(
        json_bytes(plain),
        content_type="application/json",
        status=201 if summary.recorded else 200,
    )
    response["Cache-Control"] = "no-store"
    return response
