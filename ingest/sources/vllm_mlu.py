"""vLLM MLU: the README of the Cambricon plug-in, in Chinese, with and without requirements."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    PageRule,
    Reading,
    Source,
    StatementStatus,
    Vocabulary,
)
from ingest.sources.collecting import FEATURE, Collector, facet_of
from ingest.sources.plugin_pages import NO_CARD_NAMED, matches_in, require_findings
from matrix.domain.levels import Axis

# "Only devices from MLU370 on": the series that the catalogue knows of these.
_FROM_370 = facet_of(
    Axis.HARDWARE, "MLU370 and above", "cambricon-mlu370", "cambricon-mlu590", key="mlu370-on"
)
_FEATURES = re.compile(r"支持包括但不限于(.+?)等vLLM原生特性")
_WORDS = {
    "chunk prefill": "chunked-prefill",
    "prefix caching": "prefix-caching",
    "spec decode": "speculative-decoding",
    "graph mode": "device-graphs",
    "sleep mode": "sleep-mode",
}
_DAY_ZERO = re.compile(r"\[(\d{4})\.(\d\d)\.(\d\d)\] vllm_mlu day0支持([\w.-]+)")
_SDK = re.compile(r"软件环境依赖：(Cambricon SDK ([\d.]+\d))")
_DEVICES = re.compile(r"vllm-mlu仓库仅支持(MLU\d+)以上的设备")
_IMAGE = re.compile(r"(cambricon_pytorch_container-torch([\d.]+)-torchmlu([\d.]+)-\S+\.tar\.gz)")


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """Features, the model named in the news, SDK, devices and image."""
    collector = Collector(page, vocabulary)
    for line, match in matches_in(page.document, _FEATURES):
        for word in match.group(1).split("、"):
            finding = collector.at_line(line, word)
            slug = _WORDS.get(word.strip().lower())
            if slug is None:
                collector.miss(FEATURE, word, finding.locator)
            facet = facet_of(FEATURE, word, *([slug] if slug else []))
            collector.state("feature", [facet, _FROM_370], StatementStatus.SUPPORTED, finding)
    require_findings(collector, expected="the sentence that lists the native features of vLLM")
    for line, match in matches_in(page.document, _DAY_ZERO):
        finding = collector.at_line(line, match.group(0))
        model = collector.facet(Axis.MODEL, match.group(4), finding.locator)
        collector.state(
            "news-model",
            [model, _FROM_370],
            StatementStatus.SUPPORTED,
            replace(
                finding,
                conditions=(NO_CARD_NAMED,),
                note=f"announced on {'-'.join(match.group(1, 2, 3))}; no card is named",
            ),
        )
    _read_needs(collector)
    return collector.reading()


def _read_needs(collector: Collector) -> None:
    image = next((m for _, m in matches_in(collector.document, _IMAGE)), None)
    stack = {"torch": image.group(2), "torch_mlu": image.group(3)} if image else {}
    for line, match in matches_in(collector.document, _SDK):
        collector.value(
            FindingKind.REQUIREMENT,
            "requirement/cambricon-sdk",
            StatementStatus.REQUIRES,
            replace(
                collector.at_line(line, match.group(1)),
                names={"sdk": match.group(1), "hardware": "MLU", **stack},
            ),
            value=match.group(2),
        )
    for line, match in matches_in(collector.document, _DEVICES):
        collector.state(
            "platform",
            [_FROM_370],
            StatementStatus.SUPPORTED,
            replace(
                collector.at_line(line, match.group(0)),
                note=f"only devices from {match.group(1)} on, by the README",
            ),
        )
    for line, match in matches_in(collector.document, _IMAGE):
        collector.value(
            FindingKind.ARTEFACT,
            "image/cambricon_pytorch_container",
            StatementStatus.PUBLISHED,
            replace(
                collector.at_line(line, match.group(1)), names={"image": match.group(1), **stack}
            ),
            value=match.group(1),
        )


SOURCE = Source(
    name="vllm-mlu-readme",
    framework="vllm-mlu",
    title="vLLM MLU README",
    rules=(PageRule("readme", (r"README\.md",), read_readme),),
)
