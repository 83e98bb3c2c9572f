"""Reads a capture folder (``manifest.jsonl`` and its files) into pages; pure but for the disk.

Every bad file is listed, not only the first; a folder with bad files yields no pages.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ingest.contract import Page, UnexpectedPage
from ingest.derived import list_derived
from ingest.placing import Placer, build_placer
from ingest.reading import UndecodablePage, decode_page
from ingest.sources.code_readers import facts_pages
from matrix.domain.catalogue import Catalogue

FACTS_PATH = "facts.json"
MANIFEST = "manifest.jsonl"
# The largest captured page has less than a hundredth of this; more is no documentation page.
MAX_FILE_BYTES = 32 * 2**20

# Where a file of a framework is published, for manifests without addresses.
_ADDRESSES = {
    "vllm": "https://github.com/vllm-project/vllm/blob/v{version}/{path}",
    "llama.cpp": "https://github.com/ggml-org/llama.cpp/blob/{commit}/{path}",
    "sglang": "https://github.com/sgl-project/sglang/blob/{version}/{path}",
}
# Code facts point to the release archive they were read from, not to a documentation page.
_FACTS_ADDRESSES = {
    "vllm": "https://github.com/vllm-project/vllm/tree/v{version}",
    "llama.cpp": "https://github.com/ggml-org/llama.cpp/tree/{commit}",
}


class BrokenCaptures(Exception):
    """A capture folder with files that cannot be used; ``problems`` lists every one."""

    code = "broken-captures"

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        files = "file" if len(problems) == 1 else "files"
        super().__init__(f"{len(problems)} bad {files} in the capture folder")


@dataclass(frozen=True)
class Captures:
    """Pages of one framework folder; ``unplaced`` are labels that no release could be found for.

    **Shapes**: ``files`` are the files that hold the bytes, by version and path of the page.
    """

    pages: tuple[Page, ...]
    unplaced: tuple[str, ...] = ()
    files: Mapping[tuple[str, str], Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of a manifest: where a file lies and what is known about it."""

    label: str
    path: str
    local: str
    sha256: str
    facts: Mapping[str, Any]
    day: date | None


@dataclass
class _Folder:
    """A capture folder while it is read: the pages so far and everything wrong with it."""

    root: Path
    framework: str
    placer: Placer
    labels: frozenset[str]
    problems: list[str] = field(default_factory=list)
    entries: dict[tuple[str, str], _Entry] = field(default_factory=dict)
    files: dict[tuple[str, str], Path] = field(default_factory=dict)

    def wants(self, label: str) -> bool:
        return not self.labels or label in self.labels

    def entry_of(self, label: str) -> _Entry | None:
        """Some entry of a label: all of one label share their commit and date."""
        return next((e for (name, _), e in self.entries.items() if name == label), None)


def read_captures(
    folder: Path, *, framework: str, catalogue: Catalogue, wanted: Iterable[str] | None = None
) -> Captures:
    """All pages that the folder's manifest lists, its ``facts-<version>.json`` files, and what
    was derived from pages that it does not hold.

    **Shapes**: ``wanted`` restricts to version labels.
    **Raises**: ``BrokenCaptures`` naming every missing, altered or undecodable file.
    """
    reading = _Folder(
        root=folder,
        framework=framework,
        placer=build_placer(framework, catalogue),
        labels=frozenset(wanted or ()),
    )
    _read_manifest(reading)
    pages = [page for e in reading.entries.values() if (page := _manifest_page(reading, e))]
    pages += _facts_pages(reading)
    pages += _pages_of_code(reading, pages)
    pages += _derived_pages(reading)
    _check_labels(reading, pages)
    if reading.problems:
        raise BrokenCaptures(reading.problems)
    unplaced = {page.version for page in pages if not page.release}
    return Captures(pages=tuple(pages), unplaced=tuple(sorted(unplaced)), files=reading.files)


def _check_labels(reading: _Folder, pages: Iterable[Page]) -> None:
    """A label that was asked for and is not there is a mistake, not an empty result."""
    known = sorted({e.label for e in reading.entries.values()} | {p.version for p in pages})
    for label in sorted(reading.labels.difference(known)):
        reading.problems.append(
            f"nothing was captured of {label!r}; captured are: {', '.join(known) or 'none'}"
        )


def _read_manifest(reading: _Folder) -> None:
    text, _, problem = _read_file(reading.root, MANIFEST, "")
    if problem:
        reading.problems.append(problem)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = _entry(json.loads(line), reading.framework, reading.root.name)
        except (ValueError, KeyError, TypeError) as error:
            said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            reading.problems.append(f"{MANIFEST} line {number}: {said}")
            continue
        known = reading.entries.setdefault((entry.label, entry.path), entry)
        if known is not entry:
            reading.problems.append(
                f"{MANIFEST} line {number}: {entry.label} {entry.path} is listed twice"
            )


def _entry(line: object, framework: str, folder: str) -> _Entry:
    """The entry of a manifest line; it may name the framework or the folder it was captured as.

    **Raises**: ``ValueError``, ``KeyError`` for a line that names no file or another framework's.
    """
    if not isinstance(line, dict):
        raise ValueError(f"a line is an object, not {type(line).__name__}")
    named = line.get("framework")
    if named and _folded(named) not in {_folded(framework), _folded(folder)}:
        raise ValueError(f"it lists pages of {named!r}; expected are pages of {framework!r}")
    label = str(line.get("label") or line["version"])
    path = str(line["path"])
    # The carrier's upload day is not the day llama.cpp's page speaks for.
    carried = line.get("llama_cpp_commit")
    return _Entry(
        label=label,
        path=path,
        local=str(line.get("local") or f"{label}/{path}"),
        sha256=str(line.get("sha256") or ""),
        facts=line,
        day=None if carried else _day(line.get("commit_date") or line.get("release_uploaded")),
    )


def _folded(name: object) -> str:
    return str(name).replace("_", "-").casefold()


def _day(text: object) -> date | None:
    """The UTC day of a moment. **Raises**: ``ValueError`` for what is none."""
    if not text:
        return None
    moment = datetime.fromisoformat(str(text))
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def _read_file(folder: Path, local: str, sha256: str) -> tuple[str, str, str]:
    """Text, SHA-256 and problem of a file; a link that leads out of the folder is not followed."""
    path = (folder / local).resolve()
    if not path.is_relative_to(folder.resolve()):
        return "", "", f"{local}: lies outside the capture folder"
    if not path.is_file():
        return "", "", f"{local}: the file is missing"
    if path.stat().st_size > MAX_FILE_BYTES:
        return "", "", f"{local}: has more than {MAX_FILE_BYTES // 2**20} MiB"
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if sha256 and digest != sha256.lower():
        return "", "", f"{local}: sha256 is {digest[:12]}…, the manifest says {sha256[:12]}…"
    try:
        return decode_page(data), digest, ""
    except UndecodablePage as error:
        return "", "", f"{local}: {error}"


def _manifest_page(reading: _Folder, entry: _Entry) -> Page | None:
    if not reading.wants(entry.label):
        return None
    text, sha256, problem = _read_file(reading.root, entry.local, entry.sha256)
    if problem:
        reading.problems.append(problem)
        return None
    page = _page(reading, entry, path=entry.path, text=text)
    reading.files[entry.label, entry.path] = reading.root / entry.local
    return replace(page, sha256=sha256, url=_public_url(reading.framework, entry))


def _page(reading: _Folder, entry: _Entry, *, path: str, text: str) -> Page:
    """A page of the entry's version, placed at its release."""
    facts = entry.facts
    commit = str(
        facts.get("llama_cpp_commit") or facts.get("commit") or facts.get("git_commit") or ""
    )
    release, stated_on = reading.placer.place(entry.label, facts.get("tag"), commit, entry.day)
    return Page(
        framework=reading.framework,
        version=entry.label,
        path=path,
        text=text,
        commit=commit,
        release=release,
        stated_on=stated_on,
    )


def _public_url(framework: str, entry: _Entry) -> str:
    facts = entry.facts
    if url := facts.get("html_url") or facts.get("url"):
        return str(url)
    template = _ADDRESSES.get(framework)
    if template is None:
        return str(facts.get("raw_url", ""))
    return template.format(
        version=facts.get("version") or entry.label,
        commit=facts.get("llama_cpp_commit", ""),
        path=entry.path,
    )


def _facts_pages(reading: _Folder) -> list[Page]:
    """The code facts of each version, as one page each."""
    pages = []
    for path in sorted(reading.root.glob("facts-*.json")):
        label = path.stem.removeprefix("facts-")
        if not reading.wants(label):
            continue
        text, sha256, problem = _read_file(reading.root, path.name, "")
        facts, broken = ({}, problem) if problem else _json_object(text)
        if broken:
            reading.problems.append(problem or f"{path.name}: {broken}")
            continue
        page = _page(reading, _shared_entry(reading, label), path=FACTS_PATH, text=text)
        reading.files[label, FACTS_PATH] = path
        commit = page.commit or str(facts.get("git_commit") or "")
        url = _FACTS_ADDRESSES.get(reading.framework, "").format(version=label, commit=commit)
        pages.append(replace(page, sha256=sha256, commit=commit, url=url))
    return pages


def _pages_of_code(reading: _Folder, pages: list[Page]) -> list[Page]:
    """The code facts of each version whose source files lie in the folder."""
    try:
        return list(facts_pages(reading.framework, pages))
    except UnexpectedPage as error:
        reading.problems.append(str(error))
        return []


def _json_object(text: str) -> tuple[dict[str, Any], str]:
    try:
        value = json.loads(text)
    except ValueError as error:
        return {}, str(error)
    if not isinstance(value, dict):
        return {}, f"it holds {type(value).__name__}; an object is expected"
    return value, ""


def _shared_entry(reading: _Folder, label: str) -> _Entry:
    """What the manifest says about a label, or the label alone."""
    known = reading.entry_of(label)
    if known is not None:
        return known
    return _Entry(label=label, path="", local="", sha256="", facts={"version": label}, day=None)


def _derived_pages(reading: _Folder) -> list[Page]:
    """Pages known only by what was derived from them; the original's hash is not known then."""
    pages = []
    for label, path, file in list_derived(reading.root.parent, framework=reading.framework):
        if not reading.wants(label) or (label, path) in reading.entries:
            continue
        text, _, problem = _read_file(file.parent, file.name, "")
        broken = problem
        if not problem:
            try:
                json.loads(text)
            except ValueError as error:
                broken = f"{file.name}: {error}"
        if broken:
            reading.problems.append(broken)
            continue
        page = _page(reading, _shared_entry(reading, label), path=path, text=text)
        reading.files[label, path] = file
        url = _ADDRESSES[reading.framework].format(version=label, path=path)
        pages.append(replace(page, url=url))
    return pages
