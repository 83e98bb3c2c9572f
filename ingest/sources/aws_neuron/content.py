"""What an SDK release ships and goes with: vLLM, Transformers, Protobuf, the plug-in's wheel."""

import re
from dataclasses import replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Table, fold_label
from ingest.sources.collecting import Collector, one_line
from ingest.sources.images import numbered_lines

_SDK = re.compile(r"^Neuron (\d+\.\d+\.\d+)")
_VLLM = re.compile(r"Neuron currently supports vLLM version (\d+(?:\.\d+)+)")
_NUMPY = re.compile(r"support NumPy versions (>= ?[\d.]+\d)")
_WHEEL = re.compile(r"\bvllm_neuron-(\d+(?:\.\d+)+)")
_PLUGIN = re.compile(r"Latest version \(in (\d+\.\d+\.\d+)\)\*\*: v?(\d+(?:\.\d+)+)(?: \((\w+)\))?")
_TYPES = re.compile(r"^\* (.+)$")
_HARDWARE = {"1": "Inf1", "2": "Trn1, Inf2", "3": "Trn2", "4": "Trn3"}


def read_content(page: Page, vocabulary: Vocabulary) -> Reading:
    """The version pairs and ranges of releasecontent.rst."""
    collector = Collector(page, vocabulary)
    release = ""
    for number, line in numbered_lines(page.document):
        if match := _SDK.match(line):
            release = match.group(1)
        if match := _VLLM.search(line):
            draft = collector.at_line(number, match.group(0))
            other = ("vllm", match.group(1))
            _pair(collector, draft, release, other, status=StatementStatus.SUPPORTED)
        if match := _WHEEL.search(line):
            draft = collector.at_line(number, match.group(0))
            other = ("vllm_neuron", match.group(1))
            _pair(collector, draft, release, other, status=StatementStatus.PINNED)
        if match := _NUMPY.search(line):
            _range(collector, collector.at_line(number, match.group(0)), "numpy", match.group(1))
    for table in page.document.tables:
        _read_ranges(collector, table)
    if not any(found.kind is FindingKind.PAIRING for found in collector.findings):
        raise UnexpectedPage(
            path=page.path,
            expected='"Neuron currently supports vLLM version …"',
            nearest="; ".join(heading.text for heading in page.document.headings[:6]),
        )
    return collector.reading()


def _pair(
    collector: Collector,
    draft: Finding,
    release: str,
    other: tuple[str, str],
    *,
    status: StatementStatus,
    note: str = "",
) -> None:
    """Add a pair of an SDK release and what goes with it, by name and version."""
    name, version = other
    collector.value(
        FindingKind.PAIRING,
        f"pairing/{name.replace('_', '-')}",
        status,
        replace(draft, names={"neuron_sdk": release, name: version}, note=note),
        value=f"neuron-sdk {release} = {name} {version}",
    )


def _range(collector: Collector, draft: Finding, name: str, value: str) -> None:
    collector.value(
        FindingKind.REQUIREMENT,
        f"requirement/{name}",
        StatementStatus.RANGE,
        replace(draft, names={name: value}),
        value=value,
    )


def _read_ranges(collector: Collector, table: Table) -> None:
    """Add the tables "Package × supported versions of a library"."""
    if len(table.columns) != 2 or fold_label(table.columns[0]) != "package":
        return
    library = re.sub(r"^supported | versions$", "", fold_label(table.columns[1]))
    library = library.replace("hugging face ", "")
    for cells in table.rows:
        draft = collector.at_cell(table, cells[1], row=cells[0].text, column=table.columns[1])
        _range(collector, draft, f"{library}/{cells[0].text}", one_line(cells[1].text))


def read_component(page: Page, vocabulary: Vocabulary) -> Reading:
    """The plug-in version that an SDK release names, with its tier."""
    collector = Collector(page, vocabulary)
    for number, line in numbered_lines(page.document):
        if match := _PLUGIN.search(line):
            beta = (match.group(3) or "").lower() == "beta"
            _pair(
                collector,
                collector.at_line(number, match.group(0)),
                match.group(1),
                ("vllm_neuron", match.group(2)),
                status=StatementStatus.EXPERIMENTAL if beta else StatementStatus.SUPPORTED,
                note="the plug-in is a beta in this SDK release" if beta else "",
            )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='"Latest version (in 2.32.0): v…"',
            nearest="; ".join(heading.text for heading in page.document.headings[:4]),
        )
    return collector.reading()


def read_data_types(page: Page, vocabulary: Vocabulary) -> Reading:
    """The number types of each core generation: values, no claims on schemes."""
    collector = Collector(page, vocabulary)
    core = ""
    for number, line in numbered_lines(page.document):
        if match := re.search(r"NeuronCore v(\d)", line):
            core = match.group(1) if not line.startswith((" ", "..", "*")) else core
        if core and (match := _TYPES.match(line)):
            names = {"core": f"NeuronCore v{core}", "hardware": _HARDWARE.get(core, "")}
            collector.value(
                FindingKind.VALUE,
                f"native-types/neuroncore-v{core}/{fold_label(match.group(1))}",
                StatementStatus.SUPPORTED,
                replace(collector.at_line(number, match.group(1)), names=names),
                value=match.group(1),
            )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="types listed below a heading that names a NeuronCore version",
            nearest="; ".join(heading.text for heading in page.document.headings[:6]),
        )
    return collector.reading()
