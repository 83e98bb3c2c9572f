"""supported_features.md: what works, what is planned, what is gone."""

import re
from collections.abc import Sequence
from dataclasses import replace

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
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.vllm_gaudi.words import BOTH, EVERY_CARD, cards_facet, plain
from matrix.domain.levels import Axis, Limit, Tier

_NOT_COMPILED = re.compile(r"not fully supported with the \W*t(?:orch)?\.compile", re.IGNORECASE)
_EXCLUDES = re.compile(r"It does not support ([^.]+)\.")
_OWN: dict[str, tuple[str, ...]] = {
    "hpu autodetection": ("platform-detection",),
    "paged kv cache with algorithms enabled for intel gaudi accelerators": ("paged-kv",),
    "paged kv cache optimized for intel gaudi devices": ("paged-kv",),
    "p/d disaggregate support": ("disaggregated-prefill",),
    "multinode support": ("multi-node",),
    "pipeline parallel inference": ("pipeline-parallel",),
    "mla with unified attention": ("mla",),
    "in-place weight update": ("rl-integration",),
    "guided decoding": ("structured-output",),
    "pp": ("pipeline-parallel",),
    "pytorch eager mode (default)": ("eager-mode",),
    "torch.compile (default)": ("torch-compile",),
    "hpu graphs (recommended for best performance)": ("hpu-graphs",),
    "pytorch lazy mode": ("hpu-lazy-mode",),
    "offline batched inference": ("offline-inference",),
    "openai-compatible server": ("openai-api",),
    "speculative decoding (experimental)": ("speculative-decoding",),
    "tensor parallel inference": ("tensor-parallel",),
}


def read_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """The tables of supported and discontinued features, the planned and experimental ones."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        labels = [fold_label(name) for name in table.columns]
        if labels[:2] != ["feature", "description"]:
            continue
        gone = any("discontinued" in heading.casefold() for heading in table.heading)
        reasons = labels[2:3] == ["reasoning"]
        if gone and not reasons:
            raise UnexpectedPage(
                path=page.path,
                expected='a column "Reasoning" in the table of discontinued features',
                nearest=", ".join(table.columns[:4]),
            )
        for cells in table.rows:
            if reasons:
                _read_removed(collector, table, cells)
            else:
                _read_supported(collector, table, cells)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='tables with the columns "Feature" and "Description"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    for item in page.document.items_under("Planned Features"):
        finding = collector.at_line(item.line, item.text)
        feature = _feature(collector, item.text, finding)
        draft = replace(finding, tier=Tier.PLANNED, limit=Limit.FRAMEWORK)
        _state(collector, [feature], StatementStatus.PLANNED, draft)
    _read_experiments(collector)
    return collector.reading()


def _feature(collector: Collector, word: str, finding: Finding) -> Facet:
    return collector.facet(FEATURE, plain(word), finding.locator, table=_OWN)


def _state(
    collector: Collector, facets: Sequence[Facet], status: StatementStatus, finding: Finding
) -> None:
    """Add a statement on the cards that every page of the plug-in speaks about."""
    refused = status in {
        StatementStatus.PLANNED, StatementStatus.REMOVED, StatementStatus.UNSUPPORTED,
    }  # fmt: skip
    cards = cards_facet("Intel Gaudi", *(EVERY_CARD if refused else BOTH))
    collector.state("feature-hardware", [*facets, cards], status, finding)


def _read_supported(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add a supported feature or scheme, with what its description takes back."""
    word, said = plain(cells[0].text), plain(cells[1].text)
    finding = collector.at_cell(table, cells[1], row=word, column=table.columns[1])
    note = "not fully with torch.compile" if _NOT_COMPILED.search(said) else ""
    finding = replace(finding, raw=f"{word}: {said}"[:80], note=note, footnotes=(said,))
    status = StatementStatus.SUPPORTED
    if "experimental" in said.casefold() or "experimental" in word.casefold():
        status = StatementStatus.EXPERIMENTAL
    scheme = collector.vocabulary.find(str(Axis.QUANTIZATION), word)
    if scheme:
        facet = facet_of(Axis.QUANTIZATION, word, *scheme)
    else:
        facet = _feature(collector, word, finding)
    _state(collector, [facet], status, finding)
    if match := _EXCLUDES.search(said):
        parts = re.split(r",\s*(?:or\s+)?|\s+or\s+", match.group(1))
        for other in (_feature(collector, part, finding) for part in parts if part):
            draft = replace(finding, note="", limit=Limit.FRAMEWORK)
            _state(collector, [facet, other], StatementStatus.UNSUPPORTED, draft)


def _read_removed(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add a discontinued feature; what replaced it goes into the note."""
    word, reason = plain(cells[0].text), plain(cells[2].text)
    finding = collector.at_cell(table, cells[2], row=word, column=table.columns[2])
    replaced = re.search(r"Replaced by ([\w -]+)", reason)
    finding = replace(
        finding,
        raw=f"{word}: {reason}"[:80],
        footnotes=(reason,),
        limit=Limit.FRAMEWORK,
        note=f"replaced by {replaced.group(1).strip()}" if replaced else "",
    )
    _state(collector, [_feature(collector, word, finding)], StatementStatus.REMOVED, finding)


def _read_experiments(collector: Collector) -> None:
    """Add each heading under "Experimental Features" as a value; the catalogue knows none."""
    for part in collector.document.headings:
        if len(part.path) > 1 and part.path[-2] == "Experimental Features":
            word = one_line(part.text.replace("\u2011", "-"))
            collector.value(
                FindingKind.VALUE,
                f"experimental/{fold_label(word).replace(' ', '-')}",
                StatementStatus.EXPERIMENTAL,
                replace(collector.at_line(part.line, word), names={"feature": word}),
                value="experimental",
            )


def read_faq(page: Page, vocabulary: Vocabulary) -> Reading:
    """The questions on requirements, key features and execution modes."""
    collector = Collector(page, vocabulary)
    for item in page.document.items_under("key features"):
        word = plain(item.text).removesuffix(".")
        finding = collector.at_line(item.line, word)
        experimental = "experimental" in word.casefold()
        status = StatementStatus.EXPERIMENTAL if experimental else StatementStatus.SUPPORTED
        if word.startswith("FP8 models and KV Cache quantization"):
            inc = facet_of(Axis.QUANTIZATION, "FP8 by INC", "inc-w8a8")
            _state(collector, [inc], status, finding)
        else:
            _state(collector, [_feature(collector, word, finding)], status, finding)
    for item in page.document.items_under("execution modes"):
        word = plain(item.text)
        finding = collector.at_line(item.line, word)
        feature = _feature(collector, word, finding)
        _state(collector, [feature], StatementStatus.SUPPORTED, finding)
    for item in page.document.items_under("have been validated on"):
        finding = collector.at_line(item.line, item.text)
        text = plain(item.text)[:80]
        collector.value(
            FindingKind.VALUE,
            f"validated/{fold_label(text)[:40]}",
            StatementStatus.VALIDATED,
            finding,
            value=text,
        )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="the questions on key features and execution modes",
            nearest="; ".join(part.text for part in page.document.headings[:6]),
        )
    return collector.reading()
