"""Reads build files line by line: CMake variables, Dockerfiles, requirement lists."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SET = re.compile(r"^[ \t]*set\s*\(\s*([A-Za-z0-9_]+)\s+([^)]*)\)", re.IGNORECASE | re.MULTILINE)
_ARG = re.compile(r"^ARG\s+([A-Za-z0-9_]+)=(\S.*?)\s*$", re.IGNORECASE)
_FROM = re.compile(r"^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)
# A sign inside of an address is no comment; one needs a space before it.
_COMMENT = re.compile(r"(^|\s+)#.*$")
_URL = re.compile(r"(?:https?|git\+https?)://\S+")


def cmake_values(text: str, name: str) -> list[str]:
    """What each ``set(NAME …)`` of a CMake file assigns, in order, without the outer quotes."""
    found = []
    for match in _SET.finditer(text):
        if match[1] == name:
            value = match[2].strip()
            single = value.count('"') == 2 and value.startswith('"') and value.endswith('"')
            found.append(value[1:-1] if single else value)
    return found


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """Arguments with a default, and the images that stages start from (stages themselves not)."""

    arguments: dict[str, str]
    images: tuple[str, ...]


def read_dockerfile(text: str) -> Dockerfile:
    """The arguments and base images of a Dockerfile; a later default of an argument is ignored."""
    arguments: dict[str, str] = {}
    images: list[str] = []
    stages: set[str] = set()
    for line in text.splitlines():
        if match := _ARG.match(line):
            arguments.setdefault(match[1], match[2])
        elif match := _FROM.match(line):
            if match[1] not in stages:
                images.append(match[1])
            if match[2]:
                stages.add(match[2])
    return Dockerfile(arguments=arguments, images=tuple(dict.fromkeys(images)))


def requirement_lines(text: str) -> Iterator[str]:
    """The requirements of a list, without comments and options; addresses are left out."""
    for line in text.splitlines():
        stated = _URL.sub("<url>", _COMMENT.sub("", line.strip()))
        if stated and not stated.startswith(("-", "<url>")):
            yield stated
