"""The upload form: result files in, over a form with or without JavaScript."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks_app import importers
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.facts import FACTS, OPEN_PREFIXES
from benchmarks_app.pages.declared import tool_names
from benchmarks_app.pages.upload_form import CHOOSE_WORDS, UploadForm, show_problem
from benchmarks_app.queries.uploads import UPLOAD_RIGHT, may_review
from benchmarks_app.services.handing import hand_over
from benchmarks_app.services.receiving import (
    Received,
    TooLarge,
    receive_upload,
    upload_limit_bytes,
)
from matrix.domain.errors import InvalidValue, RunproofError
from matrix.pages.translated import in_words
from matrix.queries.access import RIGHTS_OF_ROLE, has_right

# Boundaries, names and the other fields of the form around its files.
FORM_OVERHEAD_BYTES = 4 * 2**20
# The last field of the form: where it is missing, the body was cut off.
END_FIELD = "complete"
_STATUS = {"too-large": 413, "unsupported-archive": 415, "cut-off": 400}


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """The form, and what it sends. A body that is too large is refused before it is read.

    The check against forgery reads the body, so it stands behind that of the length.
    """
    limit = upload_limit_bytes()
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    size = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0
    if request.method == "POST" and size > limit + FORM_OVERHEAD_BYTES:
        error = TooLarge(what=_("The upload"), place="", size_bytes=size, limit_bytes=limit)
        return _refuse(request, UploadForm(), error, status=413)
    return _upload(request)


@require_safe
def show_json_schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of our own documented form of results."""
    path = Path(importers.__file__).with_name("runproof_schema.json")
    return HttpResponse(path.read_bytes(), content_type="application/schema+json")


@csrf_protect
def _upload(request: HttpRequest) -> HttpResponse:
    user = request.user
    if not user.is_authenticated or not has_right(user, UPLOAD_RIGHT):
        return _explain(request)
    if request.method != "POST":
        return _show(request, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if END_FIELD not in request.POST:
        error = ResultError(
            code="cut-off", what=_("The upload broke off; nothing of it was kept"),
            accepted=_("all bytes of the files, sent again"),
        )  # fmt: skip
        return _refuse(request, UploadForm(), error, status=400)
    if not form.is_valid():
        return _answer_form(request, form, status=422)
    try:
        received = _receive(request, form)
    except (ResultError, InvalidValue) as error:
        return _refuse(request, form, error, status=_STATUS.get(error.code, 422))
    return _answer(request, received)


def _receive(request: HttpRequest, form: UploadForm) -> Received:
    values = form.cleaned_data
    received = receive_upload(
        _pieces(form.sent_files(_paths(request))),
        actor=request.user.get_username(),
        way="web",
        declared=form.stated(),
        pasted=values["pasted"],
        tool=values["tool"],
        **({"run_class": values["run_class"]} if values["run_class"] else {}),
    )
    hand_over(received.upload)
    return received


def _paths(request: HttpRequest) -> Sequence[str]:
    """Places of the files in a chosen folder, which browsers leave out of the files' names."""
    try:
        paths = json.loads(request.POST.get("paths", "") or "[]")
    except (ValueError, RecursionError):
        return ()
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return ()
    return [path[:400] for path in paths]


def _pieces(files: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Iterable[bytes]]]:
    for name, file in files:
        yield name, file.chunks()


def _answer(request: HttpRequest, received: Received) -> HttpResponse:
    address = reverse("benchmark-upload", args=[received.upload.uid])
    if wants_json(request):
        status = 202 if received.is_new else 200
        return JsonResponse({"url": address, "is_new": received.is_new}, status=status)
    return HttpResponseRedirect(address)


def wants_json(request: HttpRequest) -> bool:
    """Whether the page's own script asks."""
    return request.headers.get("Accept", "").startswith("application/json")


def _refuse(
    request: HttpRequest, form: UploadForm, error: RunproofError, *, status: int
) -> HttpResponse:
    if form.is_bound:
        show_problem(form, error, fields=form.fields)
        return _answer_form(request, form, status=status)
    if wants_json(request):
        return JsonResponse({"problems": [in_words(str(error))]}, status=status)
    return _show(request, form, problems=[in_words(str(error))], status=status)


def _answer_form(request: HttpRequest, form: UploadForm, *, status: int) -> HttpResponse:
    if wants_json(request):
        problems = [
            f"{form[name].label}: {text}" if name in form.fields else str(text)
            for name, texts in form.errors.items()
            for text in texts
        ]
        return JsonResponse({"problems": problems}, status=status)
    return _show(request, form, status=status)


def _show(
    request: HttpRequest, form: UploadForm, *, problems: Sequence[str] = (), status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "problems": problems,
        "limit_mib": f"{upload_limit_bytes() / 2**20:g}",
        "tools": tool_names(),
        "fact_names": list(FACTS),
        "open_prefixes": OPEN_PREFIXES,
        "words": CHOOSE_WORDS,
        "end_field": END_FIELD,
        "endpoint": request.build_absolute_uri(reverse("api-benchmark-runs")),
        "may_review": may_review(request.user),
    }
    return render(request, "benchmarks/uploading/form.html", context, status=status)


def _explain(request: HttpRequest) -> HttpResponse:
    """Who may upload, for those who may not."""
    signed_in = request.user.is_authenticated
    status = 200 if request.method != "POST" else 403 if signed_in else 401
    problem = _("You may not upload; your files were not kept.")
    if request.method == "POST" and wants_json(request):
        return JsonResponse({"problems": [problem]}, status=status)
    roles = sorted(role for role, rights in RIGHTS_OF_ROLE.items() if UPLOAD_RIGHT in rights)
    context = {"roles": roles, "problem": problem if request.method == "POST" else ""}
    return render(request, "benchmarks/uploading/explain.html", context, status=status)
