"""MLPerf Inference: LoadGen logs, the table of a round's results, system and weight descriptions.

**Source**: in the table and in system descriptions accelerators are counted by node.
"""

import re
from collections.abc import Mapping

from benchmarks_app.contract import (
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Measurement,
    RunReading,
)
from benchmarks_app.domain.levels import RunStatus
from benchmarks_app.importers.mlperf_log import (
    load_mode,
    read_detail,
    read_summary,
    recognise_log,
)
from benchmarks_app.importers.taking import measure, non_finite_notices
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields

TOOL = "mlperf"
_UNKNOWN = frozenset({"", "n/a", "na", "none", "unset", "unknown", "tbd", "-"})
_ROW_TEXTS = {
    "mlperf.id": "ID", "submitter": "Submitter", "model.id": "Model",
    "mlperf.scenario": "Scenario", "mlperf.division": "Category", "mlperf.round": "version",
    "mlperf.sut": "System", "accelerator.name": "Accelerator",
    "quantization.weights": "weight_data_types", "host.cpu": "Processor",
    "host.os": "operating_system",
}  # fmt: skip
_SYSTEM_TEXTS = {
    "submitter": "submitter", "mlperf.division": "division", "mlperf.sut": "system_name",
    "accelerator.name": "accelerator_model_name", "host.cpu": "host_processor_model_name",
    "host.os": "operating_system", "accelerator.topology": "accelerator_interconnect",
}  # fmt: skip
_RATES = {
    "tokens/s": "output_token_throughput",
    "samples/s": "request_throughput",
    "queries/s": "request_throughput",
}
_NAMED = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9+ ._-]*?)[\s-]+v?(?P<version>\d[\w.+~-]*)")
_RUNTIME = re.compile(r"(?i)(?:CUDA|ROCm|CANN|oneAPI)\s+v?\d[\w.~-]*")


def _recognises(document: Document) -> str | None:
    if document.kind is Kind.TEXT:
        return recognise_log(document.text)
    value = document.value
    if document.kind is not Kind.JSON:
        return None
    if isinstance(value, list) and value and isinstance(value[0], dict):
        own = {"Performance_Result", "Performance_Units", "Scenario", "a#"} <= set(value[0])
        return "mlperf.summary_results" if own else None
    if not isinstance(value, dict):
        return None
    if {"accelerator_model_name", "accelerators_per_node", "system_name", "submitter"} <= set(
        value
    ):
        return "mlperf.system_desc"
    if {"weight_data_types", "starting_weights_filename"} <= set(value):
        return "mlperf.measurements"
    return None


def _read(document: Document, found: str) -> FileReading:
    if found == "mlperf.loadgen_summary":
        return read_summary(document.name, document.text, found, TOOL)
    if found == "mlperf.detail_log":
        return read_detail(document.text, found, TOOL)
    if found == "mlperf.summary_results":
        rows = document.value if isinstance(document.value, list) else []
        runs = [_read_row(Fields(row, f"$[{i}]"), i) for i, row in enumerate(rows)]
        return FileReading(found, TOOL, FileRole.RUNS, runs=tuple(runs))
    fields = Fields(document.value)
    facts = _system(fields) if found == "mlperf.system_desc" else _measured_with(fields)
    return FileReading(
        found, TOOL, FileRole.SIDECAR, facts=facts, completes=(TOOL,),
        notices=non_finite_notices(fields), unmapped=fields.rest(),
    )  # fmt: skip


def _read_row(row: Fields, index: int) -> RunReading:
    facts = {"tool.name": Fact("MLPerf LoadGen"), **_texts(row, _ROW_TEXTS)}
    if row.peek("UsedModel") == row.peek("Model"):
        row.ignore("UsedModel")
    facts |= _count(row, "a#", "Nodes")
    facts |= _software(row.peek("Software"), row.place("Software"))
    scenario = facts["mlperf.scenario"].value if "mlperf.scenario" in facts else ""
    metrics = (*_result(row, str(scenario)), *_power(row))
    return RunReading(
        index=index, status=RunStatus.OK if metrics else RunStatus.SUSPECT, pointer=row.pointer,
        facts=facts, load=Load(mode=load_mode(str(scenario))), metrics=metrics,
        notices=non_finite_notices(row), unmapped=row.rest(),
    )  # fmt: skip


def _texts(fields: Fields, names: Mapping[str, str]) -> dict[str, Fact]:
    """Facts of texts; what stands for "unknown" in these files is none."""
    found = {}
    for fact, name in names.items():
        value = fields.text(name)
        if value is not None and value.lower() not in _UNKNOWN:
            found[fact] = Fact(value, pointer=fields.place(name))
    return found


def _count(fields: Fields, by_node: str, nodes: str) -> dict[str, Fact]:
    """The accelerators of all nodes; counts may be written as texts."""
    each, number = fields.number_text(by_node), fields.number_text(nodes)
    if fields.peek(by_node) == "":
        fields.take(by_node)
    if each is None or number is None or not (each * number).is_integer() or each * number <= 0:
        return {}
    return {"accelerator.count": Fact(int(each * number), pointer=fields.place(by_node))}


def _software(text: object, place: str) -> dict[str, Fact]:
    """The first named program with its version, and the accelerator's runtime.

    The field is free text; of a list that begins otherwise nothing is taken. It stays unmapped as
    a whole, since it says more than the first item.
    """
    if not isinstance(text, str) or not text.strip():
        return {}
    items = [item.strip() for item in text.split(",")]
    found: dict[str, Fact] = {}
    named = _NAMED.fullmatch(items[0])
    if named:
        found["framework.name"] = Fact(named["name"].strip(), pointer=place)
        found["framework.version"] = Fact(named["version"], pointer=place)
    elif re.fullmatch(r"[A-Za-z][A-Za-z0-9 ._-]*", items[0]):
        found["framework.name"] = Fact(items[0], pointer=place)
    runtime = next((item for item in items if _RUNTIME.fullmatch(item)), None)
    if runtime:
        found["accelerator.runtime"] = Fact(runtime, pointer=place)
    return found


def _result(row: Fields, scenario: str) -> tuple[Measurement, ...]:
    unit = row.peek("Performance_Units")
    plain = unit.strip().lower() if isinstance(unit, str) else ""
    pointer = row.place("Performance_Result")
    if plain in _RATES:
        value = row.number_text("Performance_Result")
        stats = {} if value is None else {"value": value}
        row.ignore("Performance_Units")
        return measure(_RATES[plain], stats, pointer=pointer, definition="reported")
    # The rules judge a single stream by its P90 and several streams by their P99.
    stat = {"singlestream": "p90", "multistream": "p99"}.get(scenario.lower())
    factor = {"latency (ms)": 1.0, "latency (s)": 1000.0, "latency (ns)": 1e-6}.get(plain)
    if stat is None or factor is None:
        return ()
    value = row.number_text("Performance_Result")
    row.ignore("Performance_Units")
    return measure(
        "e2el", {} if value is None else {stat: value * factor}, pointer=pointer,
        definition="batch-query" if stat == "p99" else "client", method="nearest_rank",
    )  # fmt: skip


def _power(row: Fields) -> tuple[Measurement, ...]:
    unit = row.peek("Power_Units")
    if not isinstance(unit, str) or unit.strip().lower() not in ("watts", "w"):
        return ()
    value = row.number_text("Power_Result")
    if value is None:
        return ()
    row.ignore("Power_Units")
    return measure(
        "avg_power", {"value": value}, pointer=row.place("Power_Result"), basis="system"
    )  # fmt: skip


def _system(fields: Fields) -> dict[str, Fact]:
    facts = _texts(fields, _SYSTEM_TEXTS)
    facts |= _count(fields, "accelerators_per_node", "number_of_nodes")
    return facts | _software(fields.peek("framework"), "$.framework")


def _measured_with(fields: Fields) -> dict[str, Fact]:
    return _texts(fields, {"quantization.weights": "weight_data_types"})


IMPORTER = Importer(
    tool=TOOL,
    formats=(
        "mlperf.loadgen_summary",
        "mlperf.detail_log",
        "mlperf.summary_results",
        "mlperf.system_desc",
        "mlperf.measurements",
    ),
    recognises=_recognises,
    read=_read,
)
