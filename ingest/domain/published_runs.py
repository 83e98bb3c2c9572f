"""Turns the measured values of documentation pages into runs of class "published".

A page's table says what was measured and little of how; what it leaves out stays unknown. Which
tokens a rate counts is taken from the page's words alone: where they do not say, the metric is
the one whose definition is unstated.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ingest.contract import Finding, FindingKind, Page, StatementStatus
from ingest.domain.derive import PageReading
from matrix.domain.claims import Locator

Scalar = str | int | float | bool

# What a table's rates are counted by, as its page says; under the name "basis".
PER_GPU, PER_SYSTEM = "gpu", "system"
# Which tokens it counts, where the page says so; under the name "counts".
OUTPUT = "output"

_LENGTHS = re.compile(r"^([\d,]+)\s*/\s*([\d,]+)$")
_WORKLOAD = re.compile(r"^(\d+)/(\d+)@(\d+)$")
_LAYOUT = re.compile(r"(DEP|TP|EP|PP)(\d+)")
_RELEASE = re.compile(r"^v?(\d+\.\d+(?:\.\d+)*(?:\.post\d+|rc\d+)?)(?:\s*@\s*([0-9a-f]{7,40}))?$")
_COMMIT = re.compile(r"(?:@\s*|\+g|\()([0-9a-f]{7,40})\b")
_IMAGE = re.compile(r"^([\w.-]+/[\w.-]+:[\w.-]+)(?:\s|$)")
# What the cookbook writes, to metric and definition.
_COOKBOOK = {
    "ttft_ms": ("ttft", "ttft/unstated"),
    "tpot_ms": ("tpot", "tpot/unstated"),
    "tokens_per_sec_per_gpu": ("token_throughput_per_gpu", "token_throughput_per_gpu/unstated"),
}


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One row of a published table.

    **Shapes**: ``facts`` by the names of measured runs; ``metrics`` are (metric, definition,
    statistic, value) in canonical units; ``key`` tells rows of a page apart.
    """

    key: str
    facts: Mapping[str, Scalar]
    load: Mapping[str, Scalar]
    metrics: tuple[tuple[str, str, str, float], ...]


@dataclass(slots=True)
class _Row:
    """A row while its values are collected."""

    facts: dict[str, Scalar]
    load: dict[str, Scalar]
    metrics: list[tuple[str, str, str, float]] = field(default_factory=list)


def published_runs(reading: PageReading, *, framework_name: str) -> tuple[PublishedRun, ...]:
    """The runs of one page in the order of its rows; none for pages without measured rates."""
    page = reading.page
    rows: dict[str, _Row] = {}
    for finding in _measured(reading.reading.findings):
        described = (
            _perf_overview_row(finding)
            if page.framework == "tensorrt-llm"
            else _cookbook_row(finding, page)
        )
        if described is None:
            continue
        key, row, metric = described
        known = rows.setdefault(key, row)
        if not known.metrics:
            known.facts |= _source_facts(page, finding, framework_name)
        known.metrics.append(metric)
    return tuple(
        PublishedRun(key, row.facts, row.load, tuple(row.metrics)) for key, row in rows.items()
    )


def _measured(findings: Iterable[Finding]) -> Iterator[Finding]:
    for finding in findings:
        if finding.kind is FindingKind.BENCHMARK and finding.status is StatementStatus.VALUE:
            yield finding


def _source_facts(page: Page, finding: Finding, framework_name: str) -> dict[str, Scalar]:
    """Where the row stands. A release that the table itself names is the measured one."""
    facts: dict[str, Scalar] = {
        "framework.name": framework_name,
        "published.url": page.url,
        "published.commit": page.commit,
        "published.release": page.release,
        "published.place": _place(finding.locator),
    }
    if page.stated_on is not None:
        facts["published.on"] = page.stated_on.isoformat()
    if finding.release:
        facts["framework.version"] = finding.release
    return {name: value for name, value in facts.items() if value != ""}


def _place(locator: Locator) -> str:
    parts = [*locator.heading[-1:], *locator.path[-1:]]
    if locator.line is not None:
        parts.append(f"line {locator.line}")
    return ", ".join(part for part in parts if part)


def _perf_overview_row(
    finding: Finding,
) -> tuple[str, _Row, tuple[str, str, str, float]] | None:
    """A cell of TensorRT-LLM's overview. **Source**: its section "Throughput Measurements"."""
    names = finding.names
    lengths = _LENGTHS.match(names.get("lengths", ""))
    if lengths is None:
        return None
    facts: dict[str, Scalar] = {
        "model.raw": names.get("model", ""),
        "accelerator.name": names.get("hardware", ""),
        "quantization.weights": names.get("precision", ""),
    }
    layout = names.get("layout", "")
    for kind, count in _LAYOUT.findall(layout):
        facts |= _parallelism(kind, int(count))
    if names.get("count", "").isdigit():
        facts["accelerator.count"] = int(names["count"])
    load: dict[str, Scalar] = {
        # The section says: requests without delay between them, under maximum load.
        "mode": "burst",
        "request_rate_unbounded": True,
        "isl_target": float(lengths[1].replace(",", "")),
        "osl_target": float(lengths[2].replace(",", "")),
    }
    if names.get("batch", "").isdigit():
        load["max_batch_size"] = int(names["batch"])
    metric = "output_token_throughput" if names.get("counts") == OUTPUT else "token_throughput"
    metric += "_per_gpu" if names.get("basis") == PER_GPU else ""
    definition = f"{metric}/{'reported' if names.get('counts') == OUTPUT else 'unstated'}"
    kept = {name: value for name, value in facts.items() if value != ""}
    row = _Row(kept, load)
    return finding.statement, row, (metric, definition, "value", float(finding.value))


def _parallelism(kind: str, count: int) -> dict[str, Scalar]:
    """The degrees of a layout; DEP is data parallel attention with parallel experts."""
    if kind == "DEP":
        return {"parallelism.dp": count, "parallelism.ep": count}
    return {f"parallelism.{kind.lower()}": count}


def _cookbook_row(
    finding: Finding, page: Page
) -> tuple[str, _Row, tuple[str, str, str, float]] | None:
    """A speed value of SGLang's cookbook; accuracies are no speed and are passed over."""
    names = finding.names
    known = _COOKBOOK.get(names.get("metric", ""))
    workload = _WORKLOAD.match(names.get("workload", ""))
    if known is None or workload is None:
        return None
    organisation, _, file = page.path.rpartition("configs/")[2].partition("/")
    model = file.removesuffix("-benchmarks.jsx")
    variant = names.get("variant", "")
    facts: dict[str, Scalar] = {
        "model.raw": f"{organisation}/{model}",
        "accelerator.name": names.get("hw", ""),
        "quantization.weights": names.get("quant", ""),
        "user_meta.variant": variant,
        "user_meta.strategy": names.get("strategy", ""),
        "user_meta.nodes": names.get("nodes", ""),
        **_stated_version(names.get("version", "")),
    }
    load: dict[str, Scalar] = {
        "mode": "closed_loop",
        "isl_target": float(workload[1]),
        "osl_target": float(workload[2]),
        "max_concurrency": int(workload[3]),
    }
    key = finding.statement.rpartition("/")[0]
    kept = {name: value for name, value in facts.items() if value != ""}
    metric, definition = known
    return key, _Row(kept, load), (metric, definition, "value", float(finding.value))


def _stated_version(text: str) -> dict[str, Scalar]:
    """What a free text says of the software: a release, a commit, an image, or only itself."""
    facts: dict[str, Scalar] = {"user_meta.version_stated": text} if text else {}
    if release := _RELEASE.match(text):
        facts["framework.version"] = release[1]
    if commit := _COMMIT.search(text):
        facts["framework.commit"] = commit[1]
    if image := _IMAGE.match(text):
        facts["container.image"] = image[1]
    return facts
