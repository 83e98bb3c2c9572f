"""The registry of sources: names, patterns and frameworks that fit together."""

import re

import pytest

from ingest.sources import ALL_SOURCES, SOURCES, source_names, sources_named
from matrix.catalog_files import read_catalogue
from matrix.domain.errors import UnknownName


def test_names_of_sources_and_of_their_rules_are_unique() -> None:
    names = [source.name for source in SOURCES]
    assert len(names) == len(set(names))
    for source in SOURCES:
        rules = [rule.name for rule in source.rules]
        assert len(rules) == len(set(rules)), source.name


def test_every_pattern_is_a_regular_expression() -> None:
    for source in SOURCES:
        for rule in source.rules:
            assert rule.paths, f"{source.name}:{rule.name}"
            for pattern in rule.paths:
                re.compile(pattern)


def test_every_source_speaks_about_a_framework_of_the_catalogue() -> None:
    known = set(read_catalogue().area("framework"))
    assert {source.framework for source in SOURCES} <= known


def test_the_five_frameworks_have_sources() -> None:
    frameworks = {source.framework for source in SOURCES}
    assert {"vllm", "tensorrt-llm", "sglang", "tgi", "llama.cpp"} <= frameworks


def test_a_framework_names_all_its_sources_and_all_names_every_one() -> None:
    assert [s.name for s in sources_named("vllm")] == ["vllm-docs", "vllm-code"]
    assert [s.name for s in sources_named("vllm-code")] == ["vllm-code"]
    assert sources_named(ALL_SOURCES) == SOURCES
    assert ALL_SOURCES not in source_names()


def test_an_unknown_source_names_the_nearest() -> None:
    with pytest.raises(UnknownName) as refused:
        sources_named("llamacpp")
    assert "llama.cpp" in str(refused.value)


def test_sources_of_one_framework_read_one_folder() -> None:
    folders: dict[str, set[str]] = {}
    for source in SOURCES:
        folders.setdefault(source.framework, set()).add(source.folder or source.framework)
    several = {name: found for name, found in folders.items() if len(found) > 1}
    assert several == {}
