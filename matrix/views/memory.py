"""The memory page: an estimate for a published model, or for a model file that is sent."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from matrix.asking import problem_kind
from matrix.domain.errors import RunproofError
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.estimate import estimate_memory
from matrix.index import Knowledge, current_knowledge
from matrix.memory_accuracy import current_accuracy
from matrix.memory_asking import MEMORY_PARAMETERS, read_memory_question
from matrix.memory_files import LARGEST_HEAD_BYTES, check_head, read_config_text
from matrix.pages.asked import reader_for, without_blanks, words_of
from matrix.pages.memory_accuracy import build_accuracy_page, tolerance_rows
from matrix.pages.memory_form import MemoryForm, ModelFileForm
from matrix.pages.memory_page import build_memory_page
from matrix.pages.memory_runs import run_rows
from matrix.views.answering import framework_choices, render_error, shorter_address

# Boundaries and the other fields of the form around the file.
FORM_OVERHEAD_BYTES = 4 * 2**20
# How long a reader waits for the accuracy before the page says that it is being worked out.
_PATIENCE_S = 0.2
# Fields of the form that are no words of the question.
_OTHER_FIELDS = frozenset({"csrfmiddlewaretoken", "config", "gguf_head"})


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def show_memory(request: HttpRequest) -> HttpResponse:
    """The form and the estimate. A body that is too large is refused before it is read.

    The check against forgery reads the body, so it stands behind that of the length.
    """
    if request.method == "POST":
        length = str(request.META.get("CONTENT_LENGTH") or "0")
        size = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0
        if size > LARGEST_HEAD_BYTES + FORM_OVERHEAD_BYTES:
            accepted = f"the first {LARGEST_HEAD_BYTES} bytes of a GGUF file at most"
            error = MemoryInputError(
                key="gguf_head", value=f"{size} bytes", accepted=accepted, code="too-large"
            )
            return _refuse(request, error, current_knowledge())
    return _show(request)


@csrf_protect
def _show(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _answer_file(request)
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    if not without_blanks(words):
        return render(request, "matrix/memory.html", _forms(knowledge, words))
    try:
        return _answer(request, knowledge, words)
    except RunproofError as error:
        return _refuse(request, error, knowledge)


def _answer_file(request: HttpRequest) -> HttpResponse:
    """The estimate for what was sent; the file is read in memory and forgotten."""
    knowledge = current_knowledge()
    words = {
        name: values
        for name, values in words_of(request.POST).items()
        if name not in _OTHER_FIELDS and any(value.strip() for value in values)
    }
    try:
        text = str(request.POST.get("config", "")).strip()
        upload = request.FILES.get("gguf_head")
        head = None if upload is None else check_head(upload.read(LARGEST_HEAD_BYTES + 1))
        config = read_config_text(text) if text else None
        return _answer(request, knowledge, words, config=config, gguf_head=head)
    except RunproofError as error:
        return _refuse(request, error, knowledge)


def _answer(
    request: HttpRequest,
    knowledge: Knowledge,
    words: dict[str, list[str]],
    *,
    config: Mapping[str, object] | None = None,
    gguf_head: bytes | None = None,
) -> HttpResponse:
    question = read_memory_question(
        words, reader_for(knowledge), config=config, gguf_head=gguf_head
    )
    estimate = estimate_memory(question.request)
    context = {
        **_forms(knowledge, words),
        "page": build_memory_page(knowledge, question, estimate),
    }
    return render(request, "matrix/memory.html", context)


def _forms(knowledge: Knowledge, words: dict[str, list[str]]) -> dict[str, Any]:
    choices = framework_choices(knowledge)
    shown = {name: values for name, values in words.items() if name in MEMORY_PARAMETERS}
    return {
        "form": MemoryForm(frameworks=choices, given=shown),
        "file_form": ModelFileForm(frameworks=choices, given=shown),
    }


def _refuse(request: HttpRequest, error: RunproofError, knowledge: Knowledge) -> HttpResponse:
    """What was wrong, with the form and what was asked."""
    words = words_of(request.GET)
    return render_error(
        request,
        error,
        form=MemoryForm(frameworks=framework_choices(knowledge), given=words),
        form_template="matrix/_memory_fields.html",
        action=reverse("memory"),
        status=413 if error.code == "too-large" else problem_kind(error.code).status,
    )


@require_safe
def show_accuracy(request: HttpRequest) -> HttpResponse:
    """Predicted against measured; while it is worked out, a page that asks again by itself."""
    knowledge = current_knowledge()
    accuracy = current_accuracy(knowledge, wait_s=_PATIENCE_S)
    context: dict[str, Any] = {"page": None}
    if accuracy is not None:
        context = {
            "page": build_accuracy_page(accuracy),
            "tolerances": tolerance_rows(),
            "runs": run_rows(knowledge),
        }
    return render(request, "matrix/memory_accuracy.html", context)
