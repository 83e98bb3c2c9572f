"""Moore Threads: the current plug-in vllm-musa, the port of 2024, and torch_musa below both."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    PageRule,
    Reading,
    Source,
    StatementStatus,
    Vocabulary,
)
from ingest.reading.document import Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, facet_of, one_line
from ingest.sources.images import numbered_lines, read_patterns
from ingest.sources.plugin_pages import matches_in, require_findings, unexpected
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Tier

_S = StatementStatus
_S5000 = facet_of(Axis.HARDWARE, "S5000", "moore-threads-mtt-s5000")
_CANDIDATE_NOTE = "the branch is an upgrade candidate, not a supported release"

_STACK = (
    ("torch", _S.PINNED, re.compile(r"PyTorch/torch_musa ([\w.]+\w)")),
    ("musa", _S.PINNED, re.compile(r"\(MUSA ([\d.]+\d)\)")),
    ("mate", _S.PINNED, re.compile(r"\bMATE ([\d.]+\d)")),
    ("torchada", _S.PINNED, re.compile(r"torchada ([\d.]+\d)")),
)
_RECIPES = re.compile(r"Per-checkpoint recipes for (.+?) on (S5000)")
_MODEL_IMAGE = re.compile(r"^- \[([\w.-]+)\]\((\S+?)\) — `([\w./-]+:[\w.-]+)`")
_IMAGE = re.compile(r"VLLM_MUSA_IMAGE=([\w./-]+):(v[\d.]+)")
_BASE = re.compile(r"tracks the upstream v([\d.]+\d) commit")
_RUNNERS = re.compile(r"both runners are supported on MUSA")


def read_plugin(page: Page, vocabulary: Vocabulary) -> Reading:
    """Release table, pinned stack, recipes and images of the current plug-in."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if not table.has_columns(("vLLM-MUSA", "PyTorch/MUSA", "Status")):
            continue
        for cells in table.rows:
            version, torch, engine, status = (one_line(cell.text) for cell in cells[:4])
            said = _S.CANDIDATE if "candidate" in status.lower() else _S.RELEASED
            names = {"vllm_musa": version, "torch": torch, "engine": engine}
            finding = collector.at_cell(table, cells[3], row=version, column="Status")
            collector.value(
                FindingKind.RELEASE,
                f"release/{version}",
                said,
                replace(finding, names=names),
                value=status,
            )
    require_findings(collector, expected='a table "vLLM-MUSA | PyTorch/MUSA | Engine | Status"')
    read_patterns(collector, _STACK, numbered_lines(page.document))
    _read_recipes(collector)
    _read_images(collector)
    for line, match in matches_in(page.document, _BASE):
        collector.value(
            FindingKind.PAIRING,
            "pairing/vllm",
            _S.CANDIDATE,
            replace(collector.at_line(line, match.group(0)), names={"vllm": match.group(1)}),
            value=match.group(1),
        )
    for line, match in matches_in(page.document, _RUNNERS):
        for slug in ("engine-v1", "model-runner-v2"):
            collector.state(
                "feature",
                [facet_of(FEATURE, slug, slug), _S5000],
                _S.EXPERIMENTAL,
                replace(collector.at_line(line, match.group(0)), note=_CANDIDATE_NOTE),
            )
    return collector.reading()


def _read_recipes(collector: Collector) -> None:
    """Add the card that recipes exist for and the models they name."""
    for line, match in matches_in(collector.document, _RECIPES):
        finding = replace(
            collector.at_line(line, match.group(0)), tier=Tier.EXPERIMENTAL, note=_CANDIDATE_NOTE
        )
        collector.state("platform", [_S5000], _S.EXPERIMENTAL, finding)
        for name in re.split(r", | and ", match.group(1)):
            # "Qwen" alone names no model: it is listed for review.
            model = collector.facet(Axis.MODEL, name, finding.locator)
            collector.state("model", [model, _S5000], _S.EXPERIMENTAL, finding)


def _read_images(collector: Collector) -> None:
    for line, match in matches_in(collector.document, _MODEL_IMAGE):
        name, link, image = match.groups()
        finding = collector.at_line(line, image)
        collector.value(
            FindingKind.ARTEFACT,
            f"image/{name.lower()}",
            _S.PUBLISHED,
            replace(finding, names={"model": name, "image": image}, links=(link,)),
            value=image,
        )
        model = collector.facet(Axis.MODEL, name, finding.locator)
        collector.state(
            "model-image",
            [model, _S5000],
            _S.EXPERIMENTAL,
            replace(
                finding,
                conditions=(
                    Condition(kind=ConditionKind.IMAGE, name="image", op="=", value=image),
                ),
                note="by an image of its own, kept independently of the branch",
            ),
        )
    for line, match in matches_in(collector.document, _IMAGE):
        collector.value(
            FindingKind.ARTEFACT,
            "image/vllm-openai",
            _S.PUBLISHED,
            replace(
                collector.at_line(line, match.group(0)),
                names={"image": match.group(1), "tag": match.group(2)},
            ),
            value=match.group(2),
        )


_DEPENDS = re.compile(r"^- \[?(musa_toolkit|pytorch|torch_musa|triton|ray|vllm) (?:>= )?v?([\w.]+)")
_PORT_OF = re.compile(r"当前仓库porting自vllm v([\d.]+\d)版本")


def read_port(page: Page, vocabulary: Vocabulary) -> Reading:
    """What the port of 2024 was built on; its other pages are the upstream's, unchanged."""
    collector = Collector(page, vocabulary)
    found = {m.group(1): (line, m) for line, m in matches_in(page.document, _DEPENDS)}
    if "vllm" not in found:
        raise unexpected(page, expected='a list of dependencies with "vllm v0.4.2"')
    stack = {name.replace("pytorch", "torch"): m.group(2) for name, (_, m) in found.items()}
    for name, (line, match) in found.items():
        if name == "vllm":
            continue
        ranged = ">=" in match.group(0)
        collector.value(
            FindingKind.REQUIREMENT,
            f"requirement/{name.replace('pytorch', 'torch')}",
            _S.RANGE if ranged else _S.PINNED,
            replace(collector.at_line(line, match.group(0)), names={name: match.group(2)}),
            value=f">={match.group(2)}" if ranged else match.group(2),
        )
    line, match = found["vllm"]
    collector.value(
        FindingKind.PAIRING,
        "pairing/vllm",
        _S.SUPERSEDED,
        replace(
            collector.at_line(line, match.group(0)),
            names=stack,
            note="the port stops here; the newer line is the plug-in vllm-musa",
        ),
        value=match.group(2),
    )
    for line, match in matches_in(page.document, _PORT_OF):
        collector.value(
            FindingKind.PAIRING,
            "pairing/vllm-port",
            _S.PINNED,
            replace(collector.at_line(line, match.group(0)), names={"vllm": match.group(1)}),
            value=match.group(1),
        )
    return collector.reading()


_MCCL = re.compile(r"MCCL\(\*(S4000) only\*\)")
_NO_MCCL = re.compile(r"For \*\*(S80/S3000)\*\* users, since the MCCL library is not provided")
_SDK_WITHOUT = re.compile(r"don't provide MCCL in (MUSA SDK [\d.]+\d)")
_UNIFIED = re.compile(r"^(M1000) architecture employs a UMA")
_TORCH_PINS = (
    ("torchvision", _S.REQUIRES, re.compile(r"needs torchvision==([\d.]+\d)")),
    ("torch", _S.REQUIRES, re.compile(r"^PyTorch v([\d.]+\d) needs")),
    ("torchaudio", _S.REQUIRES, re.compile(r"torchaudio==([\d.]+\d), and")),
    ("torchvision-musa", _S.PINNED, re.compile(r"MooreThreads/vision -b (v[\w.-]+)")),
    ("python", _S.REQUIRES, re.compile(r"^- Python == ([\d./]+\d)")),
    ("musa-toolkits", _S.REQUIRES, re.compile(r"^\s*- MUSAToolkits (rc[\d.]+)")),
    ("mudnn", _S.REQUIRES, re.compile(r"^\s*- MUDNN (rc[\d.]+)")),
    ("mccl", _S.REQUIRES, re.compile(r"^\s*- MCCL (rc[\d.]+)")),
    ("torch", _S.PINNED, re.compile(r"torch_musa rc[\d.]+ 是在 PyTorch v([\d.]+\d) 基础上")),
)
_TORCH_IMAGE = re.compile(r"(registry\.mthreads\.com/[\w./-]+):([\w.-]+)")


def read_torch_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """Where the collective library is there, what is pinned, which images are named."""
    collector = Collector(page, vocabulary)
    for pattern, status, word in (
        (_MCCL, _S.SUPPORTED, ""),
        (_NO_MCCL, _S.UNSUPPORTED, ""),
        (_SDK_WITHOUT, _S.UNSUPPORTED, "no MCCL"),
    ):
        for line, match in matches_in(page.document, pattern):
            facet = "software" if word else "hardware"
            collector.value(
                FindingKind.VALUE,
                f"library/mccl/{fold_label(match.group(1)).replace(' ', '-')}",
                status,
                replace(
                    collector.at_line(line, match.group(0)),
                    names={"library": "MCCL", facet: match.group(1)},
                    note="without it there is no collective communication between cards"
                    if status is _S.UNSUPPORTED
                    else "",
                ),
                value=match.group(1),
            )
    read_patterns(collector, _TORCH_PINS, numbered_lines(page.document))
    seen: set[str] = set()
    for line, match in matches_in(page.document, _TORCH_IMAGE):
        if match.group(0) in seen:
            continue
        seen.add(match.group(0))
        collector.value(
            FindingKind.ARTEFACT,
            f"image/{match.group(1)}",
            _S.PUBLISHED,
            replace(
                collector.at_line(line, match.group(0)),
                names={"image": match.group(1), "tag": match.group(2)},
            ),
            value=match.group(2),
        )
    for table in page.document.tables:
        if table.has_columns(("Repo", "Branch", "Link")):
            _read_repositories(collector, table)
    require_findings(collector, expected="images, pins or the remark about MCCL")
    return collector.reading()


def _read_repositories(collector: Collector, table: Table) -> None:
    """Add the ported repositories with the branch that holds the port."""
    for cells in table.rows:
        name, branch = one_line(cells[0].text), one_line(cells[1].text)
        if not branch:
            continue
        finding = collector.at_cell(table, cells[1], row=name, column="Branch")
        collector.value(
            FindingKind.PAIRING,
            f"repository/{name}",
            _S.SUPPORTED,
            replace(finding, names={"library": name, "branch": branch}),
            value=branch,
        )


def read_memory(page: Page, vocabulary: Vocabulary) -> Reading:
    """The architecture that has unified memory."""
    collector = Collector(page, vocabulary)
    for line, match in matches_in(page.document, _UNIFIED):
        finding = collector.at_line(line, match.group(1))
        card = collector.facet(Axis.HARDWARE, match.group(1), finding.locator)
        collector.state(
            "feature",
            [facet_of(FEATURE, "unified memory", "unified-memory"), card],
            _S.SUPPORTED,
            finding,
        )
    require_findings(collector, expected="the sentence about the M1000 architecture")
    return collector.reading()


PLUGIN_SOURCE = Source(
    name="vllm-musa-readme",
    framework="vllm-musa",
    title="vLLM MUSA README",
    rules=(PageRule("readme", (r"README\.md",), read_plugin),),
)
PORT_SOURCE = Source(
    name="vllm-musa-2024-readme",
    framework="vllm-musa-2024",
    title="vllm_musa README (port of 2024)",
    rules=(PageRule("port", (r"README_vllm_musa\.md",), read_port),),
    folder="vllm_musa",
)
TORCH_SOURCE = Source(
    name="torch-musa-docs",
    framework="torch-musa",
    title="torch_musa documentation",
    rules=(
        PageRule(
            "readme",
            (r"README\.md", r"docs/markdown/source/03_compile_and_install\.md"),
            read_torch_readme,
        ),
        PageRule("memory", (r"torch_musa/README\.md",), read_memory),
    ),
    folder="torch_musa",
)
