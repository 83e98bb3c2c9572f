"""Student's t distribution, for tests of few values, without another package.

**Source**: the continued fraction of the incomplete beta function, Abramowitz and Stegun 26.5.8.
"""

import math

_TINY = 1e-300
_STEPS = 300


def two_sided_p(t: float, freedom: float) -> float:
    """The probability of a value as far from 0 as ``t`` or farther, on either side.

    **Raises**: ``ValueError`` for no degree of freedom.
    """
    if freedom <= 0.0:
        raise ValueError(f"There are {freedom} degrees of freedom; accepted: more than 0.")
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(x, a, b) / a
    return 1.0 - front * _fraction(1.0 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's method for the continued fraction."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        factor = 1.0
        for step in (even, odd):
            d = 1.0 + step * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + step / c
            c = c if abs(c) > _TINY else _TINY
            factor = c * d
            value *= factor
        if abs(factor - 1.0) < 1e-14:
            break
    return value
