"""Tags that show signs and names of runs; lists hold hundreds, so no template is read for each."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from benchmarks_app.pages.comparison_tables import ValueCell
from benchmarks_app.pages.run_words import Subject
from matrix.pages.words import Sign

register = template.Library()


@register.simple_tag
def run_badge(sign: Sign) -> SafeString:
    """The badge of a run's kind, end, outcome or state: colour, icon and word."""
    return format_html(
        '<span class="badge run-{}" title="{}"><span aria-hidden="true">{}</span> {}</span>',
        sign.value,
        sign.meaning,
        sign.icon,
        sign.word,
    )


@register.simple_tag
def subject_name(subject: Subject) -> SafeString:
    """The name of a run's subject; one that no node carries is marked, a missing one said."""
    if not subject.name:
        return format_html('<span class="soft">{}</span>', _("not stated"))
    if subject.known:
        return format_html("{}", subject.name)
    return format_html("{}{}", subject.name, name_mark(subject))


@register.simple_tag
def name_mark(subject: Subject) -> SafeString | str:
    """A mark behind a name that no node carries; nothing behind any other."""
    if subject.known or not subject.name:
        return ""
    return format_html(
        ' <span class="name-mark" title="{}"><span aria-hidden="true">?</span>'
        '<span class="visually-hidden">{}</span></span>',
        _("No node of the catalogue carries this name yet."),
        _("unknown name"),
    )


@register.simple_tag
def compared_value(cell: ValueCell) -> SafeString:
    """A value with its ratio, interval and what stands between it and the baseline."""
    parts = [_value(cell)]
    if cell.ratio:
        parts.append(_ratio(cell))
    for text, wraps in ((cell.interval, False), (cell.note, True)):
        if text:
            style = "soft" if wraps else "soft nowrap"
            parts.append(format_html('<br><small class="{}">{}</small>', style, text))
    if cell.blocked:
        parts.append(
            format_html(
                '<br><small class="not-comparable" title="{}">⊘ {}'
                '<span class="visually-hidden">: {}</span></small>',
                cell.blocked,
                _("not comparable"),
                cell.blocked,
            )
        )
    return SafeString("".join(parts))


def _value(cell: ValueCell) -> SafeString:
    if not cell.value:
        return SafeString('<span class="soft">–</span>')
    return format_html('<span title="{}">{}</span>', cell.origin, cell.value)


def _ratio(cell: ValueCell) -> SafeString:
    sign = format_html('<span aria-hidden="true">{}</span> ', cell.sign) if cell.sign else ""
    word = format_html(" <small>{}</small>", cell.word) if cell.word else ""
    return format_html(
        ' <strong class="ratio-{}">{}{}</strong>{}', cell.difference, sign, cell.ratio, word
    )


@register.simple_tag
def figure_rows(rows: Sequence[Sequence[object]]) -> SafeString:
    """The rows of the table under a figure; the first cell of a row is its head."""
    return format_html_join("", "<tr>{}</tr>", ((_row(row),) for row in rows))


def _row(row: Sequence[object]) -> SafeString:
    head = format_html('<th scope="row" class="wrap">{}</th>', row[0])
    return head + format_html_join("", '<td class="number">{}</td>', ((cell,) for cell in row[1:]))
