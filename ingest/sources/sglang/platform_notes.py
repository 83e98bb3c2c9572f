"""Platform pages in prose: what quantization AMD cards run, and the MindSpore models on Ascend."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    PageRule,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines
from ingest.sources.sglang.words import METHODS
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Execution, Limit

# "AMD" on the page is what its own compatibility matrix lists; a no holds for every AMD card.
_LISTED = facet_of(Axis.HARDWARE, "AMD", "amd-mi300x", "amd-mi325x", "amd-mi350x", key="amd")
_AMD = facet_of(Axis.HARDWARE, "AMD", "amd")
_NEWER = facet_of(Axis.HARDWARE, "CDNA3/CDNA4", "amd-cdna3", "amd-cdna4")
_OLDER = Facet(
    Axis.HARDWARE,
    "other AMD GPUs",
    frozenset({"amd"}),
    exclude=frozenset({"amd-cdna3", "amd-cdna4"}),
    key="amd-other",
)
_PETIT = facet_of(Axis.HARDWARE, "MI250/MI300X", "amd-mi250", "amd-mi300x")
_AITER = Condition(ConditionKind.ENV, "SGLANG_USE_AITER", "=", "1")
_KERNEL = Condition(ConditionKind.PACKAGE, "petit-kernel", "set")

# What the notes below the list say that a scheme of the list needs.
_NEEDS: dict[str, tuple[Facet, tuple[Condition, ...]]] = {
    "MXFP4": (_LISTED, (_AITER,)),
    "petit_nvfp4": (_PETIT, (_KERNEL,)),
}

_WORK = re.compile(r"The short version: (.+?) all work on AMD")
_REFUSED = re.compile(r"NVIDIA-specific kernels \((.+?)\) do not")
_FP8 = re.compile(r"FP8 works via Aiter or Triton")
_AWQ = re.compile(r"AWQ uses Triton dequantization kernels on AMD\. (.+ not available)")
_MXFP4 = re.compile(r"MXFP4 requires CDNA3/CDNA4 and `SGLANG_USE_AITER=1`")
_NVFP4 = re.compile(r"`petit_nvfp4` enables NVFP4 models .*? on MI250/MI300X")
_QUARK = re.compile(r"`quark_int4fp8_moe` is an AMD-only online .*? on CDNA3/CDNA4")

_SHORT: dict[str, tuple[str, ...]] = {
    "w8a8": ("int8-w8a8",),
    "modelopt_fp8": ("modelopt-fp8",),
    "modelopt_fp4": ("modelopt-fp4",),
}


def read_amd_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """What the AMD page says of schemes; the pages before 0.5.12 say nothing of them."""
    collector = Collector(page, vocabulary)
    for number, line in numbered_lines(page.document):
        if match := _WORK.search(line):
            finding = collector.at_line(number, match.group(0))
            for word in re.split(r",\s*(?:and\s+)?", _plain(match.group(1))):
                hardware, needs = _NEEDS.get(word, (_LISTED, ()))
                facets = [_scheme(collector, word, finding), hardware]
                needed = replace(finding, conditions=needs)
                collector.state("amd-works", facets, StatementStatus.SUPPORTED, needed)
        if match := _REFUSED.search(line):
            finding = replace(
                collector.at_line(number, match.group(0)),
                limit=Limit.FRAMEWORK,
                note="needs Marlin or other kernels for NVIDIA GPUs",
            )
            for word in re.split(r",\s*", match.group(1).replace("`", "")):
                facets = [_scheme(collector, word, finding), _AMD]
                collector.state("amd-lacks", facets, StatementStatus.UNSUPPORTED, finding)
        for pattern, state in _NOTES:
            if match := pattern.search(line):
                state(collector, collector.at_line(number, match.group(0)))
    section = any("Quantization on AMD" in heading.text for heading in page.document.headings)
    if section and not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='"The short version: … all work on AMD"',
            nearest="; ".join(heading.text for heading in page.document.headings[:6]),
        )
    return collector.reading()


def _plain(text: str) -> str:
    """The words of a list without bold signs and what stands in brackets behind them."""
    return re.sub(r"\s*\((?:[^()]|\([^()]*\))*\)", "", text).replace("*", "").replace("`", "")


def _scheme(collector: Collector, word: str, finding: Finding) -> Facet:
    name = word.strip()
    table = {**METHODS, **_SHORT}
    return collector.facet(Axis.QUANTIZATION, name, finding.locator, table=table)


def _state_fp8(collector: Collector, finding: Finding) -> None:
    noted = replace(finding, note="through Aiter or Triton")
    facets = [facet_of(Axis.QUANTIZATION, "FP8", "fp8"), _LISTED]
    collector.state("amd-note", facets, StatementStatus.SUPPORTED, noted)


def _state_awq(collector: Collector, finding: Finding) -> None:
    awq = facet_of(Axis.QUANTIZATION, "AWQ", "awq")
    noted = replace(finding, note="dequantised by Triton kernels", execution=Execution.WEIGHT_ONLY)
    collector.state("amd-note", [awq, _LISTED], StatementStatus.SUPPORTED, noted)
    marlin = facet_of(FEATURE, "Marlin", "kernel-marlin")
    refused = replace(finding, limit=Limit.FRAMEWORK)
    collector.state("amd-note", [awq, marlin, _AMD], StatementStatus.UNSUPPORTED, refused)


def _state_mxfp4(collector: Collector, finding: Finding) -> None:
    mxfp4 = facet_of(Axis.QUANTIZATION, "MXFP4", "mxfp4")
    chosen = replace(finding, conditions=(_AITER,))
    collector.state("amd-note", [mxfp4, _NEWER], StatementStatus.SUPPORTED, chosen)
    refused = replace(finding, limit=Limit.HARDWARE, note="needs CDNA3 or CDNA4")
    collector.state("amd-note", [mxfp4, _OLDER], StatementStatus.UNSUPPORTED, refused)


def _state_petit(collector: Collector, finding: Finding) -> None:
    petit = facet_of(Axis.QUANTIZATION, "petit_nvfp4", "petit-nvfp4")
    noted = replace(finding, conditions=(_KERNEL,), note="runs NVFP4 checkpoints through Petit")
    collector.state("amd-note", [petit, _PETIT], StatementStatus.SUPPORTED, noted)


def _state_quark(collector: Collector, finding: Finding) -> None:
    quark = facet_of(Axis.QUANTIZATION, "quark_int4fp8_moe", "quark-int4fp8-moe")
    noted = replace(finding, note="made while loading, for mixtures of experts")
    collector.state("amd-note", [quark, _NEWER], StatementStatus.SUPPORTED, noted)


_NOTES: Sequence[tuple[re.Pattern[str], Callable[[Collector, Finding], None]]] = (
    (_FP8, _state_fp8),
    (_AWQ, _state_awq),
    (_MXFP4, _state_mxfp4),
    (_NVFP4, _state_petit),
    (_QUARK, _state_quark),
)

_MODELS: dict[str, tuple[str, ...]] = {
    "qwen3": ("qwen3", "qwen3-moe"),
    "deepseek v3/r1": ("deepseek-v3", "deepseek-r1"),
}
# The series that the same documentation names for SGLang on Ascend.
_ASCEND = facet_of(Axis.HARDWARE, "Ascend NPU", "ascend-a2", "ascend-a3")
_MINDSPORE = (
    Condition(ConditionKind.FLAG, "model-impl", "=", "mindspore"),
    Condition(ConditionKind.PACKAGE, "sgl-mindspore", "set"),
)
_CANN = re.compile(r"(?:The recommended version is|install Ascend CANN) (\d[\w.]*\w)")


def read_mindspore(page: Page, vocabulary: Vocabulary) -> Reading:
    """The models that run through MindSpore, on Ascend only."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        name = one_line(item.text).split(":")[0].strip()
        if item.heading[-1:] != ("Supported Models",) or "coming soon" in name:
            continue
        finding = replace(
            collector.at_line(item.line, name),
            conditions=_MINDSPORE,
            note="through the MindSpore implementation of the model",
        )
        model = collector.facet(Axis.MODEL, name, finding.locator, table=_MODELS)
        for one in collector.split(model):
            collector.state("mindspore", [one, _ASCEND], StatementStatus.SUPPORTED, finding)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='models listed below "Supported Models"',
            nearest="; ".join(heading.text for heading in page.document.headings[:6]),
        )
    for number, line in numbered_lines(page.document):
        if match := _CANN.search(line):
            collector.value(
                FindingKind.REQUIREMENT,
                "requirement/mindspore/cann",
                StatementStatus.VALUE,
                replace(collector.at_line(number, match.group(0)), names={"cann": match.group(1)}),
                value=match.group(1),
            )
    return collector.reading()


_ROOT = r"(?:docs|docs_new/docs|docs/docs)/"
_FOLDER = _ROOT + r"(?:platforms|hardware-platforms|references)/"

RULES = (
    PageRule("amd-quantization", (_FOLDER + r"amd(?:_gpu)?\.(?:mdx?|rst)",), read_amd_quantization),
    PageRule(
        "mindspore",
        (
            _FOLDER + r"(?:ascend/|ascend-npus/)?mindspore_backend\.mdx?",
            _ROOT + r"supported[-_]models/(?:extending/)?mindspore_models\.mdx?",
        ),
        read_mindspore,
    ),
)
