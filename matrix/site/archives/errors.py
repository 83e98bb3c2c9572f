"""Why an archive cannot be written or read."""


class ArchiveError(RuntimeError):
    """Says in one sentence what is wrong and how to go on."""

    code = "archive-not-usable"
