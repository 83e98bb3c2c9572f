"""A pytest plug-in that writes down every page that the source tests give to a rule.

It stands before the rules of the registry, so that a page of a new test is a sample without being
listed anywhere. ``pytest -p tests.ingest.mutations.recording --samples-to FILE`` writes the file.
"""

import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ingest.contract import Page, Reading, Vocabulary
from ingest.sources import SOURCES

Parse = Callable[[Page, Vocabulary], Reading]


@dataclass(frozen=True, slots=True)
class Sample:
    """One page that a rule read, as plain values, and the words it was read with."""

    source: str
    rule: str
    framework: str
    version: str
    release: str
    path: str
    text: str
    words: Vocabulary = field(compare=False, hash=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that names the file to write."""
    parser.addoption("--samples-to", type=Path, required=True)


def pytest_configure(config: pytest.Config) -> None:
    """Puts a recorder before every rule, wherever a module holds its function."""
    recorded: dict[Sample, None] = {}
    config.stash[_RECORDED] = recorded
    for source in SOURCES:
        for rule in source.rules:
            genuine = rule.parse
            wrapped = _recording(genuine, source.name, rule.name, recorded)
            object.__setattr__(rule, "parse", wrapped)
            for name, module in list(sys.modules.items()):
                if name.startswith("ingest.sources"):
                    for attribute, value in list(vars(module).items()):
                        if value is genuine:
                            setattr(module, attribute, wrapped)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Writes what was recorded."""
    target: Path = config.getoption("samples_to")
    target.write_bytes(pickle.dumps(list(config.stash[_RECORDED])))


_RECORDED = pytest.StashKey[dict[Sample, None]]()


def _recording(parse: Parse, source: str, rule: str, recorded: dict[Sample, None]) -> Parse:
    def read(page: Page, vocabulary: Vocabulary) -> Reading:
        reading = parse(page, vocabulary)
        sample = Sample(
            source=source,
            rule=rule,
            framework=page.framework,
            version=page.version,
            release=page.release,
            path=page.path,
            text=page.text,
            words=vocabulary,
        )
        if reading.findings:
            recorded.setdefault(sample)
        return reading

    return read
