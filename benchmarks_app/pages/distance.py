"""How a run stands to a cell of the matrix, in words."""

from django.utils.translation import gettext as _

from benchmarks_app.queries.near_runs import NearRun
from matrix.pages.words import axis_word


def distance_words(near: NearRun) -> tuple[str, ...]:
    """The axes on which the run is not the cell's; empty for a run on the cell itself."""
    parts = [] if near.same_version else [_("other version")]
    parts += [_("wider: %(axis)s") % {"axis": axis_word(axis.value)} for axis in near.wider]
    parts += [_("other: %(axis)s") % {"axis": axis_word(axis.value)} for axis in near.others]
    return tuple(parts)
