"""Quantization methods, devices, pins and the README of vLLM GCU."""

import re
from collections.abc import Mapping
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, facet_of, one_line
from ingest.sources.images import numbered_lines, read_patterns
from ingest.sources.plugin_pages import (
    find_signs,
    matches_in,
    read_legend,
    require_findings,
    unexpected,
)
from ingest.sources.vllm_gcu.models import (
    COMPRESSOR,
    HARDWARE,
    LEGEND,
    LEGEND_CHINESE,
    read_format_tables,
)
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit, Tier

_S = StatementStatus
_PINS = (
    ("os", _S.REQUIRES, re.compile(r"^\* \*\*(?:OS|操作系统)\*\*: (Ubuntu [\d./ ]*\d)")),
    ("python", _S.REQUIRES, re.compile(r"^\* \*\*Python\*\*: ([\d.]+ \\?~ [\d.]+)")),
    ("vllm", _S.PINNED, re.compile(r"pip install vllm==([\d.]+)")),
    ("triton", _S.PINNED, re.compile(r"triton==([\d.]+)")),
    ("transformers", _S.PINNED, re.compile(r"transformers==([\d.]+)")),
    ("torch", _S.PINNED, re.compile(r"pip install torch==([\d.]+)\+cpu")),
    ("torch-gcu", _S.PINNED, re.compile(r"torch_gcu-([\d.]+\d)")),
)
_STACK = re.compile(r"(S60 GCU).*TopsRider \*\*(i3x [\d.]+)\+\*\*")
_FULL = re.compile(r"(?:Fully supports|完整支持|全面支持|支持) ?\*\*vLLM ([\d.]+\d)\*\*")
_CARD = re.compile(r"^\* \*\*Hardware\*\*: (Enflame GCU \(e\.g\., S60\))|^\* (Enflame \*\*S60\*\*)")
_BASED_ON = re.compile(r"Based on vLLM ([\d.]+\d)")
_MATCHING = re.compile(r"`vllm==([\d.]+\d)`, `vllm-gcu==([\d.]+\d)`")
_SINCE = re.compile(r"Since `v([\d.]+\d)`, quantization is \*\*experimentally supported\*\*")
_METHODS: Mapping[str, tuple[Axis, tuple[str, ...]]] = {
    "gptq": (Axis.QUANTIZATION, ("gptq-w4a16",)),
    "awq": (Axis.QUANTIZATION, ("awq-w4a16",)),
    "w8a16": (Axis.QUANTIZATION, ("int8-w8a16",)),
    "int8 kvcache": (Axis.KV_DTYPE, ("kv-int8",)),
}
_GROUP_OF_64 = Condition(
    kind=ConditionKind.OTHER, name="quantization group size", op="=", value="64"
)
_GROUPS_OF_64 = replace(_GROUP_OF_64, value="a multiple of 64")
_METHOD_CONDITIONS: Mapping[str, tuple[Condition, ...]] = {
    "gptq": (_GROUPS_OF_64, COMPRESSOR),
    "awq": (_GROUP_OF_64, COMPRESSOR),
}
_NOT_YET = re.compile(r"^> ❌ (?:\*\*Not supported yet\*\*|Not yet supported|暂不支持)")
_MISSING: Mapping[str, tuple[Axis | str, tuple[str, ...]]] = {
    "FP8": (Axis.QUANTIZATION, ("fp8",)),
    "SqueezeLLM": (Axis.QUANTIZATION, ("squeezellm",)),
    "marlin": (FEATURE, ("kernel-marlin",)),
    "gptq\\_marlin": (Axis.QUANTIZATION, ("gptq-marlin",)),
}


def read_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """The method table, what is not there yet, and since when it is experimental."""
    collector = Collector(page, vocabulary)
    since = next((m.group(1) for _, m in matches_in(page.document, _SINCE)), "")
    _read_methods(collector, since=since)
    require_findings(collector, expected='a table with "Method" and "Description"')
    _read_missing(collector)
    return collector.reading()


def _read_methods(collector: Collector, *, since: str) -> None:
    """Add the table of methods; "experimental" is what the page says of all of them."""
    for table in collector.document.tables:
        if fold_label(table.columns[0]) not in {"method", "方法"}:
            continue
        for cells in table.rows:
            word = fold_label(cells[0].text)
            finding = collector.at_cell(table, cells[1], row=cells[0].text, column=table.columns[1])
            axis, slugs = _METHODS.get(word, (Axis.QUANTIZATION, ()))
            if not slugs:
                collector.miss(axis, cells[0].text, finding.locator)
            finding = replace(
                finding,
                tier=Tier.EXPERIMENTAL if since else Tier.OFFICIAL,
                since=since,
                conditions=_METHOD_CONDITIONS.get(word, ()),
            )
            facet = facet_of(axis, cells[0].text, *slugs)
            collector.state("quantization-method", [facet, HARDWARE], _S.SUPPORTED, finding)


def _read_missing(collector: Collector) -> None:
    """Add the line of methods that are not supported yet."""
    for line, match in matches_in(collector.document, _NOT_YET):
        text = collector.document.source_lines[line - 1]
        for word, (axis, slugs) in _MISSING.items():
            if not re.search(rf"(?<![\w\\]){re.escape(word)}(?!\w)", text[match.end() :]):
                continue
            collector.state(
                "quantization-method",
                [facet_of(axis, word.replace("\\", ""), *slugs), HARDWARE],
                _S.UNSUPPORTED,
                replace(
                    collector.at_line(line, word),
                    limit=Limit.FRAMEWORK,
                    note="the page lists it as not supported yet",
                ),
            )


def read_devices(page: Page, vocabulary: Vocabulary) -> Reading:
    """The FAQ: the card, and which vLLM belongs to the plug-in."""
    collector = Collector(page, vocabulary)
    _read_card(collector)
    require_findings(collector, expected='the bullet "Enflame **S60** Inference Card"')
    for line, match in matches_in(page.document, _MATCHING):
        _pair(collector, line, match.group(0), match.group(1))
    return collector.reading()


def read_installation(page: Page, vocabulary: Vocabulary) -> Reading:
    """Card, software table and pinned packages of the installation page."""
    collector = Collector(page, vocabulary)
    _read_card(collector)
    for table in page.document.tables:
        if table.has_columns(("Software", "Required Version")):
            _read_software(collector, table)
    require_findings(collector, expected='a table with "Software" and "Required Version"')
    read_patterns(collector, _PINS, numbered_lines(page.document))
    return collector.reading()


def _read_card(collector: Collector) -> None:
    for line, match in matches_in(collector.document, _CARD):
        finding = collector.at_line(line, match.group(1) or match.group(2))
        collector.state("platform", [HARDWARE], _S.SUPPORTED, finding)


def _read_software(collector: Collector, table: Table) -> None:
    for cells in table.rows:
        name = fold_label(cells[0].text)
        finding = collector.at_cell(table, cells[1], row=cells[0].text, column=table.columns[1])
        collector.value(
            FindingKind.REQUIREMENT,
            f"requirement/{name}",
            _S.REQUIRES,
            replace(finding, names={name: one_line(cells[1].text)}),
            value=one_line(cells[1].text),
        )
        if match := _BASED_ON.search(cells[1].text):
            _pair(collector, cells[1].line, match.group(0), match.group(1))


def _pair(collector: Collector, line: int, raw: str, version: str) -> None:
    collector.value(
        FindingKind.PAIRING,
        f"pairing/vllm/{version}",
        _S.SUPPORTED,
        replace(collector.at_line(line, raw), names={"vllm": version}),
        value=version,
    )


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The README in either language: stack, methods, models and their legend."""
    collector = Collector(page, vocabulary)
    for line, match in matches_in(page.document, _FULL):
        _pair(collector, line, match.group(0), match.group(1))
    for line, match in matches_in(page.document, _STACK):
        finding = collector.at_line(line, match.group(0))
        collector.state("platform", [HARDWARE], _S.SUPPORTED, finding)
        collector.value(
            FindingKind.REQUIREMENT,
            "requirement/topsrider",
            _S.REQUIRES,
            replace(finding, names={"hardware": match.group(1), "topsrider": match.group(2)}),
            value=f">={match.group(2)}",
        )
    if not collector.findings:
        raise unexpected(page, expected="the line that names the S60 and its TopsRider stack")
    read_patterns(collector, _PINS, numbered_lines(page.document))
    _read_methods(collector, since="")
    _read_missing(collector)
    read_format_tables(collector, area="readme-models")
    read_legend(collector, "readme-models", find_signs(page.document, LEGEND))
    read_legend(collector, "readme-models", find_signs(page.document, LEGEND_CHINESE))
    return collector.reading()
