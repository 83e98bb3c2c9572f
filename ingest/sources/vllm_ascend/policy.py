"""versioning_policy.md and README: pairings, release windows, branch states, what they promise."""

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
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import Collector, one_line

_VERSION = re.compile(r"v?(\d+\.\d+\.\d+(?:rc\d+)?(?:\.post\d+)?)\b")
_DAY = re.compile(r"^(\d{4})\.(\d{2})\.(\d{2})$")
_OPEN = "{{"
_COMPONENTS = {
    "vllm": "vllm",
    "python": "python",
    "stable cann": "cann",
    "pytorch/torch_npu": "torch",
    "mindie turbo": "mindie-turbo",
    "triton ascend": "triton-ascend",
    "mooncake": "mooncake",
}
_STATES = {
    "maintained": StatementStatus.MAINTAINED,
    # By the page's own table: bug fixes are taken, releases and tests have ended.
    "unmaintained": StatementStatus.MAINTENANCE,
    "end of life (eol)": StatementStatus.REMOVED,
    "end of life": StatementStatus.REMOVED,
    "eol": StatementStatus.REMOVED,
}
_STATE_NOTES = (
    (re.compile(r"only bug fix", re.I), "bug fixes only, no new releases"),
    (re.compile(r"only doc fix", re.I), "documentation fixes only"),
    (re.compile(r"replaced by ([\w./-]+)", re.I), "replaced by {}"),
    (re.compile(r"outdated", re.I), "outdated"),
    (re.compile(r"CI commitment", re.I), "tested continuously"),
)
_PROMISES = (
    (re.compile(r"Typically scheduled every three months"), "final-release-every", "3 months"),
    (
        re.compile(r"latest 1 or 2 release"),
        "main-follows",
        "vLLM main and its last 1 or 2",
    ),
)


def read_policy(page: Page, vocabulary: Vocabulary) -> Reading:
    """Everything that the versioning policy states in tables, and two promises in prose."""
    collector = Collector(page, vocabulary)
    paired = 0
    for table in page.document.tables:
        labels = [fold_label(name) for name in table.columns]
        if labels[:2] == ["vllm ascend", "vllm"]:
            paired += 1
            for cells in table.rows:
                _read_pairing(collector, table, cells)
        elif labels[:2] == ["date", "event"]:
            for cells in table.rows:
                _read_window(collector, table, cells)
        elif labels[0] == "branch":
            _read_branches(collector, table, labels)
        elif labels[0] == "version" and "code branch" in labels:
            _read_documents(collector, table)
    if not paired:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with the columns "vLLM Ascend", "vLLM" and "Stable CANN"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    _read_promises(collector)
    return collector.reading()


def read_branches(page: Page, vocabulary: Vocabulary) -> Reading:
    """The branch states of the README."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        labels = [fold_label(name) for name in table.columns]
        if labels[0] == "branch":
            _read_branches(collector, table, labels)
        elif labels[:2] == ["version", "release type"]:
            for cells in table.rows:
                _read_recommended(collector, table, cells)
    if not any(f.kind is FindingKind.MAINTENANCE for f in collector.findings):
        raise UnexpectedPage(
            path=page.path,
            expected='a table with the columns "Branch" and "Status"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def _read_pairing(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add one finding for each component that a release is paired with."""
    name = one_line(cells[0].text)
    version = _VERSION.fullmatch(name)
    release = version.group(1) if version else ""
    row: dict[str, str] = {"vllm-ascend": name}
    for label, cell in zip(table.columns, cells, strict=False):
        component = _COMPONENTS.get(fold_label(label))
        if component and cell.text:
            row[component] = one_line(cell.text)
    for label, cell in list(zip(table.columns, cells, strict=False))[1:]:
        component = _COMPONENTS.get(fold_label(label))
        finding = collector.at_cell(table, cell, row=name, column=label)
        if component is None:
            collector.miss("component", label, finding.locator)
            component = fold_label(label).replace(" ", "-")
        text = one_line(cell.text)
        collector.value(
            FindingKind.PAIRING,
            f"pairing/{release or name}/{component}",
            _pairing_status(text),
            replace(finding, names=row, release=release),
            value=text,
        )


def _pairing_status(text: str) -> StatementStatus:
    if not text or _OPEN in text:
        # A placeholder that the documentation tool fills in: this text does not hold the value.
        return StatementStatus.NOT_STATED
    return StatementStatus.NOT_APPLICABLE if text == "N/A" else StatementStatus.SUPPORTED


def _read_window(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add a release of the release window, with the day that the page gives."""
    event = one_line(cells[1].text)
    finding = collector.at_cell(table, cells[1], row=cells[0].text, column=table.columns[1])
    day = _DAY.match(one_line(cells[0].text))
    versions = _VERSION.findall(event)
    if not day or not versions:
        collector.miss("release", f"{cells[0].text} {event}", finding.locator)
        return
    version = versions[-1]
    candidate = event.startswith("Release candidates")
    names = {"version": f"v{version}", "date": "-".join(day.groups())}
    collector.value(
        FindingKind.RELEASE,
        f"release/{version}",
        StatementStatus.CANDIDATE if candidate else StatementStatus.RELEASED,
        replace(finding, names=names, release=version),
        value=names["date"],
    )


def _read_branches(collector: Collector, table: Table, labels: list[str]) -> None:
    """Add branches with their state; a table of states explains the words instead."""
    if "time frame" in labels:
        for cells in table.rows:
            _read_state(collector, table, cells)
        return
    at = next((labels.index(name) for name in ("state", "status") if name in labels), None)
    if at is None:
        raise UnexpectedPage(
            path=collector.page.path,
            expected='a table of branches with a column "State" or "Status"',
            nearest=", ".join(table.columns[:4]),
        )
    for cells in table.rows:
        branch = one_line(cells[0].text)
        finding = collector.at_cell(table, cells[at], row=branch, column=table.columns[at])
        word = one_line(cells[at].text)
        status = _STATES.get(fold_label(word))
        if status is None:
            collector.miss("maintenance", word, finding.locator)
            status = StatementStatus.NOT_STATED
        said = one_line(cells[labels.index("note")].text) if "note" in labels else ""
        feature = "rfc" in branch and "rfc link" in labels
        collector.value(
            FindingKind.MAINTENANCE,
            f"maintenance/{'feature-branch' if feature else 'branch'}/{branch}",
            status,
            replace(
                finding,
                names={"branch": branch, "state": word},
                note=_state_note(said),
                footnotes=(said,) if said else (),
            ),
            value=word.casefold(),
        )


def _read_recommended(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add a release that the README recommends, with what kind it calls it."""
    word, kind = one_line(cells[0].text), fold_label(cells[1].text)
    finding = collector.at_cell(table, cells[1], row=word, column=table.columns[1])
    version = _VERSION.fullmatch(word)
    if version is None:
        collector.miss("release", word, finding.locator)
        return
    stable = kind == "latest stable version"
    collector.value(
        FindingKind.RELEASE,
        f"recommended/{kind.replace(' ', '-')}",
        StatementStatus.RELEASED if stable else StatementStatus.CANDIDATE,
        replace(finding, names={"version": word, "kind": kind}, release=version.group(1)),
        value=word,
    )


def _state_note(said: str) -> str:
    for pattern, ours in _STATE_NOTES:
        if match := pattern.search(said):
            return ours.format(*match.groups())
    return ""


def _read_state(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add what a state's word means and how long it lasts."""
    word = one_line(cells[0].text)
    finding: Finding = collector.at_cell(table, cells[1], row=word, column=table.columns[1])
    collector.value(
        FindingKind.POLICY,
        f"policy/branch-state/{fold_label(word).replace(' ', '-')}",
        StatementStatus.POLICY,
        replace(finding, names={"state": word}, footnotes=(one_line(cells[2].text),)),
        value=one_line(cells[1].text),
    )


def _read_documents(collector: Collector, table: Table) -> None:
    """Add which documentation version follows which branch."""
    for cells in table.rows:
        name = one_line(cells[0].text)
        finding = collector.at_cell(table, cells[2], row=name, column=table.columns[2])
        collector.value(
            FindingKind.POLICY,
            f"policy/documentation/{fold_label(name).split('（')[0].replace(' ', '-')}",
            StatementStatus.POLICY,
            replace(finding, names={"documentation": name}),
            value=one_line(cells[2].text)[:80],
        )


def _read_promises(collector: Collector) -> None:
    """Add the release rhythm and what the main branch follows, where the page says so."""
    for number, line in enumerate(collector.document.source_lines, 1):
        for pattern, key, value in _PROMISES:
            if match := pattern.search(line):
                collector.value(
                    FindingKind.POLICY,
                    f"policy/{key}",
                    StatementStatus.POLICY,
                    replace(collector.at_line(number, match.group(0)), names={"scope": key}),
                    value=value,
                )
