"""Source files of real releases give the facts that were prepared from the same releases.

``RUNPROOF_CODE_FILES`` names a folder ``<framework>/<version>/<path in the repository>``.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.contract import Finding, FindingKind, Page, Source
from ingest.sources import llama_cpp_code, sglang_code, vllm_code
from ingest.sources.code_files import CodeReader, read_code
from ingest.sources.code_readers import code_reader_of
from tests.ingest.sources.captured import CAPTURES, shipped_words

FILES = Path(os.environ.get("RUNPROOF_CODE_FILES", "/nowhere"))
SOURCES = {
    "vllm": vllm_code.SOURCE,
    "sglang": sglang_code.SOURCE,
    "llama.cpp": llama_cpp_code.SOURCE,
}
# The commit comes with the pages, not from a file; the prepared facts hold no converter.
NOT_COMPARED = {"framework", "version", "llama_cpp_commit", "hf_architectures"}
# The prepared facts call every refusal by this name, whatever error it is; and they take a bare
# word of the project file, outside of what the build requires, for a requirement.
REFUSAL, BARE = "raises NotImplementedError", "torch"

pytestmark = [
    pytest.mark.captures,
    pytest.mark.skipif(
        not (FILES.is_dir() and CAPTURES.is_dir()),
        reason="RUNPROOF_CODE_FILES names no folder of source files beside the captures",
    ),
]


def _pairs() -> Iterator[tuple[str, str]]:
    for framework in SOURCES:
        for path in sorted((CAPTURES / framework).glob("facts-*.json")):
            version = path.stem.removeprefix("facts-")
            if (FILES / framework / version).is_dir():
                yield framework, version


def _files(reader: CodeReader, folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if reader.wants(name) and path.is_file():
            found[name] = path.read_text(encoding="utf-8")
    return found


def _read(framework: str, version: str) -> tuple[dict[str, Any], dict[str, Any]]:
    reader = code_reader_of(SOURCES[framework].name)
    assert reader is not None
    read = read_code(reader, _files(reader, FILES / framework / version), version=version)
    text = (CAPTURES / framework / f"facts-{version}.json").read_text(encoding="utf-8")
    return read, json.loads(text)


def _settled(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts with the few known differences of the prepared ones taken out."""
    kept = json.loads(json.dumps({k: v for k, v in facts.items() if k not in NOT_COMPARED}))
    for told in kept.get("quant_method_config", {}).values():
        if str(told["min_capability"]).startswith("raises "):
            told["min_capability"] = REFUSAL
    if "build_torch" in kept:
        kept["build_torch"] = [line for line in kept["build_torch"] if line != BARE]
    return dict(kept)


@pytest.mark.parametrize(("framework", "version"), list(_pairs()))
def test_files_and_prepared_facts_of_a_release_are_the_same(framework: str, version: str) -> None:
    read, prepared = (_settled(facts) for facts in _read(framework, version))
    assert len(read) > 10
    assert read == {key: prepared.get(key) for key in read}


def _claims(source: Source, facts: dict[str, Any]) -> list[Finding]:
    page = Page(framework=source.framework, version="", path="facts.json", text=json.dumps(facts))
    findings = [f for rule in source.rules for f in rule.parse(page, shipped_words()).findings]
    return [f for f in findings if f.kind is FindingKind.COMPATIBILITY]


@pytest.mark.parametrize(("framework", "version"), list(_pairs()))
def test_a_release_read_both_ways_makes_the_same_statements(framework: str, version: str) -> None:
    read, prepared = (_claims(SOURCES[framework], facts) for facts in _read(framework, version))
    assert len(read) > 30
    assert read == prepared


def _releases() -> Iterator[tuple[str, str]]:
    for framework in SOURCES:
        for folder in sorted((FILES / framework).glob("*/")):
            yield framework, folder.name


@pytest.mark.parametrize(("framework", "version"), list(_releases()))
def test_every_release_reads_and_its_platforms_are_known(framework: str, version: str) -> None:
    source = SOURCES[framework]
    reader = code_reader_of(source.name)
    assert reader is not None
    facts = read_code(reader, _files(reader, FILES / framework / version), version=version)
    page = Page(framework=framework, version=version, path="facts.json", text=json.dumps(facts))
    readings = [rule.parse(page, shipped_words()) for rule in source.rules]
    unknown = {word.axis for reading in readings for word in reading.unknown_words}
    assert len([f for reading in readings for f in reading.findings]) > 30
    assert unknown.isdisjoint({"platform", "hardware", "backend"})
