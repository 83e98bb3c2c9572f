"""Prices of hardware: their page, the table to take along, and what people record and take back."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.phrases import Phrase
from matrix.entering.problems import BrokenEntries, Problem
from matrix.index import Knowledge, current_knowledge
from matrix.pages.asked import reader_for, words_of
from matrix.pages.prices import (
    EXAMPLE,
    PriceForm,
    PricePreview,
    TableForm,
    build_preview,
    build_prices_page,
    prices_csv,
    read_filter,
)
from matrix.pages.translated import in_words
from matrix.price_lines import read_price
from matrix.pricing import PriceConflict, import_prices, record_price, withdraw_price
from matrix.queries.access import has_right
from matrix.queries.prices import listed_prices, price_row
from matrix.views.answering import render_error, shorter_address

RIGHT = "write-prices"
RECORD, PREVIEW, IMPORT = "record", "preview", "import"


@require_http_methods(["GET", "HEAD", "POST"])
def show_prices(request: HttpRequest) -> HttpResponse:
    """The recorded prices; who may, records one or a table. **Queries**: 2 and the account's."""
    if request.method == "POST":
        return _post(request)
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    try:
        hardware, currency = read_filter(words_of(request.GET), knowledge)
    except RunproofError as error:
        return render_error(request, error)
    return _page(request, knowledge, hardware=hardware, currency=currency)


@require_safe
def export_prices_csv(request: HttpRequest) -> HttpResponse:
    """Standing prices in the columns that an import takes. **Queries**: 1."""
    try:
        hardware, currency = read_filter(words_of(request.GET), current_knowledge())
    except RunproofError as error:
        return render_error(request, error)
    rows = listed_prices(hardware=hardware, currency=currency, with_withdrawn=False)
    response = HttpResponse(prices_csv(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="hardware-prices.csv"'
    return response


@require_POST
def withdraw(request: HttpRequest, uid: str) -> HttpResponse:
    """Takes a price back; it stays on the page and counts no more."""
    if refused := _refused(request):
        return refused
    if price_row(uid) is None:
        raise Http404(_("No price has the identifier %(uid)s.") % {"uid": uid[:40]})
    try:
        withdraw_price(
            uid, actor=request.user.get_username(), reason=request.POST.get("reason", "")
        )
    except (InvalidValue, PriceConflict) as error:
        return render_error(request, error)
    messages.success(request, _("The price was withdrawn."))
    return HttpResponseRedirect(reverse("prices"))


def _refused(request: HttpRequest) -> HttpResponse | None:
    """Where a stranger is sent. **Raises**: ``PermissionDenied`` for an account without right."""
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("prices"))
    if not has_right(request.user, RIGHT):
        raise PermissionDenied
    return None


def _post(request: HttpRequest) -> HttpResponse:
    if refused := _refused(request):
        return refused
    action = request.POST.get("action", "")
    if action == RECORD:
        return _record(request)
    if action in (PREVIEW, IMPORT):
        return _import(request, dry_run=action == PREVIEW)
    error = InvalidValue(
        name="action", value=action[:40], accepted=Phrase("record, preview or import")
    )
    return render_error(request, error)


def _record(request: HttpRequest) -> HttpResponse:
    knowledge = current_knowledge()
    reader = reader_for(knowledge)
    form = PriceForm(request.POST)
    given = {name: request.POST.get(name, "") for name in form.fields}
    draft, problems = read_price(given, reader)
    if draft is None:
        form.show_problems(problems)
        return _page(request, knowledge, form=form, status=422)
    try:
        record_price(given, reader, actor=request.user.get_username())
    except PriceConflict as error:
        form.show_problems([Problem("", str(error))])
        return _page(request, knowledge, form=form, status=409)
    messages.success(request, _("The price is recorded."))
    return HttpResponseRedirect(reverse("prices"))


def _import(request: HttpRequest, *, dry_run: bool) -> HttpResponse:
    knowledge = current_knowledge()
    table = TableForm(request.POST)
    text = request.POST.get("table", "")
    try:
        summary = import_prices(
            text.encode("utf-8", "surrogatepass"),
            reader_for(knowledge),
            actor=request.user.get_username(),
            dry_run=dry_run,
        )
    except BrokenEntries as error:
        return _page(request, knowledge, table=table, problems=error.problems, status=422)
    if dry_run:
        preview = build_preview(knowledge, summary.new, summary.unchanged)
        return _page(request, knowledge, table=table, preview=preview)
    count = len(summary.recorded)
    said = ngettext("%(count)d price is recorded.", "%(count)d prices are recorded.", count)
    messages.success(request, said % {"count": count})
    return HttpResponseRedirect(reverse("prices"))


def _page(
    request: HttpRequest,
    knowledge: Knowledge,
    *,
    hardware: str = "",
    currency: str = "",
    form: PriceForm | None = None,
    table: TableForm | None = None,
    problems: list[Problem] | None = None,
    preview: PricePreview | None = None,
    status: int = 200,
) -> HttpResponse:
    may_write = request.user.is_authenticated and has_right(request.user, RIGHT)
    context = {
        "page": build_prices_page(knowledge, hardware=hardware, currency=currency),
        "may_write": may_write,
        "form": form or PriceForm(given={"device_count": "1"}),
        "table": table or TableForm(),
        "problems": [in_words(str(one)) for one in (problems or [])[:200]],
        "preview": preview,
        "example": EXAMPLE,
    }
    return render(request, "matrix/prices.html", context, status=status)
