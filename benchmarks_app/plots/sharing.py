"""Which runs of a comparison share an axis, and the names of lines through them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from benchmarks_app.domain.comparability import Severity, barriers_between
from benchmarks_app.domain.levels import RunClass
from benchmarks_app.domain.open_settings import stated_facts
from benchmarks_app.domain.run_view import RunView
from benchmarks_app.pages.barrier_words import barrier_word, variable_value
from benchmarks_app.pages.comparison_tables import run_numbers
from benchmarks_app.pages.words import CLASS_SIGNS
from benchmarks_app.queries.comparison import LOAD_VARIABLES, Comparison

# What makes a line through several loads one configuration.
CONFIGURATION = (
    "framework.name", "framework.version", "model.id", "quantization.weights",
    "accelerator.name", "accelerator.count", "tool.name", "tool.version", "framework.commit",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shared:
    """Places of the runs that share an axis, and a sentence for each reason to leave runs out."""

    places: Sequence[int]
    left_out: Sequence[str]


def runs_sharing(comparison: Comparison, *metrics: str) -> Shared:
    """The runs that share the axes of all these metrics, judged against one of them.

    Different loads may share an axis, because a figure shows the load beside each run. The runs
    that share with the baseline are taken; where it lacks a metric, the largest other group.
    """
    views = [one.view for one in comparison.sampled]
    order = [comparison.baseline, *(n for n in range(len(views)) if n != comparison.baseline)]
    having = [n for n in order if all(views[n].measured(metric) for metric in metrics)]
    best: list[int] = []
    for place in having:
        group = [n for n in having if n == place or not _blocks(views[place], views[n], metrics)]
        if len(group) > len(best) or (place == comparison.baseline and len(group) > 1):
            best = group
        if place == comparison.baseline and len(group) > 1:
            break
    reasons: dict[str, list[int]] = {}
    for number, view in enumerate(views):
        if number not in best:
            reason = _reason(views[best[0]] if best else None, view, metrics)
            reasons.setdefault(reason, []).append(number + 1)
    return Shared(
        places=sorted(best),
        left_out=[
            _("Run %(runs)s: %(reason)s.") % {"runs": run_numbers(numbers), "reason": reason}
            for reason, numbers in reasons.items()
        ],
    )


def _blocks(one: RunView, other: RunView, metrics: Sequence[str]) -> bool:
    return any(
        barrier.severity is Severity.BLOCKS
        for metric in metrics
        for barrier in barriers_between(metric, one, other, varied=LOAD_VARIABLES)
    )


def _reason(one: RunView | None, other: RunView, metrics: Sequence[str]) -> str:
    for metric in metrics:
        if other.measured(metric) is None:
            return _("it does not have this metric")
        if one is not None:
            for barrier in barriers_between(metric, one, other, varied=LOAD_VARIABLES):
                if barrier.severity is Severity.BLOCKS:
                    return barrier_word(barrier)
    return _("no other run shares its axis")


def run_name(comparison: Comparison, place: int) -> str:
    """A run's number and label, with its kind where it was not measured here."""
    run = comparison.runs[place]
    return f"{place + 1}. {run.label or run.uid}{_kind_of(comparison, [place])}"


def _kind_of(comparison: Comparison, places: Sequence[int]) -> str:
    """What keeps a picture that is passed on alone from being taken for a measurement."""
    views = [comparison.sampled[place].view for place in places]
    kinds = {one.run_class for one in views} - {RunClass.MEASURED}
    words = [str(CLASS_SIGNS[kind].word) for kind in sorted(kinds)]
    if any(one.mocked for one in views):
        words.append(_("stand-in server"))
    return f" ({', '.join(words)})" if words else ""


def configurations(comparison: Comparison, places: Sequence[int]) -> Mapping[str, list[int]]:
    """The runs by configuration: those of one differ in load alone.

    The name of a configuration tells it from the others; one alone is named by its framework.
    """
    views = {place: comparison.sampled[place].view for place in places}
    settings = {place: stated_facts(view) for place, view in views.items()}
    names = [*CONFIGURATION, *sorted({name for one in settings.values() for name in one})]
    keys: dict[tuple[object, ...], list[int]] = {}
    for place, view in views.items():
        keys.setdefault(tuple(view.fact(name) for name in names), []).append(place)
    told = [
        number
        for number in range(len(names))
        if len({key[number] for key in keys}) > 1 or number < 2
    ]
    found: dict[str, list[int]] = {}
    for key, members in keys.items():
        parts = [
            variable_value(names[number], key[number]) for number in told if key[number] is not None
        ]
        name = (" ".join(parts) or _("unknown")) + _kind_of(comparison, members)
        found.setdefault(name, []).extend(members)
    return found
