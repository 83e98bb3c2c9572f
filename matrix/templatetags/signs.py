"""Tags that show closed vocabularies: a sign, a word and a class for the colour."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from matrix.domain.levels import (
    EvidenceKind,
    MaintenanceStatus,
    SupportLevel,
)
from matrix.pages.evidence import Place
from matrix.pages.links import Named, label_of
from matrix.pages.translated import in_words
from matrix.pages.words import EVIDENCE_SIGNS, LEVEL_SIGNS, STATUS_SIGNS, axis_word, kind_word

register = template.Library()
_HAN = re.compile(r"[\u3400-\u9fff]")


@register.filter
def in_language(text: str) -> str:
    """What the domain says in English, in the reader's language."""
    return in_words(text)


@register.filter
def written_in(text: str) -> str:
    """The language that a text of a source is in, for ``lang``: most are English, some Chinese.

    The page's own language says nothing about it, and a screen reader must not guess.
    """
    return "zh-Hans" if _HAN.search(str(text)) else "en"


@register.filter
def label(node: Named) -> str:
    """The name of a node in the reader's language."""
    return label_of(node)


@register.simple_tag
def level_badge(level: str, size: str = "") -> SafeString:
    """The badge of a level: colour, icon and word."""
    sign = LEVEL_SIGNS[SupportLevel(level)]
    return format_html(
        '<span class="badge level-{}{}"><span aria-hidden="true">{}</span> {}</span>',
        sign.value,
        " badge-large" if size == "large" else "",
        sign.icon,
        sign.word,
    )


@register.simple_tag
def claim_badge(level: str, kind: str) -> SafeString:
    """The badge of a claim: its level, but a gate that lets pass is no "supported"."""
    if kind == EvidenceKind.CAPABILITY_GATE and level != SupportLevel.UNSUPPORTED:
        return format_html(
            '<span class="badge level-unknown"><span aria-hidden="true">⊓</span> {}</span>',
            _("lets pass"),
        )
    return level_badge(level)


@register.simple_tag
def status_badge(status: str) -> SafeString:
    """The badge of a maintenance status: colour, icon and word."""
    sign = STATUS_SIGNS[MaintenanceStatus(status)]
    return format_html(
        '<span class="badge status-{}"><span aria-hidden="true">{}</span> {}</span>',
        sign.value,
        sign.icon,
        sign.word,
    )


@register.simple_tag
def evidence_kind(kind: str) -> SafeString:
    """The kind of evidence: icon and word."""
    icon, word = EVIDENCE_SIGNS[EvidenceKind(kind)]
    return format_html('<span class="tag"><span aria-hidden="true">{}</span> {}</span>', icon, word)


@register.filter
def iso(day: date | None) -> SafeString | str:
    """A day as a ``time`` element; an unknown one as a dash."""
    if day is None:
        return "–"
    return format_html('<time datetime="{0}">{0}</time>', day.isoformat()[:10])


@register.filter
def axis_name(axis: str) -> str:
    """The name of an axis in the reader's language."""
    return axis_word(axis)


@register.filter
def kind_name(kind: str) -> str:
    """The name of a tree's level in the reader's language."""
    return kind_word(kind)


@register.filter
def web_address(url: str) -> str:
    """The address if a browser may follow it, else nothing: scraped addresses are not trusted."""
    if url.startswith("/reports/"):
        return url
    return url if urlsplit(url).scheme in {"http", "https"} else ""


@register.simple_tag(takes_context=True)
def kept_address(context: Mapping[str, Any], place: Place) -> str:
    """The address of a place in kept bytes, empty where the page's ``kept`` does not hold them."""
    address = context.get("kept", {}).get(place.sha256, "")
    return f"{address}{place.kept_query}" if address else ""
