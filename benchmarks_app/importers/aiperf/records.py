"""Reads AIPerf's per-request records, with which statistics can be made again.

**Shapes**: JSON Lines of ``{metadata, metrics{name: {value, unit}}, error}``; the gaps between
chunks are a list a request. **Units**: each value names its own; times are nanoseconds.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks_app.contract import FileReading, FileRole, Floats, Notice, Samples
from benchmarks_app.importers.nvidia_metrics import time_scale
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import is_number

_TOOL = "aiperf"
_COLUMNS: Mapping[str, str] = {
    "ttft_ms": "time_to_first_token",
    "e2el_ms": "request_latency",
    "tpot_ms": "inter_token_latency",
}
# What has no end after scaling is no time and no count.
_GREATEST = 1e300
_LENGTHS: Mapping[str, str] = {
    "input_tokens": "input_sequence_length",
    "output_tokens": "output_sequence_length",
}


def read_records(document: Document, form: str) -> FileReading:
    """The requests of the measured phase as samples for the run beside the file.

    Warm-up requests are no part of the run; a failed request keeps its place without latencies.
    """
    records = [record for record in _records(document) if _is_measured(record)]
    samples = _samples(records) if records else None
    return FileReading(
        format=form,
        tool=_TOOL,
        role=FileRole.ATTACHMENT,
        samples=samples,
        completes=(_TOOL,),
        reason="These are single requests, which complete the run of profile_export_aiperf.json "
        "in the same folder; send both.",
        notices=(Notice("needs_sibling"),),
    )


def _records(document: Document) -> Iterator[Mapping[str, object]]:
    values = (
        (document.value,)
        if document.kind is Kind.JSON
        else (record.value for record in document.records)
    )
    return (value for value in values if isinstance(value, dict))


def _part(record: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _is_measured(record: Mapping[str, object]) -> bool:
    described = _part(record, "metadata")
    phase = described.get("phase_kind", described.get("benchmark_phase", "profiling"))
    return phase == "profiling"


def _samples(records: list[Mapping[str, object]]) -> Samples:
    metrics = [_part(record, "metrics") for record in records]
    ended_well = [
        not record.get("error")
        and _part(record, "metadata").get("was_cancelled") is not True
        and "request_latency" in measured
        for record, measured in zip(records, metrics, strict=True)
    ]
    good = np.array(ended_well, dtype=bool)
    columns: dict[str, Floats] = {"ok": good.astype(np.float64)}
    for column, name in {**_COLUMNS, **_LENGTHS}.items():
        found = np.array([_value(one, name) for one in metrics], dtype=np.float64)
        if column in _COLUMNS:
            found[~good] = np.nan
        if not np.isnan(found).all():
            columns[column] = found
    starts = np.array(
        [_number(_part(record, "metadata").get("request_start_ns")) for record in records]
    )
    if not np.isnan(starts).all():
        columns["start_s"] = (starts - np.nanmin(starts)) / 1e9
    gaps = [_gaps(one) for one, ok in zip(metrics, ended_well, strict=True) if ok]
    known = [one for one in gaps if one.size]
    return Samples(requests=columns, pooled={"itl_ms": np.concatenate(known)} if known else {})


def _value(metrics: Mapping[str, object], name: str) -> float:
    """A time in milliseconds or a count; NaN where it is absent or in no known unit."""
    one = _part(metrics, name)
    scale = 1.0 if name in _LENGTHS.values() else time_scale(one.get("unit"))
    return _number(one.get("value")) * (np.nan if scale is None else scale)


def _number(value: object) -> float:
    return float(value) if is_number(value) and abs(value) < _GREATEST else float("nan")


def _gaps(metrics: Mapping[str, object]) -> Floats:
    """The gaps between the chunks of one request, in milliseconds."""
    one = _part(metrics, "inter_chunk_latency")
    value, scale = one.get("value"), time_scale(one.get("unit"))
    if not isinstance(value, list) or scale is None:
        return np.empty(0)
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
    if found.ndim != 1:
        return np.empty(0)
    return found[np.abs(found) < _GREATEST] * scale
