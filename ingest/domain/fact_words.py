"""The words of hand-set fact files: what their statuses accept, and labels as they are compared."""

import re
from collections.abc import Mapping

from ingest.contract import StatementStatus

_S = StatementStatus

# A word accepts several statuses only where the fact files' vocabulary is coarser than ours.
ACCEPTED: Mapping[str, frozenset[StatementStatus]] = {
    "yes": frozenset({_S.SUPPORTED, _S.VALIDATED}),
    "supported": frozenset({_S.SUPPORTED, _S.VALIDATED}),
    "functional": frozenset({_S.SUPPORTED}),
    "validated": frozenset({_S.VALIDATED}),
    "no": frozenset({_S.UNSUPPORTED}),
    "unsupported": frozenset({_S.UNSUPPORTED}),
    "partial": frozenset({_S.PARTIAL}),
    "unknown": frozenset({_S.UNKNOWN, _S.UNTESTED}),
    "untested": frozenset({_S.UNTESTED}),
    "not_stated": frozenset({_S.NOT_STATED}),
    "planned": frozenset({_S.PLANNED, _S.WORK_IN_PROGRESS}),
    "wip": frozenset({_S.WORK_IN_PROGRESS}),
    "requires": frozenset({_S.REQUIRES, _S.PINNED}),
    "pinned": frozenset({_S.PINNED, _S.REQUIRES}),
    "value": frozenset({_S.VALUE, _S.PINNED}),
} | {
    word.value.replace("-", "_"): frozenset({word})
    for word in (
        _S.DELAYED, _S.DEPRECATED, _S.REMOVED, _S.EXPERIMENTAL, _S.VIA_PLUGIN,
        _S.VIA_TRANSFORMERS, _S.INHERITS, _S.MIXED, _S.NO_ACCELERATION, _S.KNOWN_ISSUES,
        _S.INFORMAL_NAME, _S.DOES_NOT_FIT, _S.RANGE, _S.NONE, _S.STALE, _S.LEGEND, _S.POLICY,
        _S.PUBLISHED, _S.RELEASED, _S.SKIPPED, _S.CANDIDATE, _S.SUPERSEDED, _S.MAINTAINED,
        _S.MAINTENANCE, _S.MOVED, _S.NOT_APPLICABLE,
    )
}  # fmt: skip

POSITIVE = frozenset(
    {_S.SUPPORTED, _S.VALIDATED, _S.PARTIAL, _S.EXPERIMENTAL, _S.MAINTAINED, _S.VIA_TRANSFORMERS,
     _S.DEPRECATED, _S.VIA_PLUGIN, _S.NO_ACCELERATION, _S.KNOWN_ISSUES}
)  # fmt: skip
NEGATIVE = frozenset({_S.UNSUPPORTED, _S.REMOVED, _S.DOES_NOT_FIT, _S.NONE})
POSITIVE_WORDS = frozenset(word for word, statuses in ACCEPTED.items() if statuses & POSITIVE)
NEGATIVE_WORDS = frozenset(word for word, statuses in ACCEPTED.items() if statuses & NEGATIVE)

_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)|\[[^\]]*\])"
)
# Footnote marks: raised signs, and Markdown's "[^1]".
_MARK = re.compile(r"<sup>.*?</sup>|\[\^[^\[\]\s]{1,20}\]", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,300}>")
# Brackets go too: the text of a link may hold some ("[X [In Progress]](…)"), the label of a
# hand-set fact writes them or not.
_NOISE = re.compile("[`*\\\\_\\[\\]\ufe0e\ufe0f]|\\s+")

_PART = re.compile(r"[a-z0-9]+")
_SIGNS = re.compile(r"[-.()\u2010-\u2014]")


def plain_label(text: str) -> str:
    """A table label without markup, footnote marks, case and blanks, as labels are compared."""
    bare = _TAG.sub("", _LINK.sub(r"\1", _MARK.sub("", text)))
    return _NOISE.sub("", bare).casefold()


def plain_name(text: str) -> str:
    """A name as it is looked for in names and slugs: a label's letters and digits alone."""
    return _SIGNS.sub("", plain_label(text))


def name_parts(text: str) -> frozenset[str]:
    """The words and numbers of a name: "Ascend NPUs (A2/A3)" has a2, a3, ascend and npus."""
    return frozenset(_PART.findall(_LINK.sub(r"\1", _MARK.sub("", text)).casefold()))
