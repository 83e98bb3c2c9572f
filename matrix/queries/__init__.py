"""Reads across the tables and the index that REST, pages and commands share."""

from matrix.queries.answers import summary_plain, verdict_plain
from matrix.queries.changes import Change, ChangeKind, Clock, changes_between
from matrix.queries.maintenance import (
    MaintenanceStory,
    Silence,
    maintenance_on,
    maintenance_story,
    period_plain,
    story_plain,
)
from matrix.queries.verdicts import (
    axis_values,
    verdicts_over,
    with_axis,
)
from matrix.queries.words import words_of_axis

__all__ = [
    "Change",
    "ChangeKind",
    "Clock",
    "MaintenanceStory",
    "Silence",
    "axis_values",
    "changes_between",
    "maintenance_on",
    "maintenance_story",
    "period_plain",
    "story_plain",
    "summary_plain",
    "verdict_plain",
    "verdicts_over",
    "with_axis",
    "words_of_axis",
]
