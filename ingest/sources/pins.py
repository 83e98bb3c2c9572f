"""Requirement lines of a release: pinned, a range, or required without a version."""

import re
from collections.abc import Mapping
from dataclasses import replace

from ingest.contract import FindingKind, StatementStatus
from ingest.sources.code_facts import fact_locator
from ingest.sources.collecting import Collector
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.levels import Axis

_PACKAGE = re.compile(r"^([A-Za-z0-9_.\-]+)")
_RANGE_SIGNS = re.compile(r"[<>!~]")

# Which hardware a list of requirements is installed for, by a word in its name.
_HARDWARE_OF_LIST: Mapping[str, str] = {
    "cuda": "nvidia",
    "rocm": "amd",
    "hip": "amd",
    "xpu": "intel",
    "tpu": "google-tpu",
    "neuron": "aws-neuron",
    "hpu": "intel-gaudi",
    "npu": "ascend",
    "musa": "moore-threads",
    "cpu": "cpu",
}


def state_pin(collector: Collector, path: tuple[str, ...], line: str, position: int) -> None:
    """Adds one requirement; the last part of the path names the list that it stands in."""
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
        scope=_scope_of_list(path[-1]),
    )
    statement = "/".join((*path, package, str(position))).lower()
    collector.value(FindingKind.REQUIREMENT, statement, status, draft, value=line)


def _scope_of_list(name: str) -> Scope:
    words = re.split(r"[^a-z0-9]+", name.lower())
    found = [root for word, root in _HARDWARE_OF_LIST.items() if word in words]
    if not found:
        return Scope()
    return Scope(nodes={Axis.HARDWARE: NodeSet(include=frozenset(found[:1]))})


def state_python(
    collector: Collector, path: tuple[str, ...], stated: str, status: StatementStatus
) -> None:
    """Adds which Python a release asks for."""
    draft = replace(
        collector.draft(fact_locator(*path), stated), names={"python": stated}, scope=Scope()
    )
    collector.value(FindingKind.REQUIREMENT, f"python/{stated}", status, draft, value=stated)
