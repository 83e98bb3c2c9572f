"""Can I run it? One question answered by every framework, and stacks of pinned packages."""

from matrix.checking.answering import (
    CheckAnswer,
    FrameworkAnswer,
    Measured,
    answer_check,
    measure,
)
from matrix.checking.asking import (
    CHECK_PARAMETERS,
    CHECK_REPEATABLE,
    CheckQuestion,
    check_pairs,
    read_check,
)

__all__ = [
    "CHECK_PARAMETERS",
    "CHECK_REPEATABLE",
    "CheckAnswer",
    "CheckQuestion",
    "FrameworkAnswer",
    "Measured",
    "answer_check",
    "check_pairs",
    "measure",
    "read_check",
]
