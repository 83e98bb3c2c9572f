"""What can be wrong with a request: the closed list of problem codes, and the request's errors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.domain.errors import RunproofError, nearest_hint
from matrix.domain.phrases import Phrase


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """One kind of problem: its constant code, HTTP status, title and what to do about it."""

    code: str
    status: int
    title: str | Promise
    remedy: str | Promise


PROBLEM_KINDS: tuple[ProblemKind, ...] = (
    ProblemKind("bad-request", 400, _("Bad request"), _("Send a well-formed request.")),
    ProblemKind(
        "unknown-name", 400, _("Unknown name"),
        _("Use one of the nearest names, or look the name up in the catalogue."),
    ),
    ProblemKind(
        "ambiguous-name", 400, _("Ambiguous name"),
        _("The word means several nodes; name one of them."),
    ),
    ProblemKind(
        "unknown-version", 400, _("Unknown version"),
        _("Name a known release of the framework, or 'latest'."),
    ),
    ProblemKind(
        "not-released-yet", 400, _("Not released yet"),
        _("Ask for a date on which the version was published."),
    ),
    ProblemKind(
        "invalid-value", 400, _("Invalid value"), _("Write the value in the form that is accepted.")
    ),
    ProblemKind(
        "no-model-size", 400, _("No size of the model"),
        _("Name a checkpoint, or send its config.json or the head of its GGUF file."),
    ),
    ProblemKind(
        "ambiguous-scheme", 400, _("Ambiguous quantization"),
        _("Name the scheme: a number of bits alone does not say how weights are stored."),
    ),
    ProblemKind(
        "impossible-request", 400, _("Impossible request"),
        _("Correct the load or the layout that is named."),
    ),
    ProblemKind(
        "context-too-long", 400, _("Context too long"),
        _("Ask for a context that the model was made for."),
    ),
    ProblemKind(
        "missing-parameter", 400, _("Missing parameter"), _("Add the parameter that is named.")
    ),
    ProblemKind(
        "unknown-parameter", 400, _("Unknown parameter"),
        _("Leave the parameter out, or correct its name."),
    ),
    ProblemKind(
        "repeated-parameter", 400, _("Repeated parameter"), _("Give the parameter once.")
    ),
    ProblemKind(
        "invalid-cursor", 400, _("Invalid cursor"), _("Start again from the first page.")
    ),
    ProblemKind("malformed-json", 400, _("Malformed JSON"), _("Send valid JSON.")),
    ProblemKind(
        "cut-off-upload", 400, _("Upload cut off"),
        _("Send all bytes again; nothing of a broken upload is kept."),
    ),
    ProblemKind(
        "not-authenticated", 401, _("Not authenticated"),
        _("Send a token: 'Authorization: Bearer rp_…'."),
    ),
    ProblemKind(
        "invalid-token", 401, _("Invalid token"),
        _("Use a token that is neither revoked nor expired."),
    ),
    ProblemKind(
        "permission-denied", 403, _("Permission denied"),
        _("Ask an administrator for the role or the scope that is named."),
    ),
    ProblemKind("not-found", 404, _("Not found"), _("Check the address.")),
    ProblemKind(
        "method-not-allowed", 405, _("Method not allowed"),
        _("Use a method that the Allow header lists."),
    ),
    ProblemKind(
        "not-acceptable", 406, _("Not acceptable"), _("Accept a media type that is offered.")
    ),
    ProblemKind(
        "conflict", 409, _("Conflict"), _("Read the present state and decide again.")
    ),
    ProblemKind(
        "stale-edition", 409, _("Stale edition"),
        _("Read the dossier again, and make the change from its present edition."),
    ),
    ProblemKind(
        "frozen-dossier", 409, _("Frozen dossier"),
        _("Open a new version of the dossier and change that."),
    ),
    ProblemKind("too-large", 413, _("Too large"), _("Split the request into smaller ones.")),
    ProblemKind(
        "unsupported-media-type", 415, _("Unsupported media type"),
        _("Send the body in the media type that is named."),
    ),
    ProblemKind(
        "invalid-claim", 422, _("Invalid claim"), _("Correct every problem that is listed.")
    ),
    ProblemKind(
        "invalid-price", 422, _("Invalid price"), _("Correct every problem that is listed.")
    ),
    ProblemKind(
        "invalid-dossier", 422, _("Invalid dossier"), _("Correct every field that is listed.")
    ),
    ProblemKind(
        "invalid-import", 422, _("Invalid import"),
        _("Correct every line that is listed; nothing was recorded."),
    ),
    ProblemKind(
        "impossible-shape", 422, _("Impossible model"),
        _("Correct the number of the model file that is named."),
    ),
    ProblemKind(
        "unreadable-file", 422, _("Unreadable model file"),
        _("Send the file as the model's publisher wrote it."),
    ),
    ProblemKind(
        "refused-by-engine", 422, _("Refused by the engine"),
        _("Choose settings that the engine itself accepts."),
    ),
    ProblemKind(
        "unreadable-result", 422, _("Unreadable result"),
        _("Look at the place that is named, or send the file as the tool wrote it."),
    ),
    ProblemKind(
        "unreadable-stack", 422, _("Unreadable lock file"),
        _("Correct the lines that are named, or send the file as the tool wrote it."),
    ),
    ProblemKind(
        "too-many-requests", 429, _("Too many requests"),
        _("Wait as long as the Retry-After header says."),
    ),
    ProblemKind("server-error", 500, _("Server error"), _("Report it with the time.")),
    ProblemKind(
        "database-unavailable", 503, _("Database unavailable"),
        _("Send the same request again in a moment."),
    ),
)  # fmt: skip
_BY_CODE = {kind.code: kind for kind in PROBLEM_KINDS}


def problem_kind(code: str) -> ProblemKind:
    """The kind of a code; an unlisted code is a bad request."""
    return _BY_CODE.get(code, _BY_CODE["bad-request"])


class UnknownParameter(RunproofError):
    """A parameter that the address does not take."""

    def __init__(self, *, name: str, accepted: Iterable[str]) -> None:
        names = sorted(accepted)
        nearest = get_close_matches(name[:100], names, n=3, cutoff=0.5)
        listed = ", ".join(names) if names else Phrase("none")
        super().__init__(
            message=Phrase(
                "{name!r} is no parameter here; accepted: {listed}.{hint}",
                name=name[:100],
                listed=listed,
                hint=nearest_hint(nearest),
            ),
            code="unknown-parameter",
            facts={"parameter": name[:100], "nearest": nearest, "accepted": names},
        )


class MissingParameter(RunproofError):
    """A parameter without which there is no question."""

    def __init__(self, *, name: str, accepted: str) -> None:
        super().__init__(
            message=Phrase(
                "{name} is missing; accepted: {accepted}.", name=name, accepted=accepted
            ),
            code="missing-parameter",
            facts={"parameter": name, "accepted": accepted},
        )


class RepeatedParameter(RunproofError):
    """A single-valued parameter given more than once."""

    def __init__(self, *, name: str, values: Sequence[str]) -> None:
        shown = ", ".join(repr(value[:60]) for value in values[:3])
        super().__init__(
            message=Phrase(
                "{name} is given {count} times ({shown}); accepted: one value.",
                name=name,
                count=len(values),
                shown=shown,
            ),
            code="repeated-parameter",
            facts={"parameter": name, "value": shown},
        )


class InvalidCursor(RunproofError):
    """A page cursor that this list did not hand out, or no longer knows."""

    def __init__(self, value: str) -> None:
        super().__init__(
            message=Phrase(
                "cursor is {value!r}; accepted: a cursor from this list's next or "
                "previous address.",
                value=value[:60],
            ),
            code="invalid-cursor",
            facts={"parameter": "cursor", "value": value[:200]},
        )
