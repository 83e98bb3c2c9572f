"""Result files: one line a model, feature, kernel or scheme, one column a test."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.tpu_inference.words import (
    CI_MACHINE,
    FEATURES,
    GENERATIONS,
    METHODS,
    MODELS_AMONG_FEATURES,
    NO_FEATURE,
    RESULTS,
    SCHEMES,
)
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, EvidenceKind, Limit

_PLACE = re.compile(
    r"support_matrices/(?:(?P<channel>nightly|release)/)?(?:(?P<chip>v\d\w*)/)?"
    r"(?:(?P<code>default|vllm|flax_nnx)/)?[\w-]+\.csv"
)
_SUFFIX = re.compile(r"/(multimodal|text-only)$")
_CORRECT = ("accuracy/correctness", "integrationtest", "correctnesstest")
_MULTI_HOST = "multi-host"


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a result file."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """A result file: its header, its rows, and whose results it holds.

    **Shapes**: ``claims`` says whether the results are those of the release with the code path
    that is used without a choice; the others are kept as values.
    """

    columns: tuple[str, ...]
    rows: tuple[_Row, ...]
    chip: str
    code: str
    claims: bool


def read_model_results(page: Page, vocabulary: Vocabulary) -> Reading:
    """Models × tests on one TPU generation."""
    collector = _collector(page, vocabulary)
    file = _read_file(page, "Model", "UnitTest", "Benchmark")
    for row in file.rows:
        at = _place(file, row, 0)
        name = row.cells[0]
        model = collector.facet(Axis.MODEL, _SUFFIX.sub("", name), at)
        model = replace(model, word=name, key=fold_label(name))
        facets = [model]
        if name.endswith("/multimodal"):
            facets.append(facet_of(FEATURE, "multimodal", "multimodal"))
        _read_tests(collector, file, row, "model-hardware", facets)
    return collector.reading()


def read_feature_results(page: Page, vocabulary: Vocabulary) -> Reading:
    """Features, kernels, parallelism and reinforcement learning × tests on one generation."""
    collector = _collector(page, vocabulary)
    file = _read_file(page, "Feature")
    for row in file.rows:
        _read_tests(collector, file, row, "feature-hardware", [_feature(collector, file, row)])
    return collector.reading()


def read_kernel_results(page: Page, vocabulary: Vocabulary) -> Reading:
    """Kernels × precisions, correctness and speed, as values: they name no feature."""
    collector = _collector(page, vocabulary)
    file = _read_file(page, "Kernel", "W16 A16 (Corr)")
    for row in file.rows:
        for index in range(1, len(file.columns)):
            name = one_line(row.cells[0].replace("<br>", " "))
            _keep(collector, file, row, index, area="kernel-precision", names={"kernel": name})
    return collector.reading()


def read_quantization_results(page: Page, vocabulary: Vocabulary) -> Reading:
    """Schemes × tests; which generations are recommended for each."""
    collector = _collector(page, vocabulary)
    file = _read_file(page, "Recommended TPU Generations", "CorrectnessTest")
    generation = file.columns.index("Recommended TPU Generations")
    for row in file.rows:
        scheme = fold_label(row.cells[0])
        method = fold_label(row.cells[1]) if generation == 2 else ""
        slugs = METHODS.get((scheme, method)) or SCHEMES.get(scheme, ())
        if not slugs:
            collector.miss(Axis.QUANTIZATION, row.cells[0], _place(file, row, 0))
        word = f"{row.cells[0]} {row.cells[1]}" if method else row.cells[0]
        facet = Facet(Axis.QUANTIZATION, word, frozenset(slugs))
        names = {"quantization": word, "hardware": row.cells[generation]}
        _keep(collector, file, row, generation, area="recommended", names=names)
        _read_tests(collector, file, row, "quantization-hardware", [facet], skip=generation)
    return collector.reading()


def read_native_types(page: Page, vocabulary: Vocabulary) -> Reading:
    """The number types that each generation computes natively: values, no claims on schemes."""
    collector = _collector(page, vocabulary)
    file = _read_file(page, "TPU Generations", "Natively Supported FP4/FP8")
    for row in file.rows:
        slugs = GENERATIONS.get(fold_label(row.cells[0]), ())
        if not slugs:
            collector.miss(Axis.HARDWARE, row.cells[0], _place(file, row, 0))
        hardware = f"TPU {row.cells[0]}"
        finding = collector.draft(_place(file, row, 1), row.cells[1])
        collector.value(
            FindingKind.VALUE,
            f"native-types/{'+'.join(sorted(slugs)) or row.cells[0]}",
            StatementStatus.SUPPORTED,
            replace(finding, names={"hardware": hardware, "dtype": row.cells[1]}),
            value=row.cells[1],
        )
    return collector.reading()


def _collector(page: Page, vocabulary: Vocabulary) -> Collector:
    return Collector(page, vocabulary, evidence=EvidenceKind.CI, plain=True)


def _read_file(page: Page, *wanted: str) -> _File:
    """The file's rows; **Raises** ``UnexpectedPage`` where a column is missing."""
    lines = list(_lines(page.text))
    columns = lines[0].cells if lines else ()
    if not set(wanted) <= set(columns):
        raise UnexpectedPage(
            path=page.path,
            expected="columns " + ", ".join(wanted),
            nearest=", ".join(columns[:6]) or "an empty file",
        )
    place = _PLACE.fullmatch(page.path)
    channel, chip, code = place.group("channel", "chip", "code") if place else ("", "", "")
    return _File(
        columns=columns,
        rows=tuple(row for row in lines[1:] if row.cells[0]),
        chip=chip or "",
        code=code or "",
        claims=channel != "nightly" and code in {None, "default"},
    )


def _lines(text: str) -> Iterator[_Row]:
    """Lines padded to the header's width; a line break within quotes is no new row."""
    reader = csv.reader(text.removeprefix("\ufeff").splitlines(keepends=True))
    width, start = 0, 1
    for cells in reader:
        if cells:
            stripped = [cell.strip() for cell in cells]
            width = width or len(stripped)
            padded = (*stripped, *([""] * (width - len(stripped))))
            yield _Row(line=start, cells=tuple(padded))
        start = reader.line_num + 1


def _place(file: _File, row: _Row, index: int) -> Locator:
    return Locator(row=row.cells[0], column=file.columns[index], line=row.line)


def _feature(collector: Collector, file: _File, row: _Row) -> Facet | None:
    """The feature of a row, or ``None`` for a row that names none."""
    word = fold_label(row.cells[0])
    at = _place(file, row, 0)
    if word in NO_FEATURE:
        return None
    if word in MODELS_AMONG_FEATURES:
        return collector.facet(Axis.MODEL, row.cells[0], at, table=MODELS_AMONG_FEATURES)
    facet = collector.facet(FEATURE, row.cells[0], at, table=FEATURES)
    # Several rows may mean one feature of the catalogue; each stays a statement of its own.
    return replace(facet, key=word)


def _read_tests(
    collector: Collector,
    file: _File,
    row: _Row,
    area: str,
    subject: Sequence[Facet | None],
    *,
    skip: int = 0,
) -> None:
    """Add every test of a row; what was tested for correctness is a statement."""
    facets = [facet for facet in subject if facet is not None]
    for index, column in enumerate(file.columns):
        if index == 0 or index <= skip or column == "Type":
            continue
        folded = fold_label(column)
        if len(facets) < len(subject) or not folded.endswith(_CORRECT) or not file.claims:
            names = {str(facet.axis): facet.word for facet in facets} or {"row": row.cells[0]}
            names["hardware"] = _chip_words(file)
            _keep(collector, file, row, index, area=area, names=names)
            continue
        hosts = [facet_of(FEATURE, column, "multi-node")] if folded.startswith(_MULTI_HOST) else []
        chip = [collector.facet(Axis.HARDWARE, file.chip, _place(file, row, 0))] * bool(file.chip)
        finding = _describe(collector, file, row, index)
        status = RESULTS.read_text(row.cells[index])
        if status is None:
            collector.miss("status", row.cells[index], finding.locator)
            _keep(collector, file, row, index, area=area, names={"row": row.cells[0]})
            continue
        collector.state(area, [*facets, *hosts, *chip], status, finding)


def _describe(collector: Collector, file: _File, row: _Row, index: int) -> Finding:
    """The draft of a tested statement with what the other tests of the row add to it."""
    status = RESULTS.read_text(row.cells[index])
    finding = collector.draft(_place(file, row, index), row.cells[index])
    others = [RESULTS.read_text(cell) for cell in row.cells[index + 1 : index + 2]]
    note, limit = "", None
    if status is StatementStatus.VALIDATED and StatementStatus.DOES_NOT_FIT in others:
        note = "the speed test does not fit into the memory of the test machine"
    elif status is StatementStatus.VALIDATED and StatementStatus.UNSUPPORTED in others:
        note = "correct by the project's tests; the speed test fails"
    elif status is StatementStatus.UNSUPPORTED:
        note, limit = "the project's correctness test fails", Limit.FRAMEWORK
    elif status is StatementStatus.DOES_NOT_FIT:
        note = "does not fit into the test machine, whose number of chips is not stated"
        return replace(finding, note=note, limit=Limit.HARDWARE, conditions=(CI_MACHINE,))
    return replace(finding, note=note, limit=limit)


def _keep(
    collector: Collector, file: _File, row: _Row, index: int, *, area: str, names: dict[str, str]
) -> None:
    """Add a cell as a value, which makes no claim."""
    text = row.cells[index]
    status = RESULTS.read_text(text)
    at = _place(file, row, index)
    if status is None:
        status = StatementStatus.VALUE
        if area != "recommended":
            collector.miss("status", text, at)
    place = "/".join(part for part in (file.chip, file.code) if part)
    words = {key: word for key, word in {**names, "test": at.column}.items() if word}
    collector.value(
        FindingKind.VALUE,
        "/".join([f"test-{area}", fold_label(row.cells[0]), fold_label(at.column), place]),
        status,
        replace(collector.draft(at, text), names=words),
        value=text,
    )


def _chip_words(file: _File) -> str:
    return f"TPU {file.chip}" if file.chip else ""
