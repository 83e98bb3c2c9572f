"""Index build at 10⁶ generated claims, and verdict time at 10⁴ and 10⁶, in one run.

Run from the repository root: ``.venv/bin/python tests/performance/measure_index.py [CLAIMS]``.
Prints seconds, resident memory and the ratio of verdict times; nothing is asserted, the machine is
shared.
"""

import gc
import os
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from matrix.domain.index import ClaimIndex
from tests.performance.generated_claims import TODAY, cells, generate_claims, make_world


class Taken(NamedTuple):
    """Seconds on the clock, and of the processor alone."""

    wall_s: float
    processor_s: float


def build(count: int) -> tuple[ClaimIndex, Taken, list]:  # type: ignore[type-arg]
    """The index of ``count`` generated claims, the time it took, and cells to ask."""
    world = make_world(count)
    # Making the claims is not what is measured; without collections it takes half the time.
    gc.disable()
    claims = list(generate_claims(count, world))
    gc.enable()
    gc.collect()
    started, processor = time.perf_counter(), time.process_time()
    index = ClaimIndex(claims, world.surroundings)
    taken = Taken(time.perf_counter() - started, time.process_time() - processor)
    return index, taken, cells(world, 3_000)


def verdict_time_us(index: ClaimIndex, asked: list) -> tuple[float, float]:  # type: ignore[type-arg]
    """Median and 95th percentile of one verdict in microseconds of processor time."""
    times = []
    for cell in asked:
        started = time.thread_time()
        index.verdict_for(cell, as_of=TODAY)
        times.append((time.thread_time() - started) * 1e6)
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.95)]


def main() -> None:
    large = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    index, _, asked = build(10_000)
    verdict_time_us(index, asked)
    small_median, small_p95 = verdict_time_us(index, asked)
    print(f"verdict at 10,000 claims: median {small_median:.0f} µs, p95 {small_p95:.0f} µs")
    index, taken, asked = build(large)
    resident_gib = psutil.Process().memory_info().rss / 2**30
    print(
        f"index of {large:,} claims: {taken.wall_s:.1f} s, {taken.processor_s:.1f} s of the "
        f"processor; process {resident_gib:.2f} GiB resident with the claims; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    verdict_time_us(index, asked)
    median, p95 = verdict_time_us(index, asked)
    print(f"verdict at {large:,} claims: median {median:.0f} µs, p95 {p95:.0f} µs")
    print(f"ratio large / small: {median / small_median:.2f}")


if __name__ == "__main__":
    main()
