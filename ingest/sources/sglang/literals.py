"""Reads object literals of JavaScript data files; nothing is evaluated.

The cookbook's data files are one exported literal with comments, trailing commas, template
strings and, in a few places, functions. Functions and other expressions are skipped and stand as
``Expression``; everything else becomes plain values with the line each object starts on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_DEPTH = 60
_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STRING = re.compile(
    r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\]|\\.)*)`', re.DOTALL
)
_EXPORT = re.compile(r"^export\s+const\s+([\w$]+)\s*=\s*", re.MULTILINE)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_WORDS: dict[str, "Value"] = {"true": True, "false": False, "null": None, "undefined": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_OPEN, _CLOSE = "([{", ")]}"


class BrokenLiteral(ValueError):
    """Text that is no object literal: says what was expected at which line."""

    def __init__(self, *, line: int, expected: str, found: str) -> None:
        self.line = line
        super().__init__(f"line {line}: expected {expected}; found {found[:40]!r}")


@dataclass(frozen=True, slots=True)
class Expression:
    """Code where a value was expected; its text is kept, it is never run."""

    text: str


@dataclass(frozen=True, slots=True)
class Object:
    """One object literal: its members and the lines that it spans."""

    members: dict[str, "Value"] = field(default_factory=dict)
    line: int = 0
    line_end: int = 0

    def text(self, name: str) -> str:
        """A member as text; empty when it is absent or no text or number."""
        value = self.members.get(name)
        if isinstance(value, str):
            return value
        return str(value) if isinstance(value, int | float) and value is not True else ""

    def child(self, name: str) -> "Object":
        """A member that is an object; an empty one when it is not."""
        value = self.members.get(name)
        return value if isinstance(value, Object) else Object()

    def items(self, name: str) -> tuple["Object", ...]:
        """The objects of a member that is a list."""
        value = self.members.get(name)
        return tuple(v for v in value if isinstance(v, Object)) if isinstance(value, tuple) else ()

    def texts(self, name: str) -> tuple[str, ...]:
        """The strings of a member that is a list."""
        value = self.members.get(name)
        return tuple(v for v in value if isinstance(v, str)) if isinstance(value, tuple) else ()


Value = str | int | float | bool | None | Expression | Object | tuple["Value", ...]


def read_exports(text: str) -> dict[str, Value]:
    """Every ``export const name = literal`` of a file, by name.

    **Raises**: ``BrokenLiteral`` with the line when a literal does not end or nests too deep.
    """
    found: dict[str, Value] = {}
    for match in _EXPORT.finditer(text):
        reader = _Reader(text, match.end())
        found[match.group(1)] = reader.value(0)
    return found


@dataclass(slots=True)
class _Reader:
    """A position in the text; each method reads one construct and moves past it."""

    text: str
    at: int

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def skip(self) -> str:
        """Move over blanks and comments; the next character, or an empty string at the end."""
        if match := _SPACE.match(self.text, self.at):
            self.at = match.end()
        return self.text[self.at : self.at + 1]

    def fail(self, expected: str) -> BrokenLiteral:
        return BrokenLiteral(line=self.line, expected=expected, found=self.text[self.at :][:40])

    def value(self, depth: int) -> Value:
        """The value at the position: a literal, or an ``Expression`` for anything else."""
        if depth > MAX_DEPTH:
            raise self.fail(f"at most {MAX_DEPTH} nested literals")
        start = self.at
        char = self.skip()
        literal: Value
        if char == "{":
            literal = self.object(depth)
        elif char == "[":
            literal = self.array(depth)
        else:
            simple = self.simple()
            if simple is None:
                return self.expression(start)
            literal = simple[0]
        if self.skip() not in ("", ",", ";", "}", "]"):
            return self.expression(start)
        return literal

    def simple(self) -> tuple[Value] | None:
        """A string, number or keyword in a tuple of one; ``None`` for anything else."""
        if match := _STRING.match(self.text, self.at):
            self.at = match.end()
            return (_unescape(next(part for part in match.groups() if part is not None)),)
        if match := _NUMBER.match(self.text, self.at):
            self.at = match.end()
            number = match.group().replace("_", "")
            return (float(number) if re.search(r"[.eE]", number) else int(number),)
        match = _NAME.match(self.text, self.at)
        if match and match.group() in _WORDS:
            self.at = match.end()
            return (_WORDS[match.group()],)
        return None

    def object(self, depth: int) -> Value:
        """The object literal at the position."""
        line = self.line
        self.at += 1
        members: dict[str, Value] = {}
        while (char := self.skip()) != "}":
            if not char:
                raise self.fail("the end of an object")
            if char == ",":
                self.at += 1
                continue
            if self.text.startswith("...", self.at):
                self.expression(self.at)
                continue
            name = self.key()
            if self.skip() == ":":
                self.at += 1
                members[name] = self.value(depth + 1)
            else:
                # A shorthand member or a method: code, kept as an expression.
                members[name] = self.expression(self.at)
        self.at += 1
        return Object(members=members, line=line, line_end=self.line)

    def key(self) -> str:
        """The name of a member."""
        if match := _STRING.match(self.text, self.at):
            self.at = match.end()
            return _unescape(next(part for part in match.groups() if part is not None))
        if match := _NAME.match(self.text, self.at) or _NUMBER.match(self.text, self.at):
            self.at = match.end()
            return match.group()
        raise self.fail("the name of a member")

    def array(self, depth: int) -> Value:
        """The list at the position."""
        self.at += 1
        values: list[Value] = []
        while (char := self.skip()) != "]":
            if not char:
                raise self.fail("the end of a list")
            if char == ",":
                self.at += 1
                continue
            values.append(self.value(depth + 1))
        self.at += 1
        return tuple(values)

    def expression(self, start: int) -> Expression:
        """Code up to the comma or bracket that ends the value it stands for."""
        depth = 0
        self.at = start
        for at, char in self.code_from(start):
            self.at = at
            if char in _OPEN:
                depth += 1
            elif char in _CLOSE:
                if depth == 0:
                    break
                depth -= 1
            elif char in ",;" and depth == 0:
                break
        else:
            self.at = len(self.text)
        return Expression(self.text[start : self.at].strip())

    def code_from(self, start: int) -> Iterator[tuple[int, str]]:
        """Positions and characters of code, strings and comments left out."""
        at = start
        while at < len(self.text):
            if match := _STRING.match(self.text, at) or _SPACE.match(self.text, at):
                at = match.end()
                continue
            yield at, self.text[at]
            at += 1


def _unescape(text: str) -> str:
    def put(match: re.Match[str]) -> str:
        code = match.group(1)
        if code[0] == "u" and len(code) == 5:
            return chr(int(code[1:], 16))
        return _ESCAPES.get(code, "" if code == "\n" else code)

    return _ESCAPE.sub(put, text)
