"""Errors of uploads and runs as problems of the interface."""

from typing import Any

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.services.receiving import TooLarge
from matrix.domain.errors import RunproofError
from matrix.domain.phrases import Phrase


class InvalidUpload(RunproofError):
    """A body from which no upload can be made."""

    def __init__(self, message: str) -> None:
        super().__init__(message=message, code="bad-request", facts={"parameter": "body"})


class UploadProblem(RunproofError):
    """What is wrong with the files of an upload, where, and what is accepted."""

    def __init__(self, message: str, *, code: str, facts: dict[str, Any]) -> None:
        super().__init__(message=message, code=code, facts=facts)


class NeedsScope(RunproofError):
    """A token that may not do what is asked beside the upload."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            message=Phrase(
                "The token lacks the scope {scope!r}, without which nothing is "
                "published; accepted: a token with that scope, or publish=0.",
                scope=scope,
            ),
            code="permission-denied",
            facts={"parameter": "publish", "value": "1"},
        )


def problem_of_result(error: ResultError, **more: Any) -> UploadProblem:
    """The problem of an error of files: 400 cut off, 413, 415, else 422."""
    code = "unreadable-result"
    if isinstance(error, TooLarge) or error.code == "too-large":
        code = "too-large"
    elif error.code in ("cut-off", "digest-differs"):
        code = "cut-off-upload"
    elif error.code == "unsupported-archive":
        code = "unsupported-media-type"
    facts = {**error.facts, "reason_code": error.code, **more}
    return UploadProblem(str(error), code=code, facts={k: v for k, v in facts.items() if v != ""})
