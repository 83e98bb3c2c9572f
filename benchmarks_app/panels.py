"""The panels of measured runs on the cell page and the overview, named in the settings."""

from django.db.models import Count
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from benchmarks_app.domain.levels import RunClass
from benchmarks_app.models import Run
from benchmarks_app.pages.distance import distance_words
from benchmarks_app.pages.run_words import run_line
from benchmarks_app.pages.words import CLASS_SIGNS
from benchmarks_app.queries.near_runs import AXES, runs_near, uids_of
from benchmarks_app.queries.run_list import headlines_of
from matrix.asking import Question
from matrix.domain.verdict_values import Verdict
from matrix.index import current_knowledge
from matrix.pages.links import with_query

MOST_SHOWN = 8


def runs_panel(question: Question, verdict: Verdict) -> SafeString | str:
    """Runs on the cell first, then near ones; ``""`` where none is near. **Queries**: 0 to 3."""
    catalogue = current_knowledge().catalogue
    cell = question.cell
    near = runs_near(cell, catalogue, version=verdict.version or "", most=MOST_SHOWN)
    if not near:
        return ""
    headlines = headlines_of(one.run.pk for one in near)
    lines = [
        (
            run_line(one.run, headlines.get(one.run.pk, ()), catalogue),
            ", ".join(distance_words(one)) or _("this cell"),
        )
        for one in near
    ]
    pairs = [("framework", cell.framework)]
    pairs += [(axis.value, cell.nodes[axis]) for axis in AXES if axis in cell.nodes]
    context = {
        "lines": lines,
        "exact": sum(one.is_exact for one in near),
        "compare_url": with_query(reverse("benchmark-compare"), [("runs", ",".join(uids_of(near)))])
        if len(near) > 1
        else "",
        "list_url": with_query(reverse("benchmarks"), pairs),
        "history_url": with_query(reverse("benchmark-history"), pairs),
    }
    return SafeString(render_to_string("benchmarks/_cell_panel.html", context))


def overview_panel() -> SafeString | str:
    """How many runs stand, by their kind; ``""`` where none does. **Queries**: 1."""
    counts = dict(Run.objects.standing().values_list("run_class").annotate(Count("pk")).order_by())
    if not counts:
        return ""
    context = {
        "counts": [
            (sign, counts[kind.value], with_query(reverse("benchmarks"), [("run_class", kind)]))
            for kind, sign in CLASS_SIGNS.items()
            if kind.value in counts
        ],
        "measured": counts.get(RunClass.MEASURED.value, 0),
    }
    return SafeString(render_to_string("benchmarks/_overview_panel.html", context))
