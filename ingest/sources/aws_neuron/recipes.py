"""Model recipes of the plug-in: checkpoints, and the features of each model."""

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
from ingest.sources.aws_neuron.words import (
    NO_FEATURE,
    RECIPE_SIGNS,
    VALIDATED_SIGNS,
    features_of,
    hardware_in,
    instances_in,
    scheme_of,
)
from ingest.sources.collecting import Collector, Facet, one_line
from ingest.sources.statuses import plain_symbol
from matrix.domain.levels import Axis, Limit, Tier

_KNOWN_ISSUE = re.compile(r"\(see Known issues\)", re.IGNORECASE)
_LEGEND = re.compile(r"^- (✅|❌|N/A):? (.+)$")
_ONLY = re.compile(r"\(Trn\d only\)")
_NOT_YET = re.compile(r"(.+?) (?:is|are) not supported yet")
_SCHEME_ONLY = re.compile(r"\b(MXFP\d|NVFP4|FP8) is (Trn\d) only")
_CHECKPOINT = ("Model", "HuggingFace", "Hardware", "Quantization")
_FEATURES = ("Category", "Feature", "Status")


def read_recipe(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every checkpoint × scheme × instance, and every feature of the recipe's models."""
    collector = Collector(page, vocabulary)
    checkpoints = [t for t in page.document.tables if t.has_columns(_CHECKPOINT)]
    features = [t for t in page.document.tables if t.has_columns(_FEATURES)]
    if not checkpoints or not features:
        raise UnexpectedPage(
            path=page.path,
            expected="tables with " + ", ".join(_CHECKPOINT) + " and " + ", ".join(_FEATURES),
            nearest="; ".join(", ".join(t.columns) for t in page.document.tables[:4]),
        )
    models: list[Facet] = []
    chips: set[str] = set()
    for table in checkpoints:
        for row, cells in table.records():
            chips |= set(instances_in(cells["Hardware"].text))
            model, status = _read_checkpoint(collector, table, row, cells)
            if status is not StatementStatus.UNTESTED:
                models.append(model)
    # The name of the recipe outlasts the checkpoints that it lists.
    recipe = page.path.rsplit("/", 1)[-1].removesuffix(".md")
    subject = replace(_joined(models), key=recipe)
    hardware = Facet(Axis.HARDWARE, "Neuron", frozenset(chips))
    for table in features:
        _read_features(collector, table, subject, hardware)
    _read_limits(collector, subject, hardware)
    for number, line in enumerate(page.document.source_lines, start=1):
        if match := _LEGEND.match(line):
            collector.value(
                FindingKind.LEGEND,
                f"legend/recipes/{plain_symbol(match.group(1))}",
                StatementStatus.LEGEND,
                collector.at_line(number, line),
                value=match.group(2).split(":")[0],
            )
    return collector.reading()


def _joined(models: list[Facet]) -> Facet:
    """The recipe's models as one facet; unknown as long as one of them is."""
    known = all(model.known for model in models)
    slugs = frozenset(slug for model in models for slug in model.slugs) if known else frozenset()
    return Facet(Axis.MODEL, ", ".join(model.word for model in models), slugs)


def _read_checkpoint(
    collector: Collector, table: Table, row: Cell, cells: dict[str, Cell]
) -> tuple[Facet, StatementStatus]:
    """Add one checkpoint with each of its schemes; the model, and whether it was validated."""
    hub = cells["HuggingFace"]
    finding = collector.at_cell(table, row, row=row.text, column="Model")
    model = collector.facet(Axis.MODEL, one_line(hub.text), finding.locator)
    validated = cells.get("Validated")
    status = VALIDATED_SIGNS.read(validated) if validated else StatementStatus.SUPPORTED
    if status is None or (validated is not None and not validated.text):
        collector.miss("status", validated.text if validated else "", finding.locator)
        status = StatementStatus.NOT_STATED
    schemes = cells["Quantization"]
    for word in re.split(r",\s*(?![^(]*\))", schemes.text):
        draft = collector.at_cell(table, schemes, row=row.text, column="Quantization")
        scheme = scheme_of(collector, one_line(word), draft.locator)
        named = word if instances_in(word) else cells["Hardware"].text
        facets = [model, scheme, hardware_in(cells["Hardware"].text, named)]
        collector.state(
            "checkpoint", facets, status, replace(draft, raw=one_line(word), tier=Tier.EXPERIMENTAL)
        )
        if _ONLY.search(word):
            _refuse_others(collector, [model, scheme], cells["Hardware"].text, word, draft)
    if validated is not None:
        mark = collector.at_cell(table, validated, row=row.text, column="Validated")
        collector.value(
            FindingKind.VALUE,
            f"validated/{model.key_part}",
            status,
            replace(mark, names={"model": row.text}),
        )
    return model, status


def _refuse_others(
    collector: Collector, facets: list[Facet], listed: str, word: str, draft: Finding
) -> None:
    """Add that a scheme of one instance generation does not run on the others of its row."""
    others = frozenset(instances_in(listed)) - frozenset(instances_in(word))
    if not others:
        return
    finding = replace(draft, limit=Limit.HARDWARE, note=f"on {instances_in(word)[0]} only")
    hardware = Facet(Axis.HARDWARE, listed, others)
    collector.state("checkpoint", [*facets, hardware], StatementStatus.UNSUPPORTED, finding)


def _read_limits(collector: Collector, subject: Facet, hardware: Facet) -> None:
    """Add what single sentences refuse: features not there yet, schemes of one generation."""
    for item in collector.document.items:
        if item.heading[-1:] == ("Known limitations",) and (match := _NOT_YET.match(item.text)):
            for word in re.split(r",\s*|\s+and\s+", match.group(1)):
                finding = replace(
                    collector.at_line(item.line, match.group(0)), limit=Limit.FRAMEWORK
                )
                for feature in features_of(collector, word, finding.locator):
                    facets = [subject, feature, hardware]
                    collector.state("limit", facets, StatementStatus.UNSUPPORTED, finding)
    for text in collector.document.paragraphs:
        if match := _SCHEME_ONLY.search(one_line(text.text)):
            end = text.line + text.raw.count("\n")
            draft = collector.at_line(text.line, match.group(0), line_end=end)
            scheme = scheme_of(collector, match.group(1), draft.locator)
            listed = ", ".join(_GENERATIONS.get(slug, "") for slug in sorted(hardware.slugs))
            _refuse_others(collector, [subject, scheme], listed, match.group(2), draft)


_GENERATIONS = {"aws-trainium2": "Trn2", "aws-trainium3": "Trn3"}


def _read_features(collector: Collector, table: Table, subject: Facet, hardware: Facet) -> None:
    """Add the feature rows; a blank category carries the one above it."""
    category = ""
    for row, cells in table.records():
        category = fold_label(row.text) or category
        word, cell = one_line(cells["Feature"].text), cells["Status"]
        finding = collector.at_cell(table, cell, row=word, column="Status")
        finding = replace(finding, names={"category": category}, tier=Tier.EXPERIMENTAL)
        status = RECIPE_SIGNS.read_text(_KNOWN_ISSUE.sub("", cell.text).strip())
        if _KNOWN_ISSUE.search(cell.text):
            finding = replace(finding, note="throughput does not scale as expected")
        if status is StatementStatus.UNSUPPORTED:
            finding = replace(finding, limit=Limit.FRAMEWORK, tier=Tier.OFFICIAL)
        if status is None:
            collector.miss("status", cell.text, finding.locator)
            continue
        _state_feature(collector, (category, word), [subject, hardware], status, finding)


def _state_feature(
    collector: Collector,
    said: tuple[str, str],
    facets: list[Facet],
    status: StatementStatus,
    finding: Finding,
) -> None:
    category, word = said
    subject, hardware = facets
    if instances_in(word):
        hardware = hardware_in(word, word)
    if category == "quantization":
        scheme = scheme_of(collector, word, finding.locator)
        collector.state("model-scheme", [subject, scheme, hardware], status, finding)
        return
    if fold_label(word) in NO_FEATURE:
        names = {**finding.names, "feature": word, "model": subject.word}
        collector.value(
            FindingKind.VALUE,
            f"recipe/{subject.key_part}/{fold_label(word)}",
            status,
            replace(finding, names=names),
        )
        return
    for feature in features_of(collector, word, finding.locator):
        collector.state("model-feature", [subject, feature, hardware], status, finding)


def read_tasks(page: Page, vocabulary: Vocabulary) -> Reading:
    """The pooling tasks and which of them run."""
    collector = Collector(page, vocabulary)
    tables = [t for t in page.document.tables if t.has_columns(("Task", "Status on Neuron"))]
    if not tables:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with "Task" and "Status on Neuron"',
            nearest="; ".join(", ".join(t.columns) for t in page.document.tables[:4]),
        )
    hardware = hardware_in("Trainium", "Trn2, Trn3")
    for table in tables:
        for row, cells in table.records():
            cell = cells["Status on Neuron"]
            finding = collector.at_cell(table, cell, row=row.text, column="Status on Neuron")
            status = RECIPE_SIGNS.read(cell)
            if status is None:
                collector.miss("status", cell.text, finding.locator)
                continue
            limit = Limit.FRAMEWORK if status is StatementStatus.UNSUPPORTED else None
            finding = replace(finding, limit=limit)
            for feature in features_of(collector, row.text, finding.locator):
                collector.state("task", [feature, hardware], status, finding)
            if fold_label(row.text) in NO_FEATURE:
                names = {"feature": row.text}
                collector.value(
                    FindingKind.VALUE, f"task/{row.text}", status, replace(finding, names=names)
                )
    return collector.reading()
