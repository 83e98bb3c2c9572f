"""The V1 guide: hardware, model types and features of the V1 engine, and V0's deprecation.

**Source**: docs "vLLM V1" (0.8 on). The page's own legend fixes what each coloured sign means;
the orange one, for example, is "delayed" here and "partial" in the feature matrix.
"""

import re
from dataclasses import dataclass, replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.engine_prose import read_engine_prose
from ingest.sources.vllm.gather import Gatherer, find_lines
from ingest.sources.vllm.words import FEATURE_WORDS, HARDWARE_COLUMNS, fold
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import Axis, ConditionKind

_LEGEND_WORDS: dict[str, StatementStatus] = {
    "optimized": StatementStatus.SUPPORTED,
    "functional": StatementStatus.SUPPORTED,
    "natively supported": StatementStatus.SUPPORTED,
    "wip": StatementStatus.WORK_IN_PROGRESS,
    "in progress": StatementStatus.WORK_IN_PROGRESS,
    "planned": StatementStatus.PLANNED,
    "delayed": StatementStatus.DELAYED,
    "deprecated": StatementStatus.DEPRECATED,
    "removed": StatementStatus.REMOVED,
}
_SIGNS = "🚀🟢🚧🟡🟠🔴"
_LEGEND = re.compile(rf"^\W*([{_SIGNS}])\W*([A-Za-z][A-Za-z ]*?)\W*:")
_PART = re.compile(rf"([{_SIGNS}])\s*([^{_SIGNS}]*)")
_V0_GONE = re.compile(r"We have fully deprecated V0")

_PART_HARDWARE: dict[str, tuple[str, ...]] = {
    "x86": ("cpu-x86",),
    "x86_64/aarch64": ("cpu-x86", "cpu-arm"),
    "macos": ("cpu-apple",),
}
_PART_MODELS: dict[str, str] = {
    "whisper": "WhisperForConditionalGeneration",
    "whisper only": "WhisperForConditionalGeneration",
}
# A whole vendor is named; which of its devices run is said on the installation page.
_ANY_DEVICE = Condition(
    kind=ConditionKind.OTHER,
    name="hardware-generation",
    op="=",
    value="a device that the installation page names",
)


@dataclass(frozen=True, slots=True)
class Part:
    """One sign of a cell with the words after it: ``🟢 (x86)``."""

    sign: str
    words: str
    qualifier: str
    status: StatementStatus | None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a status table: what it is about and what V1 adds to its scope."""

    table: Table
    axis: str
    label: str
    engine: tuple[str, ...]


def read_engine_guide(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the status tables, and what the guide says in prose.

    **Raises**: ``UnexpectedPage`` when the tables or the legend are missing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    tables = [t for t in gather.document.tables if t.columns[-1:] == ("Status",)]
    legend = _read_legend(gather)
    if not tables or not legend:
        raise gather.unexpected(expected="status tables and a legend of their signs")
    # Once V0 is gone, what V1 lacks the framework lacks.
    engine = () if find_lines(gather.document, _V0_GONE) else ("engine-v1",)
    for table in tables:
        axis = "hardware" if fold(table.columns[0]) == "hardware" else "feature"
        for cells in table.rows:
            row = Row(table=table, axis=axis, label=cells[0].text, engine=engine)
            _read_status_cell(gather, row, cells[1], legend=legend)
    gather.add(*read_engine_prose(gather, engine=engine))
    return gather.reading()


def _read_legend(gather: Gatherer) -> dict[str, StatementStatus]:
    legend = {}
    for item in gather.document.items:
        match = _LEGEND.match(item.text)
        if match is None:
            continue
        status = _LEGEND_WORDS.get(fold(match.group(2)))
        if status is None:
            gather.report("status", match.group(2), gather.line_locator(item.line))
        else:
            legend[match.group(1)] = status
    return legend


def _parts_of(cell: Cell, legend: dict[str, StatementStatus]) -> list[Part]:
    parts = []
    for match in _PART.finditer(cell.text):
        sign, words = match.group(1), match.group(2).strip(" ,")
        words = re.sub(r"\s*\((?:RFC|PR)?\s*#?\d+\)|\s*\(?(?:PR|RFC) #\d+\)?", "", words)
        bare = words.strip("() ")
        status = legend.get(sign)
        parts.append(
            Part(
                sign=sign,
                words=words,
                qualifier="" if fold(bare) in _LEGEND_WORDS else bare,
                status=status,
            )
        )
    return parts


def _read_status_cell(
    gather: Gatherer, row: Row, cell: Cell, *, legend: dict[str, StatementStatus]
) -> None:
    parts = _parts_of(cell, legend)
    locator = Locator(heading=row.table.heading, row=row.label, column="Status", line=cell.line)
    if not parts or any(part.status is None for part in parts):
        gather.report("status", cell.text, locator)
    statuses = {part.status for part in parts}
    whole = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("engine-v1", fold(row.label)),
        status=StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=locator,
        names={"item": row.label},
        scope=_scope_of_row(gather, row, locator),
        conditions=(_ANY_DEVICE,) if row.axis == "hardware" else (),
    )
    if len(statuses) > 1:
        status = StatementStatus.MIXED
        pairs = tuple((part.qualifier, part.status) for part in parts if part.status)
        whole = replace(whole, status=status, parts=pairs)
    elif parts and parts[0].status:
        whole = replace(whole, status=parts[0].status)
        if any(part.qualifier for part in parts) and len(parts) == 1:
            note = _say_restriction(parts[0].qualifier)
            whole = replace(whole, status=StatementStatus.PARTIAL, note=note)
    whole = gather.of_cell(row.table, cell, row=row.label, column="Status", finding=whole)
    for finding in (_as_read(whole), *_refusals(whole)):
        gather.add(finding)
    _read_parts(gather, row, whole, parts)


def _say_restriction(qualifier: str) -> str:
    words = fold(qualifier)
    if "hopper" in words:
        return "in V1 on Hopper devices only"
    if "whisper" in words:
        return "in V1 for Whisper only"
    return f"in V1 with the restriction: {qualifier[:80]}"


def _as_read(finding: Finding) -> Finding:
    """ "Deprecated" here means: was in V0 and is not planned for V1; no claim that it runs."""
    if finding.status is StatementStatus.DEPRECATED:
        return replace(finding, kind=FindingKind.MAINTENANCE)
    return finding


def _refusals(finding: Finding) -> list[Finding]:
    if finding.status is not StatementStatus.DEPRECATED:
        return []
    return [
        replace(
            finding,
            status=StatementStatus.UNSUPPORTED,
            statement=finding.statement + "/not-in-v1",
            note="deprecated: by the page's legend not planned for V1",
        )
    ]


def _scope_of_row(gather: Gatherer, row: Row, locator: Locator) -> Scope | None:
    label = fold(row.label)
    if row.axis == "hardware":
        node = HARDWARE_COLUMNS.get(label)
        if node is None:
            gather.report("hardware", row.label, locator)
            return None
        node = "cpu-x86" if node == "cpu" else node
        return scope_of({Axis.HARDWARE: node}, features="engine-v1")
    if label == "fp8 kv cache":
        return scope_of({Axis.KV_DTYPE: "kv-fp8"}, features=row.engine)
    features = FEATURE_WORDS.get(label) or tuple(gather.vocabulary.find("feature", row.label))
    if not features:
        gather.report("feature", row.label, locator)
        return None
    return scope_of(features=(*features, *row.engine))


def _read_parts(gather: Gatherer, row: Row, whole: Finding, parts: list[Part]) -> None:
    """A finding for each qualified part: the part's hardware or model is its narrower scope."""
    for part in parts:
        word = fold(part.qualifier.replace("\\", ""))
        if not word or part.status is None or whole.scope is None:
            continue
        nodes = dict(whole.scope.nodes)
        extra: dict[Axis, tuple[str, ...] | frozenset[str] | str] = {}
        conditions = whole.conditions
        if row.axis == "hardware" and word in _PART_HARDWARE:
            extra, conditions = {Axis.HARDWARE: _PART_HARDWARE[word]}, ()
        elif word in _PART_MODELS:
            extra = {Axis.MODEL: gather.find("model", _PART_MODELS[word], whole.locator)}
        elif "hopper" in word:
            extra = {Axis.HARDWARE: "nvidia-hopper"}
        exclude = {}
        if word == "others":
            named = [fold(other.qualifier) for other in parts if other is not part]
            models = [_PART_MODELS[name] for name in named if name in _PART_MODELS]
            exclude = {Axis.MODEL: gather.find_all("model", models, whole.locator)}
        if not extra and not exclude:
            continue
        plain = {axis: nodeset.include for axis, nodeset in nodes.items()}
        gather.add(
            replace(
                whole,
                statement=f"{whole.statement}/{word}",
                status=part.status,
                names={**whole.names, "part": part.qualifier},
                scope=scope_of({**plain, **extra}, features=whole.scope.features, exclude=exclude),
                parts=(),
                note="",
                conditions=conditions,
            )
        )
