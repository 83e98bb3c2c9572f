"""An upload: how it stands, what was understood, what its sender adds, publishes or discards."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Run, Upload
from benchmarks_app.pages.provenance_form import ProvenanceForm, fact_of_field
from benchmarks_app.pages.upload_form import show_problem
from benchmarks_app.pages.upload_page import RUNS_SHOWN, build_cards, build_files, build_head
from benchmarks_app.pages.upload_words import UPLOAD_SIGNS
from benchmarks_app.queries.uploads import (
    files_of,
    listed_uploads,
    may_change_upload,
    may_review,
    runs_for_preview,
    stored_file_of,
    upload_of,
)
from benchmarks_app.services.declaring import declare_facts
from benchmarks_app.services.importing import discard_drafts, runs_of_upload
from benchmarks_app.services.publishing import Published, publish_runs
from benchmarks_app.services.storing import stored_pieces
from matrix.domain.errors import InvalidValue
from matrix.index import current_knowledge
from matrix.pages.translated import in_words

UPLOADS_SHOWN = 50
ALL = "all"


@require_safe
def list_uploads(request: HttpRequest) -> HttpResponse:
    """Own uploads, for curators all of them, newest first. **Queries**: 4."""
    pages = Paginator(listed_uploads(request.user), UPLOADS_SHOWN)
    page = pages.get_page(request.GET.get("page", "1")[:6])
    for row in page:
        row.more_files = max(row.file_count - 1, 0)  # type: ignore[attr-defined]
    rows = [(row, UPLOAD_SIGNS[row.state]) for row in page]  # type: ignore[index]
    context = {"page": page, "rows": rows, "all": may_review(request.user)}
    return render(request, "benchmarks/uploading/list.html", context)


@require_safe
def show_upload(request: HttpRequest, uid: str) -> HttpResponse:
    """The upload with its preview. **Queries**: 9 to 14, whatever the number of runs."""
    upload = _upload(request, uid)
    return _show(request, upload)


@require_safe
def show_status(request: HttpRequest, uid: str) -> HttpResponse:
    """How far reading is, as a fragment that asks again until it is done. **Queries**: 4."""
    upload = _upload(request, uid)
    head = build_head(upload, files_count=upload.files.count())
    response = render(request, "benchmarks/uploading/_status.html", {"head": head})
    if not head.under_way:
        response["HX-Refresh"] = "true"
    return response


@require_POST
def declare(request: HttpRequest, uid: str) -> HttpResponse:
    """Adds what the sender states to one draft or to all of them."""
    upload = _own_upload(request, uid)
    chosen = request.POST.get("run", ALL)
    drafts = _drafts(request, runs_of_upload(upload), chosen)
    if not drafts:
        return _nothing(request, upload)
    form = ProvenanceForm(request.POST, request.FILES, runs=drafts)
    if form.is_valid():
        try:
            declare_facts(
                drafts,
                facts=form.stated(),
                pasted=form.cleaned_data["pasted"],
                not_captured=form.not_captured(),
                actor=request.user.get_username(),
            )
        except InvalidValue as error:
            named = str(error.facts.get("parameter", ""))
            error.facts["parameter"] = fact_of_field(named)
            show_problem(form, error, fields=form.fields)
    if form.errors:
        return _show(request, upload, form=form, chosen=chosen, status=422)
    done = ngettext("%(n)d draft was changed.", "%(n)d drafts were changed.", len(drafts))
    messages.success(request, done % {"n": len(drafts)})
    return HttpResponseRedirect(f"{reverse('benchmark-upload', args=[uid])}#runs")


@require_POST
def publish(request: HttpRequest, uid: str) -> HttpResponse:
    """Publishes one draft or all of them."""
    upload = _own_upload(request, uid)
    drafts = _drafts(request, runs_of_upload(upload), request.POST.get("run", ALL))
    if not drafts:
        return _nothing(request, upload)
    try:
        published = publish_runs(drafts, actor=request.user.get_username())
    except InvalidValue as error:
        # Another window published or discarded one of them since.
        messages.warning(request, in_words(error.message))
        return HttpResponseRedirect(reverse("benchmark-upload", args=[uid]))
    attached = sum(1 for one in published if one.claim_uid)
    done = ngettext("%(n)d run is published.", "%(n)d runs are published.", len(published))
    messages.success(request, f"{done % {'n': len(published)}} {_attached(attached, published)}")
    if len(published) == 1:
        return HttpResponseRedirect(reverse("benchmark-run", args=[published[0].run.uid]))
    return HttpResponseRedirect(reverse("benchmark-upload", args=[uid]))


def _attached(attached: int, published: Sequence[Published]) -> str:
    """How many runs speak for a cell."""
    if len(published) == 1:
        if attached:
            return _("It speaks for its cell of the matrix.")
        return _("It speaks for no cell of the matrix.")
    said = ngettext(
        "%(n)d of them speaks for a cell of the matrix.",
        "%(n)d of them speak for a cell of the matrix.",
        attached,
    )
    return said % {"n": attached}


@require_POST
def discard(request: HttpRequest, uid: str) -> HttpResponse:
    """Throws the drafts away; the bytes stay, so that the same files may be sent again."""
    upload = _own_upload(request, uid)
    number = discard_drafts(upload, actor=request.user.get_username())
    done = ngettext("%(n)d draft was discarded.", "%(n)d drafts were discarded.", number)
    messages.success(request, done % {"n": number})
    return HttpResponseRedirect(reverse("benchmark-upload", args=[uid]))


@require_safe
def download_raw(request: HttpRequest, uid: str, sha256: str) -> StreamingHttpResponse:
    """The bytes of a file as they came, to save and never to show. **Queries**: 2."""
    found = stored_file_of(uid, sha256[:64])
    if found is None:
        raise Http404(_("The upload has no such file."))
    file, _name = found
    # The sender's name of a file may say more than its digest, so the latter names the download.
    response = StreamingHttpResponse(
        _pieces(stored_pieces(file)), content_type="application/octet-stream"
    )
    response["Content-Disposition"] = f'attachment; filename="{file.sha256}.bin"'
    response["Content-Length"] = str(file.size_bytes)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _pieces(pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield from pieces


def _upload(request: HttpRequest, uid: str) -> Upload:
    upload = upload_of(request.user, uid)
    if upload is None:
        raise Http404(_("You have no upload with the identifier %(uid)s.") % {"uid": uid[:40]})
    return upload


def _own_upload(request: HttpRequest, uid: str) -> Upload:
    """The upload, if the user may change its drafts. **Raises**: ``PermissionDenied``."""
    upload = _upload(request, uid)
    if not may_change_upload(request.user, upload):
        raise PermissionDenied
    return upload


def _drafts(request: HttpRequest, runs: Sequence[Run], chosen: str = ALL) -> list[Run]:
    """The chosen draft, or all of them: those of other uploads only where they are the user's."""
    mine = [run for run in runs if run.state == RunState.DRAFT.value]
    if not may_review(request.user):
        name = request.user.get_username()
        mine = [run for run in mine if run.created_by == name]
    return mine if chosen == ALL else [run for run in mine if run.uid == chosen]


def _nothing(request: HttpRequest, upload: Upload) -> HttpResponse:
    messages.warning(request, _("The upload has no such draft any more."))
    return HttpResponseRedirect(reverse("benchmark-upload", args=[upload.uid]))


def _show(
    request: HttpRequest,
    upload: Upload,
    *,
    form: ProvenanceForm | None = None,
    chosen: str = "",
    status: int = 200,
) -> HttpResponse:
    files = files_of(upload)
    runs = runs_of_upload(upload)
    own = may_change_upload(request.user, upload)
    drafts = _drafts(request, runs) if own else []
    chosen = chosen or request.GET.get("run", ALL)
    asked = [run for run in drafts if chosen in (ALL, run.uid)] or drafts
    pages = Paginator(runs, RUNS_SHOWN)
    page = pages.get_page(request.GET.get("page", "1")[:6])
    shown: Sequence[Run] = runs_for_preview([run.uid for run in page])
    context: dict[str, Any] = {
        "head": build_head(upload, files_count=len(files)),
        "files": build_files(upload, files, with_bytes=may_review(request.user)),
        "cards": build_cards(upload, shown, current_knowledge().catalogue),
        "page": page,
        "run_count": len(runs),
        "draft_count": len(drafts),
        "own_draft_count": sum(run.upload_id == upload.pk for run in drafts),
        "is_own": own,
        "drafts": [(run.uid, run.number, run.label or run.uid) for run in drafts[:200]],
        "chosen": chosen if len(asked) < len(drafts) else ALL,
        "form": form or (ProvenanceForm(runs=asked) if drafts else None),
    }
    return render(request, "benchmarks/uploading/upload.html", context, status=status)
