"""Says what runs have in common before any of their numbers are put side by side.

**Source**: which definitions and conditions exclude each other is in docs/benchmark-metrics.md.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks_app.contract import Measurement
from benchmarks_app.domain.levels import LoadMode, RunClass, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.run_view import RunView
from benchmarks_app.domain.sameness import as_float

Value = str | int | float | bool


class Role(StrEnum):
    """What a difference of a variable means."""

    MUST_MATCH = "must-match"
    EXPECTED = "expected"  # what is usually compared: framework, hardware, their versions
    CONTEXT = "context"  # worth knowing, changes little


class Verdict(StrEnum):
    """How one variable stands over all runs."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNKNOWN = "unknown"  # at least one run does not state it, and those that do agree


@dataclass(frozen=True, slots=True)
class Variable:
    """One controlled variable; ``load`` is a field of the load, ``facts`` the names of facts.

    Numbers that differ by less than ``tolerance`` of the greater one are equal. ``otherwise`` are
    facts that stand in where no run states one of ``facts``: two files of one model have the same
    name, and a name as a table prints it is no identifier.
    """

    name: str
    role: Role
    facts: tuple[str, ...] = ()
    load: tuple[str, ...] = ()
    tolerance: float = 0.0
    otherwise: tuple[str, ...] = ()


# Measured lengths vary with the tokenizer's treatment of special tokens.
LENGTH_TOLERANCE = 0.05
RATE_TOLERANCE = 0.02
_MUST, _EXPECTED, _CONTEXT = Role.MUST_MATCH, Role.EXPECTED, Role.CONTEXT

VARIABLES: tuple[Variable, ...] = (
    Variable("model.id", _MUST, ("model.id",), otherwise=("model.raw", "model.file")),
    Variable("model.revision", _MUST, ("model.revision",)),
    Variable("tokenizer.id", _MUST, ("tokenizer.id",)),
    Variable("quantization.weights", _MUST, ("quantization.weights",)),
    Variable("quantization.kv_cache", _MUST, ("quantization.kv_cache", "kv_cache.type_k")),
    Variable("dtype", _MUST, ("dtype",)),
    Variable("spec_decoding", _MUST, ("spec_decoding",)),
    Variable("load.mode", _MUST, load=("mode",)),
    Variable("load.request_rate", _MUST, load=("request_rate",), tolerance=RATE_TOLERANCE),
    Variable("load.request_rate_unbounded", _MUST, load=("request_rate_unbounded",)),
    Variable("load.max_concurrency", _MUST, load=("max_concurrency",)),
    Variable("load.batch_size", _MUST, load=("batch_size",)),
    Variable("load.burstiness", _MUST, load=("burstiness",)),
    Variable("load.input_length", _MUST, load=("isl_mean", "isl_target", "n_prompt"),
             tolerance=LENGTH_TOLERANCE),
    Variable("load.output_length", _MUST, load=("osl_mean", "osl_target", "n_gen"),
             tolerance=LENGTH_TOLERANCE),
    Variable("load.n_depth", _MUST, load=("n_depth",)),
    Variable("load.dataset", _MUST, ("load.dataset",)),
    Variable("load.streaming", _MUST, ("load.streaming",)),
    Variable("load.ignore_eos", _MUST, load=("ignore_eos",)),
    Variable("framework.name", _EXPECTED, ("framework.name",)),
    Variable("framework.version", _EXPECTED, ("framework.version", "framework.build_number")),
    Variable("framework.commit", _EXPECTED, ("framework.commit",)),
    Variable("framework.backend", _EXPECTED, ("framework.backend", "accelerator.backend")),
    Variable("framework.arguments", _EXPECTED, ("framework.arguments",)),
    Variable("accelerator.name", _EXPECTED, ("accelerator.name",)),
    Variable("accelerator.count", _EXPECTED, ("accelerator.count",)),
    Variable("accelerator.driver", _EXPECTED, ("accelerator.driver",)),
    Variable("accelerator.runtime", _EXPECTED, ("accelerator.runtime",)),
    Variable("parallelism.tp", _EXPECTED, ("parallelism.tp",)),
    Variable("parallelism.pp", _EXPECTED, ("parallelism.pp",)),
    Variable("parallelism.ep", _EXPECTED, ("parallelism.ep",)),
    Variable("parallelism.dp", _EXPECTED, ("parallelism.dp",)),
    Variable("container.image", _EXPECTED, ("container.image",)),
    Variable("container.digest", _EXPECTED, ("container.digest",)),
    Variable("tool.name", _CONTEXT, ("tool.name",)),
    Variable("tool.version", _CONTEXT, ("tool.version",)),
    Variable("load.num_prompts", _CONTEXT, load=("num_prompts",)),
    Variable("load.seed", _CONTEXT, ("load.seed",)),
    Variable("load.warmup", _CONTEXT, ("load.warmup",), ("warmup",)),
    Variable("load.range_ratio", _CONTEXT, load=("range_ratio",)),
    Variable("host.cpu", _CONTEXT, ("host.cpu",)),
    Variable("host.os", _CONTEXT, ("host.os",)),
)  # fmt: skip
BY_NAME: Mapping[str, Variable] = {one.name: one for one in VARIABLES}


@dataclass(frozen=True, slots=True)
class ComparedVariable:
    """One variable over all runs; ``values`` are in the order of the runs, ``None`` unknown.

    ``varied`` marks a variable that the comparison is about, whose difference is wanted.
    """

    variable: Variable
    verdict: Verdict
    values: tuple[Value | None, ...]
    varied: bool = False


def fingerprint(run: RunView) -> dict[str, Value | None]:
    """Every controlled variable of a run; ``None`` is unknown."""
    return {one.name: _value_of(one, run) for one in VARIABLES}


def values_over(variable: Variable, runs: Sequence[RunView]) -> tuple[Value | None, ...]:
    """The value of a variable in each run, all from the same kind of statement."""
    values = tuple(_value_of(variable, run) for run in runs)
    if not variable.otherwise or any(value is not None for value in values):
        return values
    others = [tuple(_stated((name,), run) for run in runs) for name in variable.otherwise]
    return max(others, key=lambda found: sum(value is not None for value in found))


def _stated(names: Sequence[str], run: RunView) -> Value | None:
    values = (run.fact(name) for name in names)
    return next((value for value in values if value is not None and value != ""), None)


def _value_of(variable: Variable, run: RunView) -> Value | None:
    if (value := _stated(variable.facts, run)) is not None:
        return value
    for name in variable.load:
        stated = getattr(run.load, name)
        if stated is not None:
            return str(stated) if isinstance(stated, LoadMode) else stated
    return None


def compare_fingerprints(
    runs: Sequence[RunView], *, varied: Collection[str] = ()
) -> tuple[ComparedVariable, ...]:
    """Each variable that any run states, with what is equal, different and unknown.

    ``varied`` are names of variables that the comparison deliberately changes.
    """
    rows = []
    for variable in VARIABLES:
        values = values_over(variable, runs)
        if any(value is not None for value in values) or variable.role is Role.MUST_MATCH:
            verdict = judge(values, tolerance=variable.tolerance)
            rows.append(ComparedVariable(variable, verdict, values, variable.name in varied))
    return tuple(rows)


def judge(values: Sequence[Value | None], *, tolerance: float = 0.0) -> Verdict:
    """How one variable stands over all runs; ``None`` is unknown."""
    known = [value for value in values if value is not None]
    if any(not are_equal(known[0], value, tolerance=tolerance) for value in known[1:]):
        return Verdict.DIFFERENT
    if len(known) == len(values) and known:
        return Verdict.EQUAL
    return Verdict.UNKNOWN


def are_equal(one: Value, other: Value, *, tolerance: float = 0.0) -> bool:
    """Whether two values are one: texts without regard to case, numbers within the tolerance."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        if one == other:
            return True
        left, right = as_float(one), as_float(other)
        greatest = max(abs(left), abs(right))
        return math.isfinite(greatest) and abs(left - right) <= max(tolerance, 1e-9) * greatest
    return str(one).strip().casefold() == str(other).strip().casefold()


class Severity(StrEnum):
    """What a barrier does."""

    BLOCKS = "blocks"  # no ratio, no common axis
    MARKS = "marks"  # shown together with the reason beside it


@dataclass(frozen=True, slots=True)
class Barrier:
    """Why two runs do not share a column or axis of a metric.

    ``code`` is a constant; ``left`` and ``right`` are the two values, ``None`` unknown. The
    sentence is made by the pages.
    """

    code: str
    severity: Severity
    left: Value | None = None
    right: Value | None = None


# Codes of barriers, for whoever words them.
BARRIER_CODES = (
    "no-metric", "definition", "basis", "load-mode", "streaming", "input-length", "output-length",
    "tokenizer", "concurrency", "request-rate", "batch-size", "depth", "model", "quantization",
    "run-class", "mocked", "not-completed", "percentile-method", "input-length-unknown",
    "output-length-unknown", "load-mode-unknown", "definition-unstated",
)  # fmt: skip
# Conditions of a metric: barrier code, variable, whether a stated difference blocks.
_CONDITIONS: tuple[tuple[str, str, Severity], ...] = (
    ("load-mode", "load.mode", Severity.BLOCKS),
    ("streaming", "load.streaming", Severity.BLOCKS),
    ("input-length", "load.input_length", Severity.BLOCKS),
    ("output-length", "load.output_length", Severity.BLOCKS),
    ("concurrency", "load.max_concurrency", Severity.BLOCKS),
    ("request-rate", "load.request_rate", Severity.BLOCKS),
    ("batch-size", "load.batch_size", Severity.BLOCKS),
    ("depth", "load.n_depth", Severity.BLOCKS),
    ("model", "model.id", Severity.MARKS),
    ("quantization", "quantization.weights", Severity.MARKS),
)
_SAID_WHEN_UNKNOWN = frozenset({"load-mode", "input-length", "output-length"})
# What streaming changes: the moment of the first token, and what follows from it.
_STREAMED = frozenset({"ttft", "tpot", "itl", "ttst", "decode_time_per_output_token"})


def barriers_between(
    metric: str, one: RunView, other: RunView, *, varied: Collection[str] = ()
) -> tuple[Barrier, ...]:
    """Why two runs cannot share a column of a metric; those that block come first.

    ``varied`` are names of variables that the axis itself shows (concurrency of a load curve).
    **Raises**: ``KeyError`` for an unknown metric.
    """
    return barriers_of_pair([metric], one, other, varied=varied)[metric]


def barriers_of_pair(
    metrics: Iterable[str], one: RunView, other: RunView, *, varied: Collection[str] = ()
) -> dict[str, tuple[Barrier, ...]]:
    """The same for several metrics of two runs, by metric."""
    shared = tuple(_shared_barriers(one, other, frozenset(varied)))
    found = {}
    for metric in metrics:
        between = [
            *_measured_barriers(one.measured(METRICS[metric].name), other.measured(metric)),
            *_unstated_barriers(metric, one, other),
            *(own for own in shared if own.code != "streaming" or metric in _STREAMED),
        ]
        between.sort(key=lambda barrier: barrier.severity is Severity.MARKS)
        found[metric] = tuple(between)
    return found


def _shared_barriers(one: RunView, other: RunView, varied: frozenset[str]) -> Iterator[Barrier]:
    """What stands between two runs whatever is measured; streaming matters for some metrics."""
    for code, name, severity in _CONDITIONS:
        if name in varied:
            continue
        variable = BY_NAME[name]
        left, right = values_over(variable, (one, other))
        if left is None or right is None:
            if code in _SAID_WHEN_UNKNOWN:
                yield Barrier(f"{code}-unknown", Severity.MARKS, left, right)
        elif not are_equal(left, right, tolerance=variable.tolerance):
            yield Barrier(code, severity, left, right)
    yield from _tokenizer_barriers(one, other, varied)
    yield from _run_barriers(one, other)


def _tokenizer_barriers(one: RunView, other: RunView, varied: frozenset[str]) -> Iterator[Barrier]:
    """A token of another tokenizer is another unit; one model's tokenizer has several names."""
    left, right = one.fact("tokenizer.id"), other.fact("tokenizer.id")
    if left is None or right is None or are_equal(left, right) or "tokenizer.id" in varied:
        return
    models = one.fact("model.id"), other.fact("model.id")
    same = models[0] is not None and models[1] is not None and are_equal(models[0], models[1])
    yield Barrier("tokenizer", Severity.MARKS if same else Severity.BLOCKS, left, right)


def _run_barriers(one: RunView, other: RunView) -> Iterator[Barrier]:
    if one.run_class is not other.run_class or one.run_class is not RunClass.MEASURED:
        yield Barrier("run-class", Severity.MARKS, str(one.run_class), str(other.run_class))
    if one.mocked or other.mocked:
        # A stand-in's latencies are no performance: never measured against a real server's.
        severity = Severity.MARKS if one.mocked and other.mocked else Severity.BLOCKS
        yield Barrier("mocked", severity, one.mocked, other.mocked)
    for run in (one, other):
        if run.status in (RunStatus.FAILED, RunStatus.INVALID, RunStatus.CANCELLED):
            yield Barrier("not-completed", Severity.MARKS, str(one.status), str(other.status))
            break


# Endings of definitions that do not say what was computed; "unstated" says nothing at all.
_UNSTATED: Mapping[str, Severity] = {
    "unstated": Severity.BLOCKS,
    "reported": Severity.MARKS,
}


def _unstated_barriers(metric: str, one: RunView, other: RunView) -> Iterator[Barrier]:
    """Two tools that do not say what they computed need not have computed the same."""
    left, right = one.measured(metric), other.measured(metric)
    if left is None or right is None or left.definition != right.definition:
        return
    severity = _UNSTATED.get(left.definition.rpartition("/")[2])
    if severity is not None and one.tool != other.tool:
        yield Barrier("definition-unstated", severity, one.tool, other.tool)


def _measured_barriers(one: Measurement | None, other: Measurement | None) -> Iterator[Barrier]:
    if one is None or other is None:
        left = None if one is None else one.definition
        right = None if other is None else other.definition
        yield Barrier("no-metric", Severity.BLOCKS, left, right)
        return
    if one.definition != other.definition:
        yield Barrier("definition", Severity.BLOCKS, one.definition, other.definition)
    if one.basis != other.basis:
        yield Barrier("basis", Severity.BLOCKS, one.basis, other.basis)
    methods = {one.percentile_method, other.percentile_method}
    if len(methods) > 1 and any(stat[:1] == "p" for stat in one.stats):
        yield Barrier(
            "percentile-method", Severity.MARKS, one.percentile_method, other.percentile_method
        )


def barriers(
    metric: str, runs: Sequence[RunView], *, varied: Collection[str] = ()
) -> dict[str, tuple[Barrier, ...]]:
    """For each run but the first, by identifier, what stands between it and the first."""
    first, *others = runs
    return {run.uid: barriers_between(metric, first, run, varied=varied) for run in others}
