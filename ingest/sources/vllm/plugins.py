"""Hardware outside the main repository: the plug-in table, and Metal on Apple silicon."""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, find_lines
from ingest.sources.vllm.words import fold
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

_METAL = re.compile(
    r"GPU-accelerated inference on Apple Silicon, use \[vLLM-Metal\]\((?P<url>\S+?)\)"
)
_MOVED_LIST = re.compile(r"list of all supported hardware can be found on the vLLM website")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9-]+")
_WINDOWS = re.compile(r"vLLM does not support Windows natively")


def read_hardware_plugins(page: Page, vocabulary: Vocabulary) -> Reading:
    """The plug-in table of the installation index, where the release has one.

    A release before plug-ins has no section of that name; one that points to the project's web
    site instead of a table states nothing here.

    **Raises**: ``UnexpectedPage`` when the section is there without table or pointer.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    section = [h for h in gather.document.headings if fold(h.text) == "hardware plugins"]
    tables = [t for t in gather.document.tables if t.has_columns(("Accelerator", "Repository"))]
    if section and not tables and not find_lines(gather.document, _MOVED_LIST):
        raise gather.unexpected(expected="the table “Accelerator | PyPI / package | Repository”")
    for table in tables:
        for row in table.rows:
            _read_plugin(gather, table, row)
    return gather.reading()


def _read_plugin(gather: Gatherer, table: Table, row: tuple[Cell, ...]) -> None:
    label = row[0].text
    locator = Locator(heading=table.heading, row=label, line=row[0].line)
    nodes = gather.find("hardware", label, locator)
    package = row[1].text
    repository = row[2].links[0].target if row[2].links else row[2].text.strip("<>")
    named = _PACKAGE.fullmatch(package)
    name = package if named else repository.rstrip("/").rsplit("/", 1)[-1]
    scope = scope_of({Axis.HARDWARE: nodes}) if nodes else None
    finding = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("hardware-plugin", nodes or fold(label)),
        status=StatementStatus.VIA_PLUGIN,
        raw=row[1].raw,
        locator=locator,
        names={"hardware": label, "plugin": name},
        scope=scope,
        conditions=(Condition(kind=ConditionKind.PLUGIN, name=name, link=repository),),
        note=f"outside the main repository, by the plug-in {name}",
    )
    gather.add(gather.of_cell(table, row[1], row=label, column=table.columns[1], finding=finding))
    source = Finding(
        kind=FindingKind.VALUE,
        statement=statement_key("hardware-plugin-repository", nodes or fold(label)),
        status=StatementStatus.VALUE,
        raw=row[2].raw,
        locator=locator,
        names={"hardware": label},
        value=repository,
    )
    gather.add(gather.of_cell(table, row[2], row=label, column=table.columns[2], finding=source))


def read_metal_plugin(page: Page, vocabulary: Vocabulary) -> Reading:
    """Apple GPUs by the community plug-in; **Raises** ``UnexpectedPage`` without its name."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _METAL)
    if not lines:
        raise gather.unexpected(expected="a sentence that points to vLLM-Metal")
    for line in lines:
        url = line.match.group("url")
        gather.add(
            Finding(
                kind=FindingKind.COMPATIBILITY,
                statement=statement_key("hardware-plugin", "apple"),
                status=StatementStatus.VIA_PLUGIN,
                raw=line.fragment,
                locator=gather.line_locator(line.number),
                names={"hardware": "Apple Silicon", "plugin": "vllm-metal"},
                scope=scope_of({Axis.HARDWARE: "apple"}),
                conditions=(Condition(kind=ConditionKind.PLUGIN, name="vllm-metal", link=url),),
                note="by the community plug-in vllm-metal, with MLX",
                links=(url,),
            )
        )
    return gather.reading()


def read_operating_systems(page: Page, vocabulary: Vocabulary) -> Reading:
    """What the GPU page says of Windows; a page that says nothing of it states nothing."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    for line in find_lines(gather.document, _WINDOWS):
        gather.add(
            Finding(
                kind=FindingKind.COMPATIBILITY,
                statement=statement_key("operating-system", "windows"),
                status=StatementStatus.UNSUPPORTED,
                raw=line.fragment,
                locator=gather.line_locator(line.number),
                names={"feature": "Windows"},
                scope=scope_of(features="windows"),
                note="not natively; the page names WSL and community forks",
            )
        )
    return gather.reading()
