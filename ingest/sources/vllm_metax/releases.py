"""Which plug-in release belongs to which vLLM, MACA and kernel package; branches; requirements."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import Collector, one_line
from ingest.sources.grids import column_named
from ingest.sources.images import numbered_lines, read_patterns
from ingest.sources.plugin_pages import matches_in, require_findings, unexpected
from ingest.sources.vllm_metax.models import HARDWARE
from matrix.domain.levels import Axis

_S = StatementStatus
_PINS = (
    ("python", _S.REQUIRES, re.compile(r"Python (>= ?[\d.]+(?:, <=? ?[\d.]+)?)")),
    ("python-span", _S.REQUIRES, re.compile(r"^- Python: (\d[\d. ]+--[\d. ]+\d)")),
    ("vllm", _S.PINNED, re.compile(r"pip install vllm==([\d.]+)")),
    ("vllm", _S.PINNED, re.compile(r"--branch releases/v([\d.]+) https://github\.com/vllm-proj")),
    ("mcoplib", _S.PINNED, re.compile(r"pip install mcoplib==([\w.+]+)")),
    ("sdk", _S.REQUIRES, re.compile(r"^- SDK: (\S+)")),
    ("vllm-target-device", _S.REQUIRES, re.compile(r"\bVLLM_TARGET_DEVICE=(\w+)")),
    ("os", _S.REQUIRES, re.compile(r"^\s*- OS: (\w+)")),
    ("docker", _S.REQUIRES, re.compile(r"^\s*- (Docker) support")),
)
_CARD = re.compile(r"^- Hardware: (MetaX C-series)")
_TORCH = re.compile(r"torch(\d+\.\d+)")
_TAG = re.compile(r"package_name=([^\s)&]+)")
_RELATED = re.compile(r"(?:Corresponds|related) to vllm release v([\d.]+\w*)", re.IGNORECASE)
_NEWS = re.compile(
    r"\[(\d{4}/\d{1,2})\] Released vllm-metax \*\*v([\w.]+)\*\*.*?aligned with vLLM \*v([\w.]+)\*"
)
_FULLY = re.compile(r"\*\*v([\w.]+)\*\*.*but fully supported (\w+)!")
_ONLY_DOCKER = re.compile(r"only (?:support starting on docker images|with Docker images)")
# What the last column or the status column says of a row that is no released version.
_WORDS = {
    "skipped": _S.SKIPPED,
    "wip": _S.WORK_IN_PROGRESS,
    "under testing": _S.UNTESTED,
    "not released": _S.UNKNOWN,
}


_VERSION_COLUMNS = 4


def read_versions(page: Page, vocabulary: Vocabulary) -> Reading:
    """The version table: one pairing for each plug-in release, and the image it names."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if column_named(table, "plugin version") is not None:
            if len(table.columns) < _VERSION_COLUMNS:
                raise unexpected(page, expected="four columns in the table of plug-in versions")
            for cells in table.rows:
                _read_version(collector, table, cells)
    if not collector.findings:
        raise unexpected(page, expected='a table with "plugin version" and "maca version"')
    return collector.reading()


def _read_version(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    plugin, maca, mcoplib, image = (one_line(cell.text) for cell in cells[:4])
    # The fourth column was a tag and became a link whose address holds the tag.
    cell = cells[3]
    targets = " ".join(link.target for link in cell.links)
    tag = next(iter(_TAG.findall(targets)), image)
    torch = next(iter(_TORCH.findall(tag)), "")
    status = _WORDS.get(fold_label(image), _S.SUPPORTED)
    names = {"vllm_metax": plugin, "maca": maca.removeprefix("maca"), "mcoplib": mcoplib}
    if torch:
        names["torch"] = f"{torch} (from image tag)"
    finding = collector.at_cell(table, cell, row=plugin, column=table.columns[3])
    version = plugin.removeprefix("v")
    kind = FindingKind.RELEASE if status is _S.SKIPPED else FindingKind.PAIRING
    collector.value(kind, f"pairing/{version}", status, replace(finding, names=names), value=maca)
    if status is _S.SUPPORTED:
        collector.value(
            FindingKind.ARTEFACT,
            f"image/{version}",
            _S.PUBLISHED,
            replace(finding, names={"image": tag, "vllm_metax": plugin}),
            value=tag,
        )


def read_branches(page: Page, vocabulary: Vocabulary) -> Reading:
    """The branch table, the news about releases, and what the README requires."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if table.has_columns(("Branch", "Status", "Note")):
            _read_branch_table(collector, table)
    for line, match in matches_in(page.document, _NEWS):
        month, version, upstream = match.groups()
        finding = replace(
            collector.at_line(line, match.group(0)),
            names={"vllm_metax": version, "vllm": upstream, "month": month},
            release=version,
        )
        collector.value(FindingKind.RELEASE, f"news/{version}", _S.RELEASED, finding, value=month)
        collector.value(
            FindingKind.PAIRING, f"news-upstream/{version}", _S.SUPPORTED, finding, value=upstream
        )
    for line, match in matches_in(page.document, _FULLY):
        finding = collector.at_line(line, match.group(2))
        model = collector.facet(Axis.MODEL, match.group(2), finding.locator)
        collector.state(
            "news-model", [model, HARDWARE], _S.SUPPORTED, replace(finding, release=match.group(1))
        )
    _read_needs(collector)
    require_findings(collector, expected='a table "Branch | Status | Note" or pinned versions')
    return collector.reading()


def _read_branch_table(collector: Collector, table: Table) -> None:
    for cells in table.rows:
        branch, status, note = (one_line(cell.text) for cell in cells[:3])
        finding = collector.at_cell(table, cells[1], row=branch, column=table.columns[1])
        finding = replace(finding, names={"branch": branch, "status": status})
        said = _WORDS.get(fold_label(note))
        if fold_label(status) == "released":
            said = _S.RELEASED
        elif said is None:
            # The main branch: the page says that nothing is guaranteed there.
            said = _S.EXPERIMENTAL
        collector.value(FindingKind.RELEASE, f"branch/{branch}", said, finding, value=note[:80])
        if said is _S.SKIPPED:
            continue
        collector.value(
            FindingKind.MAINTENANCE,
            f"maintenance/{branch}",
            _S.MAINTAINED,
            replace(finding, note="one of the branches that the page calls maintained"),
            value=branch,
        )
        if match := _RELATED.search(note):
            collector.value(
                FindingKind.PAIRING,
                f"upstream/{branch}",
                _S.SUPPORTED,
                replace(finding, names={"branch": branch, "vllm": match.group(1)}),
                value=match.group(1),
            )


def read_requirements(page: Page, vocabulary: Vocabulary) -> Reading:
    """What the installation page and its snippets require and pin."""
    collector = Collector(page, vocabulary)
    _read_needs(collector)
    require_findings(
        collector, expected='lines such as "- Python: 3.10 -- 3.12" or "VLLM_TARGET_DEVICE=empty"'
    )
    return collector.reading()


def _read_needs(collector: Collector) -> None:
    read_patterns(collector, _PINS, numbered_lines(collector.document))
    for line, match in matches_in(collector.document, _CARD):
        collector.state(
            "platform",
            [replace(HARDWARE, word=match.group(1))],
            _S.SUPPORTED,
            collector.at_line(line, match.group(1)),
        )
    for line, match in matches_in(collector.document, _ONLY_DOCKER):
        collector.value(
            FindingKind.DEPLOYMENT,
            "deployment/docker-only",
            _S.SUPPORTED,
            replace(
                collector.at_line(line, match.group(0)),
                names={"deployment": "vendor's Docker images"},
                note="only the vendor's container images are a supported way to run it",
            ),
            value="docker",
        )
