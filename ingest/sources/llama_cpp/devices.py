"""Smaller backend pages: VirtGPU, ET, Snapdragon, BLIS, and MUSA in the build guide."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector, Facet, facet_of
from ingest.sources.llama_cpp.models import model_facet
from ingest.sources.llama_cpp.tables import find_tables, read_value_columns, scope_of_backend
from ingest.sources.llama_cpp.words import SUPPORT_WORDS, type_facet
from matrix.domain.levels import Axis, Execution

_VIRTGPU = facet_of(Axis.BACKEND, "VirtGPU", "virtgpu")
_CI_WORDS: Mapping[str, StatementStatus] = {
    "": StatementStatus.NOT_STATED,
    "x": StatementStatus.VALIDATED,
    "not working": StatementStatus.KNOWN_ISSUES,
}
_ET = (
    facet_of(Axis.BACKEND, "ET", "et"),
    facet_of(Axis.HARDWARE, "ET-SoC", "ainekko-et"),
)
_ET_TYPES = re.compile(
    r"Only (?P<full>`\w+`(?:, `\w+`)*) \(and partially (?P<part>`\w+`(?:, `\w+`)*)\)"
    r" quantization is supported"
)
_CODE = re.compile(r"`(\w+)`")
_ET_MODEL = re.compile(r"^(?P<name>[^(,]+?)(?: model family)?(?: \(.*| ?,.*|\.)?$")
_MUSA = re.compile(r"enables only compute capability `(?P<version>[\d.]+)` \((?P<device>[^)]+)\)")
_HIP_EXAMPLE = re.compile(r"assuming a (?P<target>gfx\d+[0-9a-f]*)-compatible AMD GPU")
_MMQ = re.compile(r"kernels for quantized models .*\(affects (?P<targets>[^)]*)\)")
_MMQ_JOINTS = re.compile(r",\s*|\s+and\s+")
# The hardware that the option names, with the backend that drives it there.
_MMQ_TARGETS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "v100": ("cuda", ("nvidia-volta",)),
    "cdna": ("rocm", ("amd-cdna",)),
    "rdna3": ("rocm", ("amd-rdna3",)),
    "rdna3+": ("rocm", ("amd-rdna3", "amd-rdna3.5", "amd-rdna4")),
}
# The page says "quantized models"; kept to the types that every release with the option has.
_MMQ_TYPES = (
    "gguf-k",
    "gguf-q4-0",
    "gguf-q4-1",
    "gguf-q5-0",
    "gguf-q5-1",
    "gguf-q8-0",
)
_SNAPDRAGON = re.compile(r"supports three backends on Snapdragon-based devices")


def read_virtgpu(page: Page, vocabulary: Vocabulary) -> Reading:
    """Host systems of the virtual GPU; deployment facts, not claims."""
    collector = Collector(page, vocabulary)
    shape = ("os", "status", "backend", "ci testing", "notes")
    for table in find_tables(page, (shape,), "the table of host systems"):
        for cells in table.rows:
            for index, words in ((1, None), (3, _CI_WORDS)):
                cell, label = cells[index], table.columns[index]
                draft = collector.at_cell(table, cell, row=cells[0].text, column=label)
                status = SUPPORT_WORDS.read(cell)
                if words is not None:
                    status = words.get(fold_label(cell.text))
                if status is None:
                    collector.miss("status", cell.text, draft.locator)
                    status = StatementStatus.NOT_STATED
                collector.value(
                    FindingKind.DEPLOYMENT,
                    f"os/virtgpu/{fold_label(cells[0].text)}/{fold_label(label)}",
                    status,
                    replace(draft, names={"os": cells[0].text}, scope=scope_of_backend(_VIRTGPU)),
                )
        read_value_columns(collector, table, "os/virtgpu", ["Backend", "Notes"])
    return collector.reading()


def read_et(page: Page, vocabulary: Vocabulary) -> Reading:
    """The types and models that run on ET-SoC; the rest falls back to the CPU."""
    collector = Collector(page, vocabulary)
    lines = page.document.source_lines
    found = [(n, m) for n, line in enumerate(lines, 1) if (m := _ET_TYPES.search(line))]
    if not found:
        raise UnexpectedPage(
            path=page.path,
            expected="the sentence that lists the supported types",
            nearest=", ".join(h.text for h in page.document.headings[:6]),
        )
    for number, match in found:
        _state_et_types(collector, number, match)
    start = next((n for n, text in enumerate(lines, 1) if "Fully supported models" in text), None)
    for item in page.document.items_under("Limitations"):
        if start is None or item.line <= start:
            continue
        name = _ET_MODEL.match(item.text)
        draft = collector.at_line(item.line, item.text)
        model = model_facet(collector, name["name"] if name else item.text, draft.locator)
        collector.state("model", [model, *_ET], StatementStatus.SUPPORTED, draft)
    return collector.reading()


def _state_et_types(collector: Collector, number: int, match: re.Match[str]) -> None:
    draft = collector.at_line(number, match[0])
    named: set[str] = set()
    for group, status in (
        ("full", StatementStatus.SUPPORTED),
        ("part", StatementStatus.PARTIAL),
    ):
        for word in _CODE.findall(match[group]):
            facet = type_facet(collector, word, draft.locator)
            named |= {slug for slug in facet.slugs if slug.startswith("gguf-")}
            note = "partly supported; which operators is not stated" if group == "part" else ""
            collector.state("type", [facet, *_ET], status, replace(draft, note=note))
    others = Facet(
        axis=Axis.QUANTIZATION,
        word="other GGUF types",
        slugs=frozenset({"gguf"}),
        exclude=frozenset(named),
        key="others",
    )
    fall_back = replace(
        draft, execution=Execution.CPU_FALLBACK, note="not computed on the device, but on the CPU"
    )
    collector.state("type", [others, *_ET], StatementStatus.PARTIAL, fall_back)


def read_build(page: Page, vocabulary: Vocabulary) -> Reading:
    """Devices that the build guide names: MUSA capabilities, HIP targets of its examples."""
    collector = Collector(page, vocabulary)
    if not any("build" in heading.text.lower() for heading in page.document.headings):
        raise UnexpectedPage(
            path=page.path, expected="the build guide", nearest=page.document.title
        )
    for number, line in enumerate(page.document.source_lines, 1):
        if match := _MUSA.search(line):
            draft = replace(collector.at_line(number, match[0]), value=match["version"])
            device = collector.facet(Axis.HARDWARE, match["device"], draft.locator)
            musa = facet_of(Axis.BACKEND, "MUSA", "musa")
            collector.state("musa", [device, musa], StatementStatus.SUPPORTED, draft)
        if match := _HIP_EXAMPLE.search(line):
            draft = collector.at_line(number, match[0])
            target = collector.facet(Axis.HARDWARE, match["target"], draft.locator)
            hip = facet_of(Axis.BACKEND, "HIP", "rocm")
            collector.state("hip-example", [target, hip], StatementStatus.SUPPORTED, draft)
        if match := _MMQ.search(line):
            _state_mmq(collector, number, match)
    return collector.reading()


def _state_mmq(collector: Collector, number: int, match: re.Match[str]) -> None:
    """Hardware on which quantized models run either way: by own kernels or by 16-bit BLAS."""
    draft = replace(
        collector.at_line(number, f"affects {match['targets']}"),
        note="by the quantized kernels or by 16-bit BLAS, as the build chooses",
    )
    types = facet_of(Axis.QUANTIZATION, "quantized models", *_MMQ_TYPES, key="quantized")
    for word in _MMQ_JOINTS.split(match["targets"]):
        meaning = _MMQ_TARGETS.get(word.strip().lower())
        if meaning is None:
            collector.miss(Axis.HARDWARE, word, draft.locator)
            continue
        backend, hardware = meaning
        facets = [
            types,
            facet_of(Axis.HARDWARE, word, *hardware, key=hardware[0]),
            facet_of(Axis.BACKEND, backend, backend),
        ]
        collector.state("quantized-kernels", facets, StatementStatus.SUPPORTED, draft)


_SNAPDRAGON_BACKENDS: Sequence[tuple[str, Sequence[str]]] = (
    ("cpu", ("cpu-snapdragon",)),
    ("opencl", ("qualcomm-adreno",)),
    ("hexagon", ("qualcomm-hexagon",)),
)


def read_snapdragon(page: Page, vocabulary: Vocabulary) -> Reading:
    """The three backends of a Snapdragon device; older pages do not say so in one sentence."""
    collector = Collector(page, vocabulary)
    if "snapdragon" not in page.document.title.lower():
        raise UnexpectedPage(
            path=page.path, expected="a page about Snapdragon", nearest=page.document.title
        )
    for number, line in enumerate(page.document.source_lines, 1):
        if not (match := _SNAPDRAGON.search(line)):
            continue
        draft = collector.at_line(number, match[0])
        for backend, hardware in _SNAPDRAGON_BACKENDS:
            facets = [
                facet_of(Axis.BACKEND, backend, backend),
                facet_of(Axis.HARDWARE, "Snapdragon", *hardware),
            ]
            collector.state("snapdragon", facets, StatementStatus.SUPPORTED, draft)
    return collector.reading()
