"""Reads command lines and printed arguments that stand in a console text before its results."""

import re
from collections.abc import Mapping, Sequence

from matrix.domain.redaction import mask_text

Plain = str | int | float | None

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|-?inf", re.IGNORECASE)
_OPTION = re.compile(r"""--([a-z][\w-]*)[ =]('[^']*'|"[^"]*"|[^\s'"-][^\s'"]*)""")
_SETTING = re.compile(r"\b(\w+)=('(?:[^'\\]|\\.)*'|None|inf|-?\d+(?:\.\d+)?)(?=[,)])")


def program_pattern(programs: str) -> re.Pattern[str]:
    """A pattern of lines that call one of the programs, with a prompt or variables before it."""
    return re.compile(rf"^[\s$#>]*((?:[A-Z_]+=\S+ )*(?:{programs})\b.*)$")


def command_at(
    lines: Sequence[str], at: int, program: re.Pattern[str]
) -> tuple[str, int] | None:  # fmt: skip
    """The masked command that begins at a line, with the number of the line after its last."""
    found = program.match(lines[at])
    if found is None:
        return None
    parts = [found[1]]
    while parts[-1].rstrip().endswith("\\") and at + 1 < len(lines):
        at += 1
        parts.append(lines[at].strip())
    joined = " ".join(part.rstrip().removesuffix("\\").strip() for part in parts)
    return mask_text(joined).text, at + 1


def options_of(command: str, names: Mapping[str, str]) -> dict[str, Plain]:
    """The options of a command under the keys that ``names`` gives; variables say nothing."""
    found = {name.replace("-", "_"): value for name, value in _OPTION.findall(command)}
    return {
        names[name]: plain_of(value.strip("'\""))
        for name, value in found.items()
        if name in names and "$" not in value
    }


def settings_of(line: str, names: Mapping[str, str]) -> dict[str, Plain]:
    """The arguments of a printed ``Namespace(…)`` under the keys that ``names`` gives."""
    found = {name: value for name, value in _SETTING.findall(line) if name in names}
    return {names[name]: plain_of(value.strip("'")) for name, value in found.items()}


def plain_of(text: str) -> Plain:
    """A number where the text is one, ``None`` for the words of nothing, else the text."""
    if text.lower() in ("none", "not set", "n/a", "-"):
        return None
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else float(text)
