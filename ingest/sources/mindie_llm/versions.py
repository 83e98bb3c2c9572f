"""README, release notes and installation pages: pairings, policy, products, what will end."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines
from ingest.sources.mindie_llm.words import PRODUCTS, SCHEMES
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind, Limit

_PAIRED = {
    "cann": "cann",
    "cann 版本兼容性": "cann",
    "ascend extension for pytorch": "torch_npu",
    "ascend hdk": "hdk",
    "mooncake": "mooncake",
    "aisbench": "aisbench",
    "mindstudio opensource/msit": "msit",
}
_PERIODS = {"三个月": "three months", "六个月": "six months", "一年": "one year"}
_KINDS = {"正式版本": StatementStatus.RELEASED, "测试版本": StatementStatus.CANDIDATE}
_PRODUCT = re.compile(r"^(Atlas (?:800I A\d|300I Duo))")
_REFUSED_TORCH = re.compile(r"(DeepSeek-V[\d.]+)不支持torch、torch_npu ([\d.]+\d)")
_ADDED = (
    ("response_format", FEATURE, "structured-output"),
    ("SLO感知调度", FEATURE, "slo-scheduling"),
)
_REMOVED = re.compile(r"已删除适配(\w+)后端")


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The pairing table of the README: MindIE release and CANN release."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if fold_label(table.columns[0]).startswith("mindie 软件版本"):
            for cells in table.rows:
                _pair(collector, table, cells)
    return collector.reading()


def read_packages(page: Page, vocabulary: Vocabulary) -> Reading:
    """The pairing table of the preparation page, and what a model refuses."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if fold_label(table.columns[0]) == "mindie" and len(table.columns) > 1:
            for cells in table.rows:
                _pair(collector, table, cells)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with the columns "MindIE" and "CANN"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    for number, line in numbered_lines(page.document):
        if match := _REFUSED_TORCH.search(line):
            finding = collector.at_line(number, match.group(0))
            model = collector.facet(Axis.MODEL, match.group(1), finding.locator)
            torch = Condition(ConditionKind.PACKAGE, "torch", "=", match.group(2))
            draft = replace(
                finding, conditions=(torch,), limit=Limit.FRAMEWORK,
                note=f"not with torch and torch_npu {match.group(2)}",
            )  # fmt: skip
            collector.state("model-torch", [model], StatementStatus.UNSUPPORTED, draft)
    return collector.reading()


def _pair(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add the components that a release is paired with."""
    release = one_line(cells[0].text)
    for label, cell in list(zip(table.columns, cells, strict=False))[1:]:
        component = _PAIRED.get(fold_label(label))
        finding = collector.at_cell(table, cell, row=release, column=label)
        if component is None:
            collector.miss("component", label, finding.locator)
            component = fold_label(label).replace(" ", "-")
        text = one_line(cell.text)
        collector.value(
            FindingKind.PAIRING,
            f"pairing/{release}/{component}",
            StatementStatus.SUPPORTED if text else StatementStatus.NOT_STATED,
            replace(finding, raw=text[:80], names={"mindie": release, component: text}),
            value=text,
        )


def read_notes(page: Page, vocabulary: Vocabulary) -> Reading:
    """The release notes: product, maintenance period, pairings, added, removed, ending."""
    collector = Collector(page, vocabulary, evidence=EvidenceKind.RELEASE_NOTE)
    release = ""
    for table in page.document.tables:
        heading = table.heading[-1] if table.heading else ""
        if heading == "产品版本信息":
            release = _read_product(collector, table)
        elif heading == "相关产品版本配套说明":
            for cells in table.rows:
                _read_related(collector, table, cells, release)
        elif heading == "新增特性":
            _read_added(collector, table)
        elif heading == "删除特性":
            _read_removed(collector, table)
        elif heading == "日落特性":
            _read_ending(collector, table)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="a table under 产品版本信息 or 相关产品版本配套说明",
            nearest="; ".join(part.text for part in page.document.headings[:4]),
        )
    return collector.reading()


def _read_product(collector: Collector, table: Table) -> str:
    """The release that the notes are for; adds its kind and how long it is maintained."""
    rows = [
        (table.columns[0], table.columns[1], None),
        *((r[0].text, r[1].text, r) for r in table.rows),
    ]
    facts = {one_line(name): one_line(value) for name, value, _ in rows}
    release = facts.get("产品版本", "")
    for name, value, cells in rows:
        if cells is None:
            continue
        finding = collector.at_cell(table, cells[1], row=name, column=table.columns[1])
        text = one_line(value)
        names = {"version": release, "scope": one_line(name)}
        finding = replace(finding, raw=text, names=names)
        if one_line(name) == "维护周期":
            period = _PERIODS.get(text)
            if period is None:
                collector.miss("period", text, finding.locator)
            collector.value(
                FindingKind.POLICY, "policy/maintenance-period", StatementStatus.POLICY,
                finding, value=period or text,
            )  # fmt: skip
        elif one_line(name) == "版本类型":
            status = _KINDS.get(text)
            if status is None:
                collector.miss("release", text, finding.locator)
            collector.value(
                FindingKind.RELEASE, f"release/{release}", status or StatementStatus.NOT_STATED,
                finding, value=release,
            )  # fmt: skip
        elif one_line(name) == "产品版本":
            collector.value(
                FindingKind.VALUE, "product-version", StatementStatus.VALUE, finding, value=text
            )
    return release


def _read_related(
    collector: Collector, table: Table, cells: tuple[Cell, ...], release: str
) -> None:
    """Add one component that the release is paired with."""
    name, text = one_line(cells[0].text), one_line(cells[1].text)
    finding = collector.at_cell(table, cells[1], row=name, column=table.columns[1])
    component = _PAIRED.get(fold_label(name))
    if component is None:
        collector.miss("component", name, finding.locator)
        component = fold_label(name).replace(" ", "-")
    collector.value(
        FindingKind.PAIRING,
        f"pairing/{release}/{component}",
        StatementStatus.SUPPORTED,
        replace(
            finding,
            raw=text[:80],
            names={"mindie": release, "component": name, component: text},
        ),
        value=text,
    )


def _read_added(collector: Collector, table: Table) -> None:
    """Add the features that a table of additions names and the catalogue knows."""
    for cells in table.rows:
        for word, axis, slug in _ADDED:
            if word in cells[-1].text:
                finding = replace(
                    collector.at_cell(
                        table, cells[-1], row=cells[1].text, column=table.columns[-1]
                    ),
                    raw=word,
                )
                facet = facet_of(axis, word, slug)
                collector.state("added", [facet], StatementStatus.SUPPORTED, finding)


def _read_removed(collector: Collector, table: Table) -> None:
    """Add what the release has dropped; a back end of the project is no catalogue node."""
    for cells in table.rows:
        finding = collector.at_cell(table, cells[-1], row=cells[1].text, column=table.columns[-1])
        match = _REMOVED.search(one_line(cells[-1].text))
        word = match.group(1) if match else one_line(cells[-1].text)[:40]
        collector.value(
            FindingKind.VALUE,
            f"removed/{fold_label(word)}",
            StatementStatus.REMOVED,
            replace(finding, raw=word, names={"feature": word}),
            value=word,
        )


def _read_ending(collector: Collector, table: Table) -> None:
    """Add what ends within a year: a scheme as deprecated, the rest for review."""
    for cells in table.rows:
        kind, said = one_line(cells[1].text), one_line(cells[-1].text)
        finding = replace(
            collector.at_cell(table, cells[-1], row=kind, column=table.columns[-1]),
            note="ends within a year of this release",
        )
        if kind == "量化":
            word = said.removesuffix("。")
            slug = SCHEMES.get(fold_label(word))
            if slug is None:
                collector.miss(Axis.QUANTIZATION, word, finding.locator)
            scheme = Facet(Axis.QUANTIZATION, word, frozenset({slug} if slug else ()))
            collector.state(
                "ending", [scheme], StatementStatus.DEPRECATED, replace(finding, raw=word)
            )
            continue
        words = said.partition("：")[2].split("、") if kind == "模型" else [said]
        for word in (one_line(part) for part in words):
            collector.value(
                FindingKind.VALUE,
                f"ending/{fold_label(word)[:60]}",
                StatementStatus.DEPRECATED,
                replace(finding, raw=word[:80], names={kind: word[:80]}),
                value=word[:80],
            )


def read_installation(page: Page, vocabulary: Vocabulary) -> Reading:
    """The products that the installation pages list, with their operating systems."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        labels = [fold_label(name) for name in table.columns]
        if labels == ["硬件", "操作系统"]:
            for cells in table.rows:
                _read_product_line(collector, table, cells)
        elif labels == ["软件", "版本"]:
            for cells in table.rows:
                _read_software(collector, table, cells)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with the columns "硬件" and "操作系统"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def _read_product_line(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add a product as supported; the card stands before the server it is built into."""
    word = one_line(cells[0].text)
    finding = collector.at_cell(table, cells[0], row=word, column=table.columns[0])
    match = _PRODUCT.match(word)
    slug = PRODUCTS.get(match.group(1).casefold(), "") if match else ""
    if not slug:
        collector.miss(Axis.HARDWARE, word, finding.locator)
    place = Facet(Axis.HARDWARE, word, frozenset({slug} if slug else ()), key=slug)
    systems = one_line(cells[1].text)
    draft = replace(finding, names={"os": systems[:200]})
    collector.state("platform", [place], StatementStatus.SUPPORTED, draft)


def _read_software(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add one line of the software table as it is written."""
    name, text = one_line(cells[0].text), one_line(cells[1].text)
    finding = collector.at_cell(table, cells[1], row=name, column=table.columns[1])
    numbers = re.findall(r"\d+(?:\.\d+)+", text)
    if not numbers:
        status = StatementStatus.NOT_STATED
    else:
        status = StatementStatus.RANGE if len(numbers) > 1 else StatementStatus.REQUIRES
    collector.value(
        FindingKind.REQUIREMENT,
        f"requirement/{fold_label(name).replace(' ', '-')}",
        status,
        replace(finding, names={"software": name}),
        value=text[:80],
    )
