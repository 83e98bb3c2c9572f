"""The memory page: the answer in one sentence, parts with their formulas, limits, what was seen."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.measured import MeasuredRun
from matrix.domain.memory.values import (
    AttentionKind,
    FailurePoint,
    FitLevel,
    MemoryEstimate,
    Part,
    PartKind,
    Term,
)
from matrix.index import Knowledge
from matrix.measuring import measured_runs
from matrix.memory_asking import MemoryQuestion, memory_query
from matrix.pages.links import cell_url, node_name, with_query
from matrix.pages.memory import FitSummary, fit_summary
from matrix.pages.memory_runs import peak_bytes
from matrix.pages.memory_words import (
    ATTENTION_WORDS,
    CERTAINTY_WORDS,
    FIT_SIGNS,
    PART_WORDS,
    POINT_SENTENCES,
    POINT_WORDS,
    FitSign,
    exact_text,
    named_facts,
    range_text,
    size_text,
    term_word,
    warning_sentence,
    why_unknown_word,
)
from matrix.pages.translated import in_words

MOST_RUNS = 5
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class TermView:
    """One line of a formula: what it counts, the formula, the same with its numbers."""

    word: str
    expression: str
    filled: str
    text: str
    exact: str


@dataclass(frozen=True, slots=True)
class PartView:
    """One part over all devices, and its share on the fullest one."""

    kind: str
    word: str | Promise
    text: str
    exact: str
    per_device: str
    certainty: str | Promise
    source: str
    why_unknown: str
    terms: Sequence[TermView]


@dataclass(frozen=True, slots=True)
class PointView:
    """One place where memory may run out."""

    word: str | Promise
    sign: FitSign
    sentence: str | Promise


@dataclass(frozen=True, slots=True)
class RunView:
    """A measured run of the same kind, with the peak of its device memory."""

    label: str
    url: str
    peak: str
    exact: str
    distance: str
    measured_on: str
    is_performance: bool


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Everything the page shows of one estimate."""

    title: str
    fit: FitSummary
    parts: Sequence[PartView]
    points: Sequence[PointView]
    limits: Sequence[str]
    warnings: Sequence[str]
    runs: Sequence[RunView]
    shape: Sequence[tuple[str, str]]
    usable_source: str
    host_text: str
    devices: int
    permalink: str
    rest_url: str
    cell_url: str
    check_url: str


def build_memory_page(
    knowledge: Knowledge, question: MemoryQuestion, estimate: MemoryEstimate
) -> MemoryPage:
    """The page of an estimate. **Queries**: those of the measured runs."""
    query = memory_query(question) if question.model else ""
    share = estimate.share
    per_device: Mapping[PartKind, str] = {
        PartKind.WEIGHTS: _span(
            share.weights_low_bytes, share.weights_bytes, share.weights_high_bytes
        ),
        PartKind.CACHE: _span(share.cache_low_bytes, share.cache_bytes, share.cache_high_bytes),
        PartKind.COMPUTE: range_text(share.compute_low_bytes, share.compute_high_bytes),
        PartKind.OVERHEAD: range_text(share.overhead_low_bytes, share.overhead_high_bytes),
    }
    notes = [*question.notes, *estimate.warnings]
    return MemoryPage(
        title=_subject(knowledge, question, estimate),
        fit=fit_summary(estimate),
        parts=[_part_view(part, per_device[part.kind]) for part in estimate.parts],
        points=[_point_view(point, estimate) for point in FailurePoint],
        limits=_limit_sentences(estimate),
        warnings=[
            warning_sentence(code, named_facts(knowledge.catalogue, facts)) for code, facts in notes
        ],
        runs=_run_views(question),
        shape=_shape_rows(estimate),
        usable_source=usable_sentence(question, estimate),
        host_text=size_text(share.host_bytes) if share.host_bytes else "",
        devices=estimate.request.layout.devices,
        permalink=f"{reverse('memory')}?{query}" if query else "",
        rest_url=f"{reverse('api-memory-estimates')}?{query}" if query else "",
        cell_url=cell_url(cell_of(question), as_of=question.as_of) if question.framework else "",
        check_url=_check_url(question) if question.model else "",
    )


def _check_url(question: MemoryQuestion) -> str:
    """The same model, scheme and devices, asked of every framework."""
    request = question.request
    pairs = [
        ("model", question.model),
        ("quantization", question.quantization),
        ("hardware", question.hardware),
        ("count", str(question.count) if question.hardware else ""),
        ("context_tokens", str(request.context_tokens)),
        ("concurrency", str(request.sequences)),
    ]
    return with_query(reverse("check"), pairs)


def usable_sentence(question: MemoryQuestion, estimate: MemoryEstimate) -> str:
    """Where the usable memory of a device is known from; empty where it is not known."""
    usable = estimate.fit.usable_bytes
    if usable is None:
        return ""
    words = {"size": size_text(usable), "source": in_words(question.usable_source)}
    if question.usable_source:
        return _("Usable memory of one device: %(size)s, as programs saw it (%(source)s).") % words
    return _("Usable memory of one device: %(size)s, as its maker states it.") % words


def cell_of(question: MemoryQuestion) -> Cell:
    """The cell of the same model, scheme, framework and hardware."""
    nodes = {
        Axis.MODEL: question.model,
        Axis.QUANTIZATION: question.quantization,
        Axis.HARDWARE: question.hardware,
        Axis.KV_DTYPE: question.kv_dtype,
    }
    numbers = {NumberAxis.HARDWARE_COUNT: float(question.count)} if question.hardware else {}
    return Cell(
        framework=question.framework,
        version=question.version or None,
        nodes={axis: slug for axis, slug in nodes.items() if slug},
        numbers=numbers,
    )


def _subject(knowledge: Knowledge, question: MemoryQuestion, estimate: MemoryEstimate) -> str:
    catalogue = knowledge.catalogue
    parts = [estimate.request.shape.name or _("the pasted model")]
    parts.append(node_name(catalogue, "quantization", question.quantization))
    if question.hardware:
        name = node_name(catalogue, "hardware", question.hardware)
        parts.append(f"{question.count} × {name}")
    if question.framework:
        name = node_name(catalogue, "framework", question.framework)
        parts.append(f"{name} {question.version}".strip())
    return " · ".join(part for part in parts if part)


# -- parts ----------------------------------------------------------------------------------------


def _span(low: int | None, figure: int | None, high: int | None) -> str:
    """A range where there is one, else the figure."""
    return size_text(figure) if low is None or high is None else range_text(low, high)


def _part_view(part: Part, per_device: str) -> PartView:
    return PartView(
        kind=part.kind.value,
        word=PART_WORDS[part.kind],
        text=_part_text(part),
        exact=exact_text(part.bytes_),
        per_device=per_device,
        certainty=CERTAINTY_WORDS[part.certainty],
        source=in_words(part.source),
        why_unknown=why_unknown_word(part.why_unknown) if part.why_unknown else "",
        terms=[_term_view(term) for term in part.terms],
    )


def _part_text(part: Part) -> str:
    if part.low_bytes is not None and part.high_bytes is not None:
        return range_text(part.low_bytes, part.high_bytes)
    return size_text(part.bytes_)


def _term_view(term: Term) -> TermView:
    return TermView(
        word=term_word(term.name),
        expression=in_words(term.expression),
        filled=_filled(term),
        text=size_text(term.bytes_),
        exact=exact_text(term.bytes_),
    )


def _filled(term: Term) -> str:
    """The formula with the numbers in place of their names; empty where none stands in it."""

    def number(found: re.Match[str]) -> str:
        value = term.numbers.get(found.group())
        if value is None:
            return found.group()
        return f"{value:,}" if isinstance(value, int) else f"{value}"

    expression = in_words(term.expression)
    filled = _NAME.sub(number, expression)
    return "" if filled == expression else filled


# -- what follows ---------------------------------------------------------------------------------


def _point_view(point: FailurePoint, estimate: MemoryEstimate) -> PointView:
    level = estimate.fit.points.get(point, FitLevel.UNKNOWN)
    return PointView(
        word=POINT_WORDS[point], sign=FIT_SIGNS[level], sentence=POINT_SENTENCES[level]
    )


def _limit_sentences(estimate: MemoryEstimate) -> list[str]:
    """The largest that fits, at the high end of the ranges and at the low end."""
    fit, request = estimate.fit, estimate.request
    context = {"sequences": f"{request.sequences:,}"}
    most = {"tokens": f"{request.context_tokens:,}"}
    found = [
        _limit(
            fit.largest_context_tokens,
            fit.largest_context_at_best_tokens,
            alike=_("Longest context with %(sequences)s at once: %(n)s tokens.") % _open(context),
            apart=_(
                "Longest context with %(sequences)s at once: %(low)s tokens for certain, up to"
                " %(high)s at the low end of the ranges."
            )
            % _open(context),
            none=_("No context fits with %(sequences)s at once.") % context,
        ),
        _limit(
            fit.largest_sequences,
            fit.largest_sequences_at_best,
            alike=_("Most sequences of %(tokens)s tokens at once: %(n)s.") % _open(most),
            apart=_(
                "Most sequences of %(tokens)s tokens at once: %(low)s for certain, up to %(high)s"
                " at the low end of the ranges."
            )
            % _open(most),
            none=_("Not one sequence of %(tokens)s tokens fits.") % most,
        ),
    ]
    if fit.devices_needed is not None:
        words = {"n": f"{fit.devices_needed:,}"}
        found.append(_("Devices of this kind that it takes for certain: %(n)s.") % words)
    return [sentence for sentence in found if sentence]


def _open(words: Mapping[str, str]) -> Mapping[str, str]:
    """The words, and the places that are filled later, as they stand."""
    return {**words, "n": "%(n)s", "low": "%(low)s", "high": "%(high)s"}


def _limit(low: int | None, high: int | None, *, alike: str, apart: str, none: str) -> str:
    if low is None:
        return ""
    if high is None or high == low:
        return alike % {"n": f"{low:,}"} if low else none
    return apart % {"low": f"{low:,}", "high": f"{high:,}"}


def _shape_rows(estimate: MemoryEstimate) -> list[tuple[str, str]]:
    """The numbers of the model, with the words for them."""
    shape = estimate.request.shape
    kinds: dict[str, int] = {}
    for layer in shape.layers:
        kinds[layer.attention.value] = kinds.get(layer.attention.value, 0) + 1
    rows: list[tuple[str, object]] = [
        (_("Architecture"), shape.architecture),
        (_("Layers"), shape.num_layers),
        (
            _("Layers by attention"),
            ", ".join(f"{n} {ATTENTION_WORDS[AttentionKind(kind)]}" for kind, n in kinds.items()),
        ),
        (_("Hidden size"), shape.hidden_size),
        (_("Attention heads"), shape.num_heads),
        (_("KV heads"), shape.num_kv_heads),
        (_("Head size"), shape.head_dim),
        (_("Vocabulary"), shape.vocab_size),
        (_("Experts"), shape.num_experts or None),
        (_("Parameters"), shape.parameters_total),
        (_("Longest context"), shape.max_context_tokens),
        (_("Source"), in_words(shape.source)),
    ]
    return [
        (name, f"{value:,}" if isinstance(value, int) else str(value))
        for name, value in rows
        if value not in (None, "")
    ]


def _run_views(question: MemoryQuestion) -> list[RunView]:
    """Runs near the question whose peak of device memory was measured."""
    if not question.framework or not question.model:
        return []
    runs = measured_runs(cell_of(question), version=question.version or None, most=40)
    return [view for run in runs if (view := _run_view(run)) is not None][:MOST_RUNS]


def _run_view(run: MeasuredRun) -> RunView | None:
    peak = peak_bytes(run)
    if peak is None:
        return None
    return RunView(
        label=run.label,
        url=run.url,
        peak=size_text(peak),
        exact=exact_text(peak),
        distance=", ".join(run.distance),
        measured_on=run.measured_on.isoformat() if run.measured_on else "",
        is_performance=run.is_performance,
    )
