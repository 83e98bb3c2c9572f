"""Installation pages and guides of other platforms: cards, toolkits, modes, README news."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.sources.capabilities import nvidia_below
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines, read_patterns
from ingest.sources.lmdeploy.quantization import read_generations
from ingest.sources.lmdeploy.words import CUDA_GENERATIONS, EAGER, TURBOMIND, engine_chosen
from matrix.domain.levels import Axis, Limit

_RANGE, _PINNED = StatementStatus.RANGE, StatementStatus.PINNED
_NEEDS = (
    ("cuda", _RANGE, re.compile(r"minimum requirement of CUDA version (\d+\.\d+)")),
    ("python", StatementStatus.VALUE, re.compile(r"\(python (\d\.\d+ - \d\.\d+)\)")),
    ("cuda", _PINNED, re.compile(r"prebuilt package is compiled on \*\*CUDA (\d+)\*\*")),
    ("ascend-firmware", _RANGE, re.compile(r"firmware version not lower than ([\d.]+\d)")),
    ("docker", _RANGE, re.compile(r"Docker version is supposed to be no less than `([\d.]+)`")),
    ("cann", _PINNED, re.compile(r"CANN \(version ([\w.]+)\)")),
)
_ROCM = re.compile(r"supports installation on AMD GPUs with ROCm")
_WINDOWS = re.compile(r"on both Linux and Windows platform")
_DUO = facet_of(Axis.HARDWARE, "Atlas 300I Duo", "ascend-atlas-300i-duo")
_A2 = facet_of(Axis.HARDWARE, "Atlas 800T A2", "ascend-atlas-800t-a2")
_MACHINES = re.compile(r"running lmdeploy on \*\*(.+?)\*\*")
_TITLES = {
    "cambricon": facet_of(Axis.HARDWARE, "Cambricon", "cambricon"),
    # The model list of the same release names the C500 as its only card.
    "metax-tech": facet_of(Axis.HARDWARE, "MetaX-tech", "metax-c500"),
}
_QWEN_ONLY = re.compile(r"Atlas 800T A3 currently supports only the Qwen-series with eager mode")
_GRAPH_ONLY = re.compile(r"300I Duo currently works only with graph mode|only support graph mode")
_FLOAT16 = re.compile(r"only support dtype=float16")
_KV_INT8 = re.compile(r"supported offline int8 KV-cache Quantization on eager mode")
_MXFP4 = re.compile(r"TurboMind supports MXFP4 on NVIDIA GPUs starting from V100")
_TOGETHER = re.compile(r"LMDeploy supports .*KV Cache Quant.*AWQ.*simultaneously")
_PACKAGE = re.compile(r"^(torch|triton|transformers)((?:[<>=!~]=?[\d.]+,?)+)$")


def read_installation(page: Page, vocabulary: Vocabulary) -> Reading:
    """NVIDIA generations, systems, CUDA and Python versions, and the way to ROCm."""
    collector = Collector(page, vocabulary)
    if not read_generations(collector, page.document.items, "platform", ()):
        raise UnexpectedPage(
            path=page.path,
            expected='a list such as "Turing(sm75): 20 series, T4"',
            nearest="; ".join(item.text[:60] for item in page.document.items[:4]),
        )
    lines = numbered_lines(page.document)
    read_patterns(collector, _NEEDS, lines)
    for number, line in lines:
        if match := _ROCM.search(line):
            facets = [
                facet_of(Axis.HARDWARE, "AMD GPUs", "amd"),
                facet_of(Axis.BACKEND, "ROCm", "rocm"),
            ]
            finding = replace(
                collector.at_line(number, match.group(0)),
                note="installs for ROCm with the PyTorch engine; no card is named",
            )
            collector.state("platform", facets, StatementStatus.PARTIAL, finding)
        if match := _WINDOWS.search(line):
            facets = [facet_of(FEATURE, "Windows", "windows")]
            finding = collector.at_line(number, match.group(0))
            collector.state("system", facets, StatementStatus.SUPPORTED, finding)
    return collector.reading()


def read_guide(page: Page, vocabulary: Vocabulary) -> Reading:
    """A platform's guide: the machines it names, their modes, pins."""
    collector = Collector(page, vocabulary)
    lines = numbered_lines(page.document)
    for number, line in lines:
        if number == 1 or _MACHINES.search(line):
            _read_machines(collector, number, line)
        _read_mode(collector, number, line)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="a title or first sentence that names the machines",
            nearest=page.document.title,
        )
    read_patterns(collector, _NEEDS, lines)
    return collector.reading()


def _read_machines(collector: Collector, number: int, line: str) -> None:
    title = line.removeprefix("#").strip()
    if facet := _TITLES.get(title.lower()):
        finding = collector.at_line(number, title)
        collector.state("platform", [facet], StatementStatus.SUPPORTED, finding)
        return
    match = _MACHINES.search(line) or re.search(r"Huawei Ascend \((.+?)\)", title)
    if match is None:
        return
    for word in re.split(r",\s*|\s+and\s+", match.group(1)):
        finding = collector.at_line(number, word)
        facet = collector.facet(Axis.HARDWARE, one_line(word), finding.locator)
        status = StatementStatus.SUPPORTED
        if word.endswith("A3") and _QWEN_ONLY.search(collector.page.text):
            status = StatementStatus.PARTIAL
            finding = replace(finding, note="Qwen series only, in eager mode")
        collector.state("platform", [facet], status, finding)


def _read_mode(collector: Collector, number: int, line: str) -> None:
    """Add what a line restricts: models, eager or graph mode, data types, KV cache."""
    if match := _QWEN_ONLY.search(line):
        a3 = facet_of(Axis.HARDWARE, "Atlas 800T A3", "ascend-atlas-800t-a3")
        finding = replace(
            collector.at_line(number, match.group(0)),
            conditions=(EAGER,),
            note="Qwen series only, in eager mode",
        )
        collector.state("platform-range", [a3], StatementStatus.PARTIAL, finding)
    if match := _GRAPH_ONLY.search(line):
        facets = [_DUO, facet_of(FEATURE, "eager mode", "eager-mode")]
        finding = replace(
            collector.at_line(number, match.group(0)), limit=Limit.FRAMEWORK, note="graph mode only"
        )
        collector.state("mode", facets, StatementStatus.UNSUPPORTED, finding)
    if match := _FLOAT16.search(line):
        facets = [facet_of(Axis.QUANTIZATION, "bfloat16", "bf16"), _DUO]
        finding = replace(
            collector.at_line(number, match.group(0)), limit=Limit.FRAMEWORK, note="float16 only"
        )
        collector.state("dtype", facets, StatementStatus.UNSUPPORTED, finding)
    if match := _KV_INT8.search(line):
        facets = [facet_of(Axis.KV_DTYPE, "int8 KV", "kv-int8"), _A2]
        finding = replace(
            collector.at_line(number, match.group(0)),
            conditions=(EAGER,),
            note="quantised offline, in eager mode",
        )
        collector.state("kv-hardware", facets, StatementStatus.SUPPORTED, finding)


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The README's news on MXFP4 and what it says works together."""
    collector = Collector(page, vocabulary)
    for number, line in numbered_lines(page.document):
        if match := _MXFP4.search(line):
            scheme = facet_of(Axis.QUANTIZATION, "MXFP4", "mxfp4-w4a16")
            draft = collector.at_line(number, match.group(0))
            finding = replace(draft, conditions=(engine_chosen(TURBOMIND),))
            newer = Facet(Axis.HARDWARE, "from V100", frozenset(CUDA_GENERATIONS))
            facets = [scheme, newer]
            collector.state("quantization-hardware", facets, StatementStatus.SUPPORTED, finding)
            below = Facet(Axis.HARDWARE, "below V100", nvidia_below(7.0))
            refused = replace(
                draft, limit=Limit.HARDWARE, note="below the stated floor of compute capability 7"
            )
            facets = [scheme, below]
            collector.state("quantization-floor", facets, StatementStatus.UNSUPPORTED, refused)
        if match := _TOGETHER.search(line):
            facets = [
                facet_of(Axis.KV_DTYPE, "KV Cache Quant", "kv-int4", "kv-int8"),
                facet_of(Axis.QUANTIZATION, "AWQ", "awq-w4a16"),
                facet_of(FEATURE, "Automatic Prefix Caching", "prefix-caching"),
            ]
            finding = collector.at_line(number, match.group(0))
            collector.state("together", facets, StatementStatus.SUPPORTED, finding)
    return collector.reading()


def read_requirements(page: Page, vocabulary: Vocabulary) -> Reading:
    """The versions that a requirements file accepts."""
    collector = Collector(page, vocabulary, plain=True)
    for number, line in enumerate(page.text.splitlines(), start=1):
        if match := _PACKAGE.match(line.strip().replace(" ", "")):
            collector.value(
                FindingKind.REQUIREMENT,
                f"requirement/{match.group(1)}",
                StatementStatus.RANGE,
                replace(collector.at_line(number, line), names={match.group(1): match.group(2)}),
                value=_in_order(match.group(2)),
            )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="a line such as torch<=2.8.0,>=2.0.0",
            nearest="; ".join(page.text.splitlines()[:3]),
        )
    return collector.reading()


def _in_order(specifiers: str) -> str:
    """Lower bounds first: ">=2.0.0,<=2.12.1"."""
    parts = [part for part in specifiers.split(",") if part]
    return ",".join(sorted(parts, key=lambda part: part.startswith("<")))
