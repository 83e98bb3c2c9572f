"""Compares what an importer read with the hand-checked values of a file.

**Source**: the fields of an expectation are those of docs/benchmark-formats.md: outcome, number
of runs, and per run status, meta, load, requests, tokens, metrics, warnings, missing provenance.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from benchmarks_app.contract import FileReading, FileRole, RunReading
from benchmarks_app.domain.metrics import METRICS

# Numbers are copied from files or multiplied by a unit's factor, so only rounding may differ.
TOLERANCE = 1e-9
_ROLES: Mapping[str, tuple[FileRole, ...]] = {
    "import": (FileRole.RUNS,),
    "import_if_text_supported": (FileRole.RUNS,),
    "merge_with": (FileRole.RUNS, FileRole.SIDECAR),
    "sidecar": (FileRole.SIDECAR,),
    "attach_only": (FileRole.ATTACHMENT,),
    "attach_or_server_side": (FileRole.ATTACHMENT,),
    "ignore": (FileRole.SIDECAR, FileRole.ATTACHMENT, FileRole.REJECTED),
    "reject": (FileRole.REJECTED,),
}
# Expectations that people annotate: "4.49.0 (from benchmark_config.json)".
_REMARK = re.compile(r"\s*\((?:from|inside|process|MB=)[^)]*\)\s*$")
MISSING = object()


class Result(StrEnum):
    """How a value compares."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Compared:
    """One value of one file. ``place`` names it: ``runs[0].metrics.ttft.p99``."""

    place: str
    expected: object
    seen: object
    result: Result


def compare_file(
    expected: Mapping[str, object],
    reading: FileReading | None,
    *,
    missing_provenance: Sequence[Sequence[str]] = (),
) -> Iterator[Compared]:
    """Every expected value with what was read; ``reading`` is ``None`` for a refused file.

    ``missing_provenance`` are the names that each run of the reading lacks.
    """
    outcome = str(expected.get("outcome", "")).partition(":")[0]
    role = reading.role if reading else FileRole.REJECTED
    fits = role in _ROLES.get(outcome, ())
    yield Compared("outcome", outcome, role.value, Result.RIGHT if fits else Result.WRONG)
    if outcome == "reject":
        return
    runs = reading.runs if reading else ()
    wanted = _list(expected.get("runs"))
    count = expected.get("n_runs")
    if outcome.startswith("import") and (wanted or count):
        yield _compare("n_runs", count, len(runs))
    by_index = {run.index: (run, number) for number, run in enumerate(runs)}
    for one in wanted:
        index = one.get("index")
        run, number = by_index.get(index if isinstance(index, int) else -1, (None, 0))
        lacks = missing_provenance[number] if number < len(missing_provenance) else ()
        yield from _compare_run(f"runs[{index}]", one, run, lacks)


def _compare_run(
    place: str, expected: Mapping[str, object], run: RunReading | None, lacks: Iterable[str]
) -> Iterator[Compared]:
    yield _compare(f"{place}.status", expected.get("status"), run.status.value if run else MISSING)
    facts = {name: fact.value for name, fact in run.facts.items()} if run else {}
    for name, value in _mapping(expected.get("meta")).items():
        yield _compare(f"{place}.meta.{name}", value, facts.get(name, MISSING))
    for group, values in _groups(run).items():
        for name, value in _mapping(expected.get(group)).items():
            yield _compare(f"{place}.{group}.{name}", value, values.get(name, MISSING))
    yield from _compare_metrics(place, _mapping(expected.get("metrics")), run)
    notices = {n.code + (f":{n.detail}" if n.detail else "") for n in run.notices} if run else set()
    for code in _texts(expected.get("warnings")):
        known = code in notices or code in {notice.partition(":")[0] for notice in notices}
        yield Compared(f"{place}.warnings", code, sorted(notices), _found(known))
    missing = frozenset(lacks)
    for name in _texts(expected.get("missing_provenance")):
        known = name in missing
        yield Compared(f"{place}.missing_provenance", name, facts.get(name), _found(known))


def _groups(run: RunReading | None) -> Mapping[str, Mapping[str, object]]:
    if run is None:
        return {"load": {}, "requests": {}, "tokens": {}}
    load = {name: value for name, value in asdict(run.load).items() if value is not None}
    counts = asdict(run.requests)
    ended = [n for n in (run.requests.completed, run.requests.failed) if n is not None]
    if run.requests.total and len(ended) == 2:
        counts["error_rate"] = (run.requests.failed or 0) / run.requests.total
    return {
        "load": {**run.load.extra, **load},
        "requests": {n: v for n, v in counts.items() if v is not None},
        "tokens": {n: v for n, v in asdict(run.tokens).items() if v is not None},
    }


def _compare_metrics(
    place: str, expected: Mapping[str, object], run: RunReading | None
) -> Iterator[Compared]:
    measured = {one.metric: one for one in run.metrics} if run else {}
    for name, stats in expected.items():
        one = measured.get(name)
        for stat, value in _mapping(stats).items():
            where = f"{place}.metrics.{name}.{stat}"
            if stat == "basis":
                seen: object = one.basis if one and one.basis else MISSING
                value = str(value).partition(" (")[0]
            elif stat == "unit":
                seen = METRICS[name].unit.value if one and name in METRICS else MISSING
            else:
                seen = one.stats.get(stat, MISSING) if one else MISSING
            yield _compare(where, value, seen)


def _compare(place: str, expected: object, seen: object) -> Compared:
    if expected is None:
        result = Result.RIGHT if seen is MISSING or seen is None else Result.WRONG
    elif seen is MISSING or seen is None:
        result = Result.MISSING
    else:
        result = Result.RIGHT if _equal(expected, seen) else Result.WRONG
    return Compared(place, expected, None if seen is MISSING else seen, result)


def _equal(expected: object, seen: object) -> bool:
    if isinstance(expected, str):
        return _REMARK.sub("", expected) == str(seen)
    if isinstance(expected, bool) or isinstance(seen, bool):
        return expected is seen
    if isinstance(expected, (int, float)) and isinstance(seen, (int, float)):
        return abs(expected - seen) <= TOLERANCE * max(1.0, abs(expected))
    if isinstance(expected, dict) and isinstance(seen, str):
        # Settings of several parts are stored as one JSON text.
        return expected == _parsed(seen)
    return expected == seen


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def _found(known: bool) -> Result:
    return Result.RIGHT if known else Result.MISSING


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
