"""Ascend pages: models, schemes by layer, server arguments, feature pairs, versions."""

import re
from dataclasses import replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    PageRule,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Item, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.grids import Grid, GridCell, read_grid, state_cell, tables_with
from ingest.sources.sglang.ascend_words import (
    DIFFUSION,
    FEATURES,
    FLAGS,
    LABELLED,
    PRODUCTS,
    SCHEME_COLUMNS,
    SCHEMES,
)
from ingest.sources.sglang.words import ASCEND_SIGNS, COMBINATION_SIGNS
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Limit, Tier


def read_ascend_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Models on Ascend, one column for each product series."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if fold_label(table.columns[0]) == "models":
            read_grid(
                collector,
                table,
                Grid(
                    area="model-hardware",
                    row=lambda cell, at: _models(collector, cell, at),
                    column=_product,
                    statuses=ASCEND_SIGNS,
                    refine=_refine,
                ),
            )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with columns "Models" and "A2 Supported"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def read_ascend_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """Quantization schemes on Ascend by producer, layer type and product series."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if fold_label(table.columns[0]) in SCHEME_COLUMNS:
            _read_schemes(collector, table)
    for item in page.document.items:
        if item.checked is not None:
            _read_scheme_item(collector, item)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with "Quantization scheme" or a list of ticked schemes',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def read_ascend_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """Server arguments on Ascend; those that stand for a feature become statements about it."""
    collector = Collector(page, vocabulary)
    for table in tables_with(page, "Argument", "Server supported"):
        index = [fold_label(name) for name in table.columns].index("server supported")
        for cells in table.rows:
            _read_argument(collector, table, cells[0], cells[index])
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='tables with "Argument" and "Server supported"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def read_ascend_pairs(page: Page, vocabulary: Vocabulary) -> Reading:
    """Feature × feature on Ascend, in the symbols of the page's legend."""
    collector = Collector(page, vocabulary)
    for table in tables_with(page, "Feature", "NPU Graph", "EPLB"):
        read_grid(
            collector,
            table,
            Grid(
                area="feature-pair-ascend",
                row=lambda cell, at: [_feature(collector, cell.text, at)],
                column=lambda name, at: [
                    _feature(collector, name, at),
                    facet_of(Axis.HARDWARE, "Ascend NPU", "ascend"),
                ],
                statuses=COMBINATION_SIGNS,
                refine=_refine_pair,
            ),
        )
    for item in page.document.items:
        if match := re.match(r"(🟢|🟠|❌|❔)\s*=\s*(.+)$", item.text):
            collector.value(
                FindingKind.LEGEND,
                f"legend/feature-pair-ascend/{match.group(1)}",
                StatementStatus.LEGEND,
                collector.at_line(item.line, item.text),
                value=match.group(2),
            )
    return collector.reading()


def read_ascend_versions(page: Page, vocabulary: Vocabulary) -> Reading:
    """The component versions that the installation page pins."""
    collector = Collector(page, vocabulary)
    for table in tables_with(page, "Component", "Version"):
        for cells in table.rows:
            name = fold_label(cells[0].text).replace(" ", "-")
            collector.value(
                FindingKind.REQUIREMENT,
                f"requirement/ascend/{name}",
                StatementStatus.PINNED,
                replace(
                    collector.at_cell(table, cells[1], row=cells[0].text, column=table.columns[1]),
                    names={name: one_line(cells[1].text)},
                ),
                value=one_line(cells[1].text),
            )
    return collector.reading()


def _models(collector: Collector, cell: Cell, at: Locator) -> list[Facet]:
    """The models of a row: one checkpoint, or several as in "DeepSeek V3/V3.1"."""
    word = one_line(cell.text)
    names = [word]
    known = collector.vocabulary.find(Axis.MODEL, word)
    if not known and not re.match(r"^[\w.-]+/[\w.-]+$", word):
        first, *more = [part.strip() for part in word.split("/")]
        head = first.rsplit(" ", 1)[0]
        names = [first, *(name if " " in name else f"{head} {name}" for name in more)]
    return [
        part for name in names for part in collector.split(collector.facet(Axis.MODEL, name, at))
    ]


def _product(name: str, at: Locator) -> list[Facet] | None:
    """The product series of a column; the family column states nothing."""
    slugs = PRODUCTS.get(fold_label(name))
    return [facet_of(Axis.HARDWARE, name, *slugs)] if slugs else None


def _refine(found: GridCell) -> None:
    if found.status is StatementStatus.UNSUPPORTED:
        found.change(limit=Limit.FRAMEWORK)


def _read_schemes(collector: Collector, table: Table) -> None:
    """Add a table of schemes; its producer stands in the line above, or the page is ModelSlim's."""
    names = [fold_label(name) for name in table.columns]
    producer = _producer(table.lead, table.heading)
    layer_index = names.index("layer type") if "layer type" in names else None
    for cells in table.rows:
        layer = fold_label(cells[layer_index].text) if layer_index is not None else ""
        for index, name in enumerate(names):
            if name not in PRODUCTS and name != DIFFUSION:
                continue
            cell = cells[index]
            finding = collector.at_cell(table, cell, row=cells[0].text, column=table.columns[index])
            facets = [_scheme(collector, producer, cells[0].text, finding.locator)]
            if "moe" in layer or re.search(r"\bMOE\b", cells[0].text):
                facets.append(facet_of(FEATURE, "MoE", "moe"))
            found = GridCell(
                table=table,
                row=cells[0],
                column=table.columns[index],
                cell=cell,
                facets=facets,
                status=ASCEND_SIGNS.read(cell),
                finding=finding,
            )
            _place_scheme(found, name, diffusion_page="Diffusion" in "".join(table.heading[-1:]))
            _refine(found)
            state_cell(collector, f"ascend-quantization-{producer}", found)


def _place_scheme(found: GridCell, column: str, *, diffusion_page: bool) -> None:
    """Add the hardware of a column, or of the cell itself ("√ (A5)" under "Diffusion models")."""
    if column == DIFFUSION or diffusion_page:
        found.facets.append(facet_of(FEATURE, "diffusion", "diffusion-generation"))
    slugs = PRODUCTS.get(column, ("ascend",))
    if match := LABELLED.match(one_line(found.cell.text)):
        found.status = ASCEND_SIGNS.read_text(match.group(1))
        slugs = (f"ascend-{match.group(2).lower()}",)
    found.facets.append(facet_of(Axis.HARDWARE, found.column, *slugs))


def _producer(lead: str, heading: tuple[str, ...]) -> str:
    """Who made the checkpoints that a table speaks about."""
    words = fold_label(lead)
    for name in SCHEMES:
        if name in words:
            return name
    return "modelslim"


def _scheme(collector: Collector, producer: str, word: str, at: Locator) -> Facet:
    """What a scheme's word means under its producer; layer words and links fall away."""
    plain = re.sub(r"\s+(?:linear|moe)\b.*$", "", one_line(word), flags=re.IGNORECASE)
    plain = re.sub(r"\s*\((?:Diffusion|LLM|ModelSlim|all types|standard)[^)]*\)?.*$", "", plain)
    plain = re.sub(r"\s+with/without activation clip$", "", plain)
    table = SCHEMES[producer]
    slugs = table.get(fold_label(plain))
    if slugs:
        return Facet(Axis.QUANTIZATION, word, frozenset(slugs))
    # Beside its producer the word is one that the catalogue may know: "W8A16 AWQ".
    full = plain if producer == "modelslim" else f"{plain} {producer}"
    return collector.facet(Axis.QUANTIZATION, full, at)


def _read_scheme_item(collector: Collector, item: Item) -> None:
    """Add one ticked bullet of 0.5.9: "[x] W4A16 MOE # Need to test"."""
    above = [text for text in collector.document.paragraphs if text.line < item.line]
    producer = _producer(above[-1].text if above else "", ())
    finding = collector.at_line(item.line, item.raw)
    text = item.text.split("#")[0].strip()
    untested = "need to test" in item.text.lower()
    facets = [_scheme(collector, producer, text, finding.locator)]
    if re.search(r"\bmoe\b", text, re.IGNORECASE):
        facets.append(facet_of(FEATURE, "MoE", "moe"))
    facets.append(facet_of(Axis.HARDWARE, "Ascend NPU", "ascend"))
    if untested:
        status = StatementStatus.UNTESTED
    else:
        status = StatementStatus.SUPPORTED if item.checked else StatementStatus.PLANNED
    collector.state(f"ascend-quantization-{producer}", facets, status, finding)


def _read_argument(collector: Collector, table: Table, row: Cell, cell: Cell) -> None:
    """Add one server argument: "A2, A3", "Planned", "Experimental", "Special for GPU"."""
    finding = collector.at_cell(table, cell, row=row.text, column="Server supported")
    status, slugs = _argument_status(cell.text)
    flags = re.findall(r"--[\w-]+", row.text)
    feature = next((FLAGS[flag] for flag in flags if flag in FLAGS), "")
    name = flags[0] if flags else one_line(row.text)
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        status = StatementStatus.NOT_STATED
    if not feature:
        collector.value(
            FindingKind.VALUE,
            f"ascend-argument/{name}",
            status,
            replace(finding, names={"argument": name}),
            value=one_line(cell.text),
        )
        return
    facets = [
        facet_of(FEATURE, name, feature),
        facet_of(Axis.HARDWARE, cell.text, *slugs),
    ]
    finding = _describe_argument(finding, status)
    restricted = _RESTRICTED.search(table.heading[-1]) if table.heading else None
    if restricted and status is StatementStatus.SUPPORTED:
        status = StatementStatus.PARTIAL
        finding = replace(finding, note=f"for {one_line(restricted.group(1))} only")
    collector.state("feature-hardware", facets, status, finding)


# A heading can restrict its whole table: "LoRA (restricted to Qwen series models)".
_RESTRICTED = re.compile(r"\((?:restricted|limited) to ([^)]{1,60})\)", re.IGNORECASE)


def _argument_status(text: str) -> tuple[StatementStatus | None, tuple[str, ...]]:
    word = fold_label(text).split(".")[0]
    products = re.findall(r"\bA[235]\b", text)
    if products:
        return StatementStatus.SUPPORTED, tuple(f"ascend-{name.lower()}" for name in products)
    words = {
        "planned": StatementStatus.PLANNED,
        "experimental": StatementStatus.EXPERIMENTAL,
        "special for gpu": StatementStatus.UNSUPPORTED,
        "unused reserved parameter": StatementStatus.NOT_APPLICABLE,
        "": StatementStatus.NOT_STATED,
    }
    return words.get(word), ("ascend",)


def _describe_argument(finding: Finding, status: StatementStatus) -> Finding:
    if status is StatementStatus.EXPERIMENTAL:
        return replace(finding, tier=Tier.EXPERIMENTAL)
    if status is StatementStatus.UNSUPPORTED:
        return replace(finding, limit=Limit.FRAMEWORK, note="the argument is for GPUs only")
    if status is StatementStatus.PLANNED:
        return replace(finding, tier=Tier.PLANNED)
    return finding


def _feature(collector: Collector, word: str, at: Locator) -> Facet:
    return collector.facet(FEATURE, word, at, table=FEATURES)


def _refine_pair(found: GridCell) -> None:
    """The diagonal says nothing; a partial pair is partial by the legend."""
    if fold_label(found.row.text) == fold_label(found.column):
        found.status = StatementStatus.NOT_APPLICABLE
    elif found.status is StatementStatus.PARTIAL:
        found.change(note="partly compatible by the page's legend")
    elif found.status is StatementStatus.UNSUPPORTED:
        found.change(limit=Limit.FRAMEWORK)


_OLD = (
    r"(?:docs|docs_new/docs)/(?:platforms|hardware-platforms)/(?:ascend/|ascend-npus/)?ascend_npu"
)
_NEW = r"(?:docs|docs/docs)/hardware-platforms/ascend-npus/"

RULES = (
    PageRule(
        "ascend-models",
        (_OLD + r"_support_models\.mdx?", _NEW + r"reference/support_models\.mdx"),
        read_ascend_models,
    ),
    PageRule(
        "ascend-quantization",
        (_OLD + r"_quantization\.mdx?", _NEW + r"optimization/quantization\.mdx"),
        read_ascend_quantization,
    ),
    PageRule(
        "ascend-features",
        (_OLD + r"_support_features\.mdx?", _NEW + r"reference/support_features\.mdx"),
        read_ascend_features,
    ),
    PageRule(
        "ascend-pairs",
        (_OLD + r"_optimization\.mdx?", _NEW + r"optimization/parameter_tuning\.mdx"),
        read_ascend_pairs,
    ),
    PageRule(
        "ascend-versions",
        (_OLD + r"\.mdx?", _NEW + r"getting-started/installation\.mdx"),
        read_ascend_versions,
    ),
)
