"""The captured pages, where they lie: read by a source, and compared with hand-set facts."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from ingest.contract import Page, Reading, Source, Vocabulary
from ingest.domain.derive import PageReading
from ingest.domain.facts import FactNames, compare_fact
from matrix.catalog_files import read_catalogue

CAPTURES = Path(__file__).resolve().parents[4] / "shared" / "captures"
needs_captures = pytest.mark.skipif(
    not CAPTURES.is_dir(), reason="the captured pages do not lie beside this checkout"
)

Read = tuple[str, str, str, Reading]


@cache
def shipped_words() -> Vocabulary:
    """The vocabulary of the shipped catalogue."""
    return read_catalogue().vocabulary


def readings_of(source: Source, page: Page) -> list[PageReading]:
    """What every matching rule of a source reads from a page."""
    return [
        PageReading(source.name, rule.name, "1", page, rule.parse(page, shipped_words()))
        for rule in source.rules
        if any(re.fullmatch(path, page.path) for path in rule.paths)
    ]


def read_all(source: Source, captures: Path) -> Iterator[Read]:
    """Every page of the source's folder, by every rule that reads it."""
    folder = captures / (source.folder or source.framework)
    for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        text = (folder / entry["local"]).read_text(encoding="utf-8-sig")
        page = Page(
            framework=source.framework, version=entry["label"], path=entry["path"], text=text
        )
        for item in readings_of(source, page):
            yield entry["label"], entry["path"], item.rule, item.reading


def counts_by_label(read: Iterable[Read]) -> Mapping[str, int]:
    """How many findings each captured state holds."""
    counts: Counter[str] = Counter()
    for label, _, _, reading in read:
        counts[label] += len(reading.findings)
    return counts


def unmapped_words(read: Iterable[Read]) -> list[tuple[str, str]]:
    """Words that nothing maps, sorted, each once."""
    return sorted({(u.axis, u.word) for _, _, _, reading in read for u in reading.unknown_words})


def check_truth(sources: Mapping[str, Source]) -> list[str]:
    """The outcome of every hand-set fact whose page is there, one line each."""
    lines = []
    names = FactNames(read_catalogue())
    for line in (CAPTURES / "truth" / "others.jsonl").read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        source = sources.get(fact["framework"])
        path = CAPTURES / fact["local"]
        if source is None or not path.is_file():
            continue
        page = Page(
            framework=source.framework,
            version=fact["version"],
            path=fact["page"],
            text=path.read_text(encoding="utf-8-sig"),
        )
        result = compare_fact(fact, readings_of(source, page), names)
        lines.append(f"{result.outcome.value} {fact['id']}: {result.found}")
    return lines
