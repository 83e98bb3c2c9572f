"""Installation pages of the GPUs: the capability floor, the listed AMD targets, Intel GPUs.

**Source**: docs "Installation", requirements section of each platform. An example list stands for
the families it names; "or higher" is not read as a promise for architectures nobody had yet.
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, Line, find_lines
from ingest.sources.vllm.words import (
    INSIDE_CPUS,
    NVIDIA_EXAMPLE_DEVICES,
    families_below,
    fold,
)
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit, Tier

_CUDA_FLOOR = re.compile(
    r"compute capability (?P<floor>\d+\.\d) or higher \(e\.g\.,? (?P<devices>[^)]*)\)"
)
_ROCM_GPUS = re.compile(r"^\s*[-*] GPU: (?P<list>.*gfx.*)$")
_ROCM_ENTRY = re.compile(r"(?P<name>[^,(]+?)\s*\((?P<targets>gfx[\w/]+)\)")
_ROCM_VERSION = re.compile(
    r"^\s*[-*] (?:(?P<device>\S.*?) requires )?ROCm (?P<version>\d[\d.]*)(?P<open> or above)?"
)
_XPU_HARDWARE = re.compile(r"Supported Hardware: (?P<list>.+)$")
_ONEAPI = re.compile(r"OneAPI requirements: oneAPI (?P<version>\d[\d.]*)", re.IGNORECASE)
_XPU_BF16_PARTLY = re.compile(
    r"type is supported on (?P<yes>Intel Data Center GPU), not supported on (?P<no>Intel Arc GPU)"
)
_XPU_BF16_LATER = re.compile(r"type will be supported in the future")
_XPU_PARALLEL = re.compile(
    r"supports \**(?P<tp>tensor[ -]parallel)\**.*supports \**(?P<pp>pipeline parallel)\** as a beta"
)


def read_cuda_floor(page: Page, vocabulary: Vocabulary) -> Reading:
    """The compute-capability floor: the families it names, and those below it.

    **Raises**: ``UnexpectedPage`` when the page states no floor.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _CUDA_FLOOR)
    if not lines:
        raise gather.unexpected(expected="a line “compute capability N.N or higher (e.g., …)”")
    for line in lines:
        _read_floor(gather, line)
    return gather.reading()


def _read_floor(gather: Gatherer, line: Line) -> None:
    floor = line.match.group("floor")
    locator = gather.line_locator(line.number)
    nodes: dict[str, str] = {}
    for word in re.split(r",\s*", line.match.group("devices")):
        node = NVIDIA_EXAMPLE_DEVICES.get(fold(word))
        if node:
            nodes.setdefault(node, word)
        elif fold(word) not in {"etc.", "etc", ""}:
            gather.report("hardware", word, locator)
    base = Finding(
        kind=FindingKind.VALUE,
        statement=statement_key("hardware-floor", "nvidia"),
        status=StatementStatus.SUPPORTED,
        raw=line.fragment,
        locator=locator,
        names={"hardware": "NVIDIA", "cc_min": floor},
        value=floor,
    )
    gather.add(base)
    for node, word in nodes.items():
        gather.add(
            _platform(
                base,
                key=node,
                status=StatementStatus.SUPPORTED,
                names={"hardware": word, "cc_min": floor},
            )
        )
    for family in families_below(float(floor)):
        gather.add(
            _platform(
                base,
                key=family,
                status=StatementStatus.UNSUPPORTED,
                names={"hardware": family, "cc_min": floor},
                note=f"below the stated floor of compute capability {floor}",
            )
        )


def _platform(
    base: Finding,
    *,
    key: str,
    status: StatementStatus,
    names: dict[str, str],
    note: str = "",
) -> Finding:
    """A platform statement about one node."""
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("platform", key),
        status=status,
        raw=base.raw,
        locator=base.locator,
        names=names,
        scope=scope_of({Axis.HARDWARE: key}),
        limit=Limit.HARDWARE if status is StatementStatus.UNSUPPORTED else None,
        note=note,
        value=base.value,
    )


def read_rocm_targets(page: Page, vocabulary: Vocabulary) -> Reading:
    """The AMD GPUs that the requirements list, those they leave out, and the ROCm versions.

    **Raises**: ``UnexpectedPage`` when the page lists no GPU with its target.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _ROCM_GPUS)
    if not lines:
        raise gather.unexpected(expected="a line “GPU: name (gfx…), …”")
    for line in lines:
        _read_targets(gather, line)
    for line in find_lines(gather.document, _ROCM_VERSION):
        gather.add(_rocm_version(gather, line))
    _read_wheels(gather)
    gather.complete_lists.append("amd-hardware")
    return gather.reading()


def _read_targets(gather: Gatherer, line: Line) -> None:
    locator = gather.line_locator(line.number)
    listed: set[str] = set()
    for entry in _ROCM_ENTRY.finditer(line.match.group("list")):
        for target in _split_targets(entry.group("targets")):
            nodes = gather.find("hardware", target, locator)
            listed |= nodes
            gather.add(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("platform", nodes or target),
                    status=StatementStatus.SUPPORTED,
                    raw=entry.group(0)[:80],
                    locator=locator,
                    names={"hardware": entry.group("name").strip(), "gfx": target},
                    scope=scope_of({Axis.HARDWARE: nodes}) if nodes else None,
                )
            )
    gather.add(
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("platform", "amd", "not-listed"),
            status=StatementStatus.UNSUPPORTED,
            raw=line.fragment,
            locator=locator,
            names={"hardware": "AMD, not listed"},
            scope=scope_of({Axis.HARDWARE: "amd"}, exclude={Axis.HARDWARE: listed}),
            limit=Limit.HARDWARE,
            note="not among the GPUs that the ROCm requirements list",
        )
    )


def _split_targets(text: str) -> list[str]:
    """``gfx1100/1101`` names two targets; the second borrows the prefix."""
    first, *rest = text.split("/")
    return [first, *(part if part.startswith("gfx") else f"gfx{part}" for part in rest)]


def _rocm_version(gather: Gatherer, line: Line) -> Finding:
    """A ROCm requirement; one that names a device narrows that device's support."""
    device, version = line.match.group("device"), line.match.group("version")
    locator = gather.line_locator(line.number)
    if device is None:
        return Finding(
            kind=FindingKind.REQUIREMENT,
            statement=statement_key("requirement", "rocm"),
            status=StatementStatus.SUPPORTED,
            raw=line.fragment,
            locator=locator,
            names={"hardware": "AMD", "requirement": "ROCm"},
            value=version,
        )
    nodes = gather.find("hardware", device, locator)
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("platform-requirement", nodes or fold(device), "rocm"),
        status=StatementStatus.SUPPORTED,
        raw=line.fragment,
        locator=locator,
        names={"hardware": device, "rocm_min": version},
        scope=scope_of({Axis.HARDWARE: nodes}) if nodes else None,
        conditions=(Condition(kind=ConditionKind.TOOLKIT, name="ROCm", op=">=", value=version),),
        value=version,
    )


def _read_wheels(gather: Gatherer) -> None:
    """The prebuilt-wheel table of newer ROCm pages: versions and ranges, no support claims."""
    for table in gather.document.tables:
        if not table.has_columns(("ROCm Variant", "Supported Versions")):
            continue
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=False):
                spans = column == "Supported Versions" and " to " in cell.text
                finding = Finding(
                    kind=FindingKind.ARTEFACT,
                    statement=statement_key("wheels", fold(row[0].text), fold(column)),
                    status=StatementStatus.RANGE if spans else StatementStatus.VALUE,
                    raw=cell.raw,
                    locator=gather.line_locator(cell.line),
                    names={"artefact": row[0].text, "column": column},
                    value=cell.text,
                )
                gather.add(
                    gather.of_cell(table, cell, row=row[0].text, column=column, finding=finding)
                )


def read_xpu_hardware(page: Page, vocabulary: Vocabulary) -> Reading:
    """The Intel GPUs of the requirements, data types and parallelism on them.

    **Raises**: ``UnexpectedPage`` when the page names no supported hardware.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _XPU_HARDWARE)
    if not lines:
        raise gather.unexpected(expected="a line “Supported Hardware: …”")
    for line in lines:
        for word in re.split(r",\s*", line.match.group("list").strip()):
            gather.add(_named_hardware(gather, line, word))
    for line in find_lines(gather.document, _ONEAPI):
        gather.add(
            Finding(
                kind=FindingKind.REQUIREMENT,
                statement=statement_key("requirement", "oneapi"),
                status=StatementStatus.SUPPORTED,
                raw=line.fragment,
                locator=gather.line_locator(line.number),
                names={"hardware": "Intel GPU", "requirement": "oneAPI"},
                value=line.match.group("version"),
            )
        )
    _read_xpu_dtypes(gather)
    _read_xpu_parallelism(gather)
    return gather.reading()


def _named_hardware(gather: Gatherer, line: Line, word: str) -> Finding:
    locator = gather.line_locator(line.number)
    nodes = gather.find("hardware", word, locator) - INSIDE_CPUS
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("platform", fold(word)),
        status=StatementStatus.SUPPORTED,
        raw=line.fragment,
        locator=locator,
        names={"hardware": word},
        scope=scope_of({Axis.HARDWARE: nodes}) if nodes else None,
    )


def _read_xpu_dtypes(gather: Gatherer) -> None:
    for line in find_lines(gather.document, _XPU_BF16_PARTLY):
        for group, status in (
            ("yes", StatementStatus.SUPPORTED),
            ("no", StatementStatus.UNSUPPORTED),
        ):
            word = line.match.group(group)
            nodes = gather.find("hardware", word, gather.line_locator(line.number))
            gather.add(_bf16(gather, line, key=fold(word), nodes=nodes, status=status))
    for line in find_lines(gather.document, _XPU_BF16_LATER):
        nodes = frozenset({"intel"})
        status = StatementStatus.PLANNED
        gather.add(_bf16(gather, line, key="intel", nodes=nodes, status=status))


def _bf16(
    gather: Gatherer, line: Line, *, key: str, nodes: frozenset[str], status: StatementStatus
) -> Finding:
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("dtype-hardware", "bf16", key),
        status=status,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"quantization": "BF16", "hardware": key},
        scope=scope_of({Axis.QUANTIZATION: "bf16", Axis.HARDWARE: nodes}) if nodes else None,
        limit=Limit.FRAMEWORK if status is StatementStatus.UNSUPPORTED else None,
    )


def _read_xpu_parallelism(gather: Gatherer) -> None:
    for line in find_lines(gather.document, _XPU_PARALLEL):
        for group, feature, status, tier in (
            ("tp", "tensor-parallel", StatementStatus.SUPPORTED, Tier.OFFICIAL),
            ("pp", "pipeline-parallel", StatementStatus.EXPERIMENTAL, Tier.EXPERIMENTAL),
        ):
            gather.add(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("feature-platform", feature, "intel"),
                    status=status,
                    raw=line.match.group(group),
                    locator=gather.line_locator(line.number),
                    names={"feature": line.match.group(group), "hardware": "Intel GPU"},
                    scope=scope_of({Axis.HARDWARE: "intel"}, features=feature),
                    tier=tier,
                    note="beta, for online serving" if group == "pp" else "",
                )
            )
