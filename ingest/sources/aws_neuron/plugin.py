"""The vLLM plug-in: its README, the guide to the line with NxD Inference, both lines' overview."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.aws_neuron.words import (
    README_SIGNS,
    features_of,
    hardware_in,
    instances_in,
)
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit, Tier

_INSTANCES = re.compile(r"Supported AWS instances: (.+)$")
_BETA = re.compile(r"^# vLLM Neuron Plugin \(Beta\)")
_PAIRS = (
    ("vllm", re.compile(r"^\* vLLM v(\d+(?:\.\d+)+) is automatically installed")),
    ("neuron_sdk", re.compile(r"^- AWS Neuron SDK (\d+(?:\.\d+)+)")),
    ("neuron_sdk", re.compile(r"^Neuron SDK Version: ``(.+?)``")),
    ("vllm", re.compile(r"^vLLM Version: ``(.+?)``")),
    ("torch", re.compile(r"^PyTorch Version: ``(.+?)``")),
    ("vllm_neuron", re.compile(r"^Plugin Version: ``(.+?)``")),
    ("python", re.compile(r"^- Python (3\.\d+)\+")),
)
_NO_CHUNKS = re.compile(r"Chunked prefill is not supported on Neuron")
_BATCH_ONE = re.compile(r"Prefix caching with batch_size=1 generates incorrect outputs")
_MODELS: dict[str, tuple[str, ...]] = {
    "llama 4 scout": ("meta-llama--llama-4-scout-17b-16e-instruct",),
    "maverick": ("meta-llama--llama-4-maverick-17b-128e-instruct",),
    "llama4": ("llama-4",),
}
_EAGLE = {"V1": "eagle", "V3": "eagle3"}
_SCHEMES = facet_of(Axis.QUANTIZATION, "INT8/FP8", "int8", "fp8")
_LINE = re.compile(r"Supports? vLLM (\d+\.\d+)\s+via plugin version (\d+\.\d+)\.x")
_ENHANCED = re.compile(r"It supports vLLM (\d+\.\d+\.\d+)\s+on (Trn2) and (Trn3) instances")
_SENT_AWAY = re.compile(r"For (Inf2 and Trn1), or models not yet supported, use Option 1")
_OLD_LINE = re.compile(r"It supports (Inf2, Trn1, and Trn2) instances")


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a page's statements hold for: the instances, the plug-in release, the tier."""

    hardware: Facet
    plugin: str
    tier: Tier

    def claim(self, finding: Finding) -> Finding:
        return replace(finding, tier=self.tier)


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The plug-in's README: pairs, instances, features and models, all of a beta."""
    collector = Collector(page, vocabulary)
    beta = any(_BETA.match(line) for line in page.document.source_lines)
    return _read_guide(collector, Tier.EXPERIMENTAL if beta else Tier.OFFICIAL, plugin="")


def read_user_guide(page: Page, vocabulary: Vocabulary) -> Reading:
    """The guide to vLLM with NxD Inference; it names the plug-in release that it is about."""
    collector = Collector(page, vocabulary)
    named = re.search(r"^Plugin Version: ``(.+?)``", page.text, re.MULTILINE)
    if named is None:
        raise UnexpectedPage(
            path=page.path, expected='"Plugin Version: ``…``"', nearest=page.document.title
        )
    return _read_guide(collector, Tier.OFFICIAL, plugin=named.group(1))


def _read_guide(collector: Collector, tier: Tier, *, plugin: str) -> Reading:
    page = collector.page
    lines = numbered_lines(page.document)
    chips = next((m.group(1) for _, line in lines if (m := _INSTANCES.search(line))), "")
    tables = [t for t in page.document.tables if t.has_columns(("Feature", "Status", "Notes"))]
    if not instances_in(chips) or not tables:
        raise UnexpectedPage(
            path=page.path,
            expected='"Supported AWS instances: …" and a table with Feature, Status, Notes',
            nearest="; ".join(", ".join(t.columns) for t in page.document.tables[:3]),
        )
    subject = _Subject(hardware_in(chips, chips), plugin, tier)
    for number, line in lines:
        _read_line(collector, subject, number, line)
    for table in tables:
        for row, cells in table.records():
            _read_feature(collector, subject, table, row, cells)
    for item in page.document.items:
        if any("supported" in fold_label(part) and "model" in fold_label(part)
               for part in item.heading):  # fmt: skip
            _read_models(collector, subject, item.line, item.text)
    return collector.reading()


def _read_line(collector: Collector, subject: _Subject, number: int, line: str) -> None:
    """Add pairs, instances and known issues that stand in one line."""
    for name, pattern in _PAIRS:
        if match := pattern.search(line):
            kind = FindingKind.REQUIREMENT if name == "python" else FindingKind.PAIRING
            status = StatementStatus.REQUIRES if name == "python" else StatementStatus.PINNED
            draft = collector.at_line(number, match.group(0))
            names = {name: match.group(1), "vllm_neuron": subject.plugin}
            collector.value(
                kind,
                f"pairing/{name.replace('_', '-')}",
                status,
                replace(draft, names={key: word for key, word in names.items() if word}),
                value=match.group(1),
            )
    if match := _INSTANCES.search(line):
        for slug in instances_in(match.group(1)):
            finding = subject.claim(collector.at_line(number, match.group(0)))
            facet = facet_of(Axis.HARDWARE, slug, slug)
            collector.state("platform", [facet], StatementStatus.SUPPORTED, finding)
    if match := _NO_CHUNKS.search(line):
        finding = replace(collector.at_line(number, match.group(0)), limit=Limit.FRAMEWORK)
        facets = [facet_of(FEATURE, "Chunked prefill", "chunked-prefill"), subject.hardware]
        collector.state("feature", facets, StatementStatus.UNSUPPORTED, finding)
    if match := _BATCH_ONE.search(line):
        finding = replace(
            subject.claim(collector.at_line(number, match.group(0))),
            conditions=(Condition(ConditionKind.OTHER, "batch size", "=", "1"),),
            note="wrong output with batch size 1",
        )
        facets = [facet_of(FEATURE, "Prefix caching", "prefix-caching"), subject.hardware]
        collector.state("feature-issue", facets, StatementStatus.KNOWN_ISSUES, finding)


def _read_feature(
    collector: Collector, subject: _Subject, table: Table, row: Cell, cells: dict[str, Cell]
) -> None:
    """Add one feature; its note narrows it to ways, schemes or models."""
    cell, note = cells["Status"], one_line(cells["Notes"].text)
    finding = subject.claim(collector.at_cell(table, cell, row=row.text, column="Status"))
    finding = replace(finding, names={"notes": note} if note else {})
    status = README_SIGNS.read(cell)
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        return
    for facets in _narrowed(collector, row, note, finding):
        collector.state("feature", [*facets, subject.hardware], status, finding)


def _narrowed(
    collector: Collector, row: Cell, note: str, finding: Finding
) -> Iterator[list[Facet]]:
    if fold_label(row.text) == "quantization" and note.startswith("INT8/FP8"):
        yield [_SCHEMES]
        return
    if ways := re.findall(r"\bV[13]\b", note):
        for way in ways:
            yield [facet_of(FEATURE, row.text, _EAGLE[way], key=f"eagle-{way.lower()}")]
        return
    named = re.sub(r"^Only | (?:is|are) supported$", "", note)
    features = features_of(collector, row.text, finding.locator)
    if named == note:
        yield features
        return
    for word in re.split(r"\s+and\s+|,\s*", named):
        yield [collector.facet(Axis.MODEL, word, finding.locator, table=_MODELS), *features]


def _read_models(collector: Collector, subject: _Subject, line: int, text: str) -> None:
    """Add the models of one bullet: "Llama 2/3.1/3.3", "Llama 4 Scout, Maverick"."""
    words: list[str] = []
    for part in re.split(r",\s*", one_line(text)):
        head, _, numbers = part.rpartition(" ")
        if "/" in numbers:
            words += [f"{head} {number}" for number in numbers.split("/")]
        else:
            words.append(part)
    for word in words:
        finding = subject.claim(collector.at_line(line, word))
        model = collector.facet(Axis.MODEL, word, finding.locator, table=_MODELS)
        for one in collector.split(model):
            collector.state("model", [one, subject.hardware], StatementStatus.SUPPORTED, finding)


def read_overview(page: Page, vocabulary: Vocabulary) -> Reading:
    """The instances and the vLLM release of the plug-in line with NxD Inference."""
    collector = Collector(page, vocabulary)
    for text in page.document.paragraphs:
        flat = one_line(text.text)
        match = _OLD_LINE.search(flat)
        if match is None:
            continue
        draft = collector.at_line(text.line, flat, line_end=text.line + text.raw.count("\n"))
        for slug in instances_in(match.group(1)):
            finding = replace(draft, raw=match.group(0))
            facet = facet_of(Axis.HARDWARE, slug, slug)
            collector.state("platform", [facet], StatementStatus.SUPPORTED, finding)
        if line := _LINE.search(flat):
            _pair(collector, draft, f"{line.group(2)}.x", line.group(1))
    return _finish(collector, '"It supports Inf2, Trn1, and Trn2 instances"')


def read_native_overview(page: Page, vocabulary: Vocabulary) -> Reading:
    """The instances of the plug-in line without NxD Inference, and those it leaves out."""
    collector = Collector(page, vocabulary)
    for text in page.document.paragraphs:
        flat = one_line(text.text)
        draft = collector.at_line(text.line, flat, line_end=text.line + text.raw.count("\n"))
        if match := _ENHANCED.search(flat):
            for word in match.group(2, 3):
                finding = replace(draft, raw=match.group(0)[:80], tier=Tier.EXPERIMENTAL)
                facet = hardware_in(word, word)
                collector.state("platform", [facet], StatementStatus.EXPERIMENTAL, finding)
            _pair(collector, draft, "", match.group(1))
        if match := _SENT_AWAY.search(flat):
            finding = replace(
                draft,
                raw=match.group(0),
                limit=Limit.FRAMEWORK,
                note="the page sends these instances to vLLM with NxD Inference",
            )
            for slug in instances_in(match.group(1)):
                facet = facet_of(Axis.HARDWARE, slug, slug)
                collector.state("platform", [facet], StatementStatus.UNSUPPORTED, finding)
    return _finish(collector, '"It supports vLLM … on Trn2 and Trn3 instances"')


def _finish(collector: Collector, expected: str) -> Reading:
    """The reading; **Raises** ``UnexpectedPage`` when nothing was found on the page."""
    if not collector.findings:
        raise UnexpectedPage(
            path=collector.page.path,
            expected=expected,
            nearest="; ".join(heading.text for heading in collector.document.headings[:4]),
        )
    return collector.reading()


def _pair(collector: Collector, draft: Finding, plugin: str, version: str) -> None:
    names = {"vllm_neuron": plugin, "vllm": version}
    collector.value(
        FindingKind.PAIRING,
        f"pairing/vllm/{plugin or 'beta'}",
        StatementStatus.SUPPORTED,
        replace(draft, names={key: word for key, word in names.items() if word}),
        value=version,
    )
