"""Makes samples of the per-request arrays that vLLM's client and its descendants write.

**Shapes**: ``ttfts``, ``latencies``, ``start_times`` one number a request in seconds;
``itls`` one list of gaps a request in seconds; ``input_lens``, ``output_lens`` tokens;
``errors``, ``generated_texts`` one text a request. All are read without a loop over numbers.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.contract import Floats, Samples
from benchmarks_app.reading.fields import Fields

ARRAY_KEYS = (
    "errors", "output_lens", "ttfts", "latencies", "itls", "input_lens", "start_times",
    "generated_texts",
)  # fmt: skip
# What people put into a published file instead of the text.
_NO_TEXT = frozenset({"", "(text withheld)", None})
_ERROR_CLASS = re.compile(r"^\s*([A-Za-z_][\w.]*(?:Error|Exception|Timeout|Disconnected))\b")
_STATUS = re.compile(r"\b([45]\d\d)\b")
_NO_MEMORY = re.compile(r"(?i)out of memory|OutOfMemory")
# Forks add lists of what was asked and answered under names of their own.
_TEXT_NAME = re.compile(r"(?i)text|prompt|response|answer|message|content|tool_call|question")
_PHRASES = {status.phrase.lower(): f"HTTP {status.value}" for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class RequestArrays:
    """What the arrays of one run say; every number is ``None`` where they do not tell."""

    samples: Samples | None = None
    recorded: int | None = None
    failed: int | None = None
    zero_token_successes: int | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    has_texts: bool = False


def read_arrays(fields: Fields, *, completed: int | None) -> RequestArrays:
    """Samples, failures by kind, and how many successes brought no token.

    Arrays of another length than the rest stay in the rest of the fields. Failed requests have
    ``ok`` 0 and no latency; a zero stands for a latency that was not measured.
    """
    lists = {key: value for key in ARRAY_KEYS if isinstance(value := fields.peek(key), list)}
    texts = fields.peek("generated_texts")
    has_texts = isinstance(texts, list) and any(_is_text(text) for text in texts)
    errors = lists.get("errors")
    fields.withhold("generated_texts", "errors")
    sized = [values for key, values in lists.items() if key != "generated_texts"]
    _take_empty(fields, lists)
    lengths = Counter(len(values) for values in sized if values)
    if not lengths:
        return RequestArrays(has_texts=has_texts)
    count = lengths.most_common(1)[0][0]
    columns = {
        key: values
        for key in ("input_lens", "output_lens", "ttfts", "latencies", "start_times")
        if len(lists.get(key, ())) == count and (values := fields.numbers(key)) is not None
    }
    broken = _broken_mask(errors, count)
    ok = _successes(columns, broken, completed, count)
    gaps = _read_gaps(fields, count)
    with np.errstate(over="ignore", invalid="ignore"):
        made = _columns(columns, gaps, ok)
        pooled = {} if gaps is None else {"itl_ms": gaps.pooled(ok) * 1000.0}
    for values in (*made.values(), *pooled.values()):
        values[np.isinf(values)] = np.nan
    outputs = columns.get("output_lens")
    empty = None if outputs is None else int(np.count_nonzero(ok & (outputs == 0)))
    return RequestArrays(
        samples=Samples(requests=made, pooled=pooled),
        recorded=count,
        failed=None if broken is None else int(np.count_nonzero(broken)),
        zero_token_successes=empty,
        failures=_count_errors(errors),
        has_texts=has_texts,
    )


def withhold_texts(fields: Fields) -> None:
    """Withholds lists and objects that are named like prompts or answers, of whatever fork."""
    rest = fields.rest()
    fields.withhold(
        *(
            name
            for name, value in fields.value.items()
            if isinstance(value, (list, dict))
            and _TEXT_NAME.search(name)
            and fields.place(name) in rest
        )
    )


@dataclass(frozen=True, slots=True)
class _Gaps:
    """All gaps in one row; ``lengths`` says how many belong to each request."""

    flat: Floats
    lengths: NDArray[np.int64]

    def pooled(self, ok: NDArray[np.bool_]) -> Floats:
        return self.flat[np.repeat(ok, self.lengths)]

    def sums(self) -> Floats:
        found = np.zeros(len(self.lengths))
        filled = self.lengths > 0
        if filled.any():
            starts = np.cumsum(self.lengths) - self.lengths
            found[filled] = np.add.reduceat(self.flat, starts[filled])
        return found


def _read_gaps(fields: Fields, count: int) -> _Gaps | None:
    rows = fields.peek("itls")
    if not isinstance(rows, list) or len(rows) != count or set(map(type, rows)) != {list}:
        return None
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=count)
    try:
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.float64, count=int(lengths.sum()))
    except (TypeError, ValueError, OverflowError):
        return None
    flat[~np.isfinite(flat)] = np.nan
    fields.take("itls")
    return _Gaps(flat, lengths)


def _columns(
    columns: Mapping[str, Floats], gaps: _Gaps | None, ok: NDArray[np.bool_]
) -> dict[str, Floats]:
    made: dict[str, Floats] = {"ok": ok.astype(np.float64)}
    first = columns.get("ttfts")
    if first is not None:
        made["ttft_ms"] = _measured(first, ok)
    whole = columns.get("latencies")
    if whole is not None:
        made["e2el_ms"] = _measured(whole, ok)
    elif first is not None and gaps is not None:
        made["e2el_ms"] = made["ttft_ms"] + gaps.sums() * 1000.0
    for name, key in (("input_tokens", "input_lens"), ("output_tokens", "output_lens")):
        if key in columns:
            made[name] = columns[key]
    starts = columns.get("start_times")
    if starts is not None and np.isfinite(starts).any():
        made["start_s"] = starts - np.nanmin(starts)
    return made


def _measured(seconds: Floats, ok: NDArray[np.bool_]) -> Floats:
    """Milliseconds; unknown for failed requests and where zero says that nothing came."""
    return np.where(ok & (seconds != 0), seconds * 1000.0, np.nan)


def _successes(
    columns: Mapping[str, Floats],
    broken: NDArray[np.bool_] | None,
    completed: int | None,
    count: int,
) -> NDArray[np.bool_]:
    if broken is not None:
        return ~broken
    if "latencies" in columns:
        return columns["latencies"] > 0
    if completed == count:
        return np.ones(count, dtype=np.bool_)
    for key in ("output_lens", "ttfts"):
        if key in columns:
            return columns[key] > 0
    return np.ones(count, dtype=np.bool_)


def _broken_mask(errors: list[object] | None, count: int) -> NDArray[np.bool_] | None:
    if errors is None or len(errors) != count:
        return None
    return np.fromiter(map(bool, errors), dtype=np.bool_, count=count)


def _count_errors(errors: list[object] | None) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for text, times in Counter(e for e in errors or () if isinstance(e, str) and e).items():
        counted[error_kind(text)] += times
    return dict(counted)


def error_kind(text: str) -> str:
    """A short kind of a client's error text, which itself may quote prompts and hosts."""
    if _NO_MEMORY.search(text):
        return "out of memory"
    lines = [line for line in text.splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    named = _ERROR_CLASS.match(last)
    if named:
        return named[1].rpartition(".")[2][:80]
    if last.lower() in _PHRASES:
        return _PHRASES[last.lower()]
    status = _STATUS.search(last[:200])
    return f"HTTP {status[1]}" if status else "other"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value not in _NO_TEXT


def _take_empty(fields: Fields, lists: Mapping[str, list[object]]) -> None:
    """Empty lists say nothing and are read."""
    for key, values in lists.items():
        if not values:
            fields.take(key)
