"""The page of one claim."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from matrix.index import current_knowledge
from matrix.pages.claim import build_claim_page
from matrix.pages.kept_pages import kept_addresses
from matrix.queries.claims import claim_with_evidence


@require_safe
def show_claim(request: HttpRequest, uid: str) -> HttpResponse:
    """One claim with all its observations and both clocks. **Queries**: 5."""
    row = claim_with_evidence(uid)
    if row is None:
        raise Http404(_("No claim has the identifier %(uid)s.") % {"uid": uid[:40]})
    page = build_claim_page(row, current_knowledge().catalogue)
    kept = kept_addresses(seen.sha256 for seen in page.observations)
    return render(request, "matrix/claim.html", {"page": page, "kept": kept})
