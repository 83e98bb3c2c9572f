"""The notes below LMDeploy's model tables, as limits of their own."""

import re
from dataclasses import dataclass, replace

from ingest.contract import StatementStatus
from ingest.reading.document import Cell, Document, fold_label
from ingest.sources.collecting import FEATURE, Collector, facet_of
from ingest.sources.lmdeploy.words import CUDA, ORIGINAL_LLAVA, PYTORCH, TURBOMIND, engine_chosen
from matrix.domain.levels import Axis, Limit

_WINDOW = re.compile(r"TurboMind engine doesn't support window attention", re.IGNORECASE)
_HEAD_DIM = re.compile(r"head_dim of a model is not 128, such as (.+?),? turbomind doesn't")
_VISION = re.compile(r"TurboMind does not currently support the vision encoder for the (\S+) ")
_FLOAT16 = re.compile(r"(\S+) does not support FP16")
_LLAVA = re.compile(r"removes the support of original llava models after v([\d.]+)")
_DROPPED = re.compile(
    r"[Ff]rom version ([\d.]+), PytorchEngine no longer provides support for (\w+)"
)

# The small models that the note gives as examples of another head size.
_SMALL = {
    "llama3.2-1b": ("meta-llama--llama-3.2-1b", "meta-llama--llama-3.2-1b-instruct"),
    "qwen2-0.5b": ("qwen--qwen2-0.5b", "qwen--qwen2-0.5b-instruct"),
    "internvl2-1b": ("opengvlab--internvl2-1b",),
}
_VISION_MODELS = {"qwen3.5": ("qwen3.5", "qwen3.5-moe")}
_OTHER_HEAD = "only where head_dim is 128; small sizes such as 0.5B and 1B are left out"
_STAR = "the page marks this yes with a star that it does not explain here"


@dataclass(frozen=True, slots=True)
class MarkNote:
    """What the mark beside a model's name says of its row."""

    said: str = ""
    texts: tuple[str, ...] = ()
    narrow: frozenset[str] | None = None  # The precisions that remain.


def mark_note(document: Document, row: Cell, *, starred: bool) -> MarkNote:
    """Our words for the notes that a row's marks point at."""
    notes = [note for mark in row.marks if (note := document.footnote(mark, row.line))]
    texts = tuple(note.text for note in notes)
    whole = " ".join(texts)
    if starred:
        explained = whole or (_unnumbered(document) if not row.marks else "")
        return MarkNote(_OTHER_HEAD if _HEAD_DIM.search(explained) else _STAR, texts)
    if _WINDOW.search(whole):
        return MarkNote("TurboMind runs it without sliding window attention", texts)
    if (match := _VISION.search(whole)) and fold_label(match.group(1)) in fold_label(row.text):
        return MarkNote("without the vision encoder", texts)
    if _FLOAT16.search(whole):
        return MarkNote("BF16 only", texts, frozenset({"bf16"}))
    return MarkNote(texts=texts)


def _unnumbered(document: Document) -> str:
    """The note on head sizes of 0.6.4, which has no number: every star means it."""
    items = (item.text for item in document.items if not item.text.startswith("["))
    return " ".join(text for text in items if _HEAD_DIM.search(text))


def read_notes(collector: Collector) -> None:
    """Add what single notes refuse: a feature, small models' KV cache, dropped models."""
    for number, line in enumerate(collector.document.source_lines, start=1):
        if match := _WINDOW.search(line):
            _refuse(collector, number, match, area="window", feature="sliding-window", model="")
        if match := _VISION.search(line):
            for slug in _VISION_MODELS.get(fold_label(match.group(1)), ()):
                _refuse(
                    collector, number, match, area="vision", feature="multimodal-image", model=slug
                )
        if match := _HEAD_DIM.search(line):
            _refuse_small(collector, number, match.group(1))
        if match := _FLOAT16.search(line):
            _refuse_float16(collector, number, match)
        _read_dropped(collector, number, line)


def _refuse(
    collector: Collector, number: int, match: re.Match[str], *, area: str, feature: str, model: str
) -> None:
    facets = [facet_of(FEATURE, feature, feature), CUDA]
    if model:
        facets.insert(0, facet_of(Axis.MODEL, model, model))
    finding = replace(
        collector.at_line(number, match.group(0)),
        limit=Limit.FRAMEWORK,
        conditions=(engine_chosen(TURBOMIND),),
        note="a limit of the TurboMind engine",
    )
    collector.state(f"note-{area}", facets, StatementStatus.UNSUPPORTED, finding)


def _refuse_small(collector: Collector, number: int, names: str) -> None:
    words = [word for word in re.split(r",\s*|\s+and\s+|\s+", names) if word]
    for word in words:
        slugs = _SMALL.get(fold_label(word))
        finding = replace(
            collector.at_line(number, word),
            limit=Limit.MODEL,
            conditions=(engine_chosen(TURBOMIND),),
            note="its head_dim is not 128",
        )
        model = (
            facet_of(Axis.MODEL, word, *slugs)
            if slugs
            else collector.facet(Axis.MODEL, word, finding.locator)
        )
        kv = facet_of(Axis.KV_DTYPE, "4/8 bit", "kv-int4", "kv-int8")
        collector.state("note-head-dim", [model, kv], StatementStatus.UNSUPPORTED, finding)


def _refuse_float16(collector: Collector, number: int, match: re.Match[str]) -> None:
    finding = replace(
        collector.at_line(number, match.group(0)),
        limit=Limit.MODEL,
        conditions=(engine_chosen(PYTORCH),),
        note="numerically unstable in FP16; BF16 works",
    )
    model = collector.facet(Axis.MODEL, match.group(1), finding.locator)
    collector.state(
        "note-float16",
        [model, facet_of(Axis.QUANTIZATION, "FP16", "fp16")],
        StatementStatus.UNSUPPORTED,
        finding,
    )


def _read_dropped(collector: Collector, number: int, line: str) -> None:
    """Add what the PyTorch engine dropped; no other engine of the page runs these models."""
    if match := _DROPPED.search(line):
        finding = replace(
            collector.at_line(number, match.group(0)),
            names={"engine": "PyTorch", "since": match.group(1)},
            since=match.group(1),
            open_ended=True,
            limit=Limit.FRAMEWORK,
            note="dropped by the PyTorch engine, the only one that ran it",
        )
        model = collector.facet(
            Axis.MODEL, match.group(2), finding.locator, table={"mllama": ("llama-3.2-vision",)}
        )
        collector.state("model-dropped", [model], StatementStatus.REMOVED, finding)
    if match := _LLAVA.search(line):
        finding = replace(
            collector.at_line(number, match.group(0)),
            names={"engine": "PyTorch", "last": match.group(1)},
            value=match.group(1),
            open_ended=True,
            limit=Limit.FRAMEWORK,
            conditions=(engine_chosen(PYTORCH),),
            note="the checkpoints converted for Transformers take their place",
        )
        collector.state(
            "model-dropped",
            [facet_of(Axis.MODEL, "original llava", *ORIGINAL_LLAVA, key="llava-original")],
            StatementStatus.REMOVED,
            finding,
        )
