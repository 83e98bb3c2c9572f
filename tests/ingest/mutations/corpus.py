"""The pages that are changed: every sample of the source tests, and captured pages."""

import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from ingest.contract import Page, PageRule, ReadingError, Source, UnexpectedPage, Vocabulary
from ingest.domain.run_rules import rules_for
from ingest.reading import decode_page
from ingest.sources import SOURCES
from tests.ingest.mutations.judging import Case, make_case
from tests.ingest.mutations.recording import Sample
from tests.ingest.sources.captured import CAPTURES, shipped_words

ROOT = Path(__file__).resolve().parents[3]
# Changing a page of this size takes seconds; smaller pages of the same rule show the same.
LARGEST_PAGE = 16_000


def record_samples(target: Path) -> list[Sample]:
    """Returns every page that the source tests give to a rule, recorded while they run."""
    command = [
        *(sys.executable, "-m", "pytest", "tests/ingest/sources", "-q", "-p", "no:cacheprovider"),
        *("--ignore-glob=*test_real_*", "-p", "tests.ingest.mutations.recording"),
        *("--samples-to", str(target)),
    ]
    # Options of the run that asks for the samples are not those of the run that records them.
    unset = ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert target.is_file(), f"nothing was recorded:\n{run.stdout[-2000:]}{run.stderr[-2000:]}"
    samples: list[Sample] = pickle.loads(target.read_bytes())
    return samples


def cases_of(samples: Iterable[Sample]) -> Iterator[Case]:
    """Yields the samples as cases."""
    rules = {(source.name, rule.name): rule for source in SOURCES for rule in source.rules}
    for sample in samples:
        page = Page(
            framework=sample.framework,
            version=sample.version,
            path=sample.path,
            text=sample.text,
            release=sample.release,
        )
        name = f"{sample.source}:{sample.rule} {sample.path}"
        yield make_case(name, rules[sample.source, sample.rule], page, sample.words)


def captured_cases(*, versions: int) -> Iterator[Case]:
    """Yields for each rule its pages of a few captured versions, the newest first."""
    words = shipped_words()
    for source in SOURCES:
        taken: dict[str, set[str]] = {}
        for page in _captured_pages(source):
            for rule in rules_for(source, page.path):
                seen = taken.setdefault(rule.name, set())
                if len(seen) >= versions:
                    continue
                name = f"{source.name}:{rule.name} {page.version} {page.path}"
                if _is_read(rule, page, words):
                    seen.add(page.version)
                    yield make_case(name, rule, page, words)


def _is_read(rule: PageRule, page: Page, words: Vocabulary) -> bool:
    try:
        return bool(rule.parse(page, words).findings)
    except (UnexpectedPage, ReadingError):
        return False


def _captured_pages(source: Source) -> Iterator[Page]:
    folder = CAPTURES / (source.folder or source.framework)
    manifest = folder / "manifest.jsonl"
    if not manifest.is_file():
        return
    entries = [json.loads(line) for line in manifest.read_text("utf-8").splitlines() if line]
    files = []
    for entry in entries:
        label = str(entry.get("label") or entry["version"])
        files.append((label, entry["path"], entry.get("local") or f"{label}/{entry['path']}"))
    files += [(f.stem[6:], "facts.json", f.name) for f in folder.glob("facts-*.json")]
    for label, path, local in sorted(files, key=lambda file: _in_order(file[0]), reverse=True):
        content = (folder / local).read_bytes()
        if len(content) <= LARGEST_PAGE:
            text = decode_page(content)
            yield Page(
                framework=source.framework,
                version=label,
                path=path,
                text=text,
                release=label.removeprefix("v"),
            )


def _in_order(label: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", label)][:4]
