"""What of a file's own words may be shown: texts without secrets, people, machines and paths.

Values that no importer understood are kept as they stand, so they pass here before a page, an
answer or an export shows them. What is long is cut: it may quote prompts and answers.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from matrix.domain.redaction import mask_text

LONGEST_TEXT = 200
MOST_MEMBERS = 50
DEEPEST = 6
_CUT = "…"
# Folders of one machine: the last part of a path says what it is, the rest says whose.
_PATH = re.compile(r"(?<![\w:/.‹›~$-])(?:~|/(?!v\d/)[\w.@+-]+)(?:/[\w.@+‹›-]+)+/?")
_WINDOWS_PATH = re.compile(r"\b[A-Za-z]:\\(?:[^\s\\\"'‹]+\\)+")


def shown_text(text: str, *, longest: int = LONGEST_TEXT) -> str:
    """The text masked and cut."""
    # Cutting first keeps a long text cheap; a cut through a secret leaves its head, so that what
    # is looked at is longer than what is shown.
    return _shown(text[: longest * 2], longest)


@lru_cache(maxsize=8_192)
def _shown(looked_at: str, longest: int) -> str:
    # Runs of one upload repeat most of their words.
    masked = mask_text(looked_at).text
    masked = _PATH.sub(lambda found: _last_part(found[0], "/"), masked)
    masked = _WINDOWS_PATH.sub("‹path›\\\\", masked)
    return masked if len(masked) <= longest else masked[: longest - 1] + _CUT


def shown_value(value: object, *, depth: int = 0) -> object:
    """The value with its texts masked, deep and long parts cut, as plain data."""
    if isinstance(value, str):
        return shown_text(value)
    if isinstance(value, Mapping):
        if depth >= DEEPEST:
            return _CUT
        kept = list(value.items())[:MOST_MEMBERS]
        found: dict[str, object] = {
            shown_text(str(name), longest=80): shown_value(inner, depth=depth + 1)
            for name, inner in kept
        }
        if len(value) > len(kept):
            found[_CUT] = len(value) - len(kept)
        return found
    if isinstance(value, list | tuple):
        if depth >= DEEPEST:
            return _CUT
        items = [shown_value(one, depth=depth + 1) for one in value[:MOST_MEMBERS]]
        return [*items, _CUT] if len(value) > MOST_MEMBERS else items
    return value


def shown_unmapped(unmapped: Mapping[str, object]) -> dict[str, object]:
    """Fields that were not understood, by place, as they may be shown."""
    return {str(place): shown_value(value) for place, value in unmapped.items()}


def _last_part(path: str, sign: str) -> str:
    last = path.rstrip(sign).rpartition(sign)[2]
    return f"‹path›{sign}{last}"
