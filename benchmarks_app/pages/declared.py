"""Facts as senders type them, as names and values; what they may be is judged by services."""

from collections.abc import Iterable

from benchmarks_app.importers import IMPORTERS
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase


def tool_names() -> list[str]:
    """The tools whose results are read, in order."""
    return sorted({importer.tool for importer in IMPORTERS})


def read_lines(text: str, *, parameter: str = "declared") -> dict[str, object]:
    """The facts of lines such as ``framework.commit = abc``; blank lines and comments go.

    **Raises**: ``InvalidValue`` naming the line.
    """
    found: dict[str, object] = {}
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if not plain or plain.startswith("#"):
            continue
        name, sign, value = plain.partition("=")
        if not sign:
            raise InvalidValue(
                name=parameter,
                value=f"line {number}: {plain[:60]}",
                accepted=Phrase("name = value"),
            )
        found[name.strip()] = value.strip()
    return found


def read_pairs(pairs: Iterable[str], *, parameter: str = "declare") -> dict[str, object]:
    """The facts of texts such as ``framework.commit=abc``. **Raises**: ``InvalidValue``."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign:
            raise InvalidValue(name=parameter, value=pair[:60], accepted=Phrase("name=value"))
        found[name.strip()] = value.strip()
    return found
