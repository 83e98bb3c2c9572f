"""Hugging Face's optimum-benchmark: the report, and the configuration and prints beside it.

**Source**: files of optimum-benchmark 0.2 to 0.6; see docs/benchmark-formats.md.
"""

import re
from dataclasses import replace

from benchmarks_app.contract import (
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Notice,
    RunReading,
)
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.optimum_benchmark.config import is_config, read_config
from benchmarks_app.importers.optimum_benchmark.report import PHASES, is_report, read_report
from benchmarks_app.importers.taking import non_finite_notices
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields

_TOOL = "optimum_benchmark"
_REPORT, _SIDECAR = "optimum_benchmark.report", "optimum_benchmark.sidecar"
_LOG = "optimum_benchmark.log"
_CONFIG_FILE = "benchmark_config.json"
_PHASE = "|".join(PHASES)
_MARKDOWN = re.compile(rf"\A\s*# (?:{_PHASE}):\s*\n")
# The first line of its log, coloured or not.
_LOG_LINE = re.compile(
    r"\A\s*\[(?:MAIN|ISOLATED|RANK)-PROCESS[^\]\n]{0,20}\]\[.{0,12}\d{4}-\d\d-\d\d "
)
_PRINT = re.compile(rf"\A\s*\+ (?:{_PHASE}):\s*\n\s+\+ \w+:")


def recognises(document: Document) -> str | None:
    """The format of a file of optimum-benchmark."""
    if document.kind is Kind.JSON:
        value = document.value
        if is_report(value) or _is_whole(value):
            return _REPORT
        return _SIDECAR if is_config(value) else None
    if document.text and (_MARKDOWN.match(document.text) or _PRINT.match(document.text)):
        return _SIDECAR
    return _LOG if _LOG_LINE.match(document.text) else None


def read(document: Document, found: str) -> FileReading:
    """The run of a report, or the facts of a configuration."""
    if found == _REPORT:
        run = _read_whole(document) if _is_whole(document.value) else _read_alone(document)
        return FileReading(format=found, tool=_TOOL, role=FileRole.RUNS, runs=(run,))
    if document.kind is Kind.JSON:
        config = Fields(document.value)
        facts = read_config(config)
        return FileReading(
            format=found,
            tool=_TOOL,
            role=FileRole.SIDECAR,
            facts=facts,
            completes=(_TOOL,),
            notices=non_finite_notices(config),
            unmapped=config.rest(),
            withheld=config.withheld(),
        )
    if found == _LOG:
        return FileReading(
            format=found,
            tool=_TOOL,
            role=FileRole.ATTACHMENT,
            completes=(_TOOL,),
            reason="This is the log of optimum-benchmark: kept as evidence; send "
            "benchmark_report.json and benchmark_config.json for a run.",
        )
    return FileReading(
        format=found,
        tool=_TOOL,
        role=FileRole.SIDECAR,
        completes=(_TOOL,),
        reason="This print repeats, rounded, the numbers of benchmark_report.json; send that file.",
    )


def _is_whole(value: object) -> bool:
    """``benchmark.json`` holds configuration and report in one."""
    if not isinstance(value, dict):
        return False
    return is_report(value.get("report")) and is_config(value.get("config"))


def _read_alone(document: Document) -> RunReading:
    report = Fields(document.value)
    run = _run(report)
    needed = Notice("needs_sibling", _CONFIG_FILE, pointer="$")
    return replace(run, notices=(*run.notices, needed), unmapped=report.rest())


def _read_whole(document: Document) -> RunReading:
    whole = Fields(document.value)
    config = whole.child("config")
    facts = read_config(config)
    run = _run(whole.child("report"))
    shapes = config.child("scenario").child("input_shapes")
    return replace(
        run,
        facts={**run.facts, **facts},
        load=Load(mode=LoadMode.OFFLINE_BATCH, batch_size=shapes.integer("batch_size")),
        unmapped=whole.rest(),
        withheld=whole.withheld(),
    )


def _run(report: Fields) -> RunReading:
    metrics, samples = read_report(report)
    return RunReading(
        index=0,
        status=RunStatus.OK if metrics else RunStatus.SUSPECT,
        pointer=report.pointer,
        facts={"tool.name": Fact("optimum-benchmark")},
        load=Load(mode=LoadMode.OFFLINE_BATCH),
        metrics=metrics,
        samples=samples,
        notices=(Notice("no_date", pointer=report.pointer), *non_finite_notices(report)),
    )


IMPORTER = Importer(tool=_TOOL, formats=(_REPORT, _SIDECAR, _LOG), recognises=recognises, read=read)
