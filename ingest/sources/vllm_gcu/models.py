"""Models × formats on the Enflame S60, and features of the V0 engine.

A cross means "not supported or not verified" by the page's legend and is therefore no "no".
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import fold_label
from ingest.sources.collecting import FEATURE, Collector, facet_of, one_line
from ingest.sources.grids import GridCell
from ingest.sources.plugin_pages import (
    Columns,
    ModelTable,
    find_signs,
    read_legend,
    read_model_table,
    require_findings,
)
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit

_S = StatementStatus
HARDWARE = facet_of(Axis.HARDWARE, "Enflame S60", "enflame-s60")
SIGNS = StatusTable({"✅": _S.VALIDATED, "❌": _S.UNTESTED})
LEGEND = {
    "✅": ("Supported and validated", "supported and validated"),
    "❌": ("Not supported or not verified", "not supported, or not verified"),
}
LEGEND_CHINESE = {
    "✅": ("支持并验证", "supported and validated"),
    "❌": ("尚未验证", "not supported, or not verified"),
}
_Q = Axis.QUANTIZATION
COLUMNS: Columns = {
    "fp16": (facet_of(_Q, "FP16", "fp16"),),
    "bf16": (facet_of(_Q, "BF16", "bf16"),),
    "w4a16 gptq": (facet_of(_Q, "W4A16 GPTQ", "gptq-w4a16"),),
    "w8a16 gptq": (facet_of(_Q, "W8A16 GPTQ", "gptq-w8a16"),),
    "w4a16 awq": (facet_of(_Q, "W4A16 AWQ", "awq-w4a16"),),
    "w8a16": (facet_of(_Q, "W8A16", "int8-w8a16"),),
    "w8a8 int8": (facet_of(_Q, "W8A8 INT8", "int8-w8a8"),),
    "int8 kv": (facet_of(Axis.KV_DTYPE, "INT8 KV", "kv-int8"),),
}
MODELS: Mapping[str, Iterable[str]] = {
    "deepseek-v3/r1": ("deepseek-v3", "deepseek-r1"),
    "gemma": ("gemma-1",),
    "llama(2/3/3.1)": ("llama-2", "llama-3", "llama-3.1"),
    "mixtral": ("mixtralforcausallm",),
    "qwen(1.5/2/2.5/3)": ("qwen1.5", "qwen2", "qwen2.5", "qwen3"),
    "llava": ("llava-1.5",),
}
COMPRESSOR = Condition(kind=ConditionKind.PACKAGE, name="TopsCompressor")
_KV_FILE = Condition(kind=ConditionKind.FLAG, name="--quantization-param-path")
# What the notes of the README require of the weights.
_CONDITIONS: Mapping[str, tuple[Condition, ...]] = {
    "w4a16 gptq": (COMPRESSOR,),
    "w8a16 gptq": (COMPRESSOR,),
    "w4a16 awq": (COMPRESSOR,),
    "w8a8 int8": (COMPRESSOR,),
    "int8 kv": (_KV_FILE,),
}
_FEATURE_SIGNS = StatusTable(
    {
        "🟢 functional": _S.SUPPORTED,
        "🔵 experimental": _S.EXPERIMENTAL,
        "🟡 planned": _S.PLANNED,
        "🔴 no plan": _S.UNSUPPORTED,
        "🔴 deprecated": _S.DEPRECATED,
    }
)
_FEATURE_LEGEND = {
    "🟢": ("Fully implemented", "implemented and stable"),
    "🔵": ("Prototype-level", "prototype; may change"),
    "🟡": ("Support planned", "planned or in progress"),
    "🔴": ("Not supported or deprecated", "not supported, or deprecated upstream"),
}
_FEATURES: Mapping[str, Iterable[str]] = {
    "graph mode": ("device-graphs",),
    "expert parallel (moe)": ("expert-parallel",),
    "multi-modality": ("multimodal",),
}
_V0_NOTE = "stated for the V0 engine, the only one that the page speaks about"
_V0 = Condition(kind=ConditionKind.OTHER, name="engine", op="=", value="V0")


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The tables of models × formats; rows of the second lack their closing pipe."""
    collector = Collector(page, vocabulary)
    read_format_tables(collector, area="models")
    require_findings(collector, expected='tables with "Model", "FP16" and "W4A16 GPTQ"')
    read_legend(collector, "models", find_signs(page.document, LEGEND))
    return collector.reading("models")


def read_format_tables(collector: Collector, *, area: str) -> None:
    """Add every table of the page whose columns are formats."""
    for table in collector.document.tables:
        if table.has_columns(("FP16", "BF16", "W4A16 GPTQ")):
            read_model_table(
                collector,
                table,
                ModelTable(area, (HARDWARE,), COLUMNS, SIGNS, MODELS, _refine),
            )


def _refine(found: GridCell) -> None:
    """Weights of these formats have to come from the vendor's own tool."""
    if found.status is _S.VALIDATED:
        found.change(conditions=_CONDITIONS.get(fold_label(found.column), ()))


def read_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """The feature tables, which speak about the V0 engine alone."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if not table.has_columns(("Feature", "V0 Engine")):
            continue
        column = table.columns[table.column("V0 Engine")]
        for cells in table.rows:
            cell = cells[table.column("V0 Engine")]
            finding = collector.at_cell(table, cell, row=cells[0].text, column=column)
            facet = collector.facet(FEATURE, cells[0].text, finding.locator, table=_FEATURES)
            status = _FEATURE_SIGNS.read(cell)
            if status is None:
                collector.miss("status", cell.text, finding.locator)
                status = _S.NOT_STATED
            if status is _S.DEPRECATED:
                # The sign says "not supported, or deprecated upstream": no yes and no plain no.
                collector.value(
                    FindingKind.VALUE,
                    f"feature-text/{facet.key_part}",
                    status,
                    replace(finding, names={"feature": cells[0].text}),
                    value=one_line(cell.text),
                )
                continue
            if status in {_S.UNSUPPORTED, _S.PLANNED}:
                # No other engine of the plug-in is documented, so this is no condition.
                finding = replace(finding, limit=Limit.FRAMEWORK, note=_V0_NOTE)
            else:
                finding = replace(finding, conditions=(_V0,))
            collector.state("feature", [facet, HARDWARE], status, finding)
    require_findings(collector, expected='tables with "Feature" and "V0 Engine"')
    read_legend(collector, "features", find_signs(page.document, _FEATURE_LEGEND))
    return collector.reading()
