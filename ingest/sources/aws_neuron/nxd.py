"""NxD Inference: model families, example checkpoints, quantized data types."""

import re
from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import Item
from ingest.sources.aws_neuron.words import hardware_in, instances_in
from ingest.sources.collecting import Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Tier

# The instances that the same SDK names for vLLM with NxD Inference.
_INSTANCES = hardware_in("Inf2, Trn1, Trn2", "Inf2, Trn1, Trn2")
_HUB = re.compile(r"huggingface\.co/([\w.-]+/[\w.-]+)")
_EXAMPLES = "Compatible Checkpoint Examples"
_WEIGHTS = "Model Weight Quantization"
_TYPES: dict[str, Facet] = {
    "int8": facet_of(Axis.QUANTIZATION, "INT8", "int8"),
    "fp8": facet_of(Axis.QUANTIZATION, "FP8", "fp8"),
}
_KV = re.compile(r"quantizes the KV cache to the ``torch\.float8_e4m3fn`` data type")
_FAMILIES: dict[str, tuple[str, ...]] = {
    "llama 3.2": ("llama-3.2-text",),
}
_LLAMA = re.compile(r"supports all Llama text models, including (.+?)\. You can", re.DOTALL)


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The example checkpoints by architecture; untested, beta and Trn2-only ones as such."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        if item.heading[-1:] == (_EXAMPLES,) and (match := _HUB.search(item.text)):
            _state_example(collector, item, match.group(1))
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected=f'checkpoints listed below "{_EXAMPLES}"',
            nearest="; ".join(heading.text for heading in page.document.headings[:6]),
        )
    for text in page.document.paragraphs:
        if match := _LLAMA.search(one_line(text.text)):
            draft = collector.at_line(text.line, match.group(0), line_end=text.line + 3)
            for word in re.split(r",\s*(?:and\s+)?", match.group(1)):
                model = collector.facet(Axis.MODEL, word, draft.locator, table=_FAMILIES)
                collector.state("family", [model, _INSTANCES], StatementStatus.SUPPORTED, draft)
    return collector.reading()


def _state_example(collector: Collector, item: Item, name: str) -> None:
    text = one_line(item.text)
    status, hardware = StatementStatus.SUPPORTED, _INSTANCES
    finding = collector.at_line(item.line, name)
    if "not tested" in text.lower():
        status = StatementStatus.UNTESTED
    if "(requires" in text and instances_in(text):
        hardware = hardware_in(text, text)
    if any("[BETA]" in part for part in item.heading):
        status = StatementStatus.EXPERIMENTAL
        finding = replace(finding, tier=Tier.EXPERIMENTAL)
    model = collector.facet(Axis.MODEL, name, finding.locator)
    collector.state("checkpoint", [model, hardware], status, finding)


def read_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """The data types that weights and KV cache are quantized to."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        if item.heading[-1:] != (_WEIGHTS,) or item.parents:
            continue
        scheme = _TYPES.get(re.split(r"\W", item.text.lower())[0])
        if scheme is not None:
            note = "XLA_HANDLE_SPECIAL_SCALAR=1 for e4m3" if "fp8" in scheme.slugs else ""
            finding = replace(collector.at_line(item.line, item.text), note=note)
            facets = [scheme, _INSTANCES]
            collector.state("quantization", facets, StatementStatus.SUPPORTED, finding)
    for number, line in numbered_lines(page.document):
        if match := _KV.search(line):
            finding = replace(
                collector.at_line(number, match.group(0)),
                conditions=(Condition(ConditionKind.FLAG, "kv_cache_quant", "set"),),
                note="kept in FP8, computed in the model's type",
            )
            facets = [facet_of(Axis.KV_DTYPE, "float8_e4m3fn", "kv-fp8-e4m3"), _INSTANCES]
            collector.state("kv-cache", facets, StatementStatus.SUPPORTED, finding)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected=f'data types listed below "{_WEIGHTS}"',
            nearest="; ".join(heading.text for heading in page.document.headings[:6]),
        )
    return collector.reading()
