"""Errors of result files: what was wrong, where, what is accepted."""

from matrix.domain.errors import RunproofError


class ResultError(RunproofError):
    """A file that cannot be read as a result. ``place`` is a path, a line or a byte."""

    def __init__(self, *, code: str, what: str, place: str = "", accepted: str = "") -> None:
        where = f" at {place}" if place else ""
        wanted = f"; accepted: {accepted}" if accepted else ""
        super().__init__(
            message=f"{what}{where}{wanted}.",
            code=code,
            facts={"place": place, "accepted": accepted},
        )
