"""The OpenCL page: Adreno GPUs and the types they compute."""

import re
from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, Vocabulary
from ingest.sources.collecting import Collector, facet_of
from ingest.sources.llama_cpp.tables import find_tables, read_os_table, read_status_table
from ingest.sources.llama_cpp.words import NOT_OPTIMISED, type_facet
from matrix.domain.levels import Axis

_DEVICES = ("adreno gpu", "status")
_TYPES = ("datatype", "status")
_OPENCL = facet_of(Axis.BACKEND, "OpenCL", "opencl")
_ADRENO = facet_of(Axis.HARDWARE, "Adreno GPU", "qualcomm-adreno")
_INTEL = re.compile(r"can also run on certain Intel GPUs")
_A6X = re.compile(r"A6x GPUs with a recent driver and compiler are supported")


def read_opencl(page: Page, vocabulary: Vocabulary) -> Reading:
    """Everything the page states about OpenCL devices and types."""
    collector = Collector(page, vocabulary)
    read_os_table(collector, page, _OPENCL)
    for table in find_tables(page, (_DEVICES,), "the table of Adreno GPUs"):
        read_status_table(
            collector,
            table,
            "device",
            row=lambda cell, at: [collector.facet(Axis.HARDWARE, cell.text, at)],
            columns={"status": [_OPENCL]},
        )
    for table in find_tables(page, (_TYPES,), "the table of data types"):
        read_status_table(
            collector,
            table,
            "type",
            row=lambda cell, at: [type_facet(collector, cell.text, at)],
            columns={"status": [_ADRENO, _OPENCL]},
        )
    for number, line in enumerate(page.document.source_lines, 1):
        if match := _INTEL.search(line):
            draft = replace(
                collector.at_line(number, match[0]), note=f"certain Intel GPUs; {NOT_OPTIMISED}"
            )
            intel = facet_of(Axis.HARDWARE, "Intel GPU", "intel")
            collector.state("device", [intel, _OPENCL], StatementStatus.PARTIAL, draft)
        if match := _A6X.search(line):
            draft = replace(
                collector.at_line(number, match[0]),
                note="with a recent driver and compiler; phones are likely left out",
            )
            old = facet_of(Axis.HARDWARE, "Adreno A6x", "qualcomm-adreno-6xx")
            collector.state("device", [old, _OPENCL], StatementStatus.PARTIAL, draft)
    return collector.reading()
