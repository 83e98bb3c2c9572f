"""Words and signs of the review queue, as people read them."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem

LONGEST_TITLE = 400

KIND_SIGNS: Mapping[str, tuple[str, Promise]] = {
    ItemKind.ADDED: ("+", _("added")),
    ItemKind.CHANGED: ("≠", _("changed")),
    ItemKind.GONE: ("−", _("gone")),
    ItemKind.DRIFT_ALARM: ("⚠", _("drift alarm")),
    ItemKind.UNKNOWN_WORD: ("?", _("unknown word")),
    ItemKind.UNEXPECTED_PAGE: ("▧", _("unexpected page")),
    ItemKind.PROBLEM_REPORT: ("✉", _("problem report")),
    ItemKind.DUE_RECHECK: ("◷", _("due for a re-check")),
}
STATE_SIGNS: Mapping[str, tuple[str, Promise]] = {
    ItemState.OPEN: ("○", pgettext_lazy("review item", "open")),
    ItemState.ACCEPTED: ("✓", pgettext_lazy("review item", "accepted")),
    ItemState.REJECTED: ("✕", pgettext_lazy("review item", "rejected")),
    ItemState.EDITED: ("✎", pgettext_lazy("review item", "edited")),
    ItemState.OBSOLETE: ("–", pgettext_lazy("review item", "out of date")),
}
AGE_WORDS: Mapping[str, Promise] = {
    "day": _("within a day"),
    "week": _("a day to a week ago"),
    "month": _("a week to a month ago"),
    "older": _("more than 30 days ago"),
}
ACTION_WORDS: Mapping[str, Promise] = {
    "review-accepted": _("accepted"),
    "review-rejected": _("rejected"),
    "review-edited": _("edited"),
    "review-reopened": _("opened again"),
    "map-word": _("mapped to a name"),
}
SET_ASIDE_WORDS: Mapping[str, Promise] = {
    "ignored": _("ignored here"),
    "node-needed": _("needs a new node"),
}
# What accepting says, and what rejecting says, differs by kind.
ACCEPT_WORDS: Mapping[str, Promise] = {
    ItemKind.ADDED: _("Accept: record it"),
    ItemKind.CHANGED: _("Accept: record the change"),
    ItemKind.GONE: _("Accept: it is no longer said"),
    ItemKind.DRIFT_ALARM: _("The page is right: read it"),
    ItemKind.UNEXPECTED_PAGE: _("The page is right: read it"),
    ItemKind.PROBLEM_REPORT: _("Answer: the report is right"),
    ItemKind.DUE_RECHECK: _("Done: it was checked"),
}
REJECT_WORDS: Mapping[str, Promise] = {
    ItemKind.PROBLEM_REPORT: _("Close with a reason"),
    ItemKind.DUE_RECHECK: _("Close with a reason"),
}
_ALARM_EFFECT = _(
    "If the page is right, its rules read it again; what that changes is settled by the policy of"
    " its feed and may wait here in turn. If it is rejected, the record stays as it is, and these"
    " bytes are not asked about again."
)
EFFECTS: Mapping[str, Promise] = {
    ItemKind.DRIFT_ALARM: _ALARM_EFFECT,
    ItemKind.UNEXPECTED_PAGE: _ALARM_EFFECT,
    ItemKind.GONE: _(
        "Accepting ends the claim at this release; it stays readable, and nothing is said after"
        " it. Rejecting leaves the claim as it is."
    ),
    ItemKind.DUE_RECHECK: _(
        "Closes the item. The claims stay as they are: the day that their source was last seen"
        " moves only when it is read again or a claim is recorded. It is asked again once the"
        " same time has passed."
    ),
}
PLAIN_ACCEPT = _("Accept")
PLAIN_REJECT = _("Reject")


def accept_words(kind: str, *, proposal: bool = False) -> Promise:
    """What the accepting button of an item says."""
    if proposal:
        return _("Accept: record the proposed claim")
    return ACCEPT_WORDS.get(kind, PLAIN_ACCEPT)


def reject_words(kind: str) -> Promise:
    """What the rejecting button of an item says."""
    return REJECT_WORDS.get(kind, PLAIN_REJECT)


def accept_effect(kind: str) -> str | Promise:
    """What accepting and rejecting do, where their buttons do not say all of it."""
    return EFFECTS.get(kind, "")


def state_word(state: str) -> str:
    """The word of a state; an unlisted one as it is written."""
    return str(STATE_SIGNS[state][1]) if state in STATE_SIGNS else state


def item_title(item: ReviewItem) -> str:
    """What names an item in a list: its statement or page, else the first words about it."""
    page = item.path or (item.url if item.kind == ItemKind.DUE_RECHECK else "")
    words = item.statement or page or item.code or item.sentence
    return words[:LONGEST_TITLE] or f"#{item.pk}"
