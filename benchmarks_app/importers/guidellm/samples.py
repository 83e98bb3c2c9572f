"""Reads the single requests of a GuideLLM report as samples, and failures by kind.

**Units**: ``request_latency`` in seconds, ``_ms`` in milliseconds, times in seconds since 1970.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks_app.contract import Counts, Floats, Samples
from benchmarks_app.reading.fields import is_number

_KIND = re.compile(r"\A\s*(?P<kind>[A-Za-z_][\w.]*)\s*(?:\(|:)")
# Column → names in the order in which versions used them, and the factor to its unit.
_COLUMNS: Mapping[str, tuple[tuple[str, ...], float]] = {
    "ttft_ms": (("time_to_first_token_ms",), 1.0),
    "e2el_ms": (("request_latency",), 1000.0),
    "tpot_ms": (("inter_token_latency_ms",), 1.0),
    "input_tokens": (("prompt_tokens", "input_tokens"), 1.0),
    "output_tokens": (("output_tokens",), 1.0),
    "start_s": (("request_start_time", "start_time"), 1.0),
}
_GREATEST = 1e300
_LATENCIES = ("ttft_ms", "e2el_ms", "tpot_ms")


def request_groups(requests: object) -> dict[str, list[Mapping[str, object]]]:
    """The requests by how they ended; empty where the report kept none."""
    groups = requests if isinstance(requests, dict) else {}
    return {
        name: [one for one in value if isinstance(one, dict)]
        for name, value in groups.items()
        if isinstance(value, list)
    }


def read_samples(
    groups: Mapping[str, Sequence[Mapping[str, object]]], counts: Counts
) -> Samples | None:
    """All requests that ended, or ``None`` where the report holds a part of them alone."""
    good, bad = groups.get("successful", []), groups.get("errored", [])
    if not good or len(good) != counts.completed or len(bad) != (counts.failed or 0):
        return None
    requests = [*good, *bad]
    ok = np.array([1.0] * len(good) + [0.0] * len(bad))
    columns: dict[str, Floats] = {"ok": ok}
    for column, (names, scale) in _COLUMNS.items():
        values = [_first(one, names) for one in requests]
        found = np.array(values, dtype=np.float64)
        # What has no end after scaling is no time and no count.
        found[np.abs(found) > _GREATEST] = np.nan
        found *= scale
        if column in _LATENCIES:
            found[ok == 0.0] = np.nan
        if column == "start_s" and not np.isnan(found).all():
            found -= np.nanmin(found)
        if not np.isnan(found).all():
            columns[column] = found
    return Samples(requests=columns)


def _first(request: Mapping[str, object], names: tuple[str, ...]) -> float:
    for name in names:
        value = request.get(name)
        if is_number(value):
            return float(value)
    return float("nan")


def count_failures(groups: Mapping[str, Sequence[Mapping[str, object]]]) -> dict[str, int]:
    """Failed requests by the class of their error; the text may quote a prompt and is left out."""
    found: dict[str, int] = {}
    for request in groups.get("errored", []):
        info = request.get("info")
        text = request.get("error") or (info.get("error") if isinstance(info, dict) else None)
        kind = _KIND.match(text) if isinstance(text, str) else None
        name = kind["kind"] if kind else "unknown"
        found[name] = found.get(name, 0) + 1
    return found


def holds_texts(groups: Mapping[str, Sequence[Mapping[str, object]]]) -> bool:
    """Whether the report carries prompts or answers."""
    return any(
        request.get(name)
        for requests in groups.values()
        for request in requests
        for name in ("prompt", "output", "request_args")
    )
