"""The tables of a run's page: measured values, load, environment, failures, files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks_app.contract import Fact
from benchmarks_app.domain.facts import FACTS, FactGroup
from benchmarks_app.domain.levels import OBSERVED_ORIGINS, LoadMode
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.provenance import NOT_CAPTURED
from benchmarks_app.domain.showing import shown_text
from benchmarks_app.models import Measurement, Run, RunFile
from benchmarks_app.pages.metric_words import (
    METHOD_WORDS,
    definition_word,
    metric_word,
    number_word,
    stat_word,
    unit_word,
    value_word,
)
from benchmarks_app.pages.words import (
    DIRECTION_WORDS,
    FACT_GROUP_WORDS,
    LOAD_MODE_WORDS,
    ORIGIN_WORDS,
    PART_WORDS,
    load_word,
    plain_word,
)

COLUMNS = ("value", "mean", "std", "min", "p50", "p90", "p95", "p99", "max")
_ORIGINS: Mapping[str, Promise] = {
    "reported": gettext_lazy("as the tool reports it"),
    "recomputed": gettext_lazy("made again from the samples"),
}
OPEN_GROUPS: Mapping[str, Promise] = {
    "server_param.": gettext_lazy("Server parameters"),
    "env.": gettext_lazy("Environment variables"),
    "user_meta.": gettext_lazy("Notes of the sender"),
}


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """The spread of one metric from one origin. **Shapes**: ``cells`` are parallel to COLUMNS."""

    metric: str
    unit: str
    definition: str
    meaning: str
    basis: str
    direction: Promise | str
    origin: Promise | str
    method: Promise | str
    cells: Sequence[str]
    others: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FactRow:
    """One stated fact; ``observed`` is false for what a person typed."""

    name: str
    value: str
    observed: bool
    captured: bool
    origin: Promise | str
    pointer: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of the run, without its content."""

    name: str
    sha256: str
    size_bytes: int
    part: Promise | str
    format: str


def column_words() -> list[str]:
    """The heads of the columns of statistics."""
    return [stat_word(stat) for stat in COLUMNS]


def spread_rows(rows: Sequence[Measurement]) -> list[SpreadRow]:
    """One row for each metric, definition, basis and origin; rates and totals stand alone."""
    groups: dict[tuple[str, str, str, str], list[Measurement]] = {}
    for row in rows:
        groups.setdefault((row.metric, row.definition, row.basis, row.origin), []).append(row)
    order = list(METRICS)
    keys = sorted(groups, key=lambda key: (_place(order, key[0]), key[1], key[2], key[3]))
    return [_spread(key, groups[key]) for key in keys]


def _place(order: Sequence[str], metric: str) -> int:
    return order.index(metric) if metric in order else len(order)


def _spread(key: tuple[str, str, str, str], rows: Sequence[Measurement]) -> SpreadRow:
    metric, definition, basis, origin = key
    stats = {row.stat: row.value for row in rows}
    method = next((row.percentile_method for row in rows if row.percentile_method), "")
    has_percentiles = any(stat.startswith("p") for stat in stats)
    others = [stat for stat in stats if stat not in COLUMNS]
    cells = [value_word(metric, stats[stat]) if stat in stats else "" for stat in COLUMNS]
    return SpreadRow(
        metric=metric_word(metric),
        unit=unit_word(metric),
        definition=definition,
        meaning=definition_word(definition),
        basis=basis,
        direction=DIRECTION_WORDS[METRICS[metric].direction] if metric in METRICS else "",
        origin=_ORIGINS.get(origin, origin),
        method=METHOD_WORDS.get(method, "") if has_percentiles else "",
        cells=cells,
        others=[(stat_word(stat), _stat_value(metric, stat, stats[stat])) for stat in others],
    )


def _stat_value(metric: str, stat: str, value: float) -> str:
    return number_word(value) if stat == "count" else value_word(metric, value)


def load_rows(run: Run) -> list[tuple[str, str]]:
    """The offered load, the counts of requests and tokens; what is unknown is left out."""
    stated = dict(run.load)
    extra = stated.pop("extra", None) or {}
    rows = []
    for name, value in [*stated.items(), *extra.items()]:
        word = str(LOAD_MODE_WORDS[LoadMode(value)]) if name == "mode" else plain_word(value)
        rows.append((load_word(name), shown_text(word)))
    for counts in (run.requests, run.tokens):
        rows += [(load_word(name), number_word(float(value))) for name, value in counts.items()]
    return rows


def fact_groups(facts: Mapping[str, Fact]) -> list[tuple[str, list[FactRow]]]:
    """The stated facts under the heads where they are shown."""
    found: dict[str, list[FactRow]] = {}
    for name, fact in facts.items():
        head, shown = _head_of(name)
        found.setdefault(head, []).append(fact_row(shown, fact))
    order = [str(word) for word in (*FACT_GROUP_WORDS.values(), *OPEN_GROUPS.values())]
    return [(head, found[head]) for head in sorted(found, key=lambda head: _place(order, head))]


def _head_of(name: str) -> tuple[str, str]:
    if name in FACTS:
        group: FactGroup = FACTS[name].group
        return str(FACT_GROUP_WORDS.get(group, group.value)), name
    for prefix, word in OPEN_GROUPS.items():
        if name.startswith(prefix):
            return str(word), shown_text(name.removeprefix(prefix))
    return _("Other"), shown_text(name)


def fact_row(name: str, fact: Fact) -> FactRow:
    """One fact with where it comes from; its text is masked and cut."""
    value = plain_word(fact.value)
    if name.endswith("_bytes") and type(fact.value) is int:
        value = f"{fact.value:,} ({fact.value / 2**30:.3g} GiB)"
    return FactRow(
        name=name,
        value=shown_text(value),
        observed=fact.origin in OBSERVED_ORIGINS,
        captured=value.strip().casefold() != NOT_CAPTURED,
        origin=ORIGIN_WORDS[fact.origin],
        pointer=shown_text(fact.pointer),
    )


def failure_rows(failures: Mapping[str, int]) -> list[tuple[str, int]]:
    """Kinds of errors by number of requests, most first."""
    rows = [(shown_text(kind), int(count)) for kind, count in failures.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def file_rows(files: Iterable[RunFile]) -> list[FileRow]:
    """The files of a run: names, digests and parts, no content."""
    return [
        FileRow(
            name=shown_text(one.upload_file.name),
            sha256=one.upload_file.file.sha256,
            size_bytes=one.upload_file.file.size_bytes,
            part=PART_WORDS.get(one.part, one.part),
            format=one.upload_file.format,
        )
        for one in files
    ]
