"""Operators × backends: the generated table, and the files it is generated from."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.sources.collecting import Collector, facet_of
from ingest.sources.grids import require_table
from ingest.sources.llama_cpp.tables import scope_of_backend
from ingest.sources.llama_cpp.words import backend_and_hardware, backend_facet, type_facet
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Execution

_SIGNS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "🟡": StatementStatus.PARTIAL,
        "❌": StatementStatus.UNSUPPORTED,
    }
)
_NOTE = "some of the tested shapes and types"
_COLUMNS = ("backend_name", "op_name", "op_params", "supported", "backend_reg_name")
_PARAMETER = re.compile(r"(\w+)=(\[[^\]]*\]|[^,]*)")
_WEIGHT_OPS: Mapping[str, tuple[str, str]] = {
    "MUL_MAT": ("type_a", ""),
    "MUL_MAT_ID": ("type_a", "moe"),
}
_OFFLOADED_NOT = "matrix products of this type are not offloaded; they are computed on the CPU"


def read_ops_table(page: Page, vocabulary: Vocabulary) -> Reading:
    """One value an operator and backend.

    They are values of the operator, not claims: what a backend does not compute, the CPU does.
    """
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Operation", "CPU"))
    header = collector.at_line(table.line, "").locator
    backends = [backend_facet(collector, label, header) for label in table.columns[1:]]
    for cells in table.rows:
        op = cells[0].text
        for label, backend, cell in zip(table.columns[1:], backends, cells[1:], strict=False):
            draft = collector.at_cell(table, cell, row=op, column=label)
            status = _SIGNS.read(cell)
            if status is None:
                collector.miss("status", cell.text, draft.locator)
                status = StatementStatus.NOT_STATED
            draft = replace(
                draft,
                names={"op": op, "backend": label},
                scope=scope_of_backend(backend),
                note=_NOTE if status is StatementStatus.PARTIAL else "",
            )
            collector.value(FindingKind.VALUE, f"op/{op.lower()}/{backend.key_part}", status, draft)
    return collector.reading("operators")


@dataclass(slots=True)
class _Tally:
    """The tests of one operator with one type: plain layouts apart from odd ones."""

    line: int
    ok: int = 0
    count: int = 0
    plain: set[bool] = field(default_factory=set)

    def add(self, *, supported: bool, plain: bool) -> None:
        """Count one test."""
        self.count += 1
        self.ok += supported
        if plain:
            self.plain.add(supported)


def read_ops_file(page: Page, vocabulary: Vocabulary) -> Reading:
    """Type × backend from one backend's test list.

    **Shapes**: a type is supported when every plain layout of a product with 32-bit activations
    is; a no of odd layouts is left to the note. Nothing supported = computed on the CPU.
    """
    collector = Collector(page, vocabulary)
    rows = _rows(page)
    label = ""
    weights: dict[tuple[str, str], _Tally] = {}
    for line, row in rows:
        label = row["backend_reg_name"]
        parameters = dict(_PARAMETER.findall(row["op_params"]))
        supported = row["supported"] == "1"
        op = row["op_name"]
        if op in _WEIGHT_OPS and (kind := parameters.get(_WEIGHT_OPS[op][0])):
            tally = weights.setdefault((op, kind), _Tally(line))
            tally.add(supported=supported, plain=_is_plain(parameters))
    at = Locator(column=label, line=2)
    backend = backend_facet(collector, label, at)
    if backend.known:
        slug = next(iter(backend.slugs))
        for (op, kind), tally in weights.items():
            _state_type(collector, label, slug, (op, kind), tally)
    return collector.reading()


def _rows(page: Page) -> Iterable[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(io.StringIO(page.text))
    names = tuple(reader.fieldnames or ())
    if not set(_COLUMNS) <= set(names):
        raise UnexpectedPage(
            path=page.path,
            expected=f"a list of operator tests with the columns {', '.join(_COLUMNS)}",
            nearest=", ".join(names)[:200],
        )
    for row in reader:
        yield reader.line_num, {key: row.get(key) or "" for key in _COLUMNS}


def _is_plain(parameters: Mapping[str, str]) -> bool:
    """A product as models make it: 32-bit activations, no permutation, no repeated batches."""
    expected = {"type_b": "f32", "bs": "[1,1]", "nr": "[1,1]", "per": "[0,1,2,3]"}
    plain = all(parameters.get(key, value) == value for key, value in expected.items())
    return plain and parameters.get("v", "0") in {"0"} and parameters.get("k_v", "0") == "0"


def _state_type(
    collector: Collector, label: str, slug: str, what: tuple[str, str], tally: _Tally
) -> None:
    op, kind = what
    at = Locator(row=f"{op} {kind}", column=label, line=tally.line, path=(op, kind))
    draft = replace(
        collector.draft(at, f"{tally.ok}/{tally.count}"), value=f"{tally.ok}/{tally.count}"
    )
    facets = [type_facet(collector, kind, at), *backend_and_hardware(slug, label)]
    layer = _WEIGHT_OPS[op][1]
    if layer:
        facets.append(facet_of(Axis.LAYER, op, layer))
    if tally.plain == {True}:
        collector.state("op-type", facets, StatementStatus.SUPPORTED, draft)
    elif not tally.ok:
        draft = replace(draft, execution=Execution.CPU_FALLBACK, note=_OFFLOADED_NOT)
        collector.state("op-type", facets, StatementStatus.PARTIAL, draft)
    else:
        draft = replace(draft, note="some matrix products of this type are computed on the CPU")
        collector.state("op-type", facets, StatementStatus.PARTIAL, draft)
