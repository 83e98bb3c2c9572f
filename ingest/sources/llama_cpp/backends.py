"""The README's table of backends and its statements about processors and backends."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Item, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.grids import require_table
from ingest.sources.llama_cpp.words import LEFT_OUT, backend_facet, split_progress
from matrix.domain.levels import Axis

_BACKEND, _TARGETS = "Backend", "Target devices"

# What each wording of the target column stands for; no slugs = the backend is not restricted.
_NO_GPU = ("ascend", "aws-neuron", "cpu", "google-tpu", "intel-gaudi", "intel-npu")
TARGETS: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "gpu": (),
    "virtgpu apir": (),
    "apple silicon": ("apple",),
    "intel gpu": ("intel",),
    "intel and nvidia gpu": ("intel", "nvidia"),
    "intel cpus, gpus, and npus": ("cpu-x86-intel", "intel", "intel-npu"),
    "nvidia gpu": ("nvidia",),
    "amd gpu": ("amd",),
    "amd cpu": ("cpu-x86-amd",),
    "moore threads gpu": ("moore-threads",),
    "moore threads mtt gpu": ("moore-threads",),
    "ascend npu": ("ascend",),
    "adreno gpu": ("qualcomm-adreno",),
    "snapdragon": ("qualcomm-hexagon",),
    # Said of zDNN only, whose own page lists the z17 and refuses the z16.
    "ibm z & linuxone": ("cpu-z17",),
}


def read_backends(page: Page, vocabulary: Vocabulary) -> Reading:
    """One statement a backend; a backend without a row is not stated, not refused."""
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=(_BACKEND, _TARGETS))
    name_at, targets_at = table.column(_BACKEND), table.column(_TARGETS)
    for cells in table.rows:
        label, cell = cells[name_at], cells[targets_at]
        draft = collector.at_cell(table, cell, row=label.text, column=table.columns[targets_at])
        backend = backend_facet(collector, label.text, draft.locator)
        name, in_progress = split_progress(label.text)
        status = StatementStatus.SUPPORTED
        if in_progress:
            status = StatementStatus.WORK_IN_PROGRESS
            draft = replace(draft, note=f"the {name} backend is marked as in progress")
        if not cell.text:
            status = StatementStatus.NOT_STATED
        facets = [backend, *_target_facets(collector, cell, label)]
        collector.state("backend", facets, status, replace(draft, names={"backend": name}))
    for item in page.document.items:
        _read_bullet(collector, item)
    return collector.reading()


def _target_facets(collector: Collector, cell: Cell, label: Cell) -> list[Facet]:
    word = fold_label(cell.text)
    at = collector.at_line(cell.line, cell.raw).locator
    if word not in TARGETS:
        collector.miss(Axis.HARDWARE, cell.text, at)
        return [Facet(axis=Axis.HARDWARE, word=cell.text)]
    slugs = TARGETS[word]
    if word == "gpu":
        # "GPU" names no vendor: everything but what is certainly no GPU.
        return [Facet(axis=Axis.HARDWARE, word=cell.text, exclude=frozenset(_NO_GPU), key="gpu")]
    exclude = LEFT_OUT.get(fold_label(split_progress(label.text)[0]), frozenset())
    target = Facet(Axis.HARDWARE, cell.text, frozenset(slugs), exclude, key="target")
    return [target] if slugs else []


def _backend(slug: str, word: str = "") -> Facet:
    return facet_of(Axis.BACKEND, word or slug, slug)


def _hardware(*slugs: str) -> Facet:
    return facet_of(Axis.HARDWARE, ", ".join(slugs), *slugs)


# Statements of the description: a pattern, and what it says of which backend and hardware.
_BULLETS: Sequence[tuple[re.Pattern[str], Sequence[Facet]]] = (
    (re.compile(r"^Apple silicon is a first-class"), [_hardware("apple", "cpu-apple")]),
    (re.compile(r"\bAVX\b.* support for x86"), [_backend("cpu"), _hardware("cpu-x86")]),
    (re.compile(r"\bRVV\b.* support for RISC-V"), [_backend("cpu"), _hardware("cpu-riscv64")]),
    (re.compile(r"^Custom CUDA kernels"), [_backend("cuda"), _hardware("nvidia")]),
    (re.compile(r"support for AMD GPUs via HIP"), [_backend("rocm"), _hardware("amd")]),
    (re.compile(r"Moore Threads.* GPUs via MUSA"), [_backend("musa"), _hardware("moore-threads")]),
    (re.compile(r"^CPU\+GPU hybrid inference"), [facet_of(FEATURE, "hybrid", "gpu-layers")]),
)


def _read_bullet(collector: Collector, item: Item) -> None:
    for pattern, facets in _BULLETS:
        match = pattern.search(item.text)
        if match:
            draft = collector.at_line(item.line, match[0])
            collector.state("description", facets, StatementStatus.SUPPORTED, draft)
