"""Panels that outer apps add to the cell page and the overview, named in the settings."""

from collections.abc import Sequence

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString

from matrix.asking import Question
from matrix.domain.verdict_values import Verdict


def cell_panels(question: Question, verdict: Verdict) -> Sequence[SafeString]:
    """The markup of each panel in the listed order; a panel without content returns ``""``.

    A panel is a function of (question, verdict) that returns safe markup; those of
    ``settings.MATRIX_CELL_PANELS`` are shown.
    """
    panels = [import_string(name) for name in settings.MATRIX_CELL_PANELS]
    return [markup for panel in panels if (markup := panel(question, verdict))]


def overview_panels() -> Sequence[SafeString]:
    """The markup of each panel of ``settings.MATRIX_OVERVIEW_PANELS``, in the listed order.

    A panel is a function of nothing that returns safe markup, ``""`` where it has no content.
    """
    panels = [import_string(name) for name in settings.MATRIX_OVERVIEW_PANELS]
    return [markup for panel in panels if (markup := panel())]
