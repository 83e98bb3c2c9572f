"""Can I run it? The page of a check, and that of a stack of pinned packages."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from matrix.asking import problem_kind
from matrix.checking import CheckQuestion, answer_check, read_check
from matrix.checking.stacks import QUESTION_NAMES, check_stack
from matrix.domain.errors import RunproofError
from matrix.index import Knowledge, current_knowledge
from matrix.memory_files import read_config_text
from matrix.pages.asked import reader_for, without_blanks, words_of
from matrix.pages.check import build_check_page, check_form_values
from matrix.pages.check_form import CheckForm, StackForm
from matrix.pages.check_stack import build_stack_page
from matrix.views.answering import framework_choices, render_error, shorter_address

CONFIG = "config"
_FORM_ONLY = ("csrfmiddlewaretoken", CONFIG)


@require_http_methods(["GET", "HEAD", "POST"])
def show_check(request: HttpRequest) -> HttpResponse:
    """The form, and where anything is asked the answers of all frameworks.

    A pasted ``config.json`` is sent in a form and not kept. **Queries**: 2 and those of the runs.
    """
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    sent = request.POST if request.method == "POST" else request.GET
    words = {name: v for name, v in words_of(sent).items() if name not in _FORM_ONLY}
    if request.method == "POST":
        words = {name: [v for v in values if v.strip()] for name, values in words.items()}
        words = {name: values for name, values in words.items() if values}
    text = request.POST.get(CONFIG, "")
    if not without_blanks(words) and not text.strip():
        return _render(request, knowledge, words)
    reader = reader_for(knowledge)
    try:
        config = read_config_text(text) if text.strip() else None
        question = read_check(reader, words, config=config)
        answer = answer_check(knowledge, reader, question)
    except RunproofError as error:
        return render_error(
            request,
            error,
            form=_form(knowledge, words),
            form_template="matrix/_check_fields.html",
            action=reverse("check"),
        )
    page = build_check_page(knowledge, answer)
    return _render(request, knowledge, words, page=page, question=question)


def _render(
    request: HttpRequest,
    knowledge: Knowledge,
    words: Mapping[str, Sequence[str]],
    *,
    page: Any = None,
    question: CheckQuestion | None = None,
) -> HttpResponse:
    context = {
        "form": _form(
            knowledge,
            check_form_values(knowledge.catalogue, question) if question else words,
        ),
        "paste_form": CheckForm(
            frameworks=framework_choices(knowledge), given={}, auto_id="paste_%s"
        ),
        "page": page,
        "is_pasted": question is not None and question.config is not None,
    }
    return render(request, "matrix/check.html", context)


def _form(knowledge: Knowledge, words: Mapping[str, Sequence[str]]) -> CheckForm:
    return CheckForm(frameworks=framework_choices(knowledge), given=words)


@require_http_methods(["GET", "HEAD", "POST"])
def show_stack(request: HttpRequest) -> HttpResponse:
    """The form for a lock file or an image, and the findings of what was sent; nothing is kept."""
    knowledge = current_knowledge()
    words = {name: v for name, v in words_of(request.POST).items() if name not in _FORM_ONLY}
    form = StackForm(given=words)
    if request.method != "POST":
        return render(request, "matrix/check_stack.html", {"form": form})
    asked = {n: [v for v in vs if v.strip()] for n, vs in words.items() if n in QUESTION_NAMES}
    context: dict[str, Any] = {"form": form}
    try:
        answer = check_stack(
            knowledge,
            reader_for(knowledge),
            requirements=request.POST.get("requirements", ""),
            image=request.POST.get("image", ""),
            words={name: values for name, values in asked.items() if values},
        )
    except RunproofError as error:
        # Shown above the form, which keeps what was pasted.
        kind = problem_kind(error.code)
        context |= {"error": error, "kind": kind, "problems": error.facts.get("problems", ())}
        return render(request, "matrix/check_stack.html", context, status=kind.status)
    context["page"] = build_stack_page(knowledge, answer)
    return render(request, "matrix/check_stack.html", context)
