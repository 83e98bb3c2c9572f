"""inference-perf's per-request log: evidence with samples, whose texts are withheld."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.contract import FileReading, FileRole, Notice, Samples
from benchmarks_app.reading.fields import is_number
from benchmarks_app.reading.private import part_private

Floats = NDArray[np.float64]
_MAPPED = frozenset({"input_tokens", "output_tokens", "output_token_times", "chunk_times"})
_PARTS = frozenset({"request", "response", "info", "error", "computed_metrics"})
_HIDDEN = ("request", "response", "request_data", "response_data", "response_chunks", "error")


def is_request_log(value: object) -> bool:
    """Whether a value is the list of requests that the tool writes, of which each part but the
    times may be left out."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return False
    names = set(value[0])
    return {"start_time", "end_time"} <= names and len(_PARTS & names) >= 2


def read_request_log(value: object, found: str, tool: str) -> FileReading:
    """Samples of all requests; what was sent and answered is withheld."""
    records = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    samples = Samples(requests=_columns(records), pooled=_gaps(records))
    withheld = [f"$[*].{name}" for name in _HIDDEN if any(record.get(name) for record in records)]
    rest = _rest(value if isinstance(value, list) else [])
    kept, hidden = part_private(rest, ("response_chunks", "extra_info"))
    return FileReading(
        found, tool, FileRole.ATTACHMENT, samples=samples, completes=(tool,),
        reason="Records of single requests; send the lifecycle report beside them for the run.",
        notices=(Notice("contains_prompts_or_outputs"),) if withheld else (),
        unmapped=kept, withheld=(*withheld, *hidden),
    )  # fmt: skip


def _columns(records: Sequence[Mapping[str, object]]) -> dict[str, Floats]:
    ok = np.array([0.0 if one.get("error") else 1.0 for one in records])
    start = _column(one.get("start_time") for one in records)
    end = _column(one.get("end_time") for one in records)
    times = [_token_times(one) for one in records]
    first = _column(one[0] if len(one) else None for one in times)
    known = np.where(ok == 1.0, 1.0, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        spans = ((end - start) * 1000 * known, (first - start) * 1000 * known)
        since = start - np.nanmin(start) if np.isfinite(start).any() else start
    found = {
        "ok": ok,
        "start_s": _finite(since),
        "e2el_ms": _finite(spans[0]),
        "ttft_ms": _finite(spans[1]),
        "input_tokens": _column(_input_tokens(one) for one in records),
        "output_tokens": _column(_answer(one).get("output_tokens") for one in records),
    }
    return {name: column for name, column in found.items() if np.isfinite(column).any()}


def _rest(entries: Sequence[object]) -> dict[str, object]:
    """What neither became samples nor is hidden, by place."""
    found: dict[str, object] = {}
    for i, entry in enumerate(entries):
        if not isinstance(entry, dict):
            found[f"$[{i}]"] = entry
            continue
        for name, inner in entry.items():
            if name == "info" and isinstance(inner, dict):
                inner = _unmapped(inner)
            if name not in _HIDDEN and name not in ("start_time", "end_time") and inner != {}:
                found[f"$[{i}].{name}"] = inner
    return found


def _unmapped(info: Mapping[str, object]) -> dict[str, object]:
    """What is said of a request beside what became samples."""
    kept = {name: value for name, value in info.items() if name not in _MAPPED}
    answer = info.get("response_metrics")
    if isinstance(answer, dict):
        kept["response_metrics"] = {k: v for k, v in answer.items() if k not in _MAPPED}
    return kept


def _column(values: Iterable[object]) -> Floats:
    return np.array([float(v) if is_number(v) else np.nan for v in values], dtype=np.float64)


def _finite(column: Floats) -> Floats:
    return np.where(np.isfinite(column), column, np.nan)


def _gaps(records: Sequence[Mapping[str, object]]) -> dict[str, Floats]:
    """Gaps between the times of tokens of answered requests; tokens of one chunk share a time."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = [
            np.diff(times) * 1000
            for one in records
            if not one.get("error") and len(times := _token_times(one)) > 1
        ]
    return {"itl_ms": _finite(np.concatenate(gaps))} if gaps else {}


def _info(record: Mapping[str, object]) -> Mapping[str, object]:
    info = record.get("info")
    return info if isinstance(info, dict) else {}


def _answer(record: Mapping[str, object]) -> Mapping[str, object]:
    """What the answer said; older versions hold it in ``info`` itself."""
    inner = _info(record).get("response_metrics")
    return inner if isinstance(inner, dict) else _info(record)


def _token_times(record: Mapping[str, object]) -> Floats:
    for name in ("output_token_times", "chunk_times"):
        times = _answer(record).get(name)
        if isinstance(times, list) and times and all(is_number(one) for one in times):
            return np.array(times, dtype=np.float64)
    return np.empty(0)


def _input_tokens(record: Mapping[str, object]) -> object:
    info = _info(record)
    if "input_tokens" in info:
        return info["input_tokens"]
    sent = info.get("request_metrics")
    text = sent.get("text") if isinstance(sent, dict) else None
    return text.get("input_tokens") if isinstance(text, dict) else None
