"""Reads command lines and printed arguments that stand in a console text before its results."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from matrix.domain.redaction import mask_text

Plain = str | int | float | None

# What tools print on their own while they run, and the fences of a page.
_CHATTER = re.compile(
    r"^\s*(?:$|```|~~~)|\b(?:INFO|WARNING|DEBUG|ERROR)\b|(?:it/s|s/it)(?:\]|,)", re.IGNORECASE
)
# On a page of prose a command further above is rarely that of a result.
_MOST_BETWEEN = 3
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


@dataclass(slots=True)
class Told:
    """What was said before a result: the command with its options, and printed settings.

    The command is of the result only where nearly nothing else stands between.
    """

    command: str = ""
    options: dict[str, Plain] = field(default_factory=dict)
    printed: dict[str, Plain] = field(default_factory=dict)
    between: int = 0

    def call(self, command: str, names: Mapping[str, str]) -> None:
        """Notes a command; what was said before it is of another run."""
        self.command, self.options = command, options_of(command, names)
        self.printed, self.between = {}, 0

    def pass_line(self, line: str) -> None:
        """Notes a line that says nothing known."""
        self.between += 0 if _CHATTER.search(line) else 1

    def take(self) -> tuple[str, dict[str, Plain]]:
        """The command and the settings of the result that begins; the next one gets nothing."""
        is_near = self.between <= _MOST_BETWEEN
        found = self.command if is_near else "", {
            **(self.options if is_near else {}), **self.printed
        }  # fmt: skip
        self.command, self.options, self.printed, self.between = "", {}, {}, 0
        return found
