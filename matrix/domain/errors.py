"""Errors of the domain: a constant code, the facts, and one sentence a person can act on."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from matrix.domain.phrases import Phrase, join_phrases


@dataclass
class RunproofError(Exception):
    """Base of every error that a user may see.

    ``code`` is constant per class; ``facts`` are machine-readable details for problem responses.
    """

    message: str
    code: str = "error"
    facts: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message


def nearest_hint(nearest: Sequence[str]) -> str:
    """The end of a sentence that names the nearest known names; empty without any."""
    return Phrase(" Nearest known: {names}.", names=", ".join(nearest)) if nearest else ""


class UnknownName(RunproofError):
    """A name that no catalogue node carries."""

    def __init__(self, *, axis: str, value: str, nearest: Sequence[str]) -> None:
        super().__init__(
            message=Phrase(
                "{value!r} is no known {axis}.{hint}",
                value=value,
                axis=Phrase(axis.replace("_", " ")),
                hint=nearest_hint(nearest),
            ),
            code="unknown-name",
            facts={"axis": axis, "value": value, "nearest": list(nearest)},
        )


class AmbiguousName(RunproofError):
    """A word that means several nodes where one is needed."""

    def __init__(self, *, axis: str, value: str, nodes: Sequence[str]) -> None:
        super().__init__(
            message=Phrase(
                "{value!r} means several nodes of {axis}: {names}; name one.",
                value=value,
                axis=Phrase(axis),
                names=", ".join(nodes),
            ),
            code="ambiguous-name",
            facts={"axis": axis, "value": value, "nearest": list(nodes)},
        )


class UnknownVersion(RunproofError):
    """A version outside the known releases of a framework."""

    def __init__(
        self, *, framework: str, value: str, nearest: Sequence[str], accepted: str = ""
    ) -> None:
        what = accepted or Phrase("a released version or 'latest'")
        super().__init__(
            message=Phrase(
                "{value!r} is no known release of {framework}; accepted: {what}.{hint}",
                value=value,
                framework=framework,
                what=what,
                hint=nearest_hint(nearest),
            ),
            code="unknown-version",
            facts={"framework": framework, "value": value, "nearest": list(nearest)},
        )


class NotReleasedYet(RunproofError):
    """A version asked for a date before its release."""

    def __init__(self, *, framework: str, value: str, released_on: str, as_of: str) -> None:
        super().__init__(
            message=Phrase(
                "{framework} {value} was released on {released_on}, after the "
                "asked date {as_of}; accepted: a date from {released_on} on.",
                framework=framework,
                value=value,
                released_on=released_on,
                as_of=as_of,
            ),
            code="not-released-yet",
            facts={"framework": framework, "value": value, "released_on": released_on},
        )


class InvalidValue(RunproofError):
    """A parameter whose form is wrong."""

    def __init__(self, *, name: str, value: object, accepted: str) -> None:
        super().__init__(
            message=Phrase(
                "{name} is {value!r}; accepted: {accepted}.",
                name=name,
                value=value,
                accepted=accepted,
            ),
            code="invalid-value",
            facts={"parameter": name, "value": str(value), "accepted": accepted},
        )


class InvalidClaim(RunproofError):
    """A claim that breaks a data rule; ``problems`` lists all of them."""

    def __init__(self, *, problems: Sequence[str]) -> None:
        super().__init__(
            message=Phrase(
                "The claim breaks the data rules: {problems}.",
                problems=join_phrases("; ", problems),
            ),
            code="invalid-claim",
            facts={"problems": list(problems)},
        )
