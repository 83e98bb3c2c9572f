"""Rows of one run from what its files say together, ready to be written in bulk."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import NamedTuple

from benchmarks_app.contract import Counts, Load, Notice, RunReading, Samples, Tokens
from benchmarks_app.contract import Measurement as Measured
from benchmarks_app.domain.levels import RunClass, RunOutcome, RunState, RunStatus
from benchmarks_app.domain.merging import CandidateRun
from benchmarks_app.domain.outcomes import outcome_of
from benchmarks_app.domain.plausibility import flags_of
from benchmarks_app.domain.provenance import NOT_CAPTURED, grade_run
from benchmarks_app.domain.run_view import RunView
from benchmarks_app.domain.sample_codec import encode
from benchmarks_app.models import Run, SampleSet, Upload
from benchmarks_app.services.masking import mask, storable, storable_text
from benchmarks_app.services.recomputing import contradicting, recompute
from benchmarks_app.services.resolving import Resolver, write_nodes
from benchmarks_app.services.run_dates import measured_when
from benchmarks_app.services.stated_facts import StatedFacts, facts_to_plain

REPORTED, RECOMPUTED = "reported", "recomputed"
_GREATEST_COUNT = 2**31 - 1
_LONGEST_COMMAND = 20_000
# Of a model or device in a label, so that the load is never cut off.
_LONGEST_WORD = 80
# The value of the fact ``server.kind`` for a server that invents its answers.
STAND_IN = "stand-in"
_NOT_MEASURED: Mapping[str, RunClass] = {
    "mock_server": RunClass.DEMONSTRATION,
    "published_table": RunClass.PUBLISHED,
}


class ValueRow(NamedTuple):
    """One measurement as its table holds it, without the run; cheaper than a model's instance."""

    metric: str
    definition: str
    stat: str
    value: float
    origin: str
    basis: str
    percentile_method: str
    pointer: str


@dataclass(frozen=True, slots=True)
class RunRows:
    """One run unsaved, with its values and samples."""

    run: Run
    measurements: list[ValueRow]
    samples: SampleSet | None
    candidate: CandidateRun
    unknown: tuple[tuple[str, str], ...]


def build_rows(
    candidate: CandidateRun,
    stated: StatedFacts,
    *,
    upload: Upload,
    number: int,
    uid: str,
    digest: str,
    resolver: Resolver,
    now: datetime,
    logs: Sequence[str] = (),
) -> RunRows:
    """All rows of a run; ``logs`` are the texts of logs beside it."""
    reading = candidate.run
    recomputed = recompute(reading)
    notices = [*reading.notices, *flags_of(reading), *stated.notices()]
    notices += contradicting(reading, recomputed)
    notices += _no_measure_of_speed(stated, upload.run_class)
    run = Run(
        uid=uid,
        upload=upload,
        number=number,
        state=RunState.DRAFT.value,
        run_class=_class_of(upload.run_class, notices),
        status=reading.status.value,
        tool=candidate.tool[:60],
        format=candidate.format[:80],
        pointer=storable_text(reading.pointer)[:200],
        identity=mask(storable_text(reading.identity))[:200],
        digest=digest,
        requests=_known(asdict(reading.requests)),
        tokens=_known(asdict(reading.tokens)),
        failures={mask(storable_text(k))[:300]: v for k, v in reading.failures.items()},
        unmapped=storable(dict(reading.unmapped)),
        withheld=[storable_text(place)[:300] for place in reading.withheld],
        command=_command(reading, stated),
        created_by=upload.received_by,
        created_at=now,
    )
    run.notices = [plain_notice(one) for one in _unique(notices)]
    _write_load(run, reading.load)
    unknown = apply_facts(
        run, stated, reading.load, measured=reading.metrics, logs=logs, resolver=resolver, now=now
    )
    values = [
        *_value_rows(reading.metrics, REPORTED),
        *_value_rows(recomputed, RECOMPUTED),
    ]
    return RunRows(run, _once(values), _sample_row(run, reading.samples), candidate, unknown)


def apply_facts(
    run: Run,
    stated: StatedFacts,
    load: Load,
    *,
    measured: Sequence[Measured],
    logs: Sequence[str],
    resolver: Resolver,
    now: datetime,
) -> tuple[tuple[str, str], ...]:
    """Writes what follows from a run's facts into its row; returns names that nothing carries."""
    resolved = resolver.resolve(stated.facts)
    run.facts = storable(facts_to_plain(stated))
    write_nodes(run, resolved)
    run.measured_at, run.measured_on = measured_when(stated.facts, now=now)
    graded = grade_run(stated.facts, load, command=run.command)
    run.grade, run.missing = graded.grade.value, list(graded.lacking)
    run.label = _label(stated, load, run)
    _write_outcome(run, stated, load, measured=measured, logs=logs)
    return resolved.unknown


def _write_outcome(
    run: Run,
    stated: StatedFacts,
    load: Load,
    *,
    measured: Sequence[Measured],
    logs: Sequence[str],
) -> None:
    """What the run shows; the reason stands before the quoted line ("out-of-memory: CUDA …")."""
    codes = frozenset(str(one["code"]) for one in run.notices)
    view = RunView(
        uid=run.uid,
        label=run.label,
        tool=run.tool,
        run_class=RunClass(run.run_class),
        status=RunStatus(run.status),
        facts=stated.facts,
        load=load,
        counts=Counts(**run.requests),
        tokens=Tokens(**run.tokens),
        measurements=tuple(measured),
        mocked="mock_server" in codes,
    )
    shown = outcome_of(view, failures=run.failures, logs=logs, notices=codes)
    run.outcome = shown.outcome.value
    plain = shown.outcome is RunOutcome.COMPLETED and not shown.detail
    words = f"{shown.reason}: {shown.detail}" if shown.detail else shown.reason
    run.outcome_detail = "" if plain else mask(storable_text(words))[:200]


def plain_notice(notice: Notice) -> dict[str, str]:
    """A notice as rows keep it."""
    return {
        "code": notice.code,
        "detail": mask(storable_text(notice.detail))[:200],
        "pointer": storable_text(notice.pointer)[:300],
    }


def _unique(notices: Iterable[Notice]) -> list[Notice]:
    return list({(one.code, one.detail): one for one in notices}.values())


def _command(reading: RunReading, stated: StatedFacts) -> str:
    """The client's command as its files say it, else as the sender states it."""
    declared = stated.facts.get("client.command")
    text = reading.command or (str(declared.value) if declared else "")
    return mask(storable_text(text))[:_LONGEST_COMMAND]


def _no_measure_of_speed(stated: StatedFacts, run_class: str) -> Iterator[Notice]:
    """What a person says of a run that nobody may take for a measurement made here."""
    server = stated.facts.get("server.kind")
    if server is not None and str(server.value).casefold() == STAND_IN:
        yield Notice("mock_server")
    if run_class == RunClass.PUBLISHED.value:
        yield Notice("published_table")


def _class_of(stated: str, notices: Sequence[Notice]) -> str:
    """The class of a run: a stand-in server or a printed table is never called measured."""
    if stated == RunClass.MEASURED.value:
        for one in notices:
            if one.code in _NOT_MEASURED:
                return _NOT_MEASURED[one.code].value
    return stated


def _known(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def load_to_plain(load: Load) -> dict[str, object]:
    """What is known of a load, as rows keep it."""
    plain = _known({one.name: getattr(load, one.name) for one in fields(load)})
    plain.pop("extra", None)
    if load.extra:
        plain["extra"] = dict(load.extra)
    found = storable(plain)
    return _masked(found) if isinstance(found, dict) else {}


def _masked(plain: Mapping[str, object]) -> dict[str, object]:
    """Settings with masked texts: tools keep paths and addresses among them."""
    return {name: _masked_setting(value) for name, value in plain.items()}


def _masked_setting(value: object) -> object:
    if isinstance(value, str):
        return mask(value)
    return _masked(value) if isinstance(value, dict) else value


def _write_load(run: Run, load: Load) -> None:
    run.load = load_to_plain(load)
    run.load_mode = load.mode.value if load.mode else ""
    run.max_concurrency = _count(load.max_concurrency)
    run.request_rate = _finite(load.request_rate)
    run.input_tokens = _first(load.isl_mean, load.isl_target, load.n_prompt)
    run.output_tokens = _first(load.osl_mean, load.osl_target, load.n_gen)


def _count(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= _GREATEST_COUNT else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _first(*values: float | None) -> float | None:
    return next((_finite(value) for value in values if value is not None), None)


def _label(stated: StatedFacts, load: Load, run: Run) -> str:
    """A short name: the model, the machine and the load, as far as they are known."""

    def word(*names: str) -> str:
        values = (str(stated.facts[n].value) for n in names if n in stated.facts)
        return " ".join(next((v for v in values if v != NOT_CAPTURED), "").split())

    model = word("model.id", "model.file", "model.raw", "model.desc").rstrip("/").rpartition("/")[2]
    count = f"{run.hardware_count} x " if run.hardware_count else ""
    machine = word("accelerator.name", "host.cpu")
    named = model[:_LONGEST_WORD] or run.tool
    parts = [named, f"{count}{machine[:_LONGEST_WORD]}" if machine else "", _load_word(load)]
    return ", ".join(part for part in parts if part)[:200]


def _load_word(load: Load) -> str:
    if load.n_prompt or load.n_gen:
        parts = [
            f"pp{load.n_prompt}" if load.n_prompt else "",
            f"tg{load.n_gen}" if load.n_gen else "",
        ]
        depth = f" @ d{load.n_depth}" if load.n_depth else ""
        return "+".join(part for part in parts if part) + depth
    if load.max_concurrency:
        return f"c{load.max_concurrency}"
    return f"{load.request_rate:g} req/s" if load.request_rate else ""


def _value_rows(metrics: Iterable[Measured], origin: str) -> Iterator[ValueRow]:
    for one in metrics:
        pointer = storable_text(one.pointer)[:300]
        for stat, value in one.stats.items():
            if math.isfinite(value):
                yield ValueRow(
                    one.metric, one.definition, stat[:12], value, origin, one.basis[:40],
                    one.percentile_method, pointer,
                )  # fmt: skip


def _once(rows: Iterable[ValueRow]) -> list[ValueRow]:
    """Each statistic once; the first place of a file that says it twice stands."""
    found: dict[tuple[str, ...], ValueRow] = {}
    for row in rows:
        found.setdefault((row.metric, row.definition, row.stat, row.origin, row.basis), row)
    return list(found.values())


def _sample_row(run: Run, samples: Samples | None) -> SampleSet | None:
    if samples is None:
        return None
    columns = [
        f"{group}.{name}"
        for group in ("requests", "pooled", "repeats")
        for name in getattr(samples, group)
    ]
    if not columns:
        return None
    lengths = [column.size for column in samples.requests.values()]
    return SampleSet(
        run=run,
        encoded=encode(samples),
        request_count=lengths[0] if lengths else 0,
        columns=columns,
    )
