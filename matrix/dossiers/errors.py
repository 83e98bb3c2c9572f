"""What can stand against a change of a dossier."""

from collections.abc import Mapping, Sequence
from typing import Any

from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.phrases import Phrase, join_phrases

Problem = Mapping[str, str]


class StaleEdition(RunproofError):
    """A change made from a state of the draft that somebody has changed since."""

    def __init__(self, *, uid: str, edition: int, current: int) -> None:
        super().__init__(
            message=Phrase(
                "The dossier {uid} is at edition {current}, and the change was made "
                "from edition {edition}; accepted: a change made from edition "
                "{current}.",
                uid=uid,
                current=current,
                edition=edition,
            ),
            code="stale-edition",
            facts={"dossier": uid, "edition": edition, "current": current},
        )


class FrozenDossier(RunproofError):
    """A change of a dossier whose content is fixed."""

    def __init__(self, *, uid: str) -> None:
        super().__init__(
            message=Phrase(
                "The dossier {uid} is frozen and stays as it is; accepted: a new "
                "version of it, a comment, a sign-off or a re-check.",
                uid=uid,
            ),
            code="frozen-dossier",
            facts={"dossier": uid},
        )


class DraftDossier(RunproofError):
    """Something that only a frozen dossier can have, asked of a draft."""

    def __init__(self, *, uid: str, what: str) -> None:
        super().__init__(
            message=Phrase(
                "The dossier {uid} is a draft and takes no {what}; accepted: a frozen dossier.",
                uid=uid,
                what=what,
            ),
            code="conflict",
            facts={"dossier": uid},
        )


class ReplacedDossier(RunproofError):
    """A new version of a dossier that has one already."""

    def __init__(self, *, uid: str, newer: str) -> None:
        super().__init__(
            message=Phrase(
                "The dossier {uid} has a newer version, {newer}; accepted: a change of that one, or"
                " a new version of it once it is frozen.",
                uid=uid,
                newer=newer,
            ),
            code="conflict",
            facts={"dossier": uid, "newer": newer},
        )


class UnknownDossier(RunproofError):
    """An identifier or key that leads to nothing."""

    def __init__(self, *, what: str, value: str) -> None:
        super().__init__(
            message=Phrase("{value!r} is no known {what}.", value=value[:100], what=what),
            code="not-found",
            facts={"value": value[:100]},
        )


class InvalidDossier(RunproofError):
    """Values that cannot stand in a dossier; every problem names its field."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        listed = join_phrases(" ", [problem["message"] for problem in problems[:20]])
        super().__init__(
            message=Phrase("The dossier cannot be like that: {listed}", listed=listed),
            code="invalid-dossier",
            facts={"problems": [dict(problem) for problem in problems[:50]]},
        )


def problem_of(error: RunproofError, *, field: str = "") -> dict[str, Any]:
    """What is wrong with a field, from the error that reading its value raised."""
    value = error.facts.get("value", "")
    return {
        "field": field or str(error.facts.get("parameter", "")),
        "value": value if isinstance(value, Phrase) else str(value)[:100],
        "accepted": str(error.facts.get("accepted", "")),
        "message": str(error),
    }


def invalid(field: str, value: object, accepted: str) -> InvalidDossier:
    """The error of one wrong value."""
    shown = value if isinstance(value, Phrase) else str(value)[:100]
    error = InvalidValue(name=field, value=shown, accepted=accepted)
    return InvalidDossier([problem_of(error)])
