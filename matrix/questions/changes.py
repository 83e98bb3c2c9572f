"""Changes that claims rest on, by the number of their thread: the release that first holds each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from matrix.domain.index import ClaimIndex
from matrix.domain.levels import EndpointKind

_PULL = re.compile(r"/pull/(\d+)(?:\D|$)")
_CITED = re.compile(r"(?:\bPR\s*)?#(\d{2,6})\b")
_DATED = frozenset({EndpointKind.EXACT, EndpointKind.BETWEEN})


@dataclass(frozen=True, slots=True)
class Change:
    """A merged change: the first release that holds it, and the last known one that does not."""

    first: str
    before: str = ""


# By framework and the number that people write behind "PR #".
Changes = Mapping[tuple[str, str], Change]


def read_changes(index: ClaimIndex) -> Changes:
    """Every change that a dated claim cites; of several claims about one the earliest release.

    **Queries**: none; walks the index once.
    """
    found: dict[tuple[str, str], Change] = {}
    for claim in index.claims():
        validity = claim.validity
        if validity.first_kind not in _DATED:
            continue
        history = index.around.histories[claim.framework]
        for seen in claim.observations:
            match = _PULL.search(seen.document.url)
            if match is None:
                continue
            key = (claim.framework, match.group(1))
            known = found.get(key)
            rank = history.find_rank(validity.first)
            if rank is not None and (known is None or rank < history.rank(known.first)):
                found[key] = Change(first=validity.first, before=validity.after)
    return found


def cited_change(text: str, framework: str, changes: Changes) -> Change | None:
    """The change that a version text names by its number, if a claim knows it."""
    for number in _CITED.findall(text):
        if change := changes.get((framework, number)):
            return change
    return None
