"""Draws what a statistic could have been, by bootstrap, fast enough for a page.

A percentile of a resample is an order statistic of it, and the k-th order statistic of n draws
with replacement is the value at place floor(n U) of the sorted sample, where U is the k-th of n
uniform numbers: Beta(k, n - k + 1). Drawing U gives the bootstrap distribution itself without
making resamples. Means are resampled up to ``MOST_RESAMPLED`` values; above, the bootstrap
distribution of a mean is normal for all that can be seen. Few repeats of a whole test are drawn
from Student's t instead, because resampling 3 or 5 values tells too little.

What is drawn is the spread inside one run. It does not hold what changes from run to run.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS = 2000
LEVEL = 0.95
MOST_RESAMPLED = 300
# A percentile needs so many values beyond it that its end is no accident.
FEWEST_BEYOND = 3
FEWEST_SAMPLES = 10
FEWEST_REPEATS = 2


def make_generator(*names: str) -> np.random.Generator:
    """A generator that the same names always seed alike."""
    seed = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()[:16]
    return np.random.Generator(np.random.SFC64(int.from_bytes(seed, "little")))


def draw_percentile(
    ordered: Floats, rank: float, generator: np.random.Generator, *, draws: int = DRAWS
) -> Floats | None:
    """Bootstrap draws of a percentile with linear interpolation from sorted known values.

    ``None`` where too few values lie beyond the percentile.
    """
    count = ordered.size
    share = rank / 100.0
    if count < FEWEST_SAMPLES or count * min(share, 1.0 - share) < FEWEST_BEYOND:
        return None
    place = (count - 1) * share
    low = int(place)
    weight = place - low
    # The (low + 1)-th of count uniform numbers, and the next one above it.
    first = generator.beta(low + 1, count - low, draws)
    values = ordered[np.minimum((first * count).astype(np.intp), count - 1)]
    if weight <= 0.0 or low + 1 >= count:
        return values
    above = first + (1.0 - first) * generator.beta(1.0, count - low - 1, draws)
    higher = ordered[np.minimum((above * count).astype(np.intp), count - 1)]
    drawn: Floats = values + (higher - values) * weight
    return drawn


def draw_mean(
    values: Floats, generator: np.random.Generator, *, draws: int = DRAWS
) -> Floats | None:
    """Bootstrap draws of the mean of known values; ``None`` for too few."""
    count = values.size
    if count < FEWEST_SAMPLES:
        return None
    if count <= MOST_RESAMPLED:
        drawn: Floats = values[generator.integers(0, count, (draws, count))].mean(axis=1)
        return drawn
    return generator.normal(values.mean(), values.std() / np.sqrt(count), draws)


def draw_repeats(
    values: Floats, generator: np.random.Generator, *, draws: int = DRAWS
) -> Floats | None:
    """Draws of the mean of whole-test repeats by Student's t; ``None`` for one repeat."""
    count = values.size
    if count < FEWEST_REPEATS:
        return None
    error = values.std(ddof=1) / np.sqrt(count)
    drawn: Floats = values.mean() + error * generator.standard_t(count - 1, draws)
    return drawn


def interval_of(drawn: Floats, *, level: float = LEVEL) -> tuple[float, float]:
    """The middle share of the draws."""
    ordered = np.sort(drawn)
    cut = (1.0 - level) / 2.0 * (ordered.size - 1)
    low = round(cut)
    return float(ordered[low]), float(ordered[ordered.size - 1 - low])
