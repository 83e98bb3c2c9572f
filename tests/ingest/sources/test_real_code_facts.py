"""The code facts of the captured releases, where the captures lie beside the repository."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ingest.contract import Finding, Page, Source, UnknownWord
from ingest.sources import llama_cpp_code, vllm_code
from matrix.catalog_files import read_catalogue
from matrix.domain.coordinates import Scope

CAPTURES = Path(__file__).parents[4] / "shared" / "captures"
SOURCES = (vllm_code.SOURCE, llama_cpp_code.SOURCE)

pytestmark = [
    pytest.mark.captures,
    pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captured pages are not here"),
]


def _facts(source: Source) -> Iterator[Page]:
    for path in sorted((CAPTURES / source.folder).glob("facts-*.json")):
        yield Page(
            framework=source.framework,
            version=path.stem.removeprefix("facts-"),
            path="facts.json",
            text=path.read_text(encoding="utf-8"),
        )


@cache
def _read(source: Source) -> dict[str, tuple[list[Finding], list[UnknownWord]]]:
    vocabulary = read_catalogue().vocabulary
    read: dict[str, tuple[list[Finding], list[UnknownWord]]] = {}
    for page in _facts(source):
        findings, unknown = read.setdefault(page.version, ([], []))
        for rule in source.rules:
            assert any(re.fullmatch(pattern, page.path) for pattern in rule.paths)
            reading = rule.parse(page, vocabulary)
            findings += reading.findings
            unknown += reading.unknown_words
    return read


@pytest.mark.parametrize(("source", "floor"), [(SOURCES[0], 100), (SOURCES[1], 200)])
def test_every_release_reads_without_a_surprise(source: Source, floor: int) -> None:
    read = _read(source)
    assert len(read) >= 6
    assert {v: len(f) for v, (f, _) in read.items() if len(f) < floor} == {}


def test_the_code_of_every_release_uses_known_methods_schemes_and_platforms() -> None:
    words = {
        (word.axis, word.word)
        for source in SOURCES
        for _, unknown in _read(source).values()
        for word in unknown
        if word.axis != "kv_dtype"
    }
    assert words == set()


def _slugs(scope: Scope) -> Iterator[tuple[str, str]]:
    for axis, nodes in scope.nodes.items():
        for slug in nodes.include | nodes.exclude:
            yield axis.value, slug
    for feature in scope.features:
        yield "feature", feature


@pytest.mark.parametrize("source", SOURCES)
def test_every_scope_names_nodes_of_the_catalogue(source: Source) -> None:
    catalogue = read_catalogue()
    areas = {"kv_dtype": "quantization"}
    missing = {
        (area, slug)
        for findings, _ in _read(source).values()
        for finding in findings
        if finding.scope is not None
        for axis, slug in _slugs(finding.scope)
        if slug not in catalogue.area(area := areas.get(axis, axis))
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("version", "path", "value", "status"),
    [
        ("0.4.2", ("quant_method_config", "fp8", "min_capability"), "89", "value"),
        ("0.18.1", ("quant_method_config", "gptq_marlin", "min_capability"), "75", "value"),
        ("0.4.2", ("quantization_methods",), "squeezellm", "supported"),
        ("0.18.1", ("deprecated_quantization_methods",), "petit_nvfp4", "deprecated"),
        (
            "0.33.0",
            ("previously_supported_models", "BaichuanForCausalLM"),
            "0.23.0",
            "removed",
        ),
        ("0.33.0", ("platform_supported_quantization", "XPUPlatform"), "mxfp4", "supported"),
    ],
)
def test_facts_of_vllms_code_are_read_as_they_stand(
    version: str, path: tuple[str, ...], value: str, status: str
) -> None:
    findings, _ = _read(vllm_code.SOURCE)[version]
    here = [f for f in findings if f.locator.path == path and f.value == value]
    assert status in {f.status.value for f in here}


@pytest.mark.parametrize(
    ("version", "path", "value", "status"),
    [
        ("0.3.9", ("llama_cpp_tag_in_sdist",), "b5308", "value"),
        ("0.3.16", ("ggml_types",), "MXFP4", "supported"),
        ("0.3.16", ("architectures",), "gpt-oss", "supported"),
        (
            "0.3.36",
            ("ops_csv", "CANN", "mul_mat_by_type_a", "q4_K", "status"),
            "no",
            "unsupported",
        ),
    ],
)
def test_facts_of_llama_cpps_code_are_read_as_they_stand(
    version: str, path: tuple[str, ...], value: str, status: str
) -> None:
    findings, _ = _read(llama_cpp_code.SOURCE)[version]
    here = [f for f in findings if f.locator.path == path and f.value == value]
    assert {f.status.value for f in here} == {status}
