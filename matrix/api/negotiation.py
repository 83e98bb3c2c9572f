"""Content negotiation by the Accept header alone, quality values included."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

_MOST_RANGES = 50


def parse_accept(header: str) -> list[tuple[str, float]]:
    """Media ranges with their quality; a range with a broken quality counts as 0."""
    ranges = []
    for part in header.split(",")[:_MOST_RANGES]:
        media, *parameters = (piece.strip() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                quality = _quality(value.strip())
        if media:
            ranges.append((media.lower(), quality))
    return ranges


def _quality(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0


def quality_of(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """How much a media type is wanted: the most specific range that covers it decides."""
    family = media_type.partition("/")[0] + "/*"
    for wanted in (media_type, family, "*/*"):
        found = [quality for media, quality in ranges if media == wanted]
        if found:
            return max(found)
    return 0.0


@lru_cache(maxsize=256)
def best_type(header: str, offered: tuple[str, ...]) -> str | None:
    """The best wanted media type; the first of several that are wanted alike, or ``None``."""
    ranges = parse_accept(header or "*/*")
    best = max(offered, key=lambda media: quality_of(media, ranges))
    return best if quality_of(best, ranges) > 0 else None


class AcceptHeader(BaseContentNegotiation):
    """The best wanted renderer; the first listed one where several are wanted alike."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """The parser of the body's media type, or ``None``."""
        media = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The renderer and its media type. **Raises**: ``NotAcceptable``."""
        offered = {str(renderer.media_type): renderer for renderer in renderers}
        best = best_type(request.META.get("HTTP_ACCEPT", ""), tuple(offered))
        if best is None:
            raise NotAcceptable(available_renderers=list(offered.values()))
        return offered[best], best
