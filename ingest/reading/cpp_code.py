"""Reads C and C++ source text without compiling it: enums, tables of braces, comments.

The text is split into code and comments, so that an entry that is commented out is no entry, and
a remark behind a number that was given up can still be read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Strings first: what looks like a comment inside of one is none.
_TOKEN = re.compile(
    r"(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))",
    re.DOTALL,
)
_ENUM_ENTRY = re.compile(r"^\s*([A-Za-z_]\w*)\s*(?:=\s*([^,]+?))?\s*$", re.DOTALL)
_STRING = re.compile(r"\"((?:\\.|[^\"\\\n])*)\"")
_ESCAPES = {r"\"": '"', r"\\": "\\", r"\n": "\n", r"\t": "\t"}
_ESCAPE = re.compile(r"\\[\"\\nt]")


def without_comments(text: str) -> str:
    """The code alone; each comment becomes as many spaces, so that places stay."""

    def blank(match: re.Match[str]) -> str:
        if match.lastgroup == "string":
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return _TOKEN.sub(blank, text)


def comments(text: str) -> Iterator[str]:
    """The text of each comment, in order, without its signs."""
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "comment":
            yield match[0].removeprefix("//").removeprefix("/*").removesuffix("*/").strip()


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between one pair of braces: once as written, once without comments."""

    written: str
    code: str


def find_block(text: str, pattern: str) -> Block | None:
    """The first block in braces whose opening brace ends a match of the pattern in the code."""
    code = without_comments(text)
    match = re.search(pattern + r"\s*\{", code)
    if match is None:
        return None
    end = _closing(code, match.end())
    return None if end is None else Block(text[match.end() : end], code[match.end() : end])


def _closing(code: str, start: int) -> int | None:
    """Where the brace that is open at a place closes; braces in strings do not count."""
    depth = 1
    place = start
    while place < len(code):
        sign = code[place]
        if sign in "\"'" and (match := _TOKEN.match(code, place)):
            place = match.end()
            continue
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return place
        place += 1
    return None


def enum_names(text: str, name: str) -> list[str]:
    """The names of an enum, in order; those in comments are not in it."""
    block = find_block(text, rf"\benum\s+{re.escape(name)}\b")
    if block is None:
        return []
    matches = (_ENUM_ENTRY.match(part) for part in block.code.split(","))
    return [match[1] for match in matches if match]


def enum_comments(text: str, name: str) -> list[str]:
    """The comments inside of an enum, in order."""
    block = find_block(text, rf"\benum\s+{re.escape(name)}\b")
    return [] if block is None else list(comments(block.written))


def table_rows(text: str, pattern: str) -> list[list[str]]:
    """The rows ``{ a, b, … }`` of a table in braces, each as its parts.

    **Shapes**: a string stands for what it says; other parts as they are written.
    """
    block = find_block(text, pattern)
    if block is None:
        return []
    rows = []
    place = 0
    while (start := block.code.find("{", place)) >= 0:
        end = _closing(block.code, start + 1)
        if end is None:
            break
        rows.append(_parts(block.code[start + 1 : end]))
        place = end + 1
    return rows


def _parts(row: str) -> list[str]:
    strings: list[str] = []

    def keep(match: re.Match[str]) -> str:
        strings.append(_ESCAPE.sub(lambda m: _ESCAPES[m[0]], match[1]))
        return f"\0{len(strings) - 1}\0"

    plain = _STRING.sub(keep, row)
    parts = [part.strip() for part in plain.split(",")]
    return [_restored(part, strings) for part in parts if part]


def _restored(part: str, strings: list[str]) -> str:
    return re.sub(r"\0(\d+)\0", lambda match: strings[int(match[1])], part)
