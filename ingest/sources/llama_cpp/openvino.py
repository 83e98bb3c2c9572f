"""The OpenVINO page: devices, types, and validated models in two modes of execution."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import Cell, Item, Table, fold_label
from ingest.sources.collecting import Collector, Facet, facet_of
from ingest.sources.grids import GridCell, state_cell
from ingest.sources.llama_cpp.models import model_facet
from ingest.sources.llama_cpp.tables import nearest_shape, shape_of
from ingest.sources.llama_cpp.words import type_facet
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit

_MODELS = ("model", "cpu (sl / sf)", "gpu (sl / sf)", "npu (sl)")
_OPENVINO = facet_of(Axis.BACKEND, "OpenVINO", "openvino")
_HARDWARE: Mapping[str, str] = {"cpu": "cpu-x86-intel", "gpu": "intel", "npu": "intel-npu"}
_DEVICES: Mapping[str, str] = {
    "intel cpus": "cpu-x86-intel",
    "intel gpus": "intel",
    "intel gpus (integrated and discrete)": "intel",
    "intel npus": "intel-npu",
}
_SIGNS: Mapping[str, StatementStatus] = {
    "✓": StatementStatus.SUPPORTED,
    "✗": StatementStatus.UNSUPPORTED,
}
_MODE_FLAG = "GGML_OPENVINO_STATEFUL_EXECUTION"
_MODES = (("stateless", "0"), ("stateful", "1"))
_QUANT_SUFFIX = re.compile(r"[-.](?P<type>I?Q\d\w*)(?:\.gguf)?$", re.IGNORECASE)
_REPACKER = re.compile(r"^(?P<repacker>[^/]+)/(?P<rest>.+)$")
_TYPE_ITEM = re.compile(r"^(?P<type>\w+)(?:\s*\((?P<remark>[^)]*)\))?$")
_FAILED = "failed or unsupported in the project's own validation"


def read_openvino(page: Page, vocabulary: Vocabulary) -> Reading:
    """Devices, types and validated models; older pages list the models instead of a table."""
    collector = Collector(page, vocabulary)
    for item in page.document.items_under("Supported Devices"):
        _state_device(collector, item)
    for item in page.document.items_under("Supported Model Precisions"):
        _state_type(collector, item)
    tables = [table for table in page.document.tables if shape_of(table) == _MODELS]
    listed = [item for item in page.document.items_under("Validated Models") if item.links]
    if not tables and not listed:
        raise UnexpectedPage(
            path=page.path,
            expected="the validated models as a table or a list",
            nearest=nearest_shape(page, {_MODELS}),
        )
    for table in tables:
        for cells in table.rows:
            if cells[0].text:
                _read_row(collector, table, cells)
    for item in listed if not tables else []:
        _state_listed(collector, item)
    return collector.reading()


def _state_device(collector: Collector, item: Item) -> None:
    draft = collector.at_line(item.line, item.text)
    device = collector.facet(
        Axis.HARDWARE, item.text, draft.locator, table={k: (v,) for k, v in _DEVICES.items()}
    )
    collector.state("device", [device, _OPENVINO], StatementStatus.SUPPORTED, draft)


def _state_type(collector: Collector, item: Item) -> None:
    """One supported type; a remark in brackets narrows it or says how it is computed."""
    match = _TYPE_ITEM.match(item.text)
    if item.depth or not match:
        return
    draft = collector.at_line(item.line, item.text)
    facets = [type_facet(collector, match["type"], draft.locator), _OPENVINO]
    remark = (match["remark"] or "").lower()
    if "xeon" in remark:
        facets.append(facet_of(Axis.HARDWARE, "Intel Xeon", "cpu-x86-intel-xeon"))
    if "converted" in remark:
        draft = replace(draft, note="converted to another 8-bit layout when the model is loaded")
    collector.state("type", facets, StatementStatus.SUPPORTED, draft)


def _read_row(collector: Collector, table: Table, cells: Sequence[Cell]) -> None:
    row = cells[0]
    at = collector.at_cell(table, row, row=row.text, column=table.columns[0]).locator
    model, scheme = _model_and_type(collector, row, at)
    for label, cell in zip(table.columns[1:], cells[1:], strict=False):
        word = label.split()[0]
        hardware = facet_of(Axis.HARDWARE, word, _HARDWARE[word.lower()])
        facets = [model, scheme, hardware, _OPENVINO]
        _read_cell(collector, table, row, cell, label=label, facets=facets)


def _model_and_type(collector: Collector, row: Cell, at: Locator) -> tuple[Facet, Facet]:
    """The model and the GGUF type that a row's label names together.

    The repacker's name before the slash, and before an underscore, is not the model's.
    """
    match = _QUANT_SUFFIX.search(row.text)
    name = row.text[: match.start()] if match else row.text
    scheme = type_facet(collector, match["type"].upper() if match else "", at)
    bare = name.split("/", 1)[-1]
    for candidate in (name, bare, bare.split("_", 1)[-1]):
        if collector.vocabulary.find(Axis.MODEL.value, candidate):
            return replace(model_facet(collector, candidate, at), word=name), scheme
    return model_facet(collector, name, at), scheme


def _read_cell(
    collector: Collector, table: Table, row: Cell, cell: Cell, *, label: str, facets: list[Facet]
) -> None:
    """A cell with one sign, or two: without and with state kept between calls."""
    signs = [sign.strip() for sign in cell.text.split("/")] if cell.text else []
    statuses = [_SIGNS.get(sign) for sign in signs]
    read: StatementStatus | None = StatementStatus.NOT_STATED
    if statuses:
        read = statuses[0] if len(set(statuses)) == 1 else StatementStatus.MIXED
    known = [status for status in statuses if status is not None]
    if len(known) != len(statuses) or len(known) > len(_MODES):
        read = None
    draft = collector.at_cell(table, cell, row=row.text, column=label)
    if len(known) == len(_MODES):
        draft = replace(
            draft,
            parts=tuple((mode, s) for (mode, _), s in zip(_MODES, known, strict=True)),
        )
    if read is StatementStatus.UNSUPPORTED:
        draft = replace(draft, note=_FAILED, limit=Limit.FRAMEWORK)
    grid_cell = GridCell(
        table=table, row=row, column=label, cell=cell, facets=facets, status=read, finding=draft
    )
    state_cell(collector, "model-device", grid_cell)
    if read is not StatementStatus.MIXED:
        return
    for (mode, value), status in zip(_MODES, known, strict=True):
        condition = Condition(kind=ConditionKind.ENV, name=_MODE_FLAG, op="=", value=value)
        part = replace(draft, parts=(), conditions=(condition,), note=f"in {mode} mode")
        collector.state(f"model-device/{mode}", facets, status, part)


def _state_listed(collector: Collector, item: Item) -> None:
    draft = collector.at_line(item.line, item.text)
    model = model_facet(collector, item.text, draft.locator, links=())
    if not model.known:
        named = [link.target.rstrip("/").split("huggingface.co/")[-1] for link in item.links]
        slugs = {s for n in named for s in collector.vocabulary.find(Axis.MODEL.value, n)}
        model = replace(model, slugs=frozenset(slugs))
    collector.state(
        "model-listed",
        [replace(model, key=fold_label(item.text)), _OPENVINO],
        StatementStatus.VALIDATED,
        replace(draft, kind=FindingKind.COMPATIBILITY),
    )
