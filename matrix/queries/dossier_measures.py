"""Memory, measurements and cost of a candidate as a dossier pins them."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from matrix.asking import QuestionReader
from matrix.costing import CellCost, cost_of_cell
from matrix.domain.coordinates import Cell
from matrix.domain.errors import RunproofError
from matrix.domain.levels import Axis
from matrix.domain.measured import MeasuredRun, SloThroughput
from matrix.domain.memory.estimate import estimate_memory
from matrix.domain.need import Need
from matrix.domain.pinned import PinnedCost, PinnedMemory, PinnedRun, PinnedThroughput
from matrix.measuring import measured_runs
from matrix.memory_asking import MEMORY_PARAMETERS, memory_words, read_memory_question

MOST_RUNS = 8


def pin_memory(
    cell: Cell, layout: Mapping[str, Any], need: Need, reader: QuestionReader
) -> PinnedMemory:
    """The estimate of a cell under the need's load; the layout's own words go before those.

    A model or scheme of which no estimate can be made is unknown, with the reason in ``detail``.
    """
    if Axis.MODEL not in cell.nodes:
        return PinnedMemory(why_unknown="no-model")
    load = need.workload
    more: dict[str, Any] = {
        "context_tokens": load.context_tokens, "sequences": load.concurrency,
    }  # fmt: skip
    more.update({name: value for name, value in layout.items() if name in MEMORY_PARAMETERS})
    words = memory_words(cell, **more)
    try:
        question = read_memory_question(words, reader)
        estimate = estimate_memory(question.request)
    except RunproofError as error:
        return PinnedMemory(why_unknown=error.code, detail=str(error))
    except NotImplementedError:
        return PinnedMemory(why_unknown="no-rules")
    request = estimate.request
    return PinnedMemory(
        parts=estimate.parts,
        share=estimate.share,
        fit=estimate.fit,
        warnings=(*estimate.warnings, *question.notes),
        context_tokens=request.context_tokens,
        sequences=request.sequences,
        devices=question.count,
    )


def pin_runs(
    cell: Cell, version: str, *, as_of: date, known_at: datetime | None
) -> tuple[PinnedRun, ...]:
    """The runs on and near a cell that were measured by a day, nearest first."""
    found = measured_runs(
        cell, version=version or None, most=MOST_RUNS, known_at=known_at, as_of=as_of
    )
    return tuple(pin_run(run) for run in found)


def pin_run(run: MeasuredRun) -> PinnedRun:
    """A run as it stands."""
    return PinnedRun(
        reference=run.reference,
        digest=run.digest,
        label=run.label,
        url=run.url,
        framework=run.framework,
        version=run.version,
        model=run.model,
        quantization=run.quantization,
        hardware=run.hardware,
        hardware_count=run.hardware_count,
        run_class=run.run_class,
        status=run.status,
        is_performance=run.is_performance,
        is_exact=run.is_exact,
        distance=tuple(str(word) for word in run.distance),
        measured_on=run.measured_on,
        load=run.load,
        grade=run.grade,
        state=run.state,
        metrics=dict(run.metrics),
    )


def pin_cost(
    cell: Cell, version: str, need: Need, *, on: date, known_at: datetime | None
) -> tuple[PinnedThroughput, PinnedCost]:
    """What was reached at the objectives, and what a million tokens cost by the price of a day."""
    found = cost_of_cell(
        cell, need.slo, version=version or None, on=on, currency=need.currency or None,
        known_at=known_at,
    )  # fmt: skip
    return _throughput(found.throughput), _cost(found)


def _throughput(reached: SloThroughput) -> PinnedThroughput:
    return PinnedThroughput(
        output_tok_s=reached.output_tok_s,
        total_tok_s=reached.total_tok_s,
        goodput_req_s=reached.goodput_req_s,
        attained_share=reached.attained_share,
        low_output_tok_s=reached.low_output_tok_s,
        high_output_tok_s=reached.high_output_tok_s,
        interval_of=reached.interval_of,
        runs=tuple(run.reference for run in reached.runs),
        marks=reached.marks,
        why_unknown=reached.why_unknown,
    )


def _cost(found: CellCost) -> PinnedCost:
    figure, price = found.figure, found.price
    return PinnedCost(
        currency=figure.currency or (price.currency if price else ""),
        output=_amount(figure.cost_per_million_output_tokens),
        output_low=_amount(figure.low_cost_per_million_output_tokens),
        output_high=_amount(figure.high_cost_per_million_output_tokens),
        total=_amount(figure.cost_per_million_total_tokens),
        total_low=_amount(figure.low_cost_per_million_total_tokens),
        total_high=_amount(figure.high_cost_per_million_total_tokens),
        price_per_hour=_amount(figure.price_per_hour),
        price_uid=price.uid if price else "",
        price_effective_on=price.effective_on if price else None,
        price_note=price.note if price else "",
        price_is_demonstration=price.is_demonstration if price else False,
        interval_of=figure.interval_of,
        marks=figure.marks,
        why_unknown=figure.why_unknown,
    )


def _amount(value: Decimal | None) -> str:
    return "" if value is None else format(value, "f")
