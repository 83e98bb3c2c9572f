"""Supported models: bullets whose names count and whose links do not."""

import re
from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import Item, fold_label
from ingest.sources.collecting import FEATURE, Collector, facet_of, one_line
from ingest.sources.tgi.words import FIRST_MODELS, MODELS
from matrix.domain.levels import Axis

_MULTIMODAL = re.compile(r"\s*\((?:Multimodal[^)]*)\)$", re.IGNORECASE)


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of supported_models.md.

    The link of a bullet is an example, sometimes of another model (2.0.4 links "Qwen 2" to
    StarCoder 2), so only the name is read.
    """
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        if item.links and item.text.startswith(item.links[0].text) and _is_model(item):
            _read_model(collector, item, [])
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="bullets that link the supported models",
            nearest="; ".join(heading.text for heading in page.document.headings[:4]),
        )
    return collector.reading("models")


def read_gaudi_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The models that the Gaudi backend's page lists."""
    collector = Collector(page, vocabulary)
    for item in page.document.items_under("Supported Models"):
        if item.links:
            _read_model(collector, item, ["intel-gaudi"])
    return collector.reading()


def _is_model(item: Item) -> bool:
    """Whether a bullet stands in the model list and not among the accelerators."""
    under = [fold_label(part) for part in item.heading]
    return not any("hardware" in part and "models" not in part for part in under)


def _read_model(collector: Collector, item: Item, hardware: list[str]) -> None:
    """Add one listed model, and that it takes images where the bullet says multimodal."""
    finding = collector.at_line(item.line, item.raw)
    name = _MULTIMODAL.sub("", one_line(item.text)).strip()
    first = any(fold_label(other.text) == "llama v2" for other in collector.document.items)
    table = FIRST_MODELS if first else MODELS
    model = collector.facet(Axis.MODEL, name, finding.locator, table=table)
    place = [facet_of(Axis.HARDWARE, slug, slug) for slug in hardware]
    area = "model-hardware" if hardware else "model"
    for facet in collector.split(model):
        collector.state(area, [facet, *place], StatementStatus.SUPPORTED, finding)
        if _MULTIMODAL.search(one_line(item.text)) and not hardware:
            collector.state(
                "model-modality",
                [facet, facet_of(FEATURE, "Multimodal", "multimodal-image")],
                StatementStatus.SUPPORTED,
                replace(finding, note="listed as multimodal"),
            )
