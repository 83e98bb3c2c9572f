"""Requirement pins of a release: torch, transformers, Python and what else is fixed."""

import re
from collections.abc import Mapping
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import fact_locator, plain, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.vllm_code.naming import FRAMEWORK
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.levels import Axis, EvidenceKind

_KEYS = ("requirements_pins", "build_torch", "requires_python")
_PACKAGE = re.compile(r"^([A-Za-z0-9_.\-]+)")
_RANGE_SIGNS = re.compile(r"[<>!~]")

# Which hardware a requirements file is installed for, by a word in its name.
_HARDWARE_OF_FILE: Mapping[str, str] = {
    "cuda": "nvidia",
    "rocm": "amd",
    "xpu": "intel",
    "tpu": "google-tpu",
    "neuron": "aws-neuron",
    "hpu": "intel-gaudi",
    "cpu": "cpu",
}


def read_pins(page: Page, vocabulary: Vocabulary) -> Reading:
    """One requirement a line: pinned, a range, or required without a version."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for name in facts.table("requirements_pins"):
        for position, line in enumerate(facts.words("requirements_pins", name)):
            _state(collector, ("requirements_pins", name), line, position)
    for position, line in enumerate(facts.words("build_torch")):
        _state(collector, ("build_torch",), line, position)
    if requires := facts.at("requires_python"):
        _state_python(collector, ("requires_python",), plain(requires), StatementStatus.RANGE)
    for version in facts.words("classifiers_python"):
        _state_python(collector, ("classifiers_python",), version, StatementStatus.SUPPORTED)
    if commit := facts.at("git_commit"):
        draft = replace(collector.draft(fact_locator("git_commit"), plain(commit)))
        collector.value(
            FindingKind.RELEASE,
            "git-commit",
            StatementStatus.VALUE,
            draft,
            value=plain(commit),
        )
    return collector.reading()


def _state(collector: Collector, path: tuple[str, ...], line: str, position: int) -> None:
    match = _PACKAGE.match(line)
    package = match[1] if match else line
    requirement = line.split(";", 1)[0]
    status = StatementStatus.REQUIRES
    if _RANGE_SIGNS.search(requirement):
        status = StatementStatus.RANGE
    elif "==" in requirement or "@" in requirement:
        status = StatementStatus.PINNED
    draft = replace(
        collector.draft(fact_locator(*path), line[:80]),
        names={"package": package, "file": path[-1]},
        scope=_scope_of_file(path[-1]),
    )
    statement = "/".join((*path, package, str(position))).lower()
    collector.value(FindingKind.REQUIREMENT, statement, status, draft, value=line)


def _scope_of_file(name: str) -> Scope:
    words = re.split(r"[^a-z0-9]+", name.lower())
    found = [root for word, root in _HARDWARE_OF_FILE.items() if word in words]
    if not found:
        return Scope()
    return Scope(nodes={Axis.HARDWARE: NodeSet(include=frozenset(found[:1]))})


def _state_python(
    collector: Collector, path: tuple[str, ...], stated: str, status: StatementStatus
) -> None:
    draft = replace(
        collector.draft(fact_locator(*path), stated), names={"python": stated}, scope=Scope()
    )
    collector.value(FindingKind.REQUIREMENT, f"python/{stated}", status, draft, value=stated)
