"""The feature combination matrix: a lower triangle that holds for both orders of a pair."""

from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import fold_label
from ingest.sources.collecting import Collector, facet_of
from ingest.sources.grids import Grid, GridCell, read_grid, require_table
from ingest.sources.tensorrt_llm.words import FEATURE_WORDS, feature
from matrix.domain.levels import Limit

_YES = "yes ("


def read_combinations(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of feature-combination-matrix.md.

    A blank cell above the diagonal is the mirror of one below it, so it inherits; a cell on the
    diagonal says nothing.
    """
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Feature", "CUDA Graph", "LoRA"))
    order = [fold_label(name) for name in table.columns[1:]]

    def refine(found: GridCell) -> None:
        row, column = fold_label(found.row.text), fold_label(found.column)
        text = found.cell.text
        # A pair is one statement whichever of the two names the row.
        pair = sorted(slug for facet in found.facets for slug in facet.slugs)
        if len(pair) == 2:
            found.facets = [
                facet_of(facet.axis, facet.word, *facet.slugs, key=key)
                for facet, key in zip(found.facets, pair, strict=True)
            ]
        if row == column:
            found.status = StatementStatus.NOT_APPLICABLE
        elif not text and row in order and order.index(row) < order.index(column):
            found.status = StatementStatus.INHERITS
            found.facets[0] = replace(found.facets[0], key=f"mirror-of-{found.facets[0].key_part}")
        elif text.lower().startswith(_YES) and found.status is None:
            found.status = StatementStatus.PARTIAL
            limit = text[len(_YES) :].rstrip(")")
            found.change(note=f"restricted: {limit}"[:140])
        elif found.status is StatementStatus.UNSUPPORTED:
            found.change(limit=Limit.FRAMEWORK)

    read_grid(
        collector,
        table,
        Grid(
            area="feature-pair",
            row=lambda cell, at: [feature(cell.text, at, collector)],
            column=lambda name, at: [feature(name, at, collector)],
            statuses=FEATURE_WORDS,
            refine=refine,
        ),
    )
    return collector.reading()
