"""Reads GuideLLM's reports: JSON and YAML of all versions, and its two kinds of CSV.

**Source**: GuideLLM 0.1 to 0.8. Formats: ``guidellm.json``, ``guidellm.yaml``; ``guidellm.csv1``
has one row of headers (0.2, 0.3), ``guidellm.csv3`` three (since 0.4).
"""

from benchmarks_app.contract import FileReading, FileRole, Importer
from benchmarks_app.importers.guidellm.first_report import is_first_report, read_first_report
from benchmarks_app.importers.guidellm.report import read_report
from benchmarks_app.importers.guidellm.settings import TOOL
from benchmarks_app.importers.guidellm.tables import read_one_header, read_three_headers
from benchmarks_app.reading.document import Document, Kind

_JSON, _YAML = "guidellm.json", "guidellm.yaml"
_CSV1, _CSV3 = "guidellm.csv1", "guidellm.csv3"


def recognise(document: Document) -> str | None:
    """The format of a GuideLLM report, or ``None``."""
    if document.kind is Kind.TEXT:
        if document.text.lstrip().startswith("Type,Run Id,Id,Name,"):
            return _CSV1
        return _CSV3 if document.text.lstrip().startswith("Run Info,Run Info,") else None
    if document.kind not in (Kind.JSON, Kind.YAML) or not isinstance(document.value, dict):
        return None
    benchmarks = document.value.get("benchmarks")
    first = benchmarks[0] if isinstance(benchmarks, list) and benchmarks else None
    if not isinstance(first, dict):
        return None
    known = first.get("type_") == "generative_benchmark" and "metrics" in first
    if not known and not is_first_report(first):
        return None
    return _YAML if document.kind is Kind.YAML else _JSON


def read(document: Document, form: str) -> FileReading:
    """The runs of a report, one a benchmark."""
    if form == _CSV1:
        return read_one_header(document, form)
    if form == _CSV3:
        return read_three_headers(document, form)
    value = document.value
    if not isinstance(value, dict):
        return FileReading(
            format=form, tool=TOOL, role=FileRole.REJECTED, reason="The file is no report."
        )
    if is_first_report(value["benchmarks"][0]):
        return read_first_report(value, form)
    return read_report(value, form)


IMPORTER = Importer(
    tool=TOOL, formats=(_JSON, _YAML, _CSV1, _CSV3), recognises=recognise, read=read
)
