"""Errors of the domain: a constant code, the facts, and one sentence a person can act on."""

from collections.abc import Sequence
from dataclasses import dataclass, field


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


def _hint(nearest: Sequence[str]) -> str:
    return f" Nearest known: {', '.join(nearest)}." if nearest else ""


class UnknownName(RunproofError):
    """A name that no catalogue node carries."""

    def __init__(self, *, axis: str, value: str, nearest: Sequence[str]) -> None:
        super().__init__(
            message=f"{value!r} is no known {axis.replace('_', ' ')}.{_hint(nearest)}",
            code="unknown-name",
            facts={"axis": axis, "value": value, "nearest": list(nearest)},
        )


class AmbiguousName(RunproofError):
    """A word that means several nodes where one is needed."""

    def __init__(self, *, axis: str, value: str, nodes: Sequence[str]) -> None:
        super().__init__(
            message=f"{value!r} means several nodes of {axis}: {', '.join(nodes)}; name one.",
            code="ambiguous-name",
            facts={"axis": axis, "value": value, "nearest": list(nodes)},
        )


class UnknownVersion(RunproofError):
    """A version outside the known releases of a framework."""

    def __init__(
        self, *, framework: str, value: str, nearest: Sequence[str], accepted: str = ""
    ) -> None:
        what = accepted or "a released version or 'latest'"
        super().__init__(
            message=f"{value!r} is no known release of {framework}; accepted: {what}."
            f"{_hint(nearest)}",
            code="unknown-version",
            facts={"framework": framework, "value": value, "nearest": list(nearest)},
        )


class NotReleasedYet(RunproofError):
    """A version asked for a date before its release."""

    def __init__(self, *, framework: str, value: str, released_on: str, as_of: str) -> None:
        super().__init__(
            message=f"{framework} {value} was released on {released_on}, after the asked date "
            f"{as_of}; accepted: a date from {released_on} on.",
            code="not-released-yet",
            facts={"framework": framework, "value": value, "released_on": released_on},
        )


class InvalidValue(RunproofError):
    """A parameter whose form is wrong."""

    def __init__(self, *, name: str, value: object, accepted: str) -> None:
        super().__init__(
            message=f"{name} is {value!r}; accepted: {accepted}.",
            code="invalid-value",
            facts={"parameter": name, "value": str(value), "accepted": accepted},
        )


class InvalidClaim(RunproofError):
    """A claim that breaks a data rule; ``problems`` lists all of them."""

    def __init__(self, *, problems: Sequence[str]) -> None:
        super().__init__(
            message="The claim breaks the data rules: " + "; ".join(problems) + ".",
            code="invalid-claim",
            facts={"problems": list(problems)},
        )
