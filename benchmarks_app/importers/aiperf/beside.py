"""Reads what AIPerf writes beside a summary: server metrics and the manifest of phases.

Server metrics are counters of the server's own clock and are never taken for the client's.
"""

import re
from collections.abc import Mapping

from benchmarks_app.contract import Fact, FileReading, FileRole
from benchmarks_app.importers.aiperf.settings import withhold_secrets
from benchmarks_app.importers.aiperf.summary import TOOL, withhold_messages
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.private import part_private
from benchmarks_app.reading.tables import read_csv

_COMMENT = re.compile(r"#\s*(?P<name>\w+):\s*(?P<value>.+)")


def read_server_metrics(document: Document, form: str) -> FileReading:
    """The tool's version for the run beside it; the metrics stay unmapped, as the server's."""
    if document.kind is Kind.JSON:
        return _server_json(document, form)
    return _server_table(document, form)


def _server_json(document: Document, form: str) -> FileReading:
    report = Fields(document.value)
    report.child("summary").withhold(
        "endpoints_configured", "endpoints_successful", "endpoints_tested", "endpoint_info"
    )
    withhold_secrets(report.child("input_config"))
    facts = _version(report.text("aiperf_version"), report.place("aiperf_version"))
    for group in ("metrics", "warmup_metrics"):
        metrics = report.child(group)
        for name in metrics.value:
            for series in metrics.child(name).children("series"):
                series.withhold("endpoint_url")
    return _sidecar(report.rest(), report.withheld(), form, facts)


def _server_table(document: Document, form: str) -> FileReading:
    facts: dict[str, Fact] = {}
    unmapped: dict[str, object] = {}
    withheld: list[str] = []
    header: tuple[str, ...] = ()
    for row in read_csv(document.text):
        place = f"line {row.line}"
        comment = _COMMENT.match(row.cells[0]) if row.cells else None
        if comment and comment["name"] == "aiperf_version":
            facts |= _version(comment["value"], place)
        elif row.cells[:1] == ("Endpoint",):
            header = row.cells
        elif header and len(row.cells) == len(header):
            withheld.append(f"{place}, Endpoint")
            cells = zip(header[1:], row.cells[1:], strict=True)
            unmapped[place] = {name: cell for name, cell in cells if cell}
        elif any(row.cells):
            unmapped[place] = ",".join(row.cells)
        else:
            header = ()
    return _sidecar(unmapped, tuple(withheld), form, facts)


def _version(stated: str | None, pointer: str) -> dict[str, Fact]:
    return {"tool.version": Fact(stated.strip(), pointer=pointer)} if stated else {}


def read_phase_manifest(document: Document, form: str) -> FileReading:
    """The phases of a run by name; their metrics lie in files of their own."""
    report = Fields(document.value)
    for phase in report.children("phases"):
        withhold_messages(phase.children("error_summary"))
    return _sidecar(report.rest(), report.withheld(), form, {})


def _sidecar(
    rest: Mapping[str, object], withheld: tuple[str, ...], form: str, facts: Mapping[str, Fact]
) -> FileReading:
    unmapped, private = part_private(rest)
    return FileReading(
        format=form, tool=TOOL, role=FileRole.SIDECAR, facts=facts, completes=(TOOL,),
        unmapped=unmapped, withheld=(*withheld, *private),
    )  # fmt: skip
