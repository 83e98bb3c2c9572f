"""Questions as people and programs write them: words of a request to a cell, or a named error."""

from matrix.asking.errors import (
    PROBLEM_KINDS,
    InvalidCursor,
    MissingParameter,
    ProblemKind,
    RepeatedParameter,
    UnknownParameter,
    problem_kind,
)
from matrix.asking.names import (
    CELL_PARAMETERS,
    FEATURE,
    NUMBER_PARAMETERS,
    OVER_AXES,
    QUESTION_PARAMETERS,
    REPEATABLE,
    SETTING,
)
from matrix.asking.reading import FIRST_DAY, Over, Question, QuestionReader, WordsOfAxis
from matrix.asking.writing import cell_words, question_query, question_words

__all__ = [
    "CELL_PARAMETERS",
    "FEATURE",
    "FIRST_DAY",
    "NUMBER_PARAMETERS",
    "OVER_AXES",
    "PROBLEM_KINDS",
    "QUESTION_PARAMETERS",
    "REPEATABLE",
    "SETTING",
    "InvalidCursor",
    "MissingParameter",
    "Over",
    "ProblemKind",
    "Question",
    "QuestionReader",
    "RepeatedParameter",
    "UnknownParameter",
    "WordsOfAxis",
    "cell_words",
    "problem_kind",
    "question_query",
    "question_words",
]
