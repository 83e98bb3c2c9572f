"""When two readings are forms of one run (JSON beside CSV), and a digest of what a run is.

Tools write one run into several files, some with fewer digits. Two readings are one run when
nothing that both state differs and enough of it is equal that chance is no explanation.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from benchmarks_app.contract import Fact, Measurement, RunReading

# A place among a run's numbers: metric, definition, basis, statistic.
StatKey = tuple[str, str, str, str]

# Facts that tell of the form of a file, not of the run.
FORM_PREFIXES = ("tool.", "schema_", "client.service_kind", "environment")
_DATES = ("run.started_at", "run.finished_at", "run.started_at_local", "run.finished_at_local")
# Of values from which no step can be seen, rounding explains no more than this share.
_COARSEST_SHARE = 0.02
_SEEN_STEP = 4
# Greater floats are all whole and have no digits left to tell a step from.
_LARGEST_STEPPED = 1e15
# Equal digits needed: about what two throughputs of four digits and a bit tell.
ENOUGH_DIGITS = 8
_MOST_DIGITS = 6
_EQUAL = 1e-9
# Counts and sums are kept out: a short run shares them with many others.
_WEAK_STATS = frozenset({"count", "sum"})


@dataclass(frozen=True, slots=True)
class Number:
    """One number with half the step that its file seems to round to, and its digits."""

    value: float
    half_step: float
    digits: int


def numbers_of(run: RunReading) -> dict[StatKey, Number]:
    """Every number of a run with the rounding of its form.

    The step of a form is seen from all statistics of one metric: 12.34 and 5.6 are written to
    0.01, and seconds of two digits became multiples of 10 ms.
    """
    found: dict[StatKey, Number] = {}
    for one in run.metrics:
        values = {value for name, value in one.stats.items() if name != "count" and value}
        step = _step(values)
        for stat, value in one.stats.items():
            half = step / 2.0
            if len(values) < _SEEN_STEP:
                # One or two round values may be round by chance.
                half = min(half, _COARSEST_SHARE * abs(value))
            key = (one.metric, one.definition, one.basis, stat)
            found[key] = Number(value, half, _digits(value, step))
    return found


def _step(values: Iterable[float]) -> float:
    """The greatest power of ten that all values are multiples of; 0 for none down to 1e-9."""
    known = [abs(value) for value in values if value and math.isfinite(value)]
    if not known or max(known) > _LARGEST_STEPPED:
        return 0.0
    for exponent in range(1, -10, -1):
        scaled = (value * 10.0**-exponent for value in known)
        if all(one > 0.5 and abs(one - round(one)) <= 1e-7 for one in scaled):
            return float(10.0**exponent)
    return 0.0


def _digits(value: float, step: float) -> int:
    if not value or abs(value) < step:
        return 0
    if not step or abs(value) >= step * 10.0**_MOST_DIGITS:
        return _MOST_DIGITS
    return max(0, min(_MOST_DIGITS, math.floor(math.log10(abs(value) / step)) + 1))


def are_equal_numbers(one: Number, other: Number) -> bool:
    """Whether two numbers are one within the rounding of the coarser form."""
    apart = abs(one.value - other.value)
    greatest = max(abs(one.value), abs(other.value))
    if apart <= _EQUAL * greatest:
        return True
    return apart <= max(one.half_step, other.half_step) * 1.001


def are_one_run(
    one: RunReading,
    other: RunReading,
    *,
    numbers: tuple[Mapping[StatKey, Number], Mapping[StatKey, Number]] | None = None,
    same_stem: bool = False,
    same_form: bool = False,
) -> bool:
    """Whether two readings of one tool are the same run in two forms.

    ``same_stem`` says that their files differ in the suffix alone and that they stand at the same
    place, which is evidence itself. ``same_form`` says that both are of one format: such forms
    round alike, so that everything both state must be the same.
    """
    mine, theirs = numbers or (numbers_of(one), numbers_of(other))
    digits = 0
    shared = 0
    for key, number in mine.items():
        counterpart = theirs.get(key)
        if counterpart is None:
            continue
        if same_form and number.value != counterpart.value:
            return False
        if not are_equal_numbers(number, counterpart):
            return False
        shared += 1
        if key[3] not in _WEAK_STATS:
            digits += _telling(min(number.digits, counterpart.digits))
    if same_form and (len(mine) != len(theirs) or shared != len(mine)):
        return False
    if not (_counts_agree(one, other) and _loads_agree(one, other)):
        return False
    if not facts_agree(one.facts, other.facts):
        return False
    if same_stem and (shared or not (mine or theirs)):
        return True
    digits += _MOST_DIGITS if _dates_shared(one.facts, other.facts) else 0
    return digits >= ENOUGH_DIGITS


def _telling(digits: int) -> int:
    """Numbers of one or two digits are equal by chance too often to tell anything."""
    return digits if digits >= 3 else 0


def _counts_agree(one: RunReading, other: RunReading) -> bool:
    pairs = [
        (getattr(a, name.name), getattr(b, name.name))
        for a, b in ((one.requests, other.requests), (one.tokens, other.tokens))
        for name in fields(a)
    ]
    return all(_values_agree(a, b) for a, b in pairs)


def _loads_agree(one: RunReading, other: RunReading) -> bool:
    for name in fields(one.load):
        a, b = getattr(one.load, name.name), getattr(other.load, name.name)
        if name.name == "extra":
            if not all(_values_agree(a[key], b[key]) for key in a.keys() & b.keys()):
                return False
        elif not _values_agree(a, b):
            return False
    return True


def _values_agree(one: object, other: object) -> bool:
    """Whether two values do not contradict each other; an unknown one contradicts nothing."""
    if one is None or other is None:
        return True
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        one, other = as_float(one), as_float(other)
        if not (math.isfinite(one) and math.isfinite(other)):
            return one == other
        step = max(_step([float(one)]), _step([float(other)]))
        half = min(min(step, 0.1) / 2.0, _COARSEST_SHARE * max(abs(one), abs(other)))
        return are_equal_numbers(Number(float(one), half, 0), Number(float(other), half, 0))
    return str(one).strip().casefold() == str(other).strip().casefold()


def facts_agree(one: Mapping[str, Fact], other: Mapping[str, Fact]) -> bool:
    """Whether no fact that both state about the run differs; facts of the form do not count."""
    return not contradictions(one, other)


def contradictions(one: Mapping[str, Fact], other: Mapping[str, Fact]) -> list[str]:
    """The names of facts that both state, differently."""
    return [
        name
        for name, fact in one.items()
        if name in other
        and not name.startswith(FORM_PREFIXES)
        and not _same_fact(name, fact, other[name])
    ]


def _same_fact(name: str, one: Fact, other: Fact) -> bool:
    if name in _DATES:
        # Forms write dates to the second or to its parts, with a space or a T.
        a, b = (str(fact.value).replace(" ", "T")[:19] for fact in (one, other))
        return a == b
    return _values_agree(one.value, other.value)


def _dates_shared(one: Mapping[str, Fact], other: Mapping[str, Fact]) -> bool:
    return any(name in one and name in other for name in _DATES)


def identity_of(run: RunReading, *, tool: str, occurrence: int = 0) -> str:
    """A digest of what makes a run the run it is: tool, model, dates, load, counts, numbers.

    Equal for the same content read twice from forms of full precision that state the same;
    rounded forms are joined by ``merging`` instead. ``occurrence`` tells exact repetitions inside
    one file apart.
    """
    named = ("model.id", "framework.commit", *_DATES)
    told = {
        "tool": tool,
        "facts": {name: str(run.facts[name].value) for name in named if name in run.facts},
        "load": _plain(run.load),
        "counts": _plain(run.requests),
        "tokens": _plain(run.tokens),
        "metrics": sorted(_metric_key(one) for one in run.metrics),
        "repeats": _repeats(run),
        "occurrence": occurrence,
    }
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def identities_of(runs: Sequence[RunReading], *, tool: str) -> list[str]:
    """The identities of a file's runs; the second of two exact repetitions has its own."""
    seen: dict[str, int] = {}
    found = []
    for run in runs:
        first = identity_of(run, tool=tool)
        times = seen.get(first, 0)
        seen[first] = times + 1
        found.append(first if times == 0 else identity_of(run, tool=tool, occurrence=times))
    return found


def _plain(values: object) -> dict[str, object]:
    found = {one.name: getattr(values, one.name) for one in fields(values)}  # type: ignore[arg-type]
    return {
        name: _rounded(value) if isinstance(value, (int, float)) else value
        for name, value in found.items()
        if value is not None and value != {}
    }


def _metric_key(one: Measurement) -> list[object]:
    stats = sorted((name, _rounded(value)) for name, value in one.stats.items())
    return [one.metric, one.definition, one.basis, stats]


def _repeats(run: RunReading) -> dict[str, list[str]]:
    if run.samples is None:
        return {}
    repeats = run.samples.repeats.items()
    return {name: [_rounded(float(one)) for one in values] for name, values in repeats}


def _rounded(value: float) -> str:
    """Nine digits, so that writers that print floats differently agree."""
    return f"{as_float(value):.9g}"


def as_float(value: float) -> float:
    """A number as a float; whole numbers beyond its range are infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
