"""Addresses of kept bytes, asked of the function that ``settings.MATRIX_KEPT_PAGES`` names."""

from collections.abc import Iterable, Mapping

from django.conf import settings
from django.utils.module_loading import import_string

from matrix.pages.cell import CellPage


def kept_addresses(names: Iterable[str]) -> Mapping[str, str]:
    """The page of each of the bytes that are kept, by SHA-256; none where nothing keeps bytes."""
    wanted = {name for name in names if name}
    if not wanted or not settings.MATRIX_KEPT_PAGES:
        return {}
    found: Mapping[str, str] = import_string(settings.MATRIX_KEPT_PAGES)(wanted)
    return found


def bytes_cited_by(page: CellPage) -> set[str]:
    """The SHA-256 of all bytes in which evidence on a cell's page stands."""
    return {
        view.place.sha256
        for leg in page.legs
        for views in (leg.deciding, leg.contradicting, leg.gates, leg.others)
        for view in views
    }
