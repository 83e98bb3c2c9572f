"""The real pages of every captured vLLM release, where the captures are at hand."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.vllm import SOURCE
from matrix.catalog_files import read_catalogue
from matrix.domain.catalogue import Catalogue

CAPTURES = Path(__file__).parents[4] / "shared" / "captures"
PAGES = CAPTURES / "vllm"
RENDERED = CAPTURES / "vllm_rendered"
TRUTH = CAPTURES / "truth" / "vllm-llamacpp.jsonl"

pytestmark = [
    pytest.mark.captures,
    pytest.mark.skipif(not PAGES.is_dir(), reason=f"no captures at {PAGES}"),
]

# Findings that each release gives at least; a fall below says that a page is read no longer.
FLOORS = {
    "0.4.2": 90,
    "0.5.4": 10,
    "0.6.3.post1": 800,
    "0.7.3": 1100,
    "0.8.5": 1300,
    "0.9.2": 1500,
    "0.10.2": 1800,
    "0.11.0": 1800,
    "0.13.0": 2100,
    "0.18.1": 2600,
    "0.24.0": 3100,
    "0.33.0": 2900,
}
SAME = {
    "yes": {StatementStatus.SUPPORTED},
    "functional": {StatementStatus.SUPPORTED},
    "no": {StatementStatus.UNSUPPORTED},
    "wip": {StatementStatus.WORK_IN_PROGRESS},
    "not_stated": {StatementStatus.NOT_STATED, StatementStatus.NOT_APPLICABLE},
    "generated_at_build": {StatementStatus.NOT_STATED},
}
_MARKUP = re.compile(r"<sup>.*?</sup>|<[^>]+>|[`*\\\ufe0e\ufe0f]")
_LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")


def _pages() -> Iterator[Page]:
    for line in (PAGES / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        version, path = entry["version"], entry["path"]
        text = (PAGES / version / path).read_text(encoding="utf-8")
        yield Page(framework="vllm", version=version, release=version, path=path, text=text)
    for file in sorted(RENDERED.glob("*/docs/**/*.md")):
        version, path = file.relative_to(RENDERED).as_posix().split("/", 1)
        yield Page(
            framework="vllm", version=f"{version}-rendered", path=path, text=file.read_text()
        )


@cache
def _catalogue() -> Catalogue:
    return read_catalogue()


@cache
def _readings() -> dict[tuple[str, str, str], Reading]:
    """Every reading by (version, path, rule); an unexpected page fails the test that asks."""
    vocabulary: Vocabulary = _catalogue().vocabulary
    found = {}
    for page in _pages():
        for rule in SOURCE.rules:
            if any(re.fullmatch(path, page.path) for path in rule.paths):
                found[page.version, page.path, rule.name] = rule.parse(page, vocabulary)
    return found


def _plain(text: str) -> str:
    return _MARKUP.sub("", _LINK.sub(r"\1", text)).strip().lower()


def _truth() -> list[dict[str, Any]]:
    if not TRUTH.is_file():
        return []
    rows = [json.loads(line) for line in TRUTH.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["framework"] == "vllm" and "page" in row]


def test_every_matched_page_reads_and_gives_its_floor_of_findings() -> None:
    counts: Counter[str] = Counter()
    for (version, _, _), reading in _readings().items():
        counts[version] += len(reading.findings)
    assert {v: counts[v] for v, floor in FLOORS.items() if counts[v] < floor} == {}


def test_every_rule_reads_at_least_one_page_and_gives_findings() -> None:
    given: Counter[str] = Counter()
    for (_, _, rule), reading in _readings().items():
        given[rule] += len(reading.findings)
    assert [rule.name for rule in SOURCE.rules if not given[rule.name]] == []


@pytest.mark.parametrize("row", _truth(), ids=lambda row: row["id"])
def test_a_fact_set_by_hand_is_read_the_same(row: dict[str, Any]) -> None:
    found = [
        finding
        for (version, path, _), reading in _readings().items()
        if version == row["version"] and path == row["page"]
        for finding in reading.findings
    ]
    if "absent" in row:
        assert any(v == row["version"] and p == row["page"] for v, p, _ in _readings())
        return
    if "row" in row:
        wanted = (_plain(row["row"]), _plain(row["column"]))
        found = [
            f
            for f in found
            if (_plain(f.locator.row), _plain(f.locator.column)) == wanted
            and f.raw.strip() == row["raw"].strip()
            and f.names.get("variant", "").startswith(row["facet"].get("variant", ""))
        ]
    else:
        found = [f for f in found if f.locator.line == row["line"]]
    expected = SAME.get(row["status"], {row["status"].replace("_", "-")})
    assert {f.status for f in found} & expected


def test_every_slug_exists_in_the_catalogue() -> None:
    nodes = _catalogue().nodes
    missing: set[tuple[str, str]] = set()
    for finding in _claims():
        assert finding.scope is not None
        for axis, chosen in finding.scope.nodes.items():
            area = {"kv_dtype": "quantization"}.get(axis.value, axis.value)
            missing |= {(area, s) for s in chosen.include | chosen.exclude if s not in nodes[area]}
        missing |= {("feature", s) for s in finding.scope.features if s not in nodes["feature"]}
    assert missing == set()


def test_a_partial_statement_says_which_part_in_a_short_note() -> None:
    partial = [f for f in _claims() if f.status is StatementStatus.PARTIAL]
    assert partial
    assert [f.statement for f in partial if not f.note] == []
    assert [f.note for f in _claims() if len(f.note) > 140] == []


def test_no_yes_to_a_scheme_leaves_the_hardware_open() -> None:
    open_yes = [
        f.statement
        for f in _claims()
        if f.status in {StatementStatus.SUPPORTED, StatementStatus.EXPERIMENTAL}
        and f.scope is not None
        and "quantization" in {axis.value for axis in f.scope.nodes}
        and "hardware" not in {axis.value for axis in f.scope.nodes}
    ]
    assert open_yes == []


def test_one_key_never_says_two_things_on_one_page() -> None:
    silent = {StatementStatus.NOT_STATED, StatementStatus.UNKNOWN, StatementStatus.MIXED}
    clashes = []
    for place, reading in _readings().items():
        said: dict[str, StatementStatus] = {}
        for finding in reading.findings:
            if finding.kind is not FindingKind.COMPATIBILITY or finding.status in silent:
                continue
            if said.setdefault(finding.statement, finding.status) is not finding.status:
                clashes.append((place, finding.statement))
    assert clashes == []


def _claims() -> list[Finding]:
    return [
        finding
        for reading in _readings().values()
        for finding in reading.findings
        if finding.kind is FindingKind.COMPATIBILITY and finding.scope is not None
    ]
