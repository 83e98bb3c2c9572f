"""Reads one run with its values and files, and turns rows into what the rules take."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from benchmarks_app.contract import Counts, Fact, Load, Measurement, Samples, Tokens
from benchmarks_app.domain.levels import LoadMode, Origin, RunClass, RunStatus
from benchmarks_app.domain.provenance import is_known
from benchmarks_app.domain.run_view import RunView, SampledRun
from benchmarks_app.domain.sample_codec import decode
from benchmarks_app.models import Measurement as MeasurementRow
from benchmarks_app.models import Run, RunFile, SampleSet
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

MOCKED = "mock_server"
# Of encoded samples in one comparison; unpacked they take up to eight times as much.
MOST_SAMPLE_BYTES = 256 * 2**20
# Made again from samples by one method, these stand before what the tool reports.
_ORIGIN_ORDER: Mapping[str, int] = {"recomputed": 0, "reported": 1}


@dataclass(frozen=True, slots=True)
class RunDetail:
    """A run and everything that hangs on it.

    ``newer`` is the version that corrects it, ``None`` where none does.
    """

    run: Run
    measurements: Sequence[MeasurementRow]
    files: Sequence[RunFile]
    samples: Samples | None
    newer: Run | None


def run_detail(run: Run) -> RunDetail:
    """The run's values, files, samples and newer version. **Queries**: 4."""
    rows = run.measurements.order_by("metric", "definition", "basis", "origin", "id")
    files = run.files.select_related("upload_file__file").order_by("id")
    encoded = SampleSet.objects.filter(run=run).values_list("encoded", flat=True).first()
    return RunDetail(
        run=run,
        measurements=list(rows),
        files=list(files),
        samples=None if encoded is None else decode(bytes(encoded)),
        newer=Run.objects.filter(replaces=run).only("uid", "label", "state").first(),
    )


def sampled_runs(runs: Sequence[Run]) -> list[SampledRun]:
    """The runs as the rules of comparison take them, samples loaded, in the given order.

    **Queries**: 2, whatever the number of runs. **Raises**: ``InvalidValue`` for samples that
    together take more memory than a page may.
    """
    ids = [run.pk for run in runs]
    measured = measurements_of(ids)
    encoded = _encoded(ids)
    found = []
    for run in runs:
        kept = encoded.get(run.pk)
        view = run_view(run, measured.get(run.pk, ()), has_samples=kept is not None)
        found.append(SampledRun(view, None if kept is None else decode(kept)))
    return found


def _encoded(ids: Sequence[int]) -> dict[int, bytes]:
    """The stored samples of runs by primary key, read no further than they are accepted."""
    found: dict[int, bytes] = {}
    rows = SampleSet.objects.filter(run_id__in=ids).values_list("run_id", "encoded")
    for run_id, data in rows.iterator(chunk_size=2):
        found[run_id] = bytes(data)
        if sum(map(len, found.values())) > MOST_SAMPLE_BYTES:
            raise InvalidValue(
                name="runs",
                value=f"{len(ids)} runs with more than {MOST_SAMPLE_BYTES >> 20} MiB of samples",
                accepted=Phrase(
                    "runs whose samples are up to {value} MiB together",
                    value=MOST_SAMPLE_BYTES >> 20,
                ),
            )
    return found


def measurements_of(run_ids: Iterable[int]) -> dict[int, tuple[Measurement, ...]]:
    """The measurements of runs, what was made again from samples first. **Queries**: 1."""
    rows = MeasurementRow.objects.filter(run_id__in=list(run_ids)).values_list(
        "run_id", "metric", "definition", "basis", "origin", "pointer", "percentile_method",
        "stat", "value",
    )  # fmt: skip
    groups: dict[int, dict[tuple[str, ...], dict[str, Any]]] = {}
    for run_id, metric, definition, basis, origin, pointer, method, stat, value in rows.order_by():
        one = groups.setdefault(run_id, {}).setdefault(
            (metric, definition, basis, origin), {"pointer": pointer, "method": method, "stats": {}}
        )
        one["stats"][stat] = value
    return {run_id: _measurements(group) for run_id, group in groups.items()}


def _measurements(groups: Mapping[tuple[str, ...], Mapping[str, Any]]) -> tuple[Measurement, ...]:
    order = sorted(groups, key=lambda key: (key[0], _ORIGIN_ORDER.get(key[3], 9), key))
    return tuple(
        Measurement(
            metric=key[0],
            definition=key[1],
            stats=groups[key]["stats"],
            pointer=groups[key]["pointer"],
            basis=key[2],
            percentile_method=groups[key]["method"] or "unknown",
        )
        for key in order
    )


def run_view(
    run: Run, measurements: Sequence[Measurement], *, has_samples: bool = False
) -> RunView:
    """A run's row as the rules of comparison take it."""
    return RunView(
        uid=run.uid,
        label=run.label or run.uid,
        tool=run.tool,
        run_class=RunClass(run.run_class),
        status=RunStatus(run.status),
        facts=_with_scheme(run),
        load=load_of(run),
        counts=_filled(Counts, run.requests),
        tokens=_filled(Tokens, run.tokens),
        measurements=tuple(measurements),
        has_samples=has_samples,
        mocked=any(notice.get("code") == MOCKED for notice in run.notices),
    )


def _with_scheme(run: Run) -> dict[str, Fact]:
    """What is known, and the scheme of the weights where only another fact's text names it.

    Two runs of which somebody says "not captured" have nothing in common.
    """
    facts = {name: fact for name, fact in facts_of(run).items() if is_known(fact)}
    if run.quantization and "quantization.weights" not in facts:
        facts["quantization.weights"] = Fact(run.quantization)
    return facts


def facts_of(run: Run) -> dict[str, Fact]:
    """The stated facts of a run's row."""
    return {
        name: Fact(
            value=fact.get("value", ""),
            origin=Origin(fact.get("origin") or Origin.FILE),
            pointer=str(fact.get("pointer") or ""),
        )
        for name, fact in run.facts.items()
    }


def load_of(run: Run) -> Load:
    """The offered load of a run's row; settings that ``Load`` does not name stay in ``extra``."""
    known = {one.name for one in fields(Load)} - {"mode", "extra"}
    stated = dict(run.load)
    extra = dict(stated.pop("extra", None) or {})
    mode = stated.pop("mode", None) or run.load_mode
    extra |= {name: value for name, value in stated.items() if name not in known}
    given = {name: value for name, value in stated.items() if name in known}
    return Load(mode=LoadMode(mode) if mode else None, extra=extra, **given)


def _filled(kind: Any, stated: Mapping[str, Any]) -> Any:
    known = {one.name for one in fields(kind)}
    return kind(**{name: value for name, value in stated.items() if name in known})
