"""The words of review: what waits for a curator, in which state, and how pages stand."""

from enum import StrEnum


class ItemKind(StrEnum):
    """What a review item asks a curator to decide."""

    ADDED = "added"
    CHANGED = "changed"
    GONE = "gone"
    DRIFT_ALARM = "drift-alarm"
    UNKNOWN_WORD = "unknown-word"
    UNEXPECTED_PAGE = "unexpected-page"
    PROBLEM_REPORT = "problem-report"
    DUE_RECHECK = "due-recheck"


# Differences of single statements: they wait without counting as silence of their page.
CHANGE_KINDS = (ItemKind.ADDED, ItemKind.CHANGED, ItemKind.GONE)
# What stops a whole reading until a curator says that it was read right.
QUARANTINE_KINDS = (ItemKind.DRIFT_ALARM, ItemKind.UNEXPECTED_PAGE)


class ItemState(StrEnum):
    """Where a review item stands; only ``open`` ones wait."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EDITED = "edited"
    OBSOLETE = "obsolete"


# A statement whose word was not taken over: its page counts as silent about it no more than as
# saying it.
UNSETTLED_STATES = (ItemState.OPEN, ItemState.REJECTED, ItemState.EDITED)


class PageState(StrEnum):
    """How far a page has come.

    ``unread``: known, its bytes not read yet. ``accepted``: what it states is on record.
    ``held``: some of its statements wait for review. ``quarantined``: nothing of it counts.
    """

    UNREAD = "unread"
    ACCEPTED = "accepted"
    HELD = "held"
    QUARANTINED = "quarantined"
