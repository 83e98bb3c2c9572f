"""Pages of runs by position, and the headline values of the runs of a page.

A position is the identifier of a run, so that a page costs the same at the first run and at the
last of a hundred thousand: nothing is counted and nothing is skipped over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from benchmarks_app.models import Measurement, Run
from benchmarks_app.models.runs import MEASURED_DAY
from matrix.asking import InvalidCursor

PAGE_SIZE = 50
# Large columns that lists do not show.
HEAVY = ("unmapped", "withheld", "command", "load", "tokens", "failures", "missing")
ORIGINS = ("recomputed", "reported")  # What was made again by one method stands first.
# Metrics that say most about a run, each with the statistics that are looked for in order.
HEADLINES: Mapping[str, tuple[str, ...]] = {
    "ttft": ("p50", "mean", "value"),
    "tpot": ("p50", "mean", "value"),
    "output_token_throughput": ("value", "mean"),
    "prefill_throughput": ("mean", "value"),
    "decode_throughput": ("mean", "value"),
    "mixed_throughput": ("mean", "value"),
    "e2el": ("p50", "mean", "value"),
    "request_throughput": ("value", "mean"),
    "total_token_throughput": ("value", "mean"),
    "output_token_throughput_per_gpu": ("value", "mean"),
    "token_throughput": ("value", "mean"),
    "token_throughput_per_gpu": ("value", "mean"),
    "total_token_throughput_per_gpu": ("value", "mean"),
    "decode_latency": ("p50", "mean", "value"),
    "prefill_latency": ("p50", "mean", "value"),
    "batch_latency": ("p50", "mean", "value"),
}
MOST_HEADLINES = 3


class Order(StrEnum):
    """The orders of a list of runs."""

    NEWEST = "newest"  # by the day of publishing here
    OLDEST = "oldest"
    MEASURED = "measured"  # by the day of measuring, the last first, unknown days at the end


@dataclass(frozen=True, slots=True)
class RunSlice:
    """The runs of one page; ``before`` and ``after`` are positions of the neighbouring pages."""

    rows: Sequence[Run]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Headline:
    """One value of a run in its metric's canonical unit."""

    metric: str
    definition: str
    stat: str
    value: float
    origin: str


def slice_of(
    runs: QuerySet[Run],
    *,
    order: Order = Order.NEWEST,
    after: str = "",
    before: str = "",
    size: int = PAGE_SIZE,
) -> RunSlice:
    """The runs of one page of a selection of public runs.

    **Queries**: 1; 2 for any page but the first. **Raises**: ``InvalidCursor``.
    """
    backwards = bool(before)
    descending = (order is not Order.OLDEST) is not backwards
    key = MEASURED_DAY if order is Order.MEASURED else F("published_at")
    rows = runs.defer(*HEAVY).alias(place=key)
    if position := before or after:
        rows = rows.filter(_beyond(position, key, descending=descending))
    # Not by the alias: the database finds an index by the expression itself.
    rows = rows.order_by(*((key.desc(), "-id") if descending else (key.asc(), "id")))
    found = list(rows[: size + 1])
    more = len(found) > size
    found = found[:size]
    if backwards:
        found.reverse()
    has_before = more if backwards else bool(after)
    has_after = bool(before) if backwards else more
    return RunSlice(
        rows=found,
        before=found[0].uid if found and has_before else "",
        after=found[-1].uid if found and has_after else "",
    )


def _beyond(position: str, key: F | Coalesce, *, descending: bool) -> Q:
    rows = Run.objects.public().filter(uid=position[:24])
    found = rows.values_list(key, "id").first()
    if found is None or found[0] is None:
        raise InvalidCursor(position)
    place, number = found
    side = "lt" if descending else "gt"
    # The first condition alone decides where the database begins to read the index.
    return Q(**{f"place__{side}e": place}) & (
        Q(**{f"place__{side}": place}) | Q(**{f"id__{side}": number})
    )


def headlines_of(run_ids: Iterable[int]) -> dict[int, list[Headline]]:
    """Up to three values that say most about each run. **Queries**: 1."""
    stats = sorted({stat for wanted in HEADLINES.values() for stat in wanted})
    rows = Measurement.objects.filter(
        run_id__in=list(run_ids), metric__in=list(HEADLINES), stat__in=stats
    ).values_list("run_id", "metric", "definition", "stat", "value", "origin")
    known: dict[int, dict[str, list[Headline]]] = {}
    for run_id, metric, definition, stat, value, origin in rows.order_by("run_id", "id"):
        headline = Headline(metric, definition, stat, value, origin)
        known.setdefault(run_id, {}).setdefault(headline.metric, []).append(headline)
    return {run_id: _headlines(metrics) for run_id, metrics in known.items()}


def _headlines(metrics: Mapping[str, Sequence[Headline]]) -> list[Headline]:
    found = []
    for metric, stats in HEADLINES.items():
        values = [one for one in metrics.get(metric, ()) if one.stat in stats]
        if values:
            found.append(min(values, key=lambda one: _rank(one, stats)))
    return found[:MOST_HEADLINES]


def _rank(one: Headline, stats: Sequence[str]) -> tuple[int, int]:
    return stats.index(one.stat), ORIGINS.index(one.origin) if one.origin in ORIGINS else 9
