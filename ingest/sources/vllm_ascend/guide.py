"""quantization.md and release_notes.md: tools that checkpoints may come from, releases by day."""

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
from ingest.sources.collecting import FEATURE, Collector, facet_of, one_line
from ingest.sources.images import numbered_lines
from ingest.sources.vllm_ascend.words import NAMED_TWICE
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind

_TOOLS = re.compile(r"models quantized by (?:two main tools|.+?):\s*(.+)$")
_ONE_TOOL = re.compile(r"\b(ModelSlim|LLM-Compressor)\b", re.IGNORECASE)
_CONTAINERS = {"modelslim": "modelslim", "llm-compressor": "compressed-tensors"}
_FLAG = re.compile(r"--quantization ascend|quantization=[\"']ascend[\"']")
_RELEASE = re.compile(
    r"^v(\d+\.\d+\.\d+(?:rc\d+)?(?:\.post\d+)?)(?:\s*-\s*(\d{4})\.(\d{2})\.(\d{2}))?$"
)

# What the notes say of schemes, by the words they use; "Ascend 950" names the new series.
_NEW = ("ascend-a5",)
_SCHEME_NOTES: tuple[tuple[re.Pattern[str], str, tuple[str, ...], str], ...] = (
    (re.compile(r"Added (W4A8 MXFP4) quantization support for Ascend 950"), "mxfp4-w4a8", _NEW, ""),
    (re.compile(r"(W4A16 MXFP)4? ?quantization paths for Ascend 950"), "mxfp4-w4a16", _NEW, ""),
    (re.compile(r"(W8A8FP8) and W4A16 MXFP quantization paths for Asc"), "fp8-w8a8", _NEW, ""),
    (re.compile(r"llm-compressor quantization tool with (W8A8) works"), "int8-w8a8", (), "dense"),
    (re.compile(r"compressed tensors moe (w8a8-int8) quantization"), "int8-w8a8", (), "moe"),
    (re.compile(r"compressed tensors moe (w4a8 dynamic) weight"), "w4a8-dynamic", (), "moe"),
)


def read_guide(page: Page, vocabulary: Vocabulary) -> Reading:
    """The tools whose checkpoints are served, with the flag that ModelSlim's need."""
    collector = Collector(page, vocabulary)
    needs_flag = any(_FLAG.search(line) for _, line in numbered_lines(page.document))
    named: set[str] = set()
    for text in page.document.paragraphs:
        match = _TOOLS.search(one_line(text.text))
        for word in _ONE_TOOL.findall(match.group(1)) if match else ():
            _state_tool(collector, text.line, word, needs_flag=needs_flag)
            named.add(word.lower())
    for part in page.document.headings:
        word = _ONE_TOOL.search(part.text)
        if word and word.group(1).lower() not in named:
            named.add(word.group(1).lower())
            _state_tool(collector, part.line, word.group(1), needs_flag=needs_flag)
    if not named:
        raise UnexpectedPage(
            path=page.path,
            expected="ModelSlim or LLM-Compressor as a tool that checkpoints come from",
            nearest="; ".join(part.text for part in page.document.headings[:4]),
        )
    return collector.reading()


def _state_tool(collector: Collector, line: int, word: str, *, needs_flag: bool) -> None:
    """Add that checkpoints of a tool are served; which schemes it holds stands elsewhere."""
    container = facet_of(Axis.CONTAINER, word, _CONTAINERS[word.lower()])
    place = facet_of(Axis.HARDWARE, "Ascend NPU", *NAMED_TWICE)
    finding = collector.at_line(line, word)
    if word.lower() == "modelslim" and needs_flag:
        flag = Condition(kind=ConditionKind.FLAG, name="--quantization", op="=", value="ascend")
        finding = replace(finding, conditions=(flag,))
    collector.state("container-hardware", [container, place], StatementStatus.SUPPORTED, finding)


def read_notes(page: Page, vocabulary: Vocabulary) -> Reading:
    """Each release that the notes head a section with, and the day they give."""
    collector = Collector(page, vocabulary)
    for part in page.document.headings:
        match = _RELEASE.match(one_line(part.text))
        if not match:
            continue
        # The oldest notes head their sections with the version alone.
        version, day = match.group(1), "-".join(part for part in match.groups()[1:] if part)
        status = StatementStatus.CANDIDATE if "rc" in version else StatementStatus.RELEASED
        collector.value(
            FindingKind.RELEASE,
            f"release/{version}",
            status,
            replace(
                collector.at_line(part.line, part.text),
                names={"version": f"v{version}", "date": day},
                release=version,
            ),
            value=day,
        )
        _read_schemes(collector, part.path, version)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='headings such as "v0.23.0 - 2026.07.31"',
            nearest="; ".join(part.text for part in page.document.headings[:3]),
        )
    return collector.reading()


def _read_schemes(collector: Collector, section: tuple[str, ...], version: str) -> None:
    """Add the schemes that the notes of one release say were added in it."""
    for item in collector.document.items:
        if item.heading[: len(section)] != section:
            continue
        text = one_line(item.text)
        for said, slug, products, kind in _SCHEME_NOTES:
            match = said.search(text)
            if not match:
                continue
            finding = replace(
                collector.at_line(item.line, match.group(0)),
                evidence=EvidenceKind.RELEASE_NOTE,
                release=version,
                open_ended=True,
            )
            facets = [
                facet_of(Axis.QUANTIZATION, match.group(1), slug),
                facet_of(Axis.HARDWARE, "Ascend NPU", *(products or NAMED_TWICE)),
            ]
            if kind:
                container = facet_of(Axis.CONTAINER, "compressed tensors", "compressed-tensors")
                facets.append(container)
            if kind == "moe":
                facets.append(facet_of(FEATURE, "moe", "moe"))
            collector.state("release-note", facets, StatementStatus.SUPPORTED, finding)
