"""The captured documentation pages of llama.cpp, where the captures lie beside the repository."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingest.contract import Finding, Page
from ingest.sources.llama_cpp import SOURCE
from matrix.catalog_files import read_catalogue

CAPTURES = Path(__file__).parents[4] / "shared" / "captures"
PAGES = CAPTURES / "llama.cpp"
TRUTH = CAPTURES / "truth" / "vllm-llamacpp.jsonl"

# What a hand-set status may be called by a page's own legend.
READ_AS: Mapping[str, frozenset[str]] = {
    "yes": frozenset({"supported", "validated"}),
    "no": frozenset({"unsupported"}),
    "wip": frozenset({"work-in-progress"}),
    "unknown": frozenset({"unknown", "untested"}),
    "not_stated": frozenset({"not-stated"}),
    "partial": frozenset({"partial"}),
    "mixed": frozenset({"mixed"}),
    "value": frozenset({"value"}),
    "no_acceleration": frozenset({"no-acceleration"}),
}
OPPOSITE = {("yes", "unsupported"), ("no", "supported")}
FLOORS = {"0.2.90": 350, "0.3.2": 350, "0.3.9": 600, "0.3.16": 1800, "0.3.21": 2500, "0.3.36": 3000}

pytestmark = [
    pytest.mark.captures,
    pytest.mark.skipif(not PAGES.is_dir(), reason="the captured pages are not here"),
]


def _pages() -> Iterator[Page]:
    for folder in sorted(path for path in PAGES.iterdir() if path.is_dir()):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield Page(
                    framework="llama.cpp",
                    version=folder.name,
                    path=path.relative_to(folder).as_posix(),
                    text=path.read_text(encoding="utf-8"),
                )


@cache
def _read() -> dict[tuple[str, str], list[tuple[str, Finding]]]:
    """All findings by version and page; an unexpected page fails here."""
    vocabulary = read_catalogue().vocabulary
    read: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for page in _pages():
        for rule in SOURCE.rules:
            if any(re.fullmatch(pattern, page.path) for pattern in rule.paths):
                found = read.setdefault((page.version, page.path), [])
                found += [(rule.name, f) for f in rule.parse(page, vocabulary).findings]
    return read


def test_every_release_is_read_without_a_surprise_and_by_every_rule_it_has() -> None:
    counts: Counter[str] = Counter()
    for (version, _), findings in _read().items():
        counts[version] += len(findings)
    assert {v: n for v, n in counts.items() if n < FLOORS.get(v, 3000)} == {}
    assert set(counts) >= set(FLOORS)
    used = {rule for findings in _read().values() for rule, _ in findings}
    assert used == {rule.name for rule in SOURCE.rules}


def test_one_release_never_states_one_thing_twice() -> None:
    seen: Counter[tuple[str, str, str]] = Counter()
    for (version, _), findings in _read().items():
        for rule, finding in findings:
            seen[(version, rule, finding.statement)] += 1
    assert [key for key, count in seen.items() if count > 1] == []


def _truths() -> list[dict[str, Any]]:
    if not TRUTH.is_file():
        return []
    rows = [json.loads(line) for line in TRUTH.read_text(encoding="utf-8").splitlines()]
    return [r for r in rows if r["framework"] == "llama.cpp" and "facts_file" not in r]


def _label(text: str) -> str:
    """A label as the page shows it: links as their text, without brackets and code marks."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[\[\]`]", "", shown).strip()


@pytest.mark.parametrize("truth", _truths(), ids=lambda row: str(row["id"]))
def test_a_hand_set_fact_is_read_right(truth: dict[str, Any]) -> None:
    key = (truth["version"], truth["page"])
    assert key in _read()
    found = [finding for _, finding in _read()[key]]
    if truth["status"] == "absent":
        return
    if "row" in truth:
        wanted = (_label(truth["row"]), _label(truth["column"]))
        here = [f for f in found if (_label(f.locator.row), _label(f.locator.column)) == wanted]
        here = [f for f in here if f.raw == truth["raw"]]
    else:
        here = [f for f in found if f.locator.line == truth["line"]]
    statuses = {f.status.value for f in here}
    assert statuses & READ_AS[truth["status"]]
    if truth["status"] != "mixed":
        assert not {(truth["status"], status) for status in statuses} & OPPOSITE
