"""Reports of problems: any reader may send one about an answer or a claim."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from matrix.domain.errors import RunproofError
from matrix.entering.reports import LONGEST_CONTACT, LONGEST_LINK, LONGEST_TEXT, report_problem
from matrix.index import current_knowledge
from matrix.pages.asked import PAGE_PARAMETERS, reader_for, without_blanks, words_of
from matrix.pages.links import cell_subject, node_name, with_query
from matrix.queries.claims import claim_with_evidence
from matrix.views.answering import render_error

# A reader seldom finds more in an hour; a script would.
MOST_AN_HOUR = 10
_HOUR_S = 3_600
CLAIM = "claim"


class ProblemForm(forms.Form):
    """What is wrong, and where one can see it."""

    text = forms.CharField(
        label=gettext_lazy("What is wrong?"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea({"rows": 6}),
        help_text=gettext_lazy("plain text, up to 2,000 characters"),
    )
    link = forms.URLField(
        label=gettext_lazy("Where can one see it?"),
        required=False,
        max_length=LONGEST_LINK,
        assume_scheme="https",
        help_text=gettext_lazy("an address, if there is one"),
    )
    contact = forms.CharField(
        label=gettext_lazy("How can we reach you?"),
        required=False,
        max_length=LONGEST_CONTACT,
        help_text=gettext_lazy("only curators see it; may stay empty"),
    )
    # People do not see this field, programs that fill in every field do.
    website = forms.CharField(
        label=gettext_lazy("Leave this empty"),
        required=False,
        widget=forms.TextInput({"tabindex": "-1", "autocomplete": "off"}),
    )


@dataclass(frozen=True, slots=True)
class Subject:
    """What a report is about: its title, its page, and the words that name it."""

    title: str
    address: str
    cell: Sequence[tuple[str, str]]
    claim_uid: str = ""
    statement: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest) -> HttpResponse:
    """The form for a problem with an answer or a claim."""
    try:
        subject = _subject(request)
    except RunproofError as error:
        return render_error(request, error)
    if request.method != "POST":
        return _show(request, subject, ProblemForm())
    form = ProblemForm(request.POST)
    if not form.is_valid():
        return _show(request, subject, form, status=422)
    if not _may_send(request):
        form.add_error(None, _("Too many reports came from your address; try again in an hour."))
        return _show(request, subject, form, status=429)
    if not form.cleaned_data["website"]:
        _send(request, subject, form.cleaned_data)
    messages.success(request, _("Thank you. A curator will look at it."))
    return HttpResponseRedirect(subject.address)


def _send(request: HttpRequest, subject: Subject, data: dict[str, Any]) -> None:
    report_problem(
        subject.cell,
        data["text"],
        data["contact"],
        address=subject.address,
        claim_uid=subject.claim_uid,
        statement=subject.statement or subject.title,
        link=data["link"],
        actor=request.user.get_username() if request.user.is_authenticated else "",
    )


def _show(
    request: HttpRequest, subject: Subject, form: ProblemForm, *, status: int = 200
) -> HttpResponse:
    context = {"form": form, "subject": subject}
    return render(request, "matrix/entering/problem.html", context, status=status)


def _subject(request: HttpRequest) -> Subject:
    """What the address names. **Raises**: what a wrong question raises; ``Http404``."""
    knowledge = current_knowledge()
    uid = request.GET.get(CLAIM, "")
    if uid:
        row = claim_with_evidence(uid) if uid.isprintable() and len(uid) <= 64 else None
        if row is None:
            raise Http404(_("No claim has the identifier %(uid)s.") % {"uid": uid[:40]})
        slug = row.framework.slug
        return Subject(
            title=f"{node_name(knowledge.catalogue, 'framework', slug)}: {row.statement}",
            address=reverse("claim", args=[uid]),
            cell=[("framework", slug), ("version", row.last)],
            claim_uid=uid,
            statement=row.statement,
        )
    words = words_of(request.GET)
    cell = reader_for(knowledge).read(words, accepted=PAGE_PARAMETERS).cell
    name = node_name(knowledge.catalogue, "framework", cell.framework)
    about = cell_subject(knowledge.catalogue, cell) or _("anything")
    pairs = without_blanks(words)
    return Subject(
        title=f"{name} {cell.version or ''} · {about}",
        address=with_query(reverse("cell"), pairs),
        cell=pairs,
    )


def _may_send(request: HttpRequest) -> bool:
    """Counts one report of this address in the running hour."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    address = request.META.get("REMOTE_ADDR", "")
    # Without a trusted proxy the forwarded header is the client's own word, and not believed.
    if settings.USE_X_FORWARDED_HOST and forwarded:
        address = forwarded.rsplit(",", 1)[-1].strip()[:60]
    key = f"reports:{address}:{int(time.time() // _HOUR_S)}"
    if cache.add(key, 1, timeout=_HOUR_S):
        return True
    try:
        return int(cache.incr(key)) <= MOST_AN_HOUR
    except ValueError:
        return True
