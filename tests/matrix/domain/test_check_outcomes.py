"""Verdict and memory together: no outcome says that it runs where there is no room."""

import itertools

import pytest

from matrix.domain.check_outcomes import POSITIVE_LEVELS, Outcome, combine, is_better
from matrix.domain.levels import SupportLevel
from matrix.domain.memory.values import FitLevel

RUNNING = {Outcome.RUNS, Outcome.RUNS_UNDER_CONDITIONS, Outcome.RUNS_IN_PART}


@pytest.mark.parametrize(("level", "fit"), list(itertools.product(SupportLevel, [*FitLevel, None])))
def test_it_runs_only_where_the_sources_say_yes_and_nothing_speaks_against_the_memory(
    level: SupportLevel, fit: FitLevel | None
) -> None:
    runs = combine(level, fit) in RUNNING
    assert runs == (level in POSITIVE_LEVELS and fit in (FitLevel.FITS, None))


def test_memory_turns_neither_a_refusal_nor_an_unknown_verdict() -> None:
    for fit in FitLevel:
        assert combine(SupportLevel.UNSUPPORTED, fit) is Outcome.UNSUPPORTED
        assert combine(SupportLevel.UNKNOWN, fit) is Outcome.UNKNOWN


def test_only_a_stronger_yes_is_better() -> None:
    assert is_better(SupportLevel.PARTIAL, SupportLevel.UNKNOWN)
    assert is_better(SupportLevel.SUPPORTED, SupportLevel.PARTIAL)
    assert not is_better(SupportLevel.UNKNOWN, SupportLevel.UNSUPPORTED)
    assert not is_better(SupportLevel.PARTIAL, SupportLevel.PARTIAL)
