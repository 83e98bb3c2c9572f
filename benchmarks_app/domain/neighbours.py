"""Finds runs whose main numbers lie close together, without comparing each with each."""

import math
from collections.abc import Iterator, Mapping

from benchmarks_app.domain.sameness import Number, StatKey

# Numbers that nearly every form of a tool's results holds, as a single value or as a mean.
_ANCHORS = (
    "output_token_throughput",
    "request_throughput",
    "total_token_throughput",
    "output_token_throughput_per_gpu",
    "prefill_throughput",
    "decode_throughput",
    "mixed_throughput",
    "ttft",
    "e2el",
    "tpot",
    "itl",
    "batch_latency",
)
_ANCHOR_STATS = ("value", "mean")
_WIDTH = 0.04  # Of logarithms: twice what rounding may change.

_Key = tuple[str, str, int]


class Neighbours:
    """Numbered runs by tool and by the size of their main numbers."""

    def __init__(self) -> None:
        self._places: dict[_Key, list[int]] = {}

    def add(self, number: int, tool: str, numbers: Mapping[StatKey, Number]) -> None:
        """Remembers a run under each of its main numbers."""
        for key in _keys(tool, numbers):
            places = self._places.setdefault(key, [])
            if not places or places[-1] != number:
                places.append(number)

    def candidates(self, tool: str, numbers: Mapping[StatKey, Number]) -> Iterator[int]:
        """The remembered runs that may be the same, lowest number first, each once."""
        found: set[int] = set()
        for tool_name, anchor, bucket in _keys(tool, numbers):
            for near in (bucket - 1, bucket, bucket + 1) if anchor else (bucket,):
                found.update(self._places.get((tool_name, anchor, near), ()))
        yield from sorted(found)


def _keys(tool: str, numbers: Mapping[StatKey, Number]) -> list[_Key]:
    values = {(key[0], key[3]): number.value for key, number in numbers.items()}
    keys = [
        (tool, metric, math.floor(math.log(value) / _WIDTH))
        for metric in _ANCHORS
        for stat in _ANCHOR_STATS
        if (value := values.get((metric, stat), 0.0)) > 0.0
    ]
    # Runs without any main number, failed ones above all, are compared with each other.
    return keys or [(tool, "", 0)]
