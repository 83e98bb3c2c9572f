"""Pinned packages of a stack: requirements, output of pip freeze, lock files, conda files.

The readers are bounded and never follow an include, an address or a path.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import (
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from matrix.domain.errors import RunproofError
from matrix.domain.phrases import Phrase, join_phrases

LARGEST_TEXT = 512 * 1024
MOST_LINES = 20_000
MOST_PACKAGES = 5_000
LONGEST_LINE = 4_000
MOST_PROBLEMS = 20

# Lines of a file that are options of the installer; none is followed.
_OPTION = re.compile(r"^-{1,2}[A-Za-z]")
_EDITABLE = re.compile(r"^(-e|--editable)[ =]")
_EGG = re.compile(r"#egg=([A-Za-z0-9._-]+)")
_HASH = re.compile(r"\s--(hash|global-option|config-settings|install-option)[= ].*$")
_TAG_OF_ADDRESS = re.compile(r"@v?(\d[\w.+-]*)$")
_CONDA_PIN = re.compile(
    r"^-\s+(?:[\w./-]+::)?([A-Za-z0-9._-]+)\s*(==?|>=|<=|~=|<|>|!=)?\s*([^=\s#]*)"
)
_TOML_LOCK = re.compile(r"^\s*\[\[packages?\]\]", re.MULTILINE)
_CONDA_FILE = re.compile(r"^dependencies:\s*(#.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StackPackage:
    """One package of a stack.

    ``name`` is canonical (PEP 503); ``version`` is the one that will be installed, empty where the
    line leaves it open, and then ``specifier`` says between what. ``marker`` is its condition.
    """

    name: str
    version: str
    line: int
    specifier: str = ""
    marker: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that names no package: an include, an option, an address without a name."""

    line: int
    text: str
    code: str


@dataclass(frozen=True, slots=True)
class Stack:
    """What a text pins, in its order, and what of it was left out."""

    packages: tuple[StackPackage, ...]
    left_out: tuple[LeftOut, ...] = ()
    form: str = "requirements"


class _UnreadableLine(Exception):
    """A line that names no package, with why."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class UnreadableStack(RunproofError):
    """A text with lines that cannot be read; ``problems`` name them all."""

    def __init__(self, problems: Iterable[tuple[int, str]], *, parameter: str) -> None:
        listed = list(problems)
        shown = [Phrase("line {line}: {text}", line=line, text=text) for line, text in listed[:3]]
        more = Phrase(" and {count} more", count=len(listed) - 3) if len(listed) > 3 else ""
        super().__init__(
            message=Phrase(
                "{parameter} has lines that cannot be read: {lines}{more}.",
                parameter=parameter,
                lines=join_phrases("; ", shown),
                more=more,
            ),
            code="unreadable-stack",
            facts={
                "parameter": parameter,
                "problems": [
                    {"line": line, "message": text} for line, text in listed[:MOST_PROBLEMS]
                ],
            },
        )


def read_stack(text: str, *, parameter: str = "requirements") -> Stack:
    """The packages that a text pins.

    **Raises**: ``UnreadableStack`` with every line that cannot be read.
    """
    if len(text) > LARGEST_TEXT:
        problem = Phrase(
            "{count} characters; accepted: at most {largest_text}",
            count=len(text),
            largest_text=LARGEST_TEXT,
        )
        raise UnreadableStack([(1, problem)], parameter=parameter)
    if text.count("\n") > MOST_LINES:
        problem = Phrase(
            "{count} lines; accepted: at most {most_lines}",
            count=text.count(chr(10)),
            most_lines=MOST_LINES,
        )
        raise UnreadableStack([(1, problem)], parameter=parameter)
    if _TOML_LOCK.search(text):
        stack = _read_lock(text, parameter=parameter)
    elif _CONDA_FILE.search(text):
        stack = _read_conda(text, parameter=parameter)
    else:
        stack = _read_requirements(text, parameter=parameter)
    if len(stack.packages) > MOST_PACKAGES:
        problem = Phrase(
            "{count} packages; accepted: at most {most_packages}",
            count=len(stack.packages),
            most_packages=MOST_PACKAGES,
        )
        raise UnreadableStack([(1, problem)], parameter=parameter)
    return stack


# -- requirements.txt and pip freeze --------------------------------------------------------------


def _read_requirements(text: str, *, parameter: str) -> Stack:
    packages: list[StackPackage] = []
    left_out: list[LeftOut] = []
    problems: list[tuple[int, str]] = []
    for number, line in _joined_lines(text):
        try:
            found = _read_line(line, number)
        except ValueError as error:
            problems.append((number, str(error)))
            continue
        if isinstance(found, StackPackage):
            packages.append(found)
        elif found is not None:
            left_out.append(found)
    if problems:
        raise UnreadableStack(problems, parameter=parameter)
    return Stack(tuple(packages), tuple(left_out))


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without comments, those that end with a backslash joined to the next."""
    waiting, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        whole = waiting + line
        first = first or number
        if whole.rstrip().endswith("\\") and not whole.lstrip().startswith("#"):
            waiting = whole.rstrip()[:-1] + " "
            continue
        bare = whole.strip().lstrip("\ufeff")
        if not bare.startswith("#"):
            # A hash begins a comment only after a blank; in an address it is an anchor.
            bare = re.split(r"\s#", bare, maxsplit=1)[0].strip()
            if bare:
                yield first, bare
        waiting, first = "", 0
    if waiting.strip():
        yield first, waiting.strip()


def _read_line(line: str, number: int) -> StackPackage | LeftOut | None:
    if len(line) > LONGEST_LINE:
        bare = _HASH.sub("", line)
        if len(bare) > LONGEST_LINE:
            raise ValueError(
                Phrase(
                    "{count} characters; accepted: at most {longest_line}",
                    count=len(line),
                    longest_line=LONGEST_LINE,
                )
            )
        line = bare
    if _EDITABLE.match(line):
        return _from_address(_EDITABLE.sub("", line).strip(), number)
    if _OPTION.match(line):
        follows = line.startswith(("-r", "--requirement", "-c", "--constraint"))
        return LeftOut(number, line[:120], "include" if follows else "option")
    line = _HASH.sub("", line).strip()
    if re.match(r"^([a-z+]+://|\.{0,2}/|[A-Za-z]:\\)", line):
        return _from_address(line, number)
    try:
        requirement = Requirement(line)
    except InvalidRequirement as error:
        raise ValueError(
            Phrase(
                "{line!r} is no requirement such as vllm==0.11.0 ({problem})",
                line=line[:80],
                problem=str(error).splitlines()[0][:120],
            )
        ) from error
    return _from_requirement(requirement, number, line)


def _from_requirement(requirement: Requirement, number: int, raw: str) -> StackPackage:
    version = ""
    for specifier in requirement.specifier:
        exact = specifier.operator in ("==", "===") and not specifier.version.endswith(".*")
        if exact:
            version = normal_version(specifier.version)
    if not version and requirement.url:
        version = version_of_address(requirement.url)
    return StackPackage(
        name=canonicalize_name(requirement.name),
        version=version,
        line=number,
        specifier="" if version else str(requirement.specifier),
        marker=str(requirement.marker or ""),
        raw=raw[:200],
    )


def _from_address(address: str, number: int) -> StackPackage | LeftOut:
    """A package of an address: its egg name, else the name in a wheel's file name."""
    egg = _EGG.search(address)
    bare = address.partition("#")[0]
    if egg:
        version = version_of_address(bare)
        return StackPackage(canonicalize_name(egg[1]), version, number, raw=address[:200])
    try:
        name, parsed, _build, _tags = parse_wheel_filename(bare.rpartition("/")[2])
    except InvalidWheelFilename:
        return LeftOut(number, address[:120], "address")
    return StackPackage(name, str(parsed), number, raw=address[:200])


def version_of_address(address: str) -> str:
    """The version that an address names: in a wheel's file name, or as a tag after ``@``."""
    bare = address.partition("#")[0].partition("?")[0]
    try:
        return str(parse_wheel_filename(bare.rpartition("/")[2].replace("%2B", "+"))[1])
    except InvalidWheelFilename:
        pass
    tag = _TAG_OF_ADDRESS.search(bare)
    return normal_version(tag[1]) if tag else ""


def normal_version(text: str) -> str:
    """The version in its normal form; a text that is none stays as it is."""
    try:
        return str(Version(text))
    except InvalidVersion:
        return text.strip()


# -- lock files -----------------------------------------------------------------------------------


# A name of more than sixteen parts: reading one costs the square of their number, and no lock
# file has it. Each part begins where no part goes on, so that the search is done in one pass.
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DOTTED_FAR = re.compile(rf"(?<![A-Za-z0-9_.-])(?:{_PART}[ \t]*+\.[ \t]*+){{16}}")


def _read_lock(text: str, *, parameter: str) -> Stack:
    """uv.lock, poetry.lock, pdm.lock and pylock.toml: tables with a name and a version."""
    dotted = _DOTTED_FAR.search(text)
    if dotted:
        line = text.count("\n", 0, dotted.start()) + 1
        raise UnreadableStack([(line, Phrase("nested too deeply"))], parameter=parameter)
    try:
        whole = tomllib.loads(text)
    except ValueError as error:
        place = re.search(r"at line (\d+)", str(error))
        problem = str(error)[:200]
        raise UnreadableStack(
            [(int(place[1]) if place else 1, problem)], parameter=parameter
        ) from error
    except RecursionError as error:
        raise UnreadableStack([(1, Phrase("nested too deeply"))], parameter=parameter) from error
    lines = [n for n, line in enumerate(text.splitlines(), 1) if _TOML_LOCK.match(line)]
    tables = whole.get("package", whole.get("packages"))
    packages: list[StackPackage] = []
    left_out: list[LeftOut] = []
    problems: list[tuple[int, str]] = []
    for position, table in enumerate(tables if isinstance(tables, list) else ()):
        number = lines[position] if position < len(lines) else 1
        if not isinstance(table, Mapping) or not isinstance(table.get("name"), str):
            problems.append((number, Phrase("a package without a name")))
            continue
        version = table.get("version")
        if not isinstance(version, str):
            # The project itself, or one that is built from its source, states no version.
            left_out.append(LeftOut(number, str(table["name"])[:120], "no-version"))
            continue
        name = canonicalize_name(table["name"])
        marker = table.get("marker")
        packages.append(
            StackPackage(
                name, normal_version(version), number,
                marker=marker if isinstance(marker, str) else "",
                raw=f"{name} {version}"[:200],
            )
        )  # fmt: skip
    if problems:
        raise UnreadableStack(problems, parameter=parameter)
    return Stack(tuple(packages), tuple(left_out), form="lock")


# -- conda ----------------------------------------------------------------------------------------


def _read_conda(text: str, *, parameter: str) -> Stack:
    """The dependencies of an environment file, those of its pip part as requirements."""
    packages: list[StackPackage] = []
    left_out: list[LeftOut] = []
    problems: list[tuple[int, str]] = []
    inside = False
    pip_indent: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if indent == 0 and not bare.startswith("-"):
            inside = bare.partition(":")[0] == "dependencies"
            continue
        if not inside:
            continue
        if pip_indent is not None and indent > pip_indent and bare.startswith("-"):
            try:
                found = _read_line(
                    re.split(r"\s#", bare[1:].strip(), maxsplit=1)[0].strip(), number
                )
            except ValueError as error:
                problems.append((number, str(error)))
                continue
        else:
            pip_indent = indent if re.match(r"^-\s*pip\s*:", bare) else None
            found = None if pip_indent is not None else _conda_line(bare, number)
        if isinstance(found, StackPackage):
            packages.append(found)
        elif found is not None:
            left_out.append(found)
    if problems:
        raise UnreadableStack(problems, parameter=parameter)
    return Stack(tuple(packages), tuple(left_out), form="conda")


def _conda_line(bare: str, number: int) -> StackPackage | LeftOut:
    match = _CONDA_PIN.match(bare[:LONGEST_LINE])
    if match is None:
        return LeftOut(number, bare[:120], "option")
    name, operator, version = match[1], match[2] or "", match[3].strip("\"'")
    exact = operator in ("=", "==") and bool(version) and "*" not in version
    return StackPackage(
        canonicalize_name(name),
        normal_version(version) if exact else "",
        number,
        specifier="" if exact or not version else f"{operator}{version}",
        raw=bare[:200],
    )
