"""Reads a capture folder (``manifest.jsonl`` and its files) into pages; pure but for the disk.

Every bad file is listed, not only the first; a folder with bad files yields no pages.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ingest.contract import Page
from ingest.reading import UndecodablePage, decode_page
from matrix.domain.catalogue import Catalogue, Placement
from matrix.domain.versions import Release, ReleaseHistory

FACTS_PATH = "facts.json"


class BrokenCaptures(Exception):
    """A capture folder with files that cannot be used; ``problems`` lists every one."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} bad files; first: {problems[0]}")


@dataclass(frozen=True)
class Captures:
    """Pages of one framework folder; ``unplaced`` are labels that no release could be found for."""

    pages: tuple[Page, ...]
    unplaced: tuple[str, ...] = ()


@dataclass
class _Placer:
    """Finds the release at which a captured label is observed."""

    framework: str
    history: ReleaseHistory
    placements: Mapping[str, Placement]
    by_commit: dict[str, Release] = field(default_factory=dict)

    def place(
        self, label: str, tag: str | None, commit: str, day: date | None
    ) -> tuple[str, date | None]:
        """The release and the day the page speaks for; an empty release when neither is known."""
        for name in (tag, label):
            if name and (release := self.history.find(name)):
                return release.version, day or release.released_on
        if release := self.by_commit.get(commit[:9]):
            return release.version, day or release.released_on
        placement = self.placements.get(label)
        if placement is not None:
            return self._place_by_bracket(placement)
        if day is not None and not label.startswith("facts"):
            rank = self.history.latest_rank(as_of=day)
            if rank is not None:
                return self.history.releases[rank].version, day
        return "", day

    def _place_by_bracket(self, placement: Placement) -> tuple[str, date | None]:
        """The upper end of the bracket: the first release known to hold the text."""
        day = placement.stated_on
        exact = placement.placed == "exact"
        name = placement.release if exact else placement.before
        release = self.history.find(name) if name else None
        if release is None and day is not None:
            published = [r for r in self.history.releases if r.released_on <= day]
            release = published[-1] if published else None
        if release is None:
            return "", day
        return release.version, max(day, release.released_on) if day else release.released_on


def read_captures(
    folder: Path, *, framework: str, catalogue: Catalogue, wanted: Iterable[str] | None = None
) -> Captures:
    """All pages that the folder's manifest lists, plus its ``facts-<version>.json`` files.

    **Shapes**: ``wanted`` restricts to version labels.
    **Raises**: ``BrokenCaptures`` naming every missing, altered or undecodable file.
    """
    manifest = folder / "manifest.jsonl"
    if not manifest.is_file():
        raise BrokenCaptures([f"{manifest.name} is missing in {folder.name}"])
    placer = _placer(framework, catalogue)
    labels = set(wanted) if wanted else None
    problems: list[str] = []
    pages: list[Page] = []
    unplaced: set[str] = set()
    versions: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(manifest.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            label = str(entry.get("label") or entry["version"])
            path = str(entry["path"])
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"manifest.jsonl line {number}: {error!r}")
            continue
        versions.setdefault(label, entry)
        if labels is not None and label not in labels:
            continue
        local = entry.get("local") or f"{label}/{path}"
        text, sha256, problem = _read_file(folder, str(local), str(entry.get("sha256", "")))
        if problem:
            problems.append(problem)
            continue
        page = _page(placer, label=label, path=path, text=text, sha256=sha256, entry=entry)
        if not page.release:
            unplaced.add(label)
        pages.append(page)
    facts, facts_problems = _facts_pages(folder, versions, placer, labels)
    problems += facts_problems
    if problems:
        raise BrokenCaptures(problems)
    return Captures(pages=(*pages, *facts), unplaced=tuple(sorted(unplaced)))


def _trusted_placements(catalogue: Catalogue, framework: str) -> dict[str, Placement]:
    """Placements by label; text of an open pull request is no statement of any release."""
    return {
        p.label: p
        for p in catalogue.placements
        if p.framework == framework and p.trust != "pull-request"
    }


def _placer(framework: str, catalogue: Catalogue) -> _Placer:
    history = catalogue.histories.get(framework) or ReleaseHistory(framework, ())
    return _Placer(
        framework=framework,
        history=history,
        placements=_trusted_placements(catalogue, framework),
        by_commit={r.commit[:9]: r for r in history.releases if r.commit},
    )


def _read_file(folder: Path, local: str, sha256: str) -> tuple[str, str, str]:
    path = (folder / local).resolve()
    if not path.is_relative_to(folder.resolve()):
        return "", "", f"{local}: lies outside the capture folder"
    if not path.is_file():
        return "", "", f"{local}: the file is missing"
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if sha256 and digest != sha256:
        return "", "", f"{local}: sha256 is {digest[:12]}…, the manifest says {sha256[:12]}…"
    try:
        return decode_page(data), digest, ""
    except UndecodablePage as error:
        return "", "", f"{local}: {error}"


def _page(
    placer: _Placer, *, label: str, path: str, text: str, sha256: str, entry: Mapping[str, Any]
) -> Page:
    framework = placer.framework
    commit = str(
        entry.get("llama_cpp_commit") or entry.get("commit") or entry.get("git_commit") or ""
    )
    day = _day(entry.get("commit_date") or entry.get("release_uploaded"))
    if entry.get("llama_cpp_commit"):
        day = None  # The carrier's upload day is not the day llama.cpp's page speaks for.
    release, stated_on = placer.place(label, entry.get("tag"), commit, day)
    return Page(
        framework=framework,
        version=label,
        path=path,
        text=text,
        url=_public_url(framework, entry, path),
        commit=commit,
        release=release,
        stated_on=stated_on,
        sha256=sha256,
    )


_REPOSITORIES = {
    "vllm": ("https://github.com/vllm-project/vllm/blob/v{version}/{path}", "version"),
    "llama.cpp": ("https://github.com/ggml-org/llama.cpp/blob/{commit}/{path}", "commit"),
}


def _public_url(framework: str, entry: Mapping[str, Any], path: str) -> str:
    if url := entry.get("html_url") or entry.get("url"):
        return str(url)
    template = _REPOSITORIES.get(framework)
    if template is None:
        return str(entry.get("raw_url", ""))
    return template[0].format(
        version=entry.get("version", ""), commit=entry.get("llama_cpp_commit", ""), path=path
    )


def _day(text: object) -> date | None:
    if not text:
        return None
    moment = datetime.fromisoformat(str(text))
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def _facts_pages(
    folder: Path,
    versions: Mapping[str, Mapping[str, Any]],
    placer: _Placer,
    labels: set[str] | None,
) -> tuple[list[Page], list[str]]:
    pages = []
    problems = []
    for path in sorted(folder.glob("facts-*.json")):
        label = path.stem.removeprefix("facts-")
        if labels is not None and label not in labels:
            continue
        text, sha256, problem = _read_file(folder, path.name, "")
        if problem:
            problems.append(problem)
            continue
        try:
            facts = json.loads(text)
        except ValueError as error:
            problems.append(f"{path.name}: {error}")
            continue
        entry = dict(versions.get(label, {})) | {"version": label}
        page = _page(placer, label=label, path=FACTS_PATH, text=text, sha256=sha256, entry=entry)
        pages.append(_facts_page(page, facts))
    return pages, problems


def _facts_page(page: Page, facts: Mapping[str, Any]) -> Page:
    """Code facts point to the release archive they were read from, not to a documentation page."""
    base = {
        "vllm": f"https://github.com/vllm-project/vllm/tree/v{page.version}",
        "llama.cpp": f"https://github.com/ggml-org/llama.cpp/tree/{page.commit}",
    }
    return Page(
        framework=page.framework,
        version=page.version,
        path=page.path,
        text=page.text,
        url=base.get(page.framework, page.url),
        commit=page.commit or str(facts.get("git_commit") or ""),
        release=page.release,
        stated_on=page.stated_on,
        sha256=page.sha256,
    )
