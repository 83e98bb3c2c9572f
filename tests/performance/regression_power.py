"""Prints how often steps of a history are found and how often one is found where none is.

Run: ``python tests/performance/regression_power.py [histories]``. Histories are log-normal noise
around a level, with or without a step; "found" means a step at its place or one run beside it.
The table is that of ``benchmarks_app.domain.regression.POWER``.
"""

import itertools
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks_app.domain.regression import HistoryPoint, detect_steps

EFFECTS = (0.05, 0.10, 0.20)
NOISES = (0.01, 0.03, 0.05, 0.10)
SIZES = ((5, 3), (10, 5), (20, 10))
SEED = 20261130


def make_history(
    rng: np.random.Generator, *, effect: float, noise: float, before: int, after: int
) -> list[HistoryPoint]:
    """One history of throughputs that falls by ``effect`` after ``before`` runs."""
    levels = np.concatenate([np.zeros(before), np.full(after, np.log1p(-effect))])
    values = np.exp(levels + rng.normal(0.0, noise, before + after)) * 1000.0
    return [HistoryPoint(str(i), float(value)) for i, value in enumerate(values)]


def measure(
    rng: np.random.Generator, histories: int, *, effect: float, noise: float, size: tuple[int, int]
) -> tuple[float, float]:
    """The shares of histories with a found step, and of those without one with an alarm."""
    before, after = size
    shape = {"noise": noise, "before": before, "after": after}
    found = alarms = 0
    for _ in range(histories):
        stepped = detect_steps("request_throughput", make_history(rng, effect=effect, **shape))
        found += any(abs(int(event.uid) - before) <= 1 for event in stepped.events)
        level = detect_steps("request_throughput", make_history(rng, effect=0.0, **shape))
        alarms += bool(level.events)
    return found / histories, alarms / histories


def main() -> None:
    histories = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = np.random.default_rng(SEED)
    start = time.perf_counter()
    print("effect  noise  before  after   found  false alarms")
    for effect, noise, size in itertools.product(EFFECTS, NOISES, SIZES):
        found, alarms = measure(rng, histories, effect=effect, noise=noise, size=size)
        before, after = size
        print(
            f"{effect:6.0%} {noise:6.0%} {before:7d} {after:6d} {found:7.1%} {alarms:13.2%}",
            flush=True,
        )
    print(f"histories: {histories} of each kind a row, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
