"""Errors of result files: what was wrong, where, what is accepted."""

from matrix.domain.errors import RunproofError
from matrix.domain.phrases import Phrase


class ResultError(RunproofError):
    """A file that cannot be read as a result. ``place`` is a path, a line or a byte."""

    def __init__(self, *, code: str, what: str, place: str = "", accepted: str = "") -> None:
        super().__init__(
            message=_sentence(what, place, accepted),
            code=code,
            facts={"place": place, "accepted": accepted},
        )


def _sentence(what: str, place: str, accepted: str) -> Phrase:
    if place and accepted:
        return Phrase(
            "{what} at {place}; accepted: {accepted}.", what=what, place=place, accepted=accepted
        )
    if place:
        return Phrase("{what} at {place}.", what=what, place=place)
    if accepted:
        return Phrase("{what}; accepted: {accepted}.", what=what, accepted=accepted)
    return Phrase("{what}.", what=what)
