"""Kept bytes as a page of inert text, and as a file that no browser opens."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ingest.models import Snapshot
from ingest.pages.snapshot import PARAMETERS, build_snapshot_page, read_wanted
from ingest.queries_snapshots import find_snapshot
from matrix.domain.errors import RunproofError
from matrix.views.answering import render_error

# Nothing in kept bytes may run, load or be framed, whatever a browser makes of them.
SEALED = "default-src 'none'; sandbox; frame-ancestors 'none'"


@require_safe
def show_snapshot(request: HttpRequest, sha256: str) -> HttpResponse:
    """The bytes as numbered lines, the cited one marked; who cites them. **Queries**: 5."""
    snapshot = _find(sha256)
    words = {name: request.GET.get(name, "") for name in PARAMETERS}
    try:
        page = build_snapshot_page(snapshot, read_wanted(words))
    except RunproofError as error:
        return render_error(request, error)
    response = render(request, "ingest/snapshot.html", {"page": page})
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


@require_safe
def download_snapshot(request: HttpRequest, sha256: str) -> HttpResponse:
    """The bytes unchanged, as plain text to be saved. **Queries**: 1."""
    snapshot = _find(sha256)
    charset = snapshot.charset if snapshot.charset.isascii() else ""
    response = HttpResponse(
        bytes(snapshot.body), content_type=f"text/plain; charset={charset or 'utf-8'}"
    )
    response["Content-Disposition"] = f'attachment; filename="{sha256[:16]}.txt"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = SEALED
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["ETag"] = f'"{sha256}"'
    return response


def _find(sha256: str) -> Snapshot:
    snapshot = find_snapshot(sha256)
    if snapshot is None:
        raise Http404(_("No bytes are kept under %(name)s.") % {"name": sha256[:64]})
    return snapshot
