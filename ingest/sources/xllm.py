"""xLLM: models × accelerators, hardware examples, images, what each release added."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    PageRule,
    Reading,
    Source,
    StatementStatus,
    Vocabulary,
)
from ingest.reading.document import Item, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.grids import GridCell
from ingest.sources.plugin_pages import (
    NO_CARD_NAMED,
    ModelTable,
    matches_in,
    read_model_table,
    require_findings,
)
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import NodeSet
from matrix.domain.levels import Axis, EvidenceKind, Limit

_S = StatementStatus
# A column names an accelerator family; the README of the release names the cards behind it.
_CARDS: Mapping[str, tuple[str, ...]] = {
    "npu": ("ascend-a2", "ascend-a3"),
    "mlu": ("cambricon",),
    "ilu": ("iluvatar-bi-v150",),
    "musa": ("moore-threads-mtt-s5000",),
    "dcu": ("hygon-bw1000",),
    "cuda": ("nvidia",),
}
# Families of which no page names a card.
_UNNAMED = frozenset({"mlu", "cuda"})
# No legend: a cross can only mean that the list does not support the pair.
_SIGNS = StatusTable({"✅": _S.SUPPORTED, "❌": _S.UNSUPPORTED})
_NO_LEGEND = "a cross in a table without a legend"
_MODELS: Mapping[str, Iterable[str]] = {
    "deepseek-v3/r1/v3.1": ("deepseek-v3", "deepseek-r1", "deepseek-v3.1"),
    "deepseek-v3/r1": ("deepseek-v3", "deepseek-r1"),
    "qwen2/2.5/qwq": ("qwen2", "qwen2.5", "qwq"),
    "qwen2/3 dense": ("qwen2", "qwen3"),
    "qwen2_5_vl/qwen3_vl/qwen3_vl_moe": ("qwen2.5-vl", "qwen3-vl", "qwen3-vl-moe"),
    "llama2/3": ("llama-2", "llama-3"),
    "qwen3 / qwen3-moe": ("qwen3", "qwen3-moe"),
    "qwen3/qwen3-moe": ("qwen3", "qwen3-moe"),
    "qwen3-vl / qwen3-vl-moe": ("qwen3-vl", "qwen3-vl-moe"),
    "qwen3.5/qwen3.5-moe": ("qwen3.5", "qwen3.5-moe"),
    "glm4.5 / glm4.6 / glm-4.6v / glm-4.7": ("glm-4.5", "glm-4.6", "glm-4.6v", "glm-4.7"),
    "kimi-k25": ("kimi-k2.5",),
    "glm4.6vmodel": ("glm-4.6v",),
    "glm4.7-flash": ("glm-4.7-flash",),
    "qwen3-30b-moe": ("qwen--qwen3-30b-a3b",),
}
_NPU = facet_of(Axis.HARDWARE, "NPU", *_CARDS["npu"], key="npu")
# Lists without accelerators come from the time when the project had images for these alone.
_BY_IMAGES = "no accelerator is named; the release's images are for Ascend A2 and A3"


def _card(word: str) -> Facet:
    """The cards of an accelerator word; no cards for one that is not known."""
    label = fold_label(word)
    return facet_of(Axis.HARDWARE, word, *_CARDS.get(label, ()), key=label)


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The tables of models × accelerators; the page has no legend."""
    collector = Collector(page, vocabulary)
    columns = {name: (_card(name.upper()),) for name in ("npu", "mlu", "ilu", "dcu", "musa")}
    for table in page.document.tables:
        if table.has_columns(("NPU", "MLU")):
            before = len(collector.findings)
            area = "models-rec" if table.heading[-1:] == (_RECOMMENDATION,) else "models"
            read_model_table(
                collector, table, ModelTable(area, (), columns, _SIGNS, _MODELS, _refine)
            )
            if area == "models-rec":
                collector.findings[before:] = map(_as_value, collector.findings[before:])
    require_findings(collector, expected='tables with columns "NPU" and "MLU"')
    return collector.reading("models")


# A table about recommendation repeats language models: what it says of them is no statement
# about text generation.
_RECOMMENDATION = "Rec"
_ONLY_RECOMMENDS = NodeSet(include=frozenset({"onerec"}))


def _as_value(found: Finding) -> Finding:
    """The finding as a value, unless its model serves nothing but recommendation."""
    if found.scope is None or found.scope.nodes.get(Axis.MODEL) == _ONLY_RECOMMENDS:
        return found
    return replace(found, kind=FindingKind.VALUE, value=found.raw)


def _refine(found: GridCell) -> None:
    if found.status is _S.UNSUPPORTED:
        found.change(limit=Limit.FRAMEWORK, note=_NO_LEGEND)
    elif fold_label(found.column) in _UNNAMED:
        found.change(conditions=(NO_CARD_NAMED,))


_BULLETS_BELOW = re.compile(r"^Supported models list:$")
_NEWS = re.compile(
    r"^- (\d{4}-\d\d-\d\d): .*?(?:day-0 support|now support)(.+?)(?:series )?models?\b"
)
_LINK = re.compile(r"\[([^\]]+)\]\(")
_IMAGE = re.compile(r"\b((?:quay\.io/jd_xllm|xllm)/xllm-ai):([\w.-]+)")
_DRIVER = re.compile(r"HDK Driver ([\d.]+\d) \+")


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """Hardware table, model list, news about models, images."""
    collector = Collector(page, vocabulary)
    _read_hardware(collector)
    _read_list(collector)
    for line, match in matches_in(page.document, _NEWS):
        for word in _LINK.findall(match.group(2)):
            for name in word.split("/"):
                _keep_news(collector, name, match.group(1), line)
    read_image_lines(collector)
    require_findings(collector, expected="a hardware table, a model list or images")
    return collector.reading()


def _keep_news(collector: Collector, name: str, day: str, line: int) -> None:
    """Add news about a model as a value: the line names no accelerator."""
    collector.value(
        FindingKind.VALUE,
        f"news/{day}/{fold_label(name)}",
        _S.SUPPORTED,
        replace(collector.at_line(line, name), names={"model": name, "day": day}),
        value=name,
    )


def _read_hardware(collector: Collector) -> None:
    for table in collector.document.tables:
        if fold_label(table.columns[0]) not in {"hardware", "硬件类型"}:
            continue
        for cells in table.rows:
            word, example = one_line(cells[0].text), one_line(cells[1].text)
            finding = collector.at_cell(table, cells[1], row=word, column=table.columns[1])
            remark = one_line(cells[2].text) if len(cells) > 2 else ""
            if match := _DRIVER.search(remark):
                collector.value(
                    FindingKind.REQUIREMENT,
                    f"requirement/driver-{fold_label(word)}",
                    _S.REQUIRES,
                    replace(finding, names={"hardware": word, "driver": match.group(0)}),
                    value=f">={match.group(1)}",
                )
            if not example:
                collector.state("platform", [_card(word)], _S.SUPPORTED,
                                replace(finding, conditions=(NO_CARD_NAMED,)))  # fmt: skip
            for card in (part.strip() for part in example.split(",") if part.strip()):
                facet = collector.facet(Axis.HARDWARE, card, finding.locator)
                collector.state("platform", [facet], _S.SUPPORTED, finding)


def _read_list(collector: Collector) -> None:
    """Add the list of models of older READMEs, which is about Ascend cards by its images."""
    start = next((n for n, _ in matches_in(collector.document, _BULLETS_BELOW)), None)
    if start is None:
        return
    for item in collector.document.items:
        if not start < item.line < start + 25:
            continue
        finding = collector.at_line(item.line, item.text)
        model = collector.facet(Axis.MODEL, item.text, finding.locator, table=_MODELS)
        for part in collector.split(model):
            collector.state(
                "models-list", [part, _NPU], _S.SUPPORTED, replace(finding, note=_BY_IMAGES)
            )


def read_image_lines(collector: Collector) -> None:
    """Add every image of the project that the page names, once for each tag."""
    seen: set[str] = set()
    for line, match in matches_in(collector.document, _IMAGE):
        if match.group(0) in seen:
            continue
        seen.add(match.group(0))
        collector.value(
            FindingKind.ARTEFACT,
            f"image/{match.group(2)}",
            _S.PUBLISHED,
            replace(
                collector.at_line(line, match.group(0)),
                names={"image": match.group(1), "tag": match.group(2)},
            ),
            value=match.group(2),
        )


def read_images(page: Page, vocabulary: Vocabulary) -> Reading:
    """The images that the pages on how to begin name."""
    collector = Collector(page, vocabulary)
    read_image_lines(collector)
    require_findings(collector, expected="images such as quay.io/jd_xllm/xllm-ai:…")
    return collector.reading()


_FEATURES: Mapping[str, str] = {
    "pd separation": "disaggregated-prefill",
    "speculative inference": "speculative-decoding",
    "moe load balancing": "eplb",
    "global kv cache management": "kv-pool",
}


def read_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """The features that the overview has a section of; it names no accelerator for them."""
    collector = Collector(page, vocabulary)
    for heading in page.document.headings:
        slug = _FEATURES.get(fold_label(heading.text))
        if slug:
            collector.value(
                FindingKind.VALUE,
                f"feature-text/{slug}",
                _S.SUPPORTED,
                replace(
                    collector.at_line(heading.line, heading.text), names={"feature": heading.text}
                ),
                value=slug,
            )
    require_findings(collector, expected="sections such as “PD Separation”")
    return collector.reading()


_RELEASE = re.compile(r"^Release xllm ([\d.]+\d)$")
_SUPPORTS = re.compile(r"^Support (.+?)(?: (?:models?|model))?\s?\.?$")
_SCHEMES = {"w8a8": "int8-w8a8", "w4a8": "int8-w4a8"}
_VIDEO = " video inference"
_TAIL = re.compile(r"\s+(W\dA\d)(?:\s+MoE)?$")
_STACK = re.compile(r"\bCANN ([\d.]+\d)(?: toolkit)? and (torch_npu|PyTorch) ([\d.]+\d)")


def read_releases(page: Page, vocabulary: Vocabulary) -> Reading:
    """Which models each release added on which accelerator; one page speaks of all releases."""
    collector = Collector(page, vocabulary)
    collector.evidence = EvidenceKind.RELEASE_NOTE
    for item in page.document.items:
        match = next((m for h in item.heading if (m := _RELEASE.match(h))), None)
        if match is None:
            continue
        if "Model Support" in item.heading:
            _read_added(collector, item, match.group(1))
        if backend := _BACKEND.match(one_line(item.text)):
            _read_backend(collector, item, match.group(1), backend)
        if stack := _STACK.search(item.text):
            collector.value(
                FindingKind.REQUIREMENT,
                f"requirement/npu-stack/{match.group(1)}",
                _S.REQUIRES,
                replace(
                    collector.at_line(item.line, stack.group(0)),
                    names={"cann": stack.group(1), stack.group(2).lower(): stack.group(3)},
                    release=match.group(1),
                ),
                value=stack.group(1),
            )
    require_findings(collector, expected='sections "Release xllm …" with "Model Support"')
    return collector.reading()


_BACKEND = re.compile(r"^Support (MLU|DCU) backend(?:, currently supports (\S+) series models)?\.$")


def _read_backend(collector: Collector, item: Item, version: str, match: re.Match[str]) -> None:
    """Add an accelerator that a release began to support, and the models named with it."""
    finding = replace(collector.at_line(item.line, match.group(0)), release=version)
    card = _card(match.group(1))
    if fold_label(match.group(1)) in _UNNAMED:
        finding = replace(finding, conditions=(NO_CARD_NAMED,))
    collector.state("release-platform", [card], _S.SUPPORTED, finding)
    if match.group(2):
        model = collector.facet(Axis.MODEL, match.group(2), finding.locator, table=_MODELS)
        collector.state("release-model", [model, card], _S.SUPPORTED, finding)


def _read_added(collector: Collector, item: Item, version: str) -> None:
    """Add one bullet: a model, on the accelerator of its sub-heading, or on Ascend without one."""
    supports = _SUPPORTS.match(one_line(item.text))
    if supports is None:
        return
    words = supports.group(1)
    heading = "".join(item.heading[-1:])
    family = fold_label(heading)
    card = _card(heading) if family in _CARDS else _NPU
    finding = replace(collector.at_line(item.line, words), release=version)
    if family in _UNNAMED:
        finding = replace(finding, conditions=(NO_CARD_NAMED,))
    elif family not in _CARDS:
        finding = replace(finding, note=_BY_IMAGES)
    facets: list[Facet] = [card]
    if words.endswith(_VIDEO):
        words = words.removesuffix(_VIDEO)
        facets.append(facet_of(FEATURE, _VIDEO.strip(), "multimodal-video"))
    if tail := _TAIL.search(words):
        scheme = _SCHEMES.get(tail.group(1).lower(), "")
        facets.append(facet_of(Axis.QUANTIZATION, tail.group(1), *([scheme] if scheme else [])))
        words = words[: tail.start()]
    model = collector.facet(Axis.MODEL, words, finding.locator, table=_MODELS)
    for part in collector.split(model):
        collector.state("release-model", [part, *facets], _S.SUPPORTED, finding)


SOURCE = Source(
    name="xllm-docs",
    framework="xllm",
    title="xLLM documentation",
    rules=(
        PageRule("models", (r"docs/(?:en|zh)/supported_models\.md",), read_models),
        PageRule("readme", (r"README\.md", r"docs/project/README_zh\.md"), read_readme),
        PageRule("releases", (r"(?:docs/project/)?RELEASE\.md",), read_releases),
        PageRule("features", (r"docs/en/features/overview\.md",), read_features),
        PageRule(
            "images", (r"docs/(?:en|zh)/getting_started/(?:quick_start|compile)\.md",), read_images
        ),
    ),
)
