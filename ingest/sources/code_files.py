"""The source files of one release, and the facts page that is made of them.

Facts of code stand in several files (a registry names a class, another file says what the class
needs), so a release's files are read together: into the same facts that a prepared
``facts-<version>.json`` holds, and from there on by the same rules.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ingest.contract import Page, UnexpectedPage
from ingest.reading.python_code import PythonModule, UnreadableCode, read_python
from ingest.sources.code_facts import Json

FACTS_PAGE_PATH = "facts.json"
Facts = dict[str, Json]


@dataclass(frozen=True)
class CodeFiles:
    """The texts of one release's source files by path."""

    files: Mapping[str, str]

    def text(self, *paths: str) -> str | None:
        """The text of the first path that is there."""
        return next((self.files[path] for path in paths if path in self.files), None)

    def matching(self, pattern: str) -> Iterator[tuple[str, str]]:
        """Path and text of the files whose whole path matches, sorted by path."""
        for path in sorted(self.files):
            if re.fullmatch(pattern, path):
                yield path, self.files[path]

    def python(self, *paths: str) -> PythonModule | None:
        """The first path that is there, parsed. **Raises**: ``UnexpectedPage``."""
        path = next((path for path in paths if path in self.files), None)
        return None if path is None else parse_code(path, self.files[path])

    def python_matching(self, pattern: str, *, holding: str = "") -> Iterator[PythonModule]:
        """The matching files, parsed; only those in whose text an expression is found.

        **Raises**: ``UnexpectedPage``.
        """
        for path, text in self.matching(pattern):
            if re.search(holding, text, re.MULTILINE):
                yield parse_code(path, text)


def parse_code(path: str, text: str) -> PythonModule:
    """A parsed module. **Raises**: ``UnexpectedPage`` for text that is no Python."""
    try:
        return read_python(text, path=path)
    except UnreadableCode as error:
        raise UnexpectedPage(path=path, expected="Python source", nearest=str(error)) from error


@dataclass(frozen=True, slots=True)
class CodeReader:
    """How the source files of a framework become facts.

    **Shapes**: ``paths`` are regular expressions against whole paths, like a rule's; ``needed``
    are groups of such expressions: of each group at least one file must be there. ``address``
    is where a release's code is published; ``commit_key`` is the fact that holds the commit, which
    no file states.
    """

    framework: str
    source: str
    paths: tuple[str, ...]
    needed: tuple[tuple[str, ...], ...]
    read: Callable[[CodeFiles], Facts]
    address: str
    commit_key: str

    def wants(self, path: str) -> bool:
        """Whether a file is one of those that are read."""
        return any(re.fullmatch(pattern, path) for pattern in self.paths)

    def is_code(self, path: str) -> bool:
        """Whether a file is one that only a copy of the source code holds."""
        return any(re.fullmatch(pattern, path) for group in self.needed for pattern in group)


def read_code(reader: CodeReader, files: Mapping[str, str], *, version: str) -> Facts:
    """The facts of a release's source files.

    **Raises**: ``UnexpectedPage`` naming what is missing, or the file that is not understood.
    """
    for group in reader.needed:
        if not any(re.fullmatch(pattern, path) for pattern in group for path in files):
            raise UnexpectedPage(
                path=FACTS_PAGE_PATH,
                expected=f"a source file {' or '.join(group)} of {reader.framework} {version}",
                nearest=", ".join(sorted(files)[:4]),
            )
    try:
        facts = reader.read(CodeFiles(files))
    except RecursionError as error:
        raise UnexpectedPage(
            path=FACTS_PAGE_PATH,
            expected=f"source files of {reader.framework} {version} that nest as programs do",
            nearest="an expression nested too deeply",
        ) from error
    return {"framework": reader.framework, "version": version, **facts}


def facts_page(reader: CodeReader, pages: Iterable[Page]) -> Page | None:
    """The facts page of one version's pages, or ``None`` where they hold no source code.

    **Shapes**: the pages are all of one version; those that the reader does not want are passed
    over. **Raises**: ``UnexpectedPage`` like ``read_code``.
    """
    wanted = {page.path: page for page in pages if reader.wants(page.path)}
    if not any(reader.is_code(path) for path in wanted):
        return None
    first = next(iter(wanted.values()))
    facts = read_code(
        reader, {path: page.text for path, page in wanted.items()}, version=first.version
    )
    if first.commit:
        facts = {**facts, reader.commit_key: first.commit}
    text = json.dumps(facts, ensure_ascii=False, indent=1)
    return replace(
        first,
        path=FACTS_PAGE_PATH,
        text=text,
        url=reader.address.format(version=first.version, commit=first.commit),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
